// SPDX-License-Identifier: Apache-2.0
// exp and what is made of it. Polynomials: scripts/minimax.py.
#include "codegen/math_exp.h"
#include "codegen/x86.h"

using namespace mlir;

namespace pliant::codegen {

// Adding 1.5 * 2^(mantissa bits) rounds to an integer and leaves it in the low bits; the bias on top makes a left shift
// by the mantissa bits the float 2^n.
static constexpr double magicF32 = 0x1.8p23 + 127, magicF64 = 0x1.8p52 + 1023;

ExpParts expParts(Number x, const Number *low) {
  const bool f64 = x.isF64();
  const double magic = f64 ? magicF64 : magicF32;
  Number shifted = multiplyAdd(x, 0x1.71547652b82fep0, magic);
  Number n = shifted - magic;
  // ln 2 in two parts; n times the first is exact even without a fused multiply-add.
  Number r = f64 ? multiplyAdd(n, -0x1.62e42fee00000p-1, x) : multiplyAdd(n, -0x1.62e400p-1, x);
  Number lost = f64 ? n.constant(-0x1.a39ef35793c76p-33) : n.constant(-0x1.7f7d1cp-20);
  r = multiplyAdd(n, lost, r);
  if (low)
    r = r + *low;
  Number q =
      f64 ? polynomial(r, {0x1.000000000000ap-1, 0x1.5555555555402p-3, 0x1.555555555029dp-5, 0x1.111111112f1e4p-7,
                           0x1.6c16c1869fef0p-10, 0x1.a01a01de230edp-13, 0x1.a01990c442ff4p-16, 0x1.71dc1801090cep-19,
                           0x1.28b7cd6e067bcp-22, 0x1.b433574975b5cp-26})
          : polynomial(r, {0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123deap-7, 0x1.6ac81ap-10});
  return {multiplyAdd(r * r, q, r), n, shifted};
}

Number powerOfTwo(const ExpParts &parts) {
  Number bits = bitsOf(parts.shifted);
  return asFloat(shiftLeft(bits, bits.bits() == 64 ? 52 : 23));
}

Number scaled(Number x, const ExpParts &parts) {
  if (hasAvx512(x))
    return scalef(x, parts.n);
  // In two steps, each by a normal power of two: only the second can round.
  const bool f64 = x.isF64();
  const int64_t mantissa = f64 ? 52 : 23, bias = f64 ? 1023 : 127;
  Number both = bitsOf(parts.shifted), base = both.integer(f64 ? 0x4338000000000000 + bias : 0x4b400000 + bias);
  Number n = both - base, half = shiftRightSigned(n, 1);
  auto power = [&](Number k) { return asFloat(shiftLeft(k + k.integer(bias), mantissa)); };
  return x * power(half) * power(n - half);
}

static Number clamped(Number x, double low, double high) {
  return least(x.constant(high), greatest(x.constant(low), x)); // NaN stays
}

/// Where the result is 0 below, infinite above.
static ExpParts expPartsClamped(Number x) {
  const double low = x.isF64() ? -760 : -110;
  if (x.e().notPositive)
    return expParts(greatest(x.constant(low), x));
  return expParts(clamped(x, low, x.isF64() ? 720 : 95));
}

Number exp(Number x) {
  ExpParts parts = expPartsClamped(x);
  return scaled(parts.tail + 1.0, parts);
}

// With e = exp(-|x|) nothing overflows, and with q = e / (1 + e) the result is 1 - q to the right of 0, e - e q to the
// left, where the error of 1 + e hardly counts.
Number sigmoid(Number x) {
  Number e = exp(-abs(x)), q = e / (e + 1.0), m = select(x < 0.0, e, 1.0);
  return multiplyAdd(-m, q, m);
}

// f32: an odd polynomial up to 0.55, then 1 - 2 / (exp(2|x|) + 1), whose errors fade. f64: with t = exp(2|x|) - 1,
// t / (t + 2).
Number tanh(Number x) {
  Number a = least(x.constant(x.isF64() ? 22 : 10), abs(x));
  ExpParts parts = expParts(a + a);
  Number power = powerOfTwo(parts);
  if (x.isF64()) {
    Number t = multiplyAdd(power, parts.tail, power - 1.0);
    return copySign(t / (t + 2.0), x);
  }
  Number large = 1.0 - 2.0 / (multiplyAdd(power, parts.tail, power) + 1.0);
  Number z = a * a;
  Number p = polynomial(z, {-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e80p-5, 0x1.58e54ep-6, -0x1.9923c8p-8});
  return copySign(select(a < 0.55, multiplyAdd(a * z, p, a), large), x);
}

/// Half of e^a for a >= 0, where that is finite, with parts scaled by 2^(n-1).
static Number halfExp(Number a) {
  ExpParts parts = expParts(least(a.constant(a.isF64() ? 720 : 95), a));
  Number y = multiplyAdd(parts.tail, 0.5, 0.5);
  return scaled(y, parts);
}

Number sinh(Number x) {
  Number a = abs(x), z = x * x, h = halfExp(a);
  Number large = h - 0.25 / h;
  Number p =
      x.isF64()
          ? polynomial(z, {0x1.5555555555555p-3, 0x1.111111111119bp-7, 0x1.a01a01a007363p-13, 0x1.71de3a68cedf7p-19,
                           0x1.ae644124f819fp-26, 0x1.61314b6b5d63fp-33, 0x1.a666b91bdea5ep-41, 0x1.d26c7e8dc91fcp-48})
          : polynomial(z, {0x1.555556p-3, 0x1.1110e0p-7, 0x1.a022b6p-13, 0x1.756df4p-19});
  Number small = multiplyAdd(a * z, p, a);
  return copySign(select(a < 1.0, small, large), x);
}

Number cosh(Number x) {
  Number h = halfExp(abs(x));
  return h + 0.25 / h;
}

} // namespace pliant::codegen
