// SPDX-License-Identifier: Apache-2.0
// Emits instances of a schedule as values at an index: the part that loop kernels, row kernels and the epilogues of
// contractions share. Loops around it are the callers' business.
#pragma once
#include "codegen/memory.h"
#include "group/schedule.h"
#include <map>

namespace pliant::codegen {

/// Extents that a kernel receives: each distinct expression is one slot of its `symbols` argument.
class Parameters {
public:
  Parameters(Emitter &e, Value array) : e(e), array(array) {}
  /// The value of an expression as an `index`: a constant or a load from the slot, placed at the function's entry.
  Value value(const Expr &expr);
  const std::vector<Expr> &slots() const { return expressions; }

private:
  Emitter &e;
  Value array;
  std::vector<Expr> expressions;
  std::map<Expr, Value> loaded;
};

/// Where a value is computed: indices of the loops, and for vectors the lanes.
struct Site {
  std::vector<Value> iv;     ///< index per domain dimension; null is 0
  int laneDim = -1;          ///< the dimension along which lanes run; -1 for scalars
  Value mask;                ///< active lanes, or null
  std::vector<Value> values; ///< per instance; null where not emitted
  int number = 0;            ///< which of the vectors of one step of a loop
};

class GroupEmitter {
public:
  GroupEmitter(Emitter &e, const Group &group, const Schedule &plan, Parameters &parameters, Values inputs,
               Values outputs, Value state, const TargetDescription &target, int64_t lanes);

  const Group &group;
  const Schedule &plan;
  const int64_t lanes;

  /// Whether instance i differs from lane to lane when lanes run along `dim`. (`assumed`: undecided strides are 1.)
  std::vector<bool> varying(int dim) const;
  bool varies(const Affine &affine, int dim, const std::vector<bool> &varying) const;
  /// A division or remainder of the lane dimension by a multiple of the lanes: its value at lane 0 says it all.
  bool alignedSplit(int instance, int dim) const;
  /// Coefficients of the lane dimension that are neither 0 nor 1 for sure but may be either (run-time broadcast).
  std::vector<Expr> undecided(int dim) const;

  /// Emits the listed instances (in order) that have no value yet at the site.
  void emit(Site &site, const std::vector<int> &instances, const std::vector<bool> &varies);
  /// Stores instance's value to an output.
  void store(Site &site, const Schedule::Store &store, const std::vector<bool> &varies);
  /// Stores a value that takes the place of an instance's.
  void storeValue(Site &site, const Schedule::Store &store, Value value, bool varies);
  /// A Load's elements along the site's lanes, contiguous and without a predicate, as they lie in memory; and the value
  /// of such a vector. Between the two its elements may be moved.
  Type storedType(int load) const;
  Value loadStored(const Site &site, int load);
  Value fromStored(const Site &site, int load, Value stored) const;
  /// Reads back what `store` wrote.
  Value reload(Site &site, const Schedule::Store &store, bool varies);

  PointEmitter point(const Site &site, bool vectors) const;
  Parameters &parameters;
  Emitter &e;
  /// Undecided lane coefficients are 1 in the version being emitted.
  bool assumeOne = false;
  int64_t versions = 1; ///< of the code, set by whoever emits several
  /// By instance: not NaN in the version being emitted. Empty: of none it is known.
  std::vector<bool> numbers;
  /// By instance: its operand is not above 0, or NaN. Empty: of none it is known.
  std::vector<bool> notPositive;
  /// Whole vectors that `canStream` allows are stored past the caches, at addresses for which `isAligned` holds.
  bool streams = false;
  bool canStream(const Schedule::Store &store) const; ///< if it is contiguous along the lanes
  Value isAligned(const Site &site, const Schedule::Store &store) const;
  /// Bytes by which whole vectors that are contiguous along the lanes are fetched ahead of loads and stores; 0: not.
  int64_t readAhead = 0, writeAhead = 0;
  /// Whether an input and an output are different memory.
  Value apart(int input, int output) const;
  const TargetDescription &target;

private:
  Values inputs, outputs;
  Value state;

  struct Address {
    Value base;    // index of lane 0
    Expr lane;     // coefficient of the lane number
    Value offsets; // vector<lanes x i64> in addition, or null
  };
  Address address(const Site &site, const Affine &affine) const;
  unsigned streamAlign(const Schedule::Store &store) const;
  /// Asks for the line so many bytes behind `at`, once for each line.
  void fetch(const Site &site, Value at, DType type, int64_t bytes, bool toWrite) const;
  Value indexVector(const Address &a) const; // vector<lanes x i64>
  Value load(Site &site, Value pointer, DType type, const Affine &linear, const Instance::Predicate &predicate,
             bool varies);
  Value holds(Site &site, const Instance::Predicate &predicate, bool varies); // i1 or vector; null when always
  /// By instance: computed ahead of the reduced dimensions, which alone ask for it: nobody, where there is nothing to
  /// reduce.
  std::vector<bool> ahead;
  void findAhead();
  /// Lanes in which somebody asks for the instance, or null for all: faults in others do not count.
  Value asked(Site &site, int id, bool varies);
  Value emitOne(Site &site, int id, bool varies);
  Value emitIndex(Site &site, int id, bool varies);
};

} // namespace pliant::codegen
