// SPDX-License-Identifier: Apache-2.0
// Pieces that shape rules share: axes, broadcasting, equal extents.
#pragma once
#include "ops/op.h"

namespace pliant::rules {

/// `axis` in [-rank, rank) made non-negative, else an error citing the constraint.
Result<int64_t> axis(const ShapeContext &c, int64_t axis, int64_t rank, const char *constraint);
/// NumPy broadcast of two shapes; undecided axes become `broadcast(a, b)`; a proved mismatch is an error.
Result<Extents> broadcast(const ShapeContext &c, const Extents &a, const Extents &b, const char *constraint);
/// False when the extents differ for sure; when undecided the equality is left to a check at run time.
bool mayEqual(const ShapeContext &c, const Expr &a, const Expr &b);
/// The same of `small <= large`.
bool mayCover(const ShapeContext &c, const Expr &small, const Expr &large);
/// Error unless the extents may be equal; when undecided the equality is left to a check at run time.
Status sameExtent(const ShapeContext &c, const Expr &a, const Expr &b, const std::string &what, const char *constraint);
Status sameType(const ShapeContext &c, size_t a, size_t b, const char *constraint);
Status floatType(const ShapeContext &c, size_t operand, const char *constraint);

} // namespace pliant::rules
