// SPDX-License-Identifier: Apache-2.0
// Integer division and powers that record a fault for a zero divisor and never trap.
#pragma once
#include "codegen/number.h"

namespace pliant::codegen {

/// Towards zero; the smallest over -1 wraps.
Number quotient(PointEmitter &e, Number x, Number y, bool withSign);
/// With the sign of x.
Number remainder(PointEmitter &e, Number x, Number y, bool withSign);
/// By squaring, wrapping. A negative exponent gives 1/x towards zero, which is a fault for 0.
Number integerPower(PointEmitter &e, Number x, Number y, bool withSign);

} // namespace pliant::codegen
