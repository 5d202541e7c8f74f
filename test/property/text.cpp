// SPDX-License-Identifier: Apache-2.0
// pliant-text [COUNT]: what every stage prints of the models and of random graphs parses back, and prints the same.
#include "api/compiler.h"
#include "graph.h"
#include "models/cases.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace pliant::ring {
namespace {

int failures = 0, texts = 0;

void fail(const std::string &model, const std::string &what) {
  ++failures;
  std::printf("FAIL %s: %s\n", model.c_str(), what.c_str());
  std::fflush(stdout);
}

/// The first line in which two texts differ.
std::string difference(const std::string &a, const std::string &b) {
  size_t at = 0, line = 1;
  for (; at < a.size() && at < b.size() && a[at] == b[at]; ++at)
    line += a[at] == '\n';
  auto around = [&](const std::string &text) { return text.substr(at > 60 ? at - 60 : 0, 120); };
  return "line " + std::to_string(line) + ": '" + around(a) + "' became '" + around(b) + "'";
}

void check(const driver::CompilerApi &api, const std::string &model, const std::string &scratch,
           const Result<driver::Compiled> &compiled) {
  if (!compiled)
    return; // a gap, which other tests count
  for (const auto &[stage, text] : compiled->prints) {
    std::ofstream(scratch, std::ios::binary) << text;
    driver::Options options;
    options.stopAfter = "import";
    auto again = api.file(scratch, options);
    ++texts;
    if (!again)
      fail(model, "after " + stage + ": " + again.error().text());
    else if (again->prints.size() != 1 || again->prints[0].second != text)
      fail(model, "after " + stage + ", " + difference(text, again->prints[0].second));
  }
}

int run(int count) {
  auto api = compiler();
  if (!api) {
    std::printf("%s\n", api.error().text().c_str());
    return 1;
  }
  driver::Options options;
  std::string last;
  for (const auto &[stage, text] : (*api)->stages()) {
    if (stage == "plan")
      break;
    options.printAfter.insert(stage);
    last = stage;
  }
  options.stopAfter = last;
  const std::string scratch = (std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + std::string("/pliant-text-") +
                              std::to_string(getpid()) + ".mlir";
  int models = 0;
  for (const models::Case &test : models::cases())
    if (std::string path = test.large ? "" : models::findFile(test.file); !path.empty()) {
      ++models;
      check(**api, test.name, scratch, (*api)->file(path, options));
    }
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(count); ++seed)
    check(**api, "seed " + std::to_string(seed), scratch,
          (*api)->bytes(drawGraph(seed, 2 + static_cast<int>(seed % 12)).model, options));
  std::remove(scratch.c_str());
  std::printf("%d texts of %d models and %d graphs, %d wrong\n", texts, models, count, failures);
  return failures || texts == 0 ? 1 : 0;
}

} // namespace
} // namespace pliant::ring

int main(int argc, char **argv) {
  int code = pliant::ring::run(argc > 1 ? std::atoi(argv[1]) : 60);
  std::fflush(stdout);
  return code;
}
