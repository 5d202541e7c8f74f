// SPDX-License-Identifier: Apache-2.0
// Counted memory: what loops carry and collect. A block that nothing holds any longer serves whoever asks next, so a
// trip works in the memory of the last but one.
#include "executable/context.h"
#include <algorithm>
#include <cstring>

namespace pliant {

std::optional<int64_t> Executable::Context::valueOf(const std::string &symbol) const {
  auto slot = owner->slots.symbols.find(symbol);
  return slot == owner->slots.symbols.end() ? std::nullopt : std::optional(symbols[slot->second]);
}

Result<std::vector<int64_t>> Executable::Context::dimsOf(const Extents &shape) const {
  std::vector<int64_t> dims;
  for (const Expr &extent : shape) {
    auto constant = extent.constant();
    if (!constant) {
      PLIANT_TRY(constant, extent.evaluate([&](const std::string &symbol) { return valueOf(symbol); }));
    }
    dims.push_back(*constant);
  }
  return dims;
}

void Executable::Context::setSymbol(const std::string &symbol, int64_t value) {
  symbols[owner->slots.symbols.at(symbol)] = value;
}

/// A quarter above the largest power of two below, so that what grows by little finds a block that fits most times.
static size_t roomFor(size_t bytes) {
  size_t step = 64;
  while (step * 8 <= bytes)
    step *= 2;
  return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

/// Lets an output lie where the input was that its kernel makes it of.
bool Executable::Context::inherit(int buffer, size_t bytes) {
  if (spent.empty())
    return false;
  const auto heir = owner->heirOf.find(buffer);
  if (heir == owner->heirOf.end() || static_cast<size_t>(heir->second) >= spent.size() || !spent[heir->second])
    return false;
  const DenseTensor &input = given[heir->second];
  if (input.bytes() != bytes || !soleHolder(input.owner()))
    return false;
  memory[buffer] = input.owner();
  state.buffers[buffer] = input.data();
  return true;
}

Status Executable::Context::allocate(int buffer, size_t bytes) {
  memory[buffer].reset();
  if (inherit(buffer, bytes))
    return ok();
  const bool grows = owner->plan->buffers[buffer].storage == Buffer::Storage::Dynamic;
  PLIANT_TRY(memory[buffer], pool.take(grows ? roomFor(bytes) : bytes));
  state.buffers[buffer] = memory[buffer].get();
  return ok();
}

/// Memory behind the last element of what is collected; it grows by doubling, or is as large as it will be when the
/// number of trips is known.
Status Executable::Context::allocateElement(int buffer, std::span<const int64_t> dims) {
  const Buffer &element = owner->plan->buffers[buffer];
  Collected &all = collected[element.index];
  if (all.count == 0)
    all.dims.assign(dims.begin(), dims.end());
  else if (!std::equal(dims.begin(), dims.end(), all.dims.begin(), all.dims.end()))
    return userError("loop", "trip " + std::to_string(all.count) + " gives a scan output of shape " +
                                 str(std::vector<int64_t>(dims.begin(), dims.end())) + ", the first one gave " +
                                 str(all.dims) + ": elements must have one shape");
  PLIANT_TRY(int64_t count, elementCount(dims.data(), dims.size()));
  const size_t bytes = static_cast<size_t>(count) * byteSize(element.type.dtype);
  if (all.used + bytes > all.capacity || !all.memory) {
    size_t wanted = std::max(all.used + bytes, 2 * all.capacity);
    if (all.count == 0 && owner->countedTrips.contains(element.index)) {
      PLIANT_TRY(std::vector<int64_t> trips, dimsOf({owner->plan->buffers[element.index].type.shape[0]}));
      size_t expected = 0;
      if (!__builtin_mul_overflow(bytes, static_cast<size_t>(std::max<int64_t>(trips[0], 0)), &expected))
        wanted = std::max(wanted, expected);
    }
    PLIANT_TRY(std::shared_ptr<void> larger, pool.take(wanted));
    if (all.used)
      std::memcpy(larger.get(), all.memory.get(), all.used);
    all.memory = std::move(larger);
    all.capacity = wanted;
  }
  state.buffers[buffer] = static_cast<char *>(all.memory.get()) + all.used;
  all.used += bytes;
  ++all.count;
  return ok();
}

/// What a buffer holds, shared; with `giveUp` it holds nothing afterwards.
Counted Executable::Context::held(int buffer, bool giveUp) {
  Counted out{memory[buffer], state.buffers[buffer]};
  if (giveUp)
    memory[buffer].reset();
  return out;
}

Status Executable::Context::become(int buffer, Counted given) {
  const Buffer &what = owner->plan->buffers[buffer];
  if (auto room = owner->rooms.find(buffer); room != owner->rooms.end()) {
    symbols[room->second.capacity] = given.capacity;
  } else if (!given.dims.empty()) { // it lies with room, and what becomes of it is dense
    return becomeDense(buffer, given);
  } else if (what.storage == Buffer::Storage::Output) {
    // Outputs share memory with nothing: neither with inputs, nor with each other.
    bool own = given.owner != nullptr;
    for (int other : owner->plan->outputBuffers)
      own &= other == buffer || memory[other] != given.owner;
    if (!own) {
      PLIANT_TRY(std::vector<int64_t> dims, dimsOf(what.type.shape));
      PLIANT_TRY(int64_t count, elementCount(dims));
      const size_t bytes = static_cast<size_t>(count) * byteSize(what.type.dtype);
      PLIANT_CHECK(allocate(buffer, bytes));
      if (bytes)
        std::memcpy(state.buffers[buffer], given.data, bytes);
      return ok();
    }
  }
  memory[buffer] = std::move(given.owner);
  state.buffers[buffer] = given.data;
  return ok();
}

Status Executable::Context::collect(const Step &step) {
  for (int buffer : step.outputs) {
    Collected all = std::exchange(collected[buffer], {});
    const Extents &shape = owner->plan->buffers[buffer].type.shape;
    all.dims.resize(shape.size() - 1); // zeros when there was no trip
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (auto symbol = shape[axis].symbolName())
        if (std::find(step.symbols.begin(), step.symbols.end(), *symbol) != step.symbols.end())
          setSymbol(*symbol, axis == 0 ? all.count : all.dims[axis - 1]);
    if (!all.memory) {
      PLIANT_TRY(all.memory, pool.take(0));
    }
    void *data = all.memory.get();
    PLIANT_CHECK(become(buffer, {std::move(all.memory), data}));
  }
  return ok();
}

Status Executable::Context::share(const Step &step) {
  moving.clear(); // all are read before any is written
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const int from = step.inputs[i];
    moving.emplace_back(held(from, step.flag), lists[from]);
    auto room = owner->rooms.find(from), wanted = owner->rooms.find(step.outputs[i]);
    if (room == owner->rooms.end() && wanted == owner->rooms.end())
      continue;
    Counted &given = moving.back().first;
    if (room == owner->rooms.end()) { // dense; `from` may be the same memory under another shape
      PLIANT_TRY(const std::vector<int64_t> now, dimsOf(owner->plan->buffers[step.outputs[i]].type.shape));
      given.capacity = now[wanted->second.axis];
      continue;
    }
    given.capacity = symbols[room->second.capacity];
    given.axis = room->second.axis;
    PLIANT_TRY(std::vector<int64_t> dims, dimsOf(owner->plan->buffers[from].type.shape));
    const auto rows = dims.begin() + static_cast<std::ptrdiff_t>(given.axis);
    const bool oneRow = std::all_of(dims.begin(), rows, [](int64_t extent) { return extent == 1; });
    if (!oneRow && given.capacity != dims[given.axis])
      given.dims = std::move(dims);
  }
  for (size_t i = 0; i < moving.size(); ++i) {
    lists[step.outputs[i]] = std::move(moving[i].second);
    if (owner->plan->buffers[step.outputs[i]].storage != Buffer::Storage::List)
      PLIANT_CHECK(become(step.outputs[i], std::move(moving[i].first)));
  }
  moving.clear();
  return ok();
}

Status Executable::Context::perform(const Step &step) {
  switch (step.kind) {
  case Step::Kind::Share:
    return share(step);
  case Step::Kind::Release:
    for (int buffer : step.outputs) {
      lists[buffer].reset();
      memory[buffer].reset();
    }
    return ok();
  case Step::Kind::Collect:
    return collect(step);
  default:
    return list(step);
  }
}

void Executable::Context::endRun() {
  for (int buffer : pooled)
    memory[buffer].reset();
  if (owner->takesLists)
    for (std::shared_ptr<ListValue> &list : lists)
      list.reset();
  collected.clear(); // what a failed run has left
  for (State &state : states)
    state = {};
  for (DenseTensor &input : inputs)
    input.release();
  given = {};
  spent = {};
  strings.clear();
}

} // namespace pliant
