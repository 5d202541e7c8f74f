// SPDX-License-Identifier: Apache-2.0
// AVX-512 instructions on floats that LLVM has no operation for.
#pragma once
#include "codegen/number.h"

namespace pliant::codegen {

/// Whether vectors like x fill registers of the target that these instructions work on.
bool hasAvx512(Number x);
/// x * 2^n with one rounding, also to and from denormals; n is integral.
Number scalef(Number x, Number n);
/// y where y is NaN, else x.
Number orNan(Number x, Number y);

} // namespace pliant::codegen
