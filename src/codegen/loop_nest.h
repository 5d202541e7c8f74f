// SPDX-License-Identifier: Apache-2.0
// The loops of one group without a contraction: which dimension the lanes run along, what is merged into one loop, and
// the nest itself. loop_kernel.cpp plans and walks, loop_rows.cpp folds rows,
// loop_panels.cpp columns, loop_turned.cpp turns squares, loop_streams.cpp writes past the caches.
#pragma once
#include "codegen/group_emitter.h"

namespace pliant::codegen {

constexpr int64_t logicalLanes = 64;
/// Elements along the lanes that are summed before their sums are.
constexpr int64_t laneBlock = 64 * logicalLanes;
/// Steps across the lanes: of rows that have lanes along them, and of columns, where adding a panel to another costs as
/// much as some rows.
constexpr int64_t rowBlock = 64, columnBlock = 512;

class LoopNest {
public:
  explicit LoopNest(GroupEmitter &g) : g(g), e(g.e), plan(g.plan) {}
  /// Emits units [begin, end) and returns how many there are.
  Result<Expr> emit(Value begin, Value end);

private:
  GroupEmitter &g;
  Emitter &e;
  const Schedule &plan;
  struct Run { // merged dimensions [first, last]; `last` carries the index
    int first, last;
    Expr extent;
  };
  std::vector<Run> outer;  // parallel runs, without the lanes' run
  std::vector<Run> folded; // reduced runs, without the lanes' run
  Run lane{-1, -1, 1};
  int laneDim = -1;
  bool lanesReduced = false;
  bool splitsLanes = false; // one long loop is split by blocks of lanes
  std::vector<bool> varies;
  Expr count = 1;

  /// A costly value of the row that two phases need (exp in a softmax) is kept in the row of an output that is written
  /// later anyway, instead of being computed twice.
  int kept = -1, keptPhase = -1;
  const Schedule::Store *keptIn = nullptr;

  /// By instance: folds in which NaN need not spread, because it does beside them.
  std::vector<bool> numberFolds;

  /// Loads that are strided along the lanes but contiguous along another parallel run: they are read along that one and
  /// turned in registers, square by square.
  std::vector<int> turnedLoads;
  Run across{-1, -1, 1};      // that run
  std::vector<Value> squares; // stack memory for one square of each

  /// Folds whose partial results pass through panels in memory; empty where each column is folded in registers.
  std::vector<int> panelFolds;
  std::vector<Values> panels; // stack memory, by level of blocks and fold
  int64_t panelColumns = 0;

  /// Whether the results are more than the last cache holds, and are written past it; null where they never are.
  Value streams;

  int dims() const { return static_cast<int>(plan.domain.size()); }
  void chooseLanes();
  void mergeDimensions();
  void chooseKept();
  void chooseTurned();
  void choosePanel();
  void chooseStreams();
  void findSoftmax();
  void fenceStreams();

  Site fresh() const;
  void units(Value begin, Value end);
  /// Sets the indices of the outer runs from a number below the product of their extents.
  void placeOuter(Site &site, Value number);
  void lanesLoop(Site base, Value lo, Value hi);
  void lanesOf(Site &base, Value lo, Value hi);
  /// Covers [lo, hi) with blocks of `wide` vectors, then single ones, then a masked rest: body(at, vectors, mask).
  void alongLanes(Value lo, Value hi, int wide, llvm::function_ref<void(Value, int, Value)> body);
  /// Bounds of minima and maxima that are the same in all lanes are numbers and not NaN nearly always: whether they are
  /// is tested ahead (null: there are none), and then says `numbers` of them that the code need not look again.
  Value boundsAreNumbers(const Site &base, std::vector<bool> &numbers);
  /// The whole vectors of [lo, hi) that can be written past the caches; returns where they end.
  Value streamLanes(const Site &base, Value lo, Value hi, llvm::function_ref<void(Value, int, Value)> body);
  int64_t weight() const;
  std::vector<int> uniform() const;

  std::vector<int> below(const std::vector<int> &roots, bool reduced) const;
  void row(llvm::MutableArrayRef<Site> sites);
  bool storesAlongFold(const Schedule::Store &store) const;
  /// Into which blocks of steps a folded run falls apart, the largest first, down to `size`: each block is folded for
  /// itself and its result combined with the others', so that the rounding errors of a long fold do not pile up. A run
  /// within another has blocks also where it is short: those of all its turns together are not, and the order of a sum
  /// may not depend on which extents are numbers.
  std::vector<int64_t> blocksOf(size_t depth, const std::vector<int> &folds, int64_t size) const;
  bool rounds(const std::vector<int> &folds) const;
  PointEmitter pointFor(const Site &site, int fold, bool vectors);
  Combiner combinerOf(PointEmitter &p, int fold);
  void foldRow(llvm::MutableArrayRef<Site> sites, const std::vector<int> &inside, const std::vector<int> &folds,
               const std::vector<const Schedule::Store *> &stores, int phase);
  struct Accumulators { // what blocks start from, and how their results become one; nothing when they are not split
    std::function<Values()> neutral;
    std::function<Values(ValueRange, ValueRange)> combine;
  };
  Values lanesOfRow(const Site &base, Values acc, int phase, bool storesOnly, const Accumulators &blocks,
                    llvm::function_ref<void(Site &, int64_t, Values &)> step);
  Value tree(const Site &site, int fold, llvm::ArrayRef<Value> vectors);

  void panelLoop(const Site &base, Value lo, Value hi);

  void turnedUnits(Value begin, Value end);
  Site squareSite(const Site &base, Value along, Value over, Value mask) const;
  void wholeSquare(const Site &base, Value t, Value l);
  void partOfSquare(const Site &base, Value t, Value l, Value width, Value height);
};

} // namespace pliant::codegen
