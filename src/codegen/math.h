// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers as inline code, f32 and f64, scalars and vectors: no calls, no tables. f32 is within 2 ulp
// of the true value everywhere, f64 within a few; NaN, infinities, denormals and signed zeros come out right.
#pragma once
#include "codegen/number.h"

namespace pliant::codegen {

// math_round.cpp
Number floor(Number x);
Number ceil(Number x);
Number roundEven(Number x);
Number fmod(Number x, Number y); ///< exact
// math_exp.cpp
Number exp(Number x); ///< exactly 0 at -inf
Number sigmoid(Number x);
Number tanh(Number x);
Number sinh(Number x);
Number cosh(Number x);
// math_erf.cpp
Number erf(Number x);
// math_log.cpp
Number log(Number x);
Number asinh(Number x);
Number acosh(Number x);
Number atanh(Number x);
// math_trig.cpp
Number sin(Number x);
Number cos(Number x);
Number tan(Number x);
// math_arc.cpp
Number asin(Number x);
Number acos(Number x);
Number atan(Number x);
// math_pow.cpp
Number pow(Number x, Number y);

} // namespace pliant::codegen
