// SPDX-License-Identifier: Apache-2.0
// Known contents of small integer and bool tensors: from and to concrete tensors, and element by element under
// broadcasting.
#pragma once
#include "ops/op.h"
#include <functional>

namespace pliant {

/// The elements of a concrete integer or bool tensor of at most `contentLimit` elements.
std::optional<Content> contentOf(const DenseTensor &tensor);
/// A tensor of the elements, when all of them are constants that the type holds.
std::optional<DenseTensor> tensorOf(const Content &content, DType dtype, const std::vector<int64_t> &dims);
/// The extents, when all are constants.
std::optional<std::vector<int64_t>> constantDims(const Extents &shape);

/// The content of an elementwise op: `fn` sees one element of each operand, broadcast to the result.
std::optional<Content> elementwise(ContentContext &c,
                                   const std::function<std::optional<Expr>(std::span<const Expr>)> &fn);
/// Whether symbolic arithmetic stands for arithmetic in the type: 64-bit wrap is an error of the host's checked
/// arithmetic, and index arithmetic in 32 bits is taken not to leave its range.
inline bool symbolicType(DType dtype) { return dtype == DType::I64 || dtype == DType::I32; }

} // namespace pliant
