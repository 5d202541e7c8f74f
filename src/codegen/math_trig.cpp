// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan. The angle is reduced by multiples of pi/2 in parts; the rare large ones go through the bits of 2/pi
// (Payne and Hanek), one lane at a time. Polynomials: scripts/minimax.py.
#include "codegen/math_pair.h"
#include <limits>

using namespace mlir;

namespace pliant::codegen {

namespace {
/// a = quadrant * pi/2 + r + low, |r| <= pi/4 or a little more; the quadrant as an integer of the same width.
struct Angle {
  Number r, low, quadrant;
};
} // namespace

/// 2/pi in 64-bit words, after one word of zeros.
static constexpr uint64_t twoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// One finite f64 of at least 2^10: the product with 2/pi modulo 4 in 192 bits.
static std::pair<Value, Value> reduceScalar(OpBuilder &b, Location loc, Value a, Value table) {
  Type i64 = b.getI64Type(), i128 = b.getIntegerType(128), f64 = b.getF64Type();
  auto c = [&](int64_t v) -> Value { return b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(v)); };
  auto wide = [&](Value v) -> Value { return b.create<arith::ExtUIOp>(loc, i128, v); };
  auto real = [&](double v) -> Value { return b.create<arith::ConstantOp>(loc, b.getF64FloatAttr(v)); };
  auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddIOp>(loc, x, y); };
  auto times = [&](Value x, Value y) -> Value { return b.create<arith::MulIOp>(loc, x, y); };
  auto up = [&](Value x, Value by) -> Value { return b.create<arith::ShLIOp>(loc, x, by); };
  auto down = [&](Value x, Value by) -> Value { return b.create<arith::ShRUIOp>(loc, x, by); };
  auto with = [&](Value x, Value mask) -> Value { return b.create<arith::AndIOp>(loc, x, mask); };

  Value bits = b.create<arith::BitcastOp>(loc, i64, a);
  Value exponent = down(bits, c(52)); // a = mantissa * 2^(exponent - 1075)
  Value mantissa = b.create<arith::OrIOp>(loc, with(bits, c((int64_t(1) << 52) - 1)), c(int64_t(1) << 52));
  // Bits of 2/pi that only add multiples of 4 are left out: start where the product's bit is worth 2.
  Value start = plus(exponent, c(62 - 1075)), word = down(start, c(6)), shift = with(start, c(63));
  Value w[4], part[3];
  for (int i = 0; i < 4; ++i)
    w[i] = b.create<vector::ExtractElementOp>(loc, table, plus(word, c(i)));
  Value rest = b.create<arith::SubIOp>(loc, c(63), shift);
  for (int i = 0; i < 3; ++i)
    part[i] = b.create<arith::OrIOp>(loc, up(w[i], shift), down(down(w[i + 1], c(1)), rest));
  // The product modulo 2^192: its upper 128 bits.
  Value sixtyFour = wide(c(64));
  Value high = plus(up(wide(times(mantissa, part[0])), sixtyFour), times(wide(mantissa), wide(part[1])));
  high = plus(high, down(times(wide(mantissa), wide(part[2])), sixtyFour));
  Value top = b.create<arith::TruncIOp>(loc, i64, down(high, sixtyFour));
  Value quadrant = down(plus(top, c(int64_t(1) << 61)), c(62)); // to nearest
  top = b.create<arith::SubIOp>(loc, top, up(quadrant, c(62)));
  // The fraction, signed: upper word exact in two floats, lower word in one.
  Value coarse = with(top, c(~int64_t(0x7ff))), fine = with(top, c(0x7ff));
  auto scaledBy = [&](Value v, double by) -> Value { return b.create<arith::MulFOp>(loc, v, real(by)); };
  Value x = scaledBy(b.create<arith::SIToFPOp>(loc, f64, coarse), 0x1p-62);
  Value y = scaledBy(b.create<arith::SIToFPOp>(loc, f64, fine), 0x1p-62);
  Value lower = b.create<arith::TruncIOp>(loc, i64, high);
  Value z = scaledBy(b.create<arith::SIToFPOp>(loc, f64, down(lower, c(1))), 0x1p-125);
  y = b.create<arith::AddFOp>(loc, y, z);
  const double halfPi = 0x1.921fb54442d18p0;
  Value r = b.create<arith::AddFOp>(loc, scaledBy(x, halfPi), scaledBy(y, halfPi));
  return {r, quadrant};
}

/// Every lane of f64 values of at least 2^10.
static Angle reduceLanes(Number a) {
  const PointEmitter &e = a.e();
  auto &b = e.b;
  const Location loc = e.loc;
  auto type = VectorType::get({std::size(twoOverPi)}, b.getI64Type());
  SmallVector<int64_t> words(std::begin(twoOverPi), std::end(twoOverPi));
  Value table = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(words)));
  if (!e.lanes) {
    auto [r, quadrant] = reduceScalar(b, loc, a, table);
    return {{e, r}, a.constant(0), {e, quadrant}};
  }
  auto index = [&](int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); };
  Value none = bitsOf(a);
  auto loop = b.create<scf::ForOp>(loc, index(0), index(e.lanes), index(1), ValueRange{a, none},
                                   [&](OpBuilder &, Location, Value lane, ValueRange v) {
                                     Value x = b.create<vector::ExtractElementOp>(loc, a, lane);
                                     auto [r, quadrant] = reduceScalar(b, loc, x, table);
                                     Value rs = b.create<vector::InsertElementOp>(loc, r, v[0], lane);
                                     Value qs = b.create<vector::InsertElementOp>(loc, quadrant, v[1], lane);
                                     b.create<scf::YieldOp>(loc, ValueRange{rs, qs});
                                   });
  return {{e, loop.getResult(0)}, a.constant(0), {e, loop.getResult(1)}};
}

/// f64 below 2^20: pi/2 in parts of 33 bits, whose products with the quadrant are exact.
static Angle reduceF64(Number a) {
  const double magic = 0x1.8p52;
  Number shifted = a * 0x1.45f306dc9c883p-1 + magic, n = shifted - magic;
  Number first = a - n * 0x1.921fb544p0;
  Pair second = exactSum(first, n * -0x1.0b4611a6p-34);
  Pair third = exactSum(second.high, n * -0x1.3198a2ep-69);
  Number low = (third.low + second.low) + n * -0x1.b839a252049c1p-104;
  Pair r = quickSum(third.high, low);
  return {r.high, r.low, bitsOf(shifted)};
}

/// f32 below 2^16 with fused multiply-adds.
static Angle reduceF32(Number a) {
  const double magic = 0x1.8p23;
  Number shifted = multiplyAdd(a, 0x1.45f306p-1, magic), n = shifted - magic;
  Number first = multiplyAdd(n, -0x1.921fb6p0, a);
  Pair second = exactProduct(n, n.constant(0x1.777a5cp-25)), r = exactSum(first, second.high);
  Number low = multiplyAdd(n, 0x1.ee59dap-50, r.low + second.low);
  Pair sum = quickSum(r.high, low);
  return {sum.high, sum.low, bitsOf(shifted)};
}

static Angle inF32(const Angle &wide) {
  Number r = narrowed(wide.r);
  return {r, narrowed(wide.r - widened(r)), resized(wide.quadrant, 32, false)};
}

/// Of |x|; infinity and NaN give NaN.
static Angle reduced(Number a) {
  const PointEmitter &e = a.e();
  const bool f64 = a.isF64();
  Angle near = f64 ? reduceF64(a) : e.target.fma ? reduceF32(a) : inF32(reduceF64(widened(a)));
  Number large = (a >= (f64 ? 0x1p20 : 0x1p16)) & (a < std::numeric_limits<double>::infinity());
  auto either = e.b.create<scf::IfOp>(
      e.loc, any(large),
      [&](OpBuilder &, Location) {
        Number safe = select(large, a, 0x1p20);
        Angle far = f64 ? reduceLanes(safe) : inF32(reduceLanes(widened(safe)));
        e.b.create<scf::YieldOp>(e.loc, ValueRange{select(large, far.r, near.r), select(large, far.low, near.low),
                                                   select(large, far.quadrant, near.quadrant)});
      },
      [&](OpBuilder &, Location) { e.b.create<scf::YieldOp>(e.loc, ValueRange{near.r, near.low, near.quadrant}); });
  return {{e, either.getResult(0)}, {e, either.getResult(1)}, {e, either.getResult(2)}};
}

static Number sinNear(const Angle &angle) {
  Number r = angle.r, z = r * r;
  Number p =
      r.isF64()
          ? polynomial(z, {-0x1.5555555555555p-3, 0x1.1111111111069p-7, -0x1.a01a019ffe51bp-13, 0x1.71de3a33a26b1p-19,
                           -0x1.ae642c49061bap-26, 0x1.6109b49374e5bp-33, -0x1.9ff75d697e8c7p-41})
          : polynomial(z, {-0x1.555556p-3, 0x1.111174p-7, -0x1.a05954p-13, 0x1.7c2c4ep-19});
  return r + multiplyAdd(r * z, p, angle.low);
}

static Number cosNear(const Angle &angle) {
  Number r = angle.r, z = r * r;
  Number q =
      r.isF64()
          ? polynomial(z, {0x1.5555555555555p-5, -0x1.6c16c16c16b30p-10, 0x1.a01a019ffcba5p-16, -0x1.27e4fb5a26933p-22,
                           0x1.1eed6f8c212dep-29, -0x1.937465a915640p-37, 0x1.9db92570c68b2p-45})
          : polynomial(z, {0x1.555556p-5, -0x1.6c175ep-10, 0x1.a071b2p-16, -0x1.361280p-22});
  Number half = z * 0.5, head = 1.0 - half; // what `head` lost comes back below
  return head + multiplyAdd(z * z, q, ((1.0 - head) - half) - r * angle.low);
}

/// sin(a + quarters * pi/2) with `sign` added to the sign bit.
static Number sine(const Angle &angle, int64_t quarters, Number sign) {
  Number quadrant = angle.quadrant + angle.quadrant.integer(quarters), one = quadrant.integer(1);
  Number odd = (quadrant & one) != quadrant.integer(0);
  Number y = select(odd, cosNear(angle), sinNear(angle));
  Number flip = shiftLeft(shiftRight(quadrant, 1), quadrant.bits() - 1);
  return asFloat(bitsOf(y) ^ flip ^ sign);
}

static Number signOf(Number x) {
  Number bits = bitsOf(x);
  return bits ^ bitsOf(abs(x));
}

Number sin(Number x) { return sine(reduced(abs(x)), 0, signOf(x)); }
Number cos(Number x) {
  Angle angle = reduced(abs(x));
  return sine(angle, 1, angle.quadrant.integer(0));
}

// Odd quadrants: -1 / tan.
Number tan(Number x) {
  Angle angle = reduced(abs(x));
  Number r = angle.r, z = r * r;
  Number p =
      r.isF64()
          ? polynomial(z, {0x1.55555555554eep-2, 0x1.111111111871fp-3, 0x1.ba1ba1b437c9dp-5, 0x1.664f49b227003p-6,
                           0x1.226e11473ad22p-7, 0x1.d6d95aa4edc56p-9, 0x1.7d59825ad506cp-10, 0x1.380a2b6e84a3fp-11,
                           0x1.d1b801caeb3a7p-13, 0x1.1fa6c633b911fp-13, -0x1.c9d53390f05aep-16, 0x1.7aafb10d7b2c7p-14,
                           -0x1.7c3e1844e9cf0p-15, 0x1.5fdba7233e516p-16})
          : polynomial(z, {0x1.555560p-2, 0x1.110d9ap-3, 0x1.badae8p-5, 0x1.5cb1bep-6, 0x1.632648p-7, 0x1.5ba684p-14,
                           0x1.1f1c02p-8});
  Number tail = multiplyAdd(r * z, p, multiplyAdd(angle.low, z, angle.low));
  Pair t = quickSum(r, tail);
  Number odd = (angle.quadrant & angle.quadrant.integer(1)) != angle.quadrant.integer(0);
  Number inverse = -1.0 / t.high;
  return asFloat(bitsOf(select(odd, inverse, t.high)) ^ signOf(x));
}

} // namespace pliant::codegen
