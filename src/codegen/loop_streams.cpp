// SPDX-License-Identifier: Apache-2.0
// Results that the last cache cannot hold are written past the caches: an ordinary store first reads the line that it
// overwrites, which is a third of the traffic of a loop that reads one tensor and writes one. What they are computed
// from is fetched a page ahead: processors do not look behind the end of one.
#include "codegen/loop_nest.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

constexpr int streamedVectors = 4; ///< at a time; memory sets the pace
constexpr int64_t streamedWeight = 40;
constexpr size_t unknownCache = size_t(32) << 20;
constexpr int64_t page = 4096;

void LoopNest::chooseStreams() {
  // Of rows that are folded, the results of their last phase.
  const bool rows = plan.hasReduced();
  if ((rows && (!lanesReduced || keptIn)) || laneDim < 0 || !turnedLoads.empty() || weight() > streamedWeight)
    return;
  int64_t bytes = 0;
  std::vector<const Schedule::Store *> stores;
  for (const Schedule::Store &store : plan.stores)
    if (g.canStream(store) && store.linear.coefficients[laneDim].isConstant(1) &&
        (!rows || store.phase == plan.phases)) {
      stores.push_back(&store);
      bytes += static_cast<int64_t>(byteSize(g.group.type(g.group.outputs[store.output].value).dtype));
    }
  const auto cache = static_cast<int64_t>(g.target.l3 ? g.target.l3 : unknownCache);
  const Expr size = product(plan.domain) * bytes;
  if (stores.empty() || size.constant().value_or(cache + 1) <= cache)
    return;
  streams = e.less(e.idx(cache), g.parameters.value(size));
  // Where an operand's memory is taken over, its lines are there already.
  for (const Schedule::Store *store : stores)
    for (const Instance &i : plan.instances)
      if (i.kind == Kind::Load && i.linear == store->linear)
        streams = e.both(streams, g.apart(i.value, store->output));
}

Value LoopNest::streamLanes(const Site &base, Value lo, Value hi, llvm::function_ref<void(Value, int, Value)> body) {
  if (!streams)
    return lo;
  Site first = base;
  first.iv[lane.last] = lo;
  Value aligned = streams, step = e.idx(streamedVectors * g.lanes);
  for (const Schedule::Store &store : plan.stores)
    if (g.canStream(store) && store.phase == plan.phases && !store.linear.coefficients[laneDim].isConstant(0))
      aligned = e.both(aligned, g.isAligned(first, store));
  Value whole = e.mul(e.div(e.max(e.sub(hi, lo), e.idx(0)), step), step);
  Value stop = e.select(aligned, e.add(lo, whole), lo);
  g.streams = true, g.readAhead = page;
  e.loop(lo, stop, step, [&](Value at) { body(at, streamedVectors, {}); });
  g.streams = false, g.readAhead = 0;
  return stop;
}

/// Stores past the caches may be seen in any order by others until then.
void LoopNest::fenceStreams() {
  if (streams)
    e.when(streams,
           [&] { e.b.create<LLVM::CallIntrinsicOp>(e.loc, Type(), StringRef("llvm.x86.sse.sfence"), ValueRange()); });
}

} // namespace pliant::codegen
