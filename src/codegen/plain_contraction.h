// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolutions as plain loops: every type, any number of spatial axes, filters known only at run
// time. Those with register tiles (group/tiles.h) do not come here.
#pragma once
#include "codegen/emit.h"

namespace pliant::codegen {

/// Writes the whole result; returns the number of units. Products of 16-bit floats are summed in f32 and rounded once.
Result<Expr> emitPlainContraction(KernelEmitter &k);

} // namespace pliant::codegen
