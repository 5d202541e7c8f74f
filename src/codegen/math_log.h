// SPDX-License-Identifier: Apache-2.0
// The steps of the logarithm that other functions share.
#pragma once
#include "codegen/math.h"

namespace pliant::codegen {

/// x = m 2^e for positive finite x, m in [sqrt(1/2), sqrt(2)).
struct LogParts {
  Number m, e;
};
LogParts logParts(Number x);
/// log x of positive finite f64 to about 2^-50: for f32 functions that are computed in f64.
Number logMid(Number x);

} // namespace pliant::codegen
