// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan. Polynomials: scripts/minimax.py.
#include "codegen/math_pair.h"

namespace pliant::codegen {

// pi/2 as a float and what it lacks.
struct HalfPi {
  double high, low;
};
static HalfPi halfPi(Number x) {
  return x.isF64() ? HalfPi{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54} : HalfPi{0x1.921fb6p0, -0x1.777a5cp-25};
}

/// (asin(s) - s) / s over z = s^2, z <= 1/4, times z.
static Number asinTail(Number z) {
  return z * (z.isF64() ? polynomial(z, {0x1.5555555555577p-3, 0x1.333333332e10ap-4, 0x1.6db6db721559ap-5,
                                         0x1.f1c71a9389ebdp-6, 0x1.6e8bdf0ed311dp-6, 0x1.1c49ecb199886p-6,
                                         0x1.ca1fedb5c0d69p-7, 0x1.758239d4b4a81p-7, 0x1.61504c21bb6c9p-7,
                                         0x1.e4bac312640f4p-9, 0x1.6400ca7b4c06fp-6, -0x1.589196d9bcf2fp-6,
                                         0x1.0b76d948668e0p-5})
                        : polynomial(z, {0x1.5555c8p-3, 0x1.3301fcp-4, 0x1.747d12p-5, 0x1.8c2cdap-6, 0x1.596e06p-5}));
}

// Up to 1/2 the series; beyond, asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)), where 1 - a is exact.
Number asin(Number x) {
  Number a = abs(x), big = a > 0.5;
  Number z = select(big, (1.0 - a) * 0.5, x * x), s = select(big, sqrt(z), a);
  Number tail = s * asinTail(z);
  const HalfPi half = halfPi(x);
  Pair head = quickSum(x.constant(half.high), s * -2.0);
  Number far = head.high - ((tail * 2.0 - x.constant(half.low)) - head.low);
  return copySign(select(big, far, s + tail), x);
}

Number acos(Number x) {
  Number a = abs(x), big = a > 0.5;
  Number z = select(big, (1.0 - a) * 0.5, x * x), s = select(big, sqrt(z), x);
  Number tail = s * asinTail(z), y = s + tail;
  const HalfPi half = halfPi(x);
  Number near = x.constant(half.high) - (s - (x.constant(half.low) - tail));
  Number negative = x.constant(2 * half.high) - (y * 2.0 - x.constant(2 * half.low));
  return select(big, select(x < 0.0, negative, y * 2.0), near);
}

// Above 1, pi/2 - atan(1/a).
Number atan(Number x) {
  Number a = abs(x), big = a > 1.0;
  Number t = select(big, 1.0 / a, a), z = t * t;
  Number p =
      x.isF64()
          ? polynomial(z, {-0x1.5555555555526p-2, 0x1.99999999955b0p-3,  -0x1.249249237f447p-3,  0x1.c71c717fca923p-4,
                           -0x1.745d11ae1a4ffp-4, 0x1.3b136695e95a8p-4,  -0x1.110e510352f4dp-4,  0x1.e1bba4b9afb7bp-5,
                           -0x1.ae5e6b0b792adp-5, 0x1.82dabd0683326p-5,  -0x1.59a3b8be84d0bp-5,  0x1.2c2dccb5efa73p-5,
                           -0x1.e9f8459ac2dcap-6, 0x1.683a9de9c41a8p-6,  -0x1.c78bc653a96a0p-7,  0x1.d7b3935167216p-8,
                           -0x1.7a34060fd0e9fp-9, 0x1.b3f3311755269p-11, -0x1.3f2ffec35172fp-13, 0x1.bbe406d4e4b95p-17})
          : polynomial(z, {-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.24208ap-3, 0x1.c08cd0p-4, -0x1.580c1ep-4, 0x1.da3b44p-5,
                           -0x1.fdb13ap-6, 0x1.64709ap-7, -0x1.d40accp-10});
  Number tail = t * z * p;
  const HalfPi half = halfPi(x);
  Number far = x.constant(half.high) - (t - (x.constant(half.low) - tail));
  return copySign(select(big, far, t + tail), x);
}

} // namespace pliant::codegen
