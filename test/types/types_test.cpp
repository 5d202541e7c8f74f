// SPDX-License-Identifier: Apache-2.0
// Every family of ops for every element type that ONNX allows: compiled equals reference at free extents, on values
// that matter to the type: NaN, infinities, -0, denormals; the ends of integers.
#include "api/compiler.h"
#include "compare.h"
#include "control/text_model.h"
#include "executable/executable.h"
#include "ops/dispatch.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace pliant::test {
namespace {

using Types = std::vector<const char *>;
const Types floats{"f32", "f64", "f16", "bf16"}, ints{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
Types joined(Types a, const Types &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const Types numbers = joined(floats, ints), all = joined(numbers, {"bool"}),
            signedNumbers = joined(floats, {"i8", "i16", "i32", "i64"}),
            wideNumbers = joined(floats, {"i32", "i64", "u32", "u64"});

/// A model text in which T is the type at hand. Inputs are n long, or as they say.
struct Row {
  const char *text;
  Types types;
  enum { Special, Small, Positive } values = Special; ///< of the inputs of type T
  double tolerance = 0;                               ///< of results that are not exact, in units of the last place
};

const Row rows[] = {
    // Element-wise.
    {"y = Add(x, z)", numbers},
    {"y = Sub(x, z)", numbers},
    {"y = Mul(x, z)", numbers},
    {"y = Div(x, z)", numbers, Row::Positive},
    {"y = Mod(x, z)", ints, Row::Positive},
    {"y = Mod(x, z) fmod=1", numbers, Row::Positive},
    {"y = Max(x, z)", numbers},
    {"y = Min(x, z)", numbers},
    {"y = Sum(x, z, x)", floats},
    {"y = Mean(x, z)", floats},
    {"y = Neg(x)", signedNumbers},
    {"y = Abs(x)", numbers},
    {"y = Sign(x)", numbers},
    {"y = Relu(x)", signedNumbers},
    {"y = Clip(x, z0, z1)", numbers, Row::Small},
    {"y = Floor(x)", floats},
    {"y = Ceil(x)", floats},
    {"y = Round(x)", floats},
    {"y = Sqrt(x)", floats},
    {"y = Reciprocal(x)", floats},
    {"y = Exp(x)", floats, Row::Special, 2},
    {"y = Log(x)", floats, Row::Special, 2},
    {"y = Tanh(x)", floats, Row::Special, 2},
    {"y = Sigmoid(x)", floats, Row::Special, 2},
    {"y = Erf(x)", numbers, Row::Special, 2},
    {"y = Sin(x)", floats, Row::Small, 2},
    {"y = Softplus(x)", floats, Row::Small, 4},
    {"y = Softsign(x)", floats, Row::Small, 4},
    {"y = Elu(x)", floats, Row::Small, 4},
    {"y = Selu(x)", floats, Row::Small, 4},
    {"y = HardSigmoid(x)", floats, Row::Small, 2},
    {"y = HardSwish(x)", floats, Row::Small, 4},
    {"y = LeakyRelu(x)", floats, Row::Small, 2},
    {"y = ThresholdedRelu(x)", floats},
    {"y = Shrink(x) lambd=1.5f", numbers, Row::Small},
    {"y = PRelu(x, z)", joined(floats, {"i32", "i64", "u32", "u64"}), Row::Small},
    {"y = Pow(x, z)", joined(floats, {"i32", "i64"}), Row::Positive, 4},
    {"y = BitShift(x, z) direction=LEFT", {"u8", "u16", "u32", "u64"}},
    {"y = BitShift(x, z) direction=RIGHT", {"u8", "u16", "u32", "u64"}},
    {"y = BitwiseAnd(x, z)", ints},
    {"y = BitwiseOr(x, z)", ints},
    {"y = BitwiseXor(x, z)", ints},
    {"y = BitwiseNot(x)", ints},
    {"y = Equal(x, z)", all},
    {"y = Less(x, z)", numbers},
    {"y = GreaterOrEqual(x, z)", numbers},
    {"y = IsNaN(x)", floats},
    {"y = IsInf(x)", {"f32", "f64"}},
    {"c = Less(z, x)\ny = Where(c, x, z)", numbers},
    {"c = Not(x)\ny = Where(c, x, z)", {"bool"}},
    // Between types.
    {"y = Cast(x) to=1", all},
    {"y = Cast(x) to=2", all},
    {"y = Cast(x) to=3", all},
    {"y = Cast(x) to=4", all},
    {"y = Cast(x) to=5", all},
    {"y = Cast(x) to=6", all},
    {"y = Cast(x) to=7", all},
    {"y = Cast(x) to=9", all},
    {"y = Cast(x) to=10", all},
    {"y = Cast(x) to=11", all},
    {"y = Cast(x) to=12", all},
    {"y = Cast(x) to=13", all},
    {"y = Cast(x) to=16", all},
    // Data that moves.
    {"y = Concat(x, z) axis=0", all},
    {"y = Identity(x)", all},
    {"s = Constant() value=i64[2]{1, -1}\nr = Reshape(x, s)\ny = Transpose(r)", all},
    {"s = Constant() value=i64[2]{3, 1}\ny = Expand(x, s)", all},
    {"s = Constant() value=i64[1]{3}\ny = Tile(x, s)", all},
    {"i = Constant() value=i64[2]{1, 2}\np = Pad(x, i)\ny = Identity(p)", all},
    {"b = Constant() value=i64[1]{-1}\ne = Constant() value=i64[1]{-9999}\na = Constant() value=i64[1]{0}\n"
     "t = Constant() value=i64[1]{-2}\ny = Slice(x, b, e, a, t)",
     all},
    {"i = NonZero(x)\ny = Gather(x, i)", all},
    {"c = Cast(z) to=9\ny = Compress(x, c) axis=0", all},
    {"y, a, b, c = Unique(x)", joined(ints, {"f32", "f64", "f16"}), Row::Small},
    {"i = Constant() value=i64[1]{0}\nu = Unsqueeze(x, i)\ny = Trilu(u)", all},
    {"s = Shape(x)\nb = Constant() value=i64[]{0}\no = Constant() value=i64[]{1}\nd = Squeeze(s)\nr = Range(b, d, o)\n"
     "y = ScatterElements(x, r, z)",
     all},
    {"k = Constant() value=i64[1]{0}\ny, i = TopK(x, k)", numbers},
    {"s = Constant() value=i64[2]{1, -1}\nr = Reshape(x, s)\ny = ArgMax(r) axis=1", numbers},
    {"s = Constant() value=i64[2]{1, -1}\nr = Reshape(x, s)\ny = ArgMin(r) axis=1", numbers},
    // Sums and what is like them.
    {"y = ReduceSum(x)", wideNumbers, Row::Small, 1},
    {"y = ReduceMean(x)", wideNumbers, Row::Small, 2},
    {"y = ReduceProd(x)", wideNumbers, Row::Positive, 64},
    {"y = ReduceMax(x)", joined(wideNumbers, {"i8", "u8"})},
    {"y = ReduceMin(x)", joined(wideNumbers, {"i8", "u8"})},
    {"y = ReduceL1(x)", wideNumbers, Row::Small, 1},
    {"y = ReduceL2(x)", wideNumbers, Row::Small, 2},
    {"y = ReduceSumSquare(x)", wideNumbers, Row::Small, 1},
    {"y = ReduceLogSumExp(x)", wideNumbers, Row::Small, 4},
    {"a = Constant() value=i64[]{0}\ny = CumSum(x, a)", wideNumbers, Row::Small, 64},
    {"y = Softmax(x) axis=0", floats, Row::Small, 8},
    {"y = LogSoftmax(x) axis=0", floats, Row::Small, 8},
    {"y = Hardmax(x) axis=0", floats, Row::Small},
    {"s = Constant() value=i64[2]{1, -1}\nr = Reshape(x, s)\nt = Transpose(r)\ny = MatMul(r, t)", wideNumbers,
     Row::Small, 8},
    {"s = Constant() value=i64[2]{-1, 1}\nr = Reshape(x, s)\nt = Transpose(r)\ny = MatMul(r, t)", wideNumbers,
     Row::Small, 1},
    {"s = Constant() value=i64[2]{-1, 1}\nr = Reshape(x, s)\ny = Gemm(r, r) transB=1 alpha=2.0f", wideNumbers,
     Row::Small, 4},
    {"s = Constant() value=i64[3]{1, 1, -1}\nr = Reshape(x, s)\ny = MaxPool(r) kernel_shape=[3] pads=[1, 1]",
     {"f32", "f64", "f16", "i8", "u8"}},
    {"s = Constant() value=i64[3]{1, 1, -1}\nr = Reshape(x, s)\ny = AveragePool(r) kernel_shape=[2] pads=[1, 1]",
     {"f32", "f64", "f16"},
     Row::Small,
     2},
    {"s = Constant() value=i64[3]{1, 1, -1}\nr = Reshape(x, s)\nw = Constant() value=T[1, 1, 3]{1, 2, 3}\n"
     "y = Conv(r, w) pads=[1, 1]",
     {"f32", "f64"},
     Row::Small,
     8},
};

uint64_t drawn(uint64_t &seed) { return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33; }

DenseTensor inputOf(DType type, int64_t n, uint64_t seed, decltype(Row::values) values) {
  DenseTensor t = *DenseTensor::zeros(type, {n});
  dispatch(type, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t r = static_cast<int64_t>(drawn(seed));
      double v = static_cast<double>(r % 15 - 7);
      if (values == Row::Positive || isUnsigned(type))
        v = std::fabs(v) + (values == Row::Positive ? 1 : 0);
      if (type == DType::Bool) {
        t.as<T>()[i] = static_cast<T>(r % 2);
        continue;
      }
      if constexpr (isFloatStorage<T>) {
        if (values != Row::Positive)
          v /= 4;
        const double smallest = type == DType::F64   ? 0x1p-1074
                                : type == DType::F16 ? 0x1p-24
                                : type == DType::F32 ? 0x1p-149
                                                     : 0x1p-133;
        const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, smallest, -smallest * 3, 300.5, -70000, 1e30};
        if (values == Row::Special && r % 3 == 0)
          v = odd[r / 3 % 10];
        t.as<T>()[i] = static_cast<T>(v);
      } else {
        using C = ComputeOf<T>;
        const C ends[] = {std::numeric_limits<C>::min(), std::numeric_limits<C>::max(), C(-1), C(0), C(1), C(77)};
        t.as<T>()[i] = values == Row::Special && r % 3 == 0 ? static_cast<T>(ends[r / 3 % 6]) : static_cast<T>(v);
      }
    }
  });
  return t;
}

int64_t ulps(const DenseTensor &a, const DenseTensor &b, int64_t i) { // between finite values of one type
  auto ordered = [](auto bits) -> int64_t {
    using S = decltype(bits);
    const S low = std::numeric_limits<S>::min();
    return bits < 0 ? static_cast<int64_t>(low) - static_cast<int64_t>(bits) : static_cast<int64_t>(bits);
  };
  switch (byteSize(a.dtype())) {
  case 8:
    return std::abs(ordered(a.as<int64_t>()[i]) - ordered(b.as<int64_t>()[i]));
  case 4:
    return std::abs(ordered(a.as<int32_t>()[i]) - ordered(b.as<int32_t>()[i]));
  default:
    return std::abs(ordered(a.as<int16_t>()[i]) - ordered(b.as<int16_t>()[i]));
  }
}

/// Equal, but for so many units in the last place of floats; NaN is NaN, and zeros have their signs.
std::string differ(const DenseTensor &ours, const DenseTensor &expected, double tolerance) {
  if (ours.dtype() != expected.dtype() || ours.dims() != expected.dims())
    return std::string(name(ours.dtype())) + str(ours.dims()) + " instead of " + std::string(name(expected.dtype())) +
           str(expected.dims());
  std::string text;
  dispatch(ours.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < ours.size() && text.empty(); ++i) {
      const ComputeOf<T> a = ours.as<T>()[i], b = expected.as<T>()[i];
      bool same = a == b;
      if constexpr (isFloatStorage<T>)
        same = (std::isnan(a) && std::isnan(b)) || (same && (tolerance > 0 || std::signbit(a) == std::signbit(b))) ||
               (std::isfinite(a) && std::isfinite(b) && static_cast<double>(ulps(ours, expected, i)) <= tolerance);
      if (!same)
        text =
            "element " + std::to_string(i) + " is " + std::to_string(+a) + ", the reference has " + std::to_string(+b);
    }
  });
  return text;
}

std::string replaced(std::string text, const std::string &type) {
  for (size_t at = 0; (at = text.find("T[", at)) != text.npos; at += type.size())
    if (at == 0 || text[at - 1] == '=')
      text.replace(at, 1, type);
  return text;
}

std::string modelText(const Row &row, const std::string &type) {
  std::string text = "in x:" + type + "[n] z:" + type + "[n] z0:" + type + "[] z1:" + type + "[]\nout y\n";
  return text + replaced(row.text, type);
}

std::unique_ptr<Executable> load(const std::string &text, bool reference, std::string &why) {
  auto api = compiler();
  driver::Options options;
  options.cache = false;
  options.reference = reference;
  auto compiled = (*api)->bytes(modelOf(text), options);
  if (!compiled) {
    why = compiled.error().text();
    return nullptr;
  }
  auto executable = Executable::load(compiled->program, compiled->image, {}, std::move(compiled->weights));
  why = executable ? "" : executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

DenseTensor scalar(DType type, double value) {
  DenseTensor t = *DenseTensor::zeros(type, {});
  dispatch(type, [&]<class T>(Type<T>) { t.as<T>()[0] = static_cast<T>(value); });
  return t;
}

} // namespace

TEST(Types, EveryFamily) {
  for (const Row &row : rows)
    for (const char *type : row.types) {
      SCOPED_TRACE(std::string(type) + ": " + row.text);
      std::string why;
      auto ours = load(modelText(row, type), false, why);
      EXPECT_TRUE(ours) << why;
      auto reference = load(modelText(row, type), true, why);
      EXPECT_TRUE(reference) << why;
      if (!ours || !reference)
        continue;
      EXPECT_EQ(ours->fallbacks(), 0);
      const DType dtype = *dtypeFromName(type);
      for (int64_t n : {0, 1, 5, 16, 17, 65}) {
        const std::vector<DenseTensor> inputs{inputOf(dtype, n, 1, row.values), inputOf(dtype, n, 2, row.values),
                                              scalar(dtype, 1), scalar(dtype, 4)};
        auto expected = reference->run(inputs), actual = ours->run(inputs);
        ASSERT_EQ(bool(expected), bool(actual))
            << "n = " << n << ": " << (actual ? expected.error().text() : actual.error().text());
        if (!actual)
          continue;
        for (size_t o = 0; o < expected->size(); ++o)
          EXPECT_EQ(differ((*actual)[o], (*expected)[o], row.tolerance), "") << "n = " << n;
      }
    }
}

} // namespace pliant::test
