// SPDX-License-Identifier: Apache-2.0
// Which contractions have a kernel of register tiles. Fusion gives those epilogues; the others are loops of their own.
#pragma once
#include "ops/op.h"

namespace pliant {

/// Matrix products of floats and of bytes; convolutions of these types with one or two spatial axes, channels last, and
/// filters whose extents are constants.
bool hasTiles(OpId op, const Attrs &attrs, std::span<const TensorType> operands);

} // namespace pliant
