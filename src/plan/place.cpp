// SPDX-License-Identifier: Apache-2.0
// Places arena buffers: each goes to a slot whose last buffer is dead, preferring one that is large enough for sure;
// a slot is as large as its largest buffer, an expression over the symbols.
#include "plan/plan.h"
#include <algorithm>
#include <functional>
#include <set>

namespace pliant::plan {
namespace {

struct Life {
  int first = -1, last = -1;
};

/// The size at a typical point, to rank slots; proofs would leave most pairs undecided.
double typical(const Expr &e, int64_t scale) {
  auto value = e.evaluate([&](const std::string &) -> std::optional<int64_t> { return scale; });
  return value ? static_cast<double>(*value) : 0;
}

} // namespace

void placeBuffers(Program &program, bool share) {
  std::vector<Life> lives(program.buffers.size());
  auto root = [&](int buffer) {
    while (program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  };
  int now = 0;
  std::function<void(const std::vector<Step> &)> walk = [&](const std::vector<Step> &steps) {
    for (const Step &step : steps) {
      int begin = ++now;
      auto touch = [&](int buffer, int time) {
        Life &life = lives[root(buffer)];
        life.first = life.first < 0 ? time : std::min(life.first, time);
        life.last = std::max(life.last, time);
      };
      for (int buffer : step.inputs)
        touch(buffer, begin);
      for (int buffer : step.outputs)
        touch(buffer, begin);
      if (step.kind == Step::Kind::If) {
        walk(step.thenSteps);
        walk(step.elseSteps);
        for (int buffer : step.outputs)
          touch(buffer, ++now);
      }
    }
  };
  walk(program.steps);

  // Extents that are read at run time are not known when the arena is reserved.
  std::set<std::string> atEntry;
  for (const Argument &input : program.inputs)
    for (const Expr &extent : input.type.shape)
      for (const std::string &symbol : extent.symbols())
        atEntry.insert(symbol);
  for (Buffer &buffer : program.buffers)
    if (buffer.storage == Buffer::Storage::Arena)
      for (const std::string &symbol : buffer.bytes().symbols())
        if (!atEntry.contains(symbol))
          buffer.storage = Buffer::Storage::Dynamic;

  std::vector<int> order;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].storage == Buffer::Storage::Arena && lives[i].first >= 0)
      order.push_back(static_cast<int>(i));
  std::sort(order.begin(), order.end(), [&](int a, int b) { return lives[a].first < lives[b].first; });

  struct Slot {
    Expr bytes;
    double typical;
    int freeAfter;
    std::vector<int> members;
  };
  std::vector<Slot> slots;
  for (int buffer : order) {
    // A whole number of cache lines, so that offsets stay aligned.
    Expr bytes = ceilDiv(program.buffers[buffer].bytes(), 64) * 64;
    double size = typical(bytes, 61);
    Slot *best = nullptr;
    auto waste = [&](const Slot &slot) { return std::abs(slot.typical - size) * (slot.typical < size ? 1.0 : 1.0); };
    for (Slot &slot : slots)
      if (share && slot.freeAfter < lives[buffer].first && (!best || waste(slot) < waste(*best)))
        best = &slot;
    if (!best) {
      slots.push_back({bytes, size, lives[buffer].last, {buffer}});
      continue;
    }
    if (!(best->bytes == bytes))
      best->bytes = max(best->bytes, bytes);
    best->typical = std::max(best->typical, size);
    best->freeAfter = lives[buffer].last;
    best->members.push_back(buffer);
  }
  Expr offset = 0;
  for (const Slot &slot : slots) {
    for (int buffer : slot.members)
      program.buffers[buffer].offset = offset;
    offset = offset + slot.bytes;
  }
  program.arenaBytes = program.scratchOffset = offset; // scratch is added when the kernels are known
}

} // namespace pliant::plan
