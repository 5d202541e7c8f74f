// SPDX-License-Identifier: Apache-2.0
// erf: an odd polynomial below 1, one minus something small above. Polynomials: scripts/minimax.py.
#include "codegen/math_exp.h"

namespace pliant::codegen {

static Number below1(Number x) {
  Number z = x * x;
  Number p =
      x.isF64()
          ? polynomial(z, {0x1.06eba8214db69p-3, -0x1.812746b037a25p-2, 0x1.ce2f21a0458e2p-4, -0x1.b82ce313552cdp-6,
                           0x1.565bcd2c77e85p-8, -0x1.c02db937fc329p-11, 0x1.f9a3ba015347fp-14, -0x1.f4dd00cb39b35p-17,
                           0x1.ba69f94e2164ep-20, -0x1.63995ba903870p-23, 0x1.13543c195d9ddp-26, -0x1.c619a2ffc5910p-30,
                           0x1.3da79998cc92fp-33})
          : polynomial(z, {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8, -0x1.a3515ep-11,
                           0x1.4771fap-14});
  return multiplyAdd(x, p, x);
}

/// From 1 on; a >= 0. 1 from where it rounds to that.
static Number above1(Number a) {
  if (a.isF64()) {
    Number q = polynomial(
        a - 3.0, {0x1.570d36cb51ca6p+3,   0x1.9370b35013ba5p+2,   0x1.ea2f933642f78p-1,   0x1.e5bee8dd0aa0bp-8,
                  -0x1.62c3204a63ab6p-10, 0x1.01a07adfc7c85p-12,  -0x1.69657126d9d22p-15, 0x1.dd82c34f675bfp-18,
                  -0x1.1f0fd95ea9cefp-20, 0x1.246ff04a0e10ep-23,  -0x1.89c595e053abfp-27, -0x1.5c518f1f2b653p-31,
                  0x1.4fadb254c1c43p-31,  -0x1.9ff3338cea517p-33, 0x1.814763318b598p-35,  -0x1.2da3dc82b359dp-37,
                  0x1.9b14dca62ff7bp-40,  -0x1.fe2da7e48f65ep-44, -0x1.4cb3b169e7372p-53, -0x1.d3cba3515fbc3p-47,
                  -0x1.8ab822e5d8c4bp-48, 0x1.49616bddc66c6p-49,  0x1.ea9d448ac3939p-51,  0x1.9c9d3be62ab06p-55,
                  -0x1.27a36622f4ee9p-54, -0x1.91adfec814d3fp-57});
    ExpParts parts = expParts(-q);
    return 1.0 - multiplyAdd(powerOfTwo(parts), parts.tail, powerOfTwo(parts));
  }
  // The fourth root of 1 - erf is smoother than that itself.
  Number root = polynomial(a - 2.375, {0x1.569472p-3, -0x1.b643ecp-3, 0x1.8fbb06p-4, -0x1.1a004ap-7, -0x1.0a3d96p-7,
                                       0x1.531476p-9, 0x1.5315aep-13, -0x1.b839d6p-13, 0x1.7129cep-16, 0x1.39b8c8p-17,
                                       -0x1.01f446p-19, -0x1.a4c440p-22});
  Number square = root * root;
  return multiplyAdd(-square, square, 1.0);
}

Number erf(Number x) {
  Number a = abs(x);
  // From 3.93 (5.93) on the value is 1; the clamp keeps the polynomial there. NaN passes it.
  Number large = above1(least(x.constant(x.isF64() ? 5.96875 : 3.9375), a));
  return select(a < 1.0, below1(x), copySign(large, x));
}

} // namespace pliant::codegen
