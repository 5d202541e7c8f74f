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

int64_t liveBytes(const Program &program, const SymbolValues &values) {
  const std::vector<const Step *> steps = numberedSteps(program);
  std::map<const Step *, size_t> order;
  for (size_t i = 0; i < steps.size(); ++i)
    order[steps[i]] = i;
  std::vector<int64_t> change(steps.size() + 1);
  const std::vector<BufferUse> uses = bufferUses(program);
  for (size_t i = 0; i < uses.size(); ++i) {
    if (program.buffers[i].storage != Buffer::Storage::Arena || uses[i].writers.empty())
      continue;
    auto bytes = valueOf(program.buffers[i].bytes(), values);
    if (!bytes)
      continue;
    size_t first = order[uses[i].writers.front()], last = order[uses[i].writers.back()];
    for (const Step *reader : uses[i].readers)
      last = std::max(last, order[reader]);
    change[first] += *bytes;
    change[last + 1] -= *bytes;
  }
  int64_t live = 0, most = 0;
  for (int64_t c : change)
    most = std::max(most, live += c);
  return most;
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
  case Step::Kind::Assign:
    return "host assign";
  case Step::Kind::If:
    return "host if";
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
    return "its size depends on values read at run time";
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
