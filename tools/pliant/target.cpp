// SPDX-License-Identifier: Apache-2.0
// pliant target: what the processor offers and Pliant uses.
#include "runtime/target.h"
#include "command.h"
#include "session.h"

namespace pliant::tool {

static Status target(const Arguments &arguments) {
  if (!arguments.operands().empty())
    return userError("command line", "target takes no operand, but '" + arguments.operands()[0] + "' is given");
  PLIANT_TRY(TargetDescription t, TargetDescription::forced(arguments.get("--target")));
  if (arguments.has("--json")) {
    std::string text = t.json();
    std::printf("%s%s", text.c_str(), text.ends_with('\n') ? "" : "\n");
    return ok();
  }
  std::printf("name       %s\nprocessor  %s\nvectors    %u bits, %u registers%s\n", t.name.c_str(), t.cpu.c_str(),
              t.vectorBits, t.vectorRegisters, t.fma ? ", fused multiply-add" : "");
  std::printf("caches     L1d %s, L2 %s, L3 %s, lines of %u bytes\n", bytesText(static_cast<double>(t.l1d)).c_str(),
              bytesText(static_cast<double>(t.l2)).c_str(), bytesText(static_cast<double>(t.l3)).c_str(), t.cacheLine);
  std::printf("features   ");
  std::string line;
  for (const std::string &feature : split(t.features, ','))
    if (feature.starts_with('+')) {
      if (line.size() + feature.size() > 100) {
        std::printf("%s\n           ", line.c_str());
        line.clear();
      }
      line += feature.substr(1) + " ";
    }
  std::printf("%s\n", line.c_str());
  return ok();
}

Command targetCommand() {
  return {"target",
          "[options]",
          "what the processor offers and Pliant uses",
          "",
          {{"--target", "NAME", "host (or $PLIANT_TARGET), avx512, avx2 or x86-64: the host narrowed to that level"},
           {"--json", nullptr, "one JSON object on standard output"}},
          target};
}

} // namespace pliant::tool
