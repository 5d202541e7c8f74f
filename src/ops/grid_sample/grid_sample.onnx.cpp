// SPDX-License-Identifier: Apache-2.0
// GridSample. Its interpolations have other names before opset 20.
#include "ops/onnx_util.h"

namespace pliant::ops::grid_sample {
using namespace onnx_import;

static Status importGridSample(NodeImport &n) {
  Value x = n.in(0), grid = n.in(1);
  std::string mode = n.strAttr("mode", "linear");
  if (mode.starts_with("bi"))
    mode = mode.substr(2);
  n.out(n.b.gridSample(x, grid, mode, n.strAttr("padding_mode", "zeros"), n.intAttr("align_corners", 0) != 0));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"GridSample", 16, importGridSample}};
  return rows;
}

} // namespace pliant::ops::grid_sample
