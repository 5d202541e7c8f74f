// SPDX-License-Identifier: Apache-2.0
// Memory of a run: its context, the arena, outputs and buffers of data-dependent size.
#include "executable/context.h"

namespace pliant {

Executable::Context::Context(Executable &owner)
    : owner(&owner), pool(owner.plan->buffers.size() + 16), table(owner.table),
      symbols(static_cast<size_t>(owner.slots.count) + 1), extents(1), memory(owner.plan->buffers.size()) {
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
  for (auto &slot : spare) {
    Context *none = nullptr;
    if (slot.compare_exchange_strong(none, context, std::memory_order_release, std::memory_order_relaxed))
      return;
  }
  delete context;
}

Executable::~Executable() {
  for (auto &slot : spare)
    delete slot.load();
}

int32_t Executable::placeArena(RunState *state, const int64_t *sizes, int64_t count) {
  auto *context = static_cast<Context *>(state->host);
  const std::vector<ArenaItem> &items = context->owner->plan->arena;
  const auto &placement = context->placements.of(items, {sizes, static_cast<size_t>(count)});
  if (placement.number == context->placed)
    return 0; // the last run had the same extents
  const auto total = static_cast<size_t>(placement.total);
  if (!state->arena || total > context->arena.capacity()) {
    context->placed = 0;
    auto block = context->arena.reserve(total);
    if (!block) {
      state->arena = nullptr;
      context->failure = block.takeError();
      state->error = {RunErrorMemory, state->step, placement.total, 0};
      return 1;
    }
    state->arena = *block;
  }
  context->placed = placement.number;
  for (size_t i = 0; i < items.size(); ++i)
    state->buffers[items[i].buffer] = static_cast<char *>(state->arena) + placement.offsets[i];
  return 0;
}

int32_t Executable::allocateOutput(RunState *state, int64_t buffer, const int64_t *dims, int64_t rank) {
  auto *context = static_cast<Context *>(state->host);
  const Buffer &what = context->owner->plan->buffers[buffer];
  std::shared_ptr<void> &memory = context->memory[buffer];
  memory.reset();
  auto made = [&]() -> Result<std::shared_ptr<void>> {
    PLIANT_TRY(int64_t elements, elementCount(dims, static_cast<size_t>(rank)));
    return context->pool.take(static_cast<size_t>(elements) * byteSize(what.type.dtype));
  }();
  if (!made) {
    context->failure = made.takeError();
    state->error = {RunErrorMemory, state->step, 0, 0};
    return 1;
  }
  memory = std::move(*made);
  state->buffers[buffer] = memory.get();
  return 0;
}

/// Outputs under the shapes that were asked for: a buffer may be a reshape of its output.
Status Executable::takeOutputs(Context &context, std::vector<Tensor> &outputs) const {
  outputs.resize(plan->outputs.size());
  const int64_t *extents = context.extents.data();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType &type = plan->outputs[i].type;
    const std::span<const int64_t> dims(extents, type.shape.size());
    PLIANT_CHECK(outputs[i].assign(type.dtype, dims, context.memory[plan->outputBuffers[i]]));
    extents += dims.size();
  }
  return ok();
}

} // namespace pliant
