// SPDX-License-Identifier: Apache-2.0
// States that callers give up: what they stand for, and the memory that they grow into.
#include "executable/context.h"
#include <algorithm>
#include <cstring>

namespace pliant {

/// Room for half as much again, and a few.
static int64_t roomFor(int64_t length) {
  int64_t room = 0;
  return __builtin_add_overflow(length, std::max<int64_t>(length / 2, 16), &room) ? length : room;
}

void Executable::findRooms() {
  auto add = [&](int buffer, int64_t axis, const std::string &symbol) {
    rooms[buffer] = {static_cast<size_t>(axis), slots.symbols.at(symbol)};
  };
  for (size_t i = 0; i < plan->states.size(); ++i) {
    const State &state = plan->states[i];
    add(plan->inputBuffers[state.input], state.axis, state.from);
    add(plan->outputBuffers[state.output], state.axis, state.to);
    stateOf[plan->outputBuffers[state.output]] = static_cast<int>(i);
    stateSlots.push_back({slots.symbols.at(state.from), slots.symbols.at(state.to)});
  }
  for (size_t i = 0; i < plan->carried.size(); ++i) {
    const CarriedState &state = plan->carried[i];
    add(state.handed, state.axis, state.from);
    add(state.made, state.axis, state.to);
    carriedOf[state.made] = static_cast<int>(i);
  }
}

/// The run's inputs with those that states stand for.
Result<std::span<const DenseTensor>> Executable::takeStates(Context &context, std::span<const DenseTensor> inputs,
                                                            std::span<GrowingTensor> states) const {
  for (size_t k = 0; k < stateSlots.size(); ++k) { // a plain input is as long as it is
    const State &state = plan->states[k];
    const auto input = static_cast<size_t>(state.input);
    if (input < inputs.size() && state.axis < inputs[input].rank())
      context.symbols[stateSlots[k].from] = inputs[input].dims()[state.axis];
  }
  if (states.empty())
    return inputs;
  if (states.size() != plan->states.size())
    return userError("run", "the program has " + std::to_string(plan->states.size()) + " states, " +
                                std::to_string(states.size()) + " were given");
  if (inputs.size() != plan->inputs.size())
    return inputs; // an error that checkInputs words
  context.inputs.assign(inputs.begin(), inputs.end());
  for (size_t k = 0; k < states.size(); ++k) {
    if (!states[k])
      continue;
    const State &state = plan->states[k];
    const std::string &name = plan->inputs[state.input].name;
    for (size_t other = 0; other < k; ++other)
      if (states[other] && plan->states[other].input == state.input)
        return userError("run", "two states are given for input '" + name + "'");
    if (states[k].axis() != static_cast<size_t>(state.axis))
      return userError("run", "the state given for input '" + name + "' grows along axis " +
                                  std::to_string(states[k].axis()) + ", the program's along axis " +
                                  std::to_string(state.axis));
    const std::shared_ptr<void> memory(std::shared_ptr<void>(), states[k].data());
    PLIANT_CHECK(context.inputs[state.input].assign(states[k].dtype(), states[k].dims(), memory));
    context.symbols[stateSlots[k].from] = states[k].capacity();
    context.states[k].given = &states[k];
  }
  return std::span<const DenseTensor>(context.inputs);
}

/// Memory for the output of a state: the given block when it has room, else one with room; that of a plain output when
/// none is given.
Status Executable::allocateState(Context &context, int number, std::span<const int64_t> dims) {
  const State &state = plan->states[number];
  const int buffer = plan->outputBuffers[state.output];
  const DType dtype = plan->buffers[buffer].type.dtype;
  Context::State &mine = context.states[number];
  const int64_t length = dims[state.axis];
  int64_t &capacity = context.symbols[stateSlots[number].to];
  if (!mine.given) {
    PLIANT_TRY(int64_t elements, elementCount(dims.data(), dims.size()));
    capacity = length;
    return context.allocate(buffer, static_cast<size_t>(elements) * byteSize(dtype));
  }
  mine.length = length;
  capacity = mine.given->capacity();
  context.state.buffers[buffer] = mine.given->data();
  if (mine.given->sole() && length <= capacity)
    return ok();
  const std::vector<int64_t> all(dims.begin(), dims.end());
  auto larger = GrowingTensor::allocate(dtype, all, static_cast<size_t>(state.axis), roomFor(length));
  if (!larger) // perhaps there is memory for what is needed now
    larger = GrowingTensor::allocate(dtype, all, static_cast<size_t>(state.axis), length);
  if (!larger)
    return larger.takeError();
  mine.larger = std::move(*larger);
  capacity = mine.larger.capacity();
  context.state.buffers[buffer] = mine.larger.data();
  const DenseTensor &past = context.inputs[state.input];
  copiedBytes.fetch_add(static_cast<int64_t>(past.bytes()), std::memory_order_relaxed);
  return ok();
}

/// A dense copy of what lies with room.
Status Executable::Context::becomeDense(int buffer, const Counted &given) {
  PLIANT_TRY(int64_t count, elementCount(given.dims));
  const size_t element = byteSize(owner->plan->buffers[buffer].type.dtype);
  PLIANT_CHECK(allocate(buffer, static_cast<size_t>(count) * element));
  size_t outer = 1, inner = element;
  for (size_t i = 0; i < given.dims.size(); ++i)
    if (i != given.axis)
      (i < given.axis ? outer : inner) *= static_cast<size_t>(given.dims[i]);
  const size_t row = static_cast<size_t>(given.dims[given.axis]) * inner,
               step = static_cast<size_t>(given.capacity) * inner;
  for (size_t i = 0; row && i < outer; ++i)
    std::memcpy(static_cast<char *>(state.buffers[buffer]) + i * row, static_cast<char *>(given.data) + i * step, row);
  return ok();
}

/// Memory for what a trip makes: that of what it was handed, when there is room and nothing else holds it.
Status Executable::allocateCarried(Context &context, int number, std::span<const int64_t> dims) {
  const CarriedState &state = plan->carried[number];
  const Buffer &what = plan->buffers[state.made];
  const int64_t handed = context.symbols[slots.symbols.at(state.from)], length = dims[state.axis];
  int64_t &capacity = context.symbols[slots.symbols.at(state.to)];
  std::shared_ptr<void> &memory = context.memory[state.made];
  memory.reset();
  const std::shared_ptr<void> &past = context.memory[state.handed];
  if (past && soleHolder(past) && length <= handed) {
    memory = past;
    capacity = handed;
    context.state.buffers[state.made] = context.state.buffers[state.handed];
    return ok();
  }
  std::vector<int64_t> all(dims.begin(), dims.end());
  capacity = all[state.axis] = roomFor(length);
  PLIANT_TRY(int64_t elements, elementCount(all));
  PLIANT_CHECK(context.allocate(state.made, static_cast<size_t>(elements) * byteSize(what.type.dtype)));
  PLIANT_TRY(std::vector<int64_t> copied, context.dimsOf(plan->buffers[state.handed].type.shape));
  PLIANT_TRY(int64_t count, elementCount(copied));
  copiedBytes.fetch_add(count * static_cast<int64_t>(byteSize(what.type.dtype)), std::memory_order_relaxed);
  return ok();
}

} // namespace pliant
