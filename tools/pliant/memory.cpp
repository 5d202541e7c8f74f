// SPDX-License-Identifier: Apache-2.0
// Uses and lives of buffers.
#include "memory.h"
#include "ops/op.h"
#include <algorithm>

namespace pliant::tool {

int baseBuffer(const Program &program, int buffer) {
  while (program.buffers[buffer].storage == Buffer::Storage::Alias)
    buffer = program.buffers[buffer].index;
  return buffer;
}

std::vector<BufferUse> bufferUses(const Program &program) {
  std::vector<BufferUse> uses(program.buffers.size());
  for (const Step *step : numberedSteps(program)) {
    auto add = [&](const std::vector<int> &list, std::vector<const Step *> BufferUse::*side) {
      for (int buffer : list) {
        auto &steps = uses[baseBuffer(program, buffer)].*side;
        if (steps.empty() || steps.back() != step)
          steps.push_back(step);
      }
    };
    add(step->inputs, &BufferUse::readers);
    if (step->kind != Step::Kind::If) // its branches write
      add(step->outputs, &BufferUse::writers);
  }
  return uses;
}

std::optional<ArenaUse> arenaUse(const Program &program, const SymbolValues &values) {
  std::vector<int64_t> sizes, offsets(program.arena.size());
  std::map<int, int64_t> change; // of the live bytes, by time
  for (const ArenaItem &item : program.arena) {
    auto bytes = valueOf(item.bytes, values);
    if (!bytes)
      return std::nullopt;
    sizes.push_back(*bytes);
    change[item.first] += *bytes;
    change[item.last + 1] -= *bytes;
  }
  ArenaUse use;
  use.arenaBytes = placeArena(program.arena, sizes.data(), offsets.data());
  int64_t live = 0;
  for (auto [time, bytes] : change)
    use.liveBytes = std::max(use.liveBytes, live += bytes);
  return use;
}

std::string stepName(const Program &program, const Step &step) {
  switch (step.kind) {
  case Step::Kind::Launch:
    return program.groups[step.group].name();
  case Step::Kind::Evaluate:
    return std::string("fallback ") + info(step.op).name;
  case Step::Kind::Extents:
    return "host extents";
  case Step::Kind::Bind:
    return "host bind";
  case Step::Kind::Check:
    return "host check";
  case Step::Kind::Guard:
    return "host guard";
  case Step::Kind::Assign:
    return "host assign";
  case Step::Kind::If:
    return "host if";
  case Step::Kind::Loop:
    return "host loop";
  case Step::Kind::Share:
    return "host share";
  case Step::Kind::Collect:
    return "host collect";
  case Step::Kind::Release:
    return "host release";
  case Step::Kind::List:
    return "host list";
  }
  return "step";
}

std::string whyInMemory(const Program &program, int buffer, const BufferUse &use) {
  switch (program.buffers[buffer].storage) {
  case Buffer::Storage::Input:
    return "input of the model";
  case Buffer::Storage::Output:
    return "output of the model";
  case Buffer::Storage::Weight:
    return "weight";
  case Buffer::Storage::Constant:
    return "constant";
  case Buffer::Storage::Dynamic:
    return "its size depends on values read at run time, or a loop carries it";
  case Buffer::Storage::Element:
    return "a loop collects it";
  default:
    break;
  }
  if (use.readers.empty())
    return "nothing reads it";
  std::string out;
  const Step &first = *use.readers.front();
  const bool host = first.kind != Step::Kind::Launch;
  if (use.readers.size() > 1)
    out = "read by " + std::to_string(use.readers.size()) + " steps: ";
  else if (host)
    out = "read by the host: ";
  else if (!use.writers.empty() && use.writers.front()->kind != Step::Kind::Launch)
    out = "made outside of a kernel, read by ";
  else
    out = "its reader is another kernel: ";
  for (size_t i = 0; i < use.readers.size() && i < 4; ++i)
    out += (i ? ", " : "") + stepName(program, *use.readers[i]);
  return out + (use.readers.size() > 4 ? ", ..." : "");
}

} // namespace pliant::tool
