// SPDX-License-Identifier: Apache-2.0
// Memory of a run: its context, the arena, outputs and buffers of data-dependent size.
#include "executable/context.h"
#include "executable/idle.h"
#include <malloc.h>

namespace pliant {

Executable::Context::Context(Executable &owner)
    : owner(&owner), pool(owner.plan->buffers.size() + 16), table(owner.table),
      symbols(static_cast<size_t>(owner.slots.count) + 1), extents(1), memory(owner.plan->buffers.size()),
      lists(owner.plan->buffers.size()) {
  regions.resize(static_cast<size_t>(owner.plan->regions));
  states.resize(owner.plan->states.size());
  size_t count = 0;
  for (const Argument &output : owner.plan->outputs)
    count += output.type.shape.size();
  extents.resize(count + 1);
  for (size_t i = 0; i < owner.plan->buffers.size(); ++i)
    if (auto storage = owner.plan->buffers[i].storage;
        storage == Buffer::Storage::Output || storage == Buffer::Storage::Dynamic)
      pooled.push_back(static_cast<int>(i));
  state.symbols = symbols.data();
  state.extents = extents.data();
  state.buffers = table.data();
  state.host = this;
}

Executable::Context *Executable::takeContext() {
  for (auto &slot : spare)
    if (Context *context = slot.exchange(nullptr, std::memory_order_acquire))
      return context;
  return new Context(*this);
}

void Executable::giveContext(Context *context) {
  const uint32_t now = Idle::process().turn();
  for (size_t i = 0; i < spare.size(); ++i) {
    Context *none = nullptr;
    givenAt[i].store(now, std::memory_order_relaxed);
    if (spare[i].compare_exchange_strong(none, context)) {
      if (!listed)
        Idle::process().add(*this);
      return;
    }
  }
  delete context;
}

Executable::Kept Executable::giveBack(uint32_t before) {
  Kept kept{};
  for (size_t i = 0; i < spare.size(); ++i) {
    // Turns are counted round: what was used lately lies at most half of all turns behind.
    const bool old = static_cast<int32_t>(before - givenAt[i].load(std::memory_order_relaxed)) >= 0;
    if (Context *context = old ? spare[i].exchange(nullptr) : nullptr) {
      delete context;
      kept.given = true;
    }
    kept.left |= spare[i].load() != nullptr;
  }
  return kept;
}

void Executable::trim() {
  giveBack(Idle::process().turn());
  malloc_trim(0); // the C library keeps what was freed
}

Executable::~Executable() {
  Idle::process().remove(*this);
  giveBack(Idle::process().turn());
}

int32_t Executable::placeArena(RunState *state, int64_t region, const int64_t *sizes, int64_t count) {
  auto *context = static_cast<Context *>(state->host);
  const std::vector<ArenaItem> &items = *context->owner->arenas[static_cast<size_t>(region)];
  Context::Region &mine = context->regions[static_cast<size_t>(region)];
  const auto &placement = mine.placements.of(items, {sizes, static_cast<size_t>(count)});
  if (placement.number == mine.placed)
    return 0; // the last run, or trip, had the same extents
  mine.placed = 0;
  auto block = mine.arena.reserve(static_cast<size_t>(placement.total));
  if (!block) {
    context->failure = block.takeError();
    state->error = {RunErrorMemory, state->step, placement.total, 0};
    return 1;
  }
  mine.placed = placement.number;
  if (region == 0)
    state->arena = *block;
  for (size_t i = 0; i < items.size(); ++i)
    state->buffers[items[i].buffer] = static_cast<char *>(*block) + placement.offsets[i];
  return 0;
}

int32_t Executable::allocateOutput(RunState *state, int64_t buffer, const int64_t *dims, int64_t rank) {
  auto *context = static_cast<Context *>(state->host);
  const Buffer &what = context->owner->plan->buffers[buffer];
  auto made = [&]() -> Status {
    if (what.storage == Buffer::Storage::Element)
      return context->allocateElement(static_cast<int>(buffer), {dims, static_cast<size_t>(rank)});
    if (auto found = context->owner->stateOf.find(static_cast<int>(buffer)); found != context->owner->stateOf.end())
      return context->owner->allocateState(*context, found->second, {dims, static_cast<size_t>(rank)});
    if (auto found = context->owner->carriedOf.find(static_cast<int>(buffer)); found != context->owner->carriedOf.end())
      return context->owner->allocateCarried(*context, found->second, {dims, static_cast<size_t>(rank)});
    PLIANT_TRY(int64_t elements, elementCount(dims, static_cast<size_t>(rank)));
    return context->allocate(static_cast<int>(buffer), static_cast<size_t>(elements) * byteSize(what.type.dtype));
  }();
  if (made)
    return 0;
  context->failure = made.takeError();
  state->error = {RunErrorMemory, state->step, 0, 0};
  return 1;
}

/// Outputs under the shapes that were asked for: a buffer may be a reshape of its output.
Status Executable::takeOutputs(Context &context, std::vector<DenseTensor> &outputs) const {
  outputs.resize(plan->outputs.size());
  const int64_t *extents = context.extents.data();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType &type = plan->outputs[i].type;
    if (plan->outputs[i].isList())
      continue;
    if (plan->outputs[i].list) { // a list of one
      const ListItem &only = context.lists[plan->outputBuffers[i]]->items.front();
      PLIANT_TRY(outputs[i], only.copy(type.dtype));
      continue;
    }
    const std::span<const int64_t> dims(extents, type.shape.size());
    PLIANT_CHECK(outputs[i].assign(type.dtype, dims, context.memory[plan->outputBuffers[i]]));
    if (type.dtype == DType::String) {
      PLIANT_TRY(outputs[i], outputs[i].withOwnStrings());
    }
    extents += dims.size();
  }
  for (size_t k = 0; k < context.states.size(); ++k) {
    Context::State &state = context.states[k];
    if (!state.given)
      continue;
    if (state.larger)
      *state.given = std::move(state.larger);
    else
      state.given->setLength(state.length);
    outputs[plan->states[k].output] = DenseTensor();
  }
  return ok();
}

} // namespace pliant
