// SPDX-License-Identifier: Apache-2.0
// The type of a list without MLIR: a sequence of tensors, an optional value, which is a list that may be absent, or a
// tensor whose rank only a run tells, which is a list of one.
#pragma once
#include "shape/type.h"
#include <algorithm>

namespace pliant {

struct ListInfo {
  enum class Kind : uint8_t {
    Sequence,         ///< any number of tensors
    Optional,         ///< a tensor or nothing
    OptionalSequence, ///< a sequence or nothing
    AnyRank           ///< one tensor, whose rank the run decides: an output of the graph, for the caller a tensor
  };
  Kind kind = Kind::Sequence;
  DType dtype = DType::F32;
  /// The extents that all elements share, each `varies()` where elements differ; nothing when ranks differ.
  std::optional<Extents> shape;
  bool none = false; ///< there are no elements yet, so that any shape may come

  bool operator==(const ListInfo &) const = default;
  static Expr varies() { return Expr::symbol("?"); }
  std::string str() const {
    std::string element = std::string(name(dtype)) + (shape ? pliant::str(*shape) : " of any rank");
    return (kind == Kind::Sequence           ? "sequence of "
            : kind == Kind::Optional         ? "optional "
            : kind == Kind::OptionalSequence ? "optional sequence of "
                                             : "") +
           element;
  }
};

/// The type of a list that may be either; both have one element type.
inline ListInfo join(const ListInfo &a, const ListInfo &b) {
  ListInfo out = a.none ? b : a;
  out.kind = std::max(a.kind, b.kind);
  if (a.none || b.none)
    return out;
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size())
    out.shape.reset();
  for (size_t i = 0; out.shape && i < out.shape->size(); ++i)
    if (!((*out.shape)[i] == (*b.shape)[i]))
      (*out.shape)[i] = ListInfo::varies();
  return out;
}

} // namespace pliant
