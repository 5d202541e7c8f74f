// SPDX-License-Identifier: Apache-2.0
// Instructions of x86 on floats that LLVM has no operation for.
#pragma once
#include "codegen/number.h"

namespace pliant::codegen {

/// x > y ? x : y in one instruction; y where one is NaN or both are zeros. Unlike the comparison and the select that
/// LLVM makes it of, no pass merges it with the selects around it.
Number largerOf(Number x, Number y);
/// The same with x < y.
Number smallerOf(Number x, Number y);

// ---- AVX-512

/// Whether vectors like x fill registers of the target that these instructions work on.
bool hasAvx512(Number x);
/// x * 2^n with one rounding, also to and from denormals; n is integral.
Number scalef(Number x, Number n);
/// y where y is NaN, else x.
Number orNan(Number x, Number y);

} // namespace pliant::codegen
