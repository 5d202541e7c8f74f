// SPDX-License-Identifier: Apache-2.0
// Reading ONNX files: real ones.
#include "onnx/file.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace pliant::onnx_file;
TEST(OnnxFile, RealFilesOpen) {
  int n = 0;
  for (const char *root : {"/work/shared/models", "/usr/share/libonnx-testdata/data"})
    for (auto &e : std::filesystem::recursive_directory_iterator(root))
      if (e.path().extension() == ".onnx") {
        auto f = ModelFile::open(e.path());
        EXPECT_TRUE(bool(f)) << e.path() << " " << (f ? "" : f.error().text());
        ++n;
      }
  printf("%d files\n", n);
}
