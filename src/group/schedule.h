// SPDX-License-Identifier: Apache-2.0
// From a group to what its loops compute: a domain of parallel and reduced dimensions, and instances, each one value
// accessed by one index map. Fusion asks `schedule` whether a group can be one kernel; code generation follows it.
#pragma once
#include "group/index_map.h"

namespace pliant {

struct Instance {
  enum class Kind : uint8_t {
    Load,        ///< element `linear` of an input
    Point,       ///< pointwise op on operands
    Reduce,      ///< fold of operands[0] over the reduced dimensions
    Contraction, ///< the accumulator that the contraction kernel hands in
    Constant,    ///< a scalar constant
    Extent,      ///< a scalar computed from symbols
    Iota,        ///< the index `linear` itself
    Choose, ///< the operand whose predicate holds (pad with a constant, concat); the first without one is the last.
            ///< Operands behind it are indices that are checked where this is asked for
    GatherIndex, ///< index: operands[0] wrapped and checked against `extent`
    PadIndex,    ///< index: `linear` reflected, clamped or wrapped into `extent`
    DivIndex,    ///< index: floor of `linear` / `extent`
    ModIndex     ///< index: `linear` modulo `extent`
  };
  /// 0 <= index < extent
  struct Bound {
    Affine index;
    Expr extent;
    bool operator==(const Bound &) const = default;
  };
  using Predicate = std::vector<Bound>;

  Kind kind;
  int value; ///< the group's value, for types and attributes
  IndexMap map;
  Affine linear;
  Expr extent;
  std::vector<int> operands;
  std::vector<Predicate> choices; ///< Choose: one per operand but the last
  Predicate predicate;            ///< Load: outside of it nothing is read and the element is 0
  bool reduced = false;           ///< depends on a reduced dimension
  int after = 0;                  ///< number of reduction phases that must have run before it
};

struct Schedule {
  struct Store {
    int output;
    int instance;
    Affine linear; ///< element index in the output's buffer
    int phase;
  };
  Extents domain;
  int parallel = 0;                ///< domain[0, parallel) is parallel, the rest reduced
  int phases = 0;                  ///< number of reduction phases
  int contraction = -1;            ///< the value of the contraction, or -1
  std::vector<Instance> instances; ///< operands come first
  std::vector<Store> stores;
  /// A sum that rounds adds in an order that its operand's shape alone decides (docs/semantics.md, N2), whatever is
  /// fused with it: lanes run along the last axis where that is summed, and summed axes that follow each other are
  /// walked as one.
  bool ordered = false;
  int lastAxis = -1;        ///< the dimension of the operand's last axis that is not 1
  std::vector<bool> joined; ///< per dimension: walked as one with the next that is not 1
  /// Contraction: accesses of its operands over domain + its own sum dimensions.
  bool hasReduced() const { return parallel < static_cast<int>(domain.size()); }
};

/// The schedule, or why the group cannot be one kernel.
Result<Schedule> schedule(const Group &group);

/// An operand of a contraction followed through reshapes, transposes, slices and broadcasts to an input's memory.
struct OperandAccess {
  int input;
  Affine linear; ///< over the dimensions of `map`'s domain
};
std::optional<OperandAccess> accessOf(const Group &group, int value, IndexMap map, const Extents &domain);
/// Whether the group's contraction, if it has one, can read its operands where they lie: a matrix product needs one
/// contiguous axis of each, a convolution dense memory.
bool readsInPlace(const Group &group);

} // namespace pliant
