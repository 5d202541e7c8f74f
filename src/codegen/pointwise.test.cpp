// SPDX-License-Identifier: Apache-2.0
// Every pointwise emitter and fold against its op's reference: all element types, special values crossed with each
// other and random ones; in vectors, in the masked tail and in scalars; on the host, AVX2 and baseline x86-64. Bit for
// bit, but for the functions that approximate.
#include "codegen/pointwise_testing.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace pliant::ops {
namespace unary {
Status ref(RefContext &);
}
namespace binary {
Status ref(RefContext &);
}
namespace compare {
Status ref(RefContext &);
}
namespace select {
Status ref(RefContext &);
}
namespace cast {
Status ref(RefContext &);
}
} // namespace pliant::ops

namespace pliant::codegen {
namespace {

constexpr DType allTypes[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16,
                              DType::I8,  DType::U64, DType::U32, DType::U16,  DType::U8,  DType::Bool};

struct Case {
  OpId op;
  Attrs attrs;
  std::vector<DType> in;
  DType out;
  RefEvaluator ref;
  double ulp = 0;
};

template <class T> std::vector<T> specialValues() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    for (int v : {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100})
      values.push_back(static_cast<T>(v)), values.push_back(static_cast<T>(-v));
    for (T v : {low, static_cast<T>(low + 1), high, static_cast<T>(high - 1), static_cast<T>(high / 2)})
      values.push_back(v);
  } else {
    const std::initializer_list<double> magnitudes{0,
                                                   0.25,
                                                   0.5,
                                                   0.75,
                                                   1,
                                                   1.5,
                                                   2,
                                                   2.5,
                                                   3,
                                                   10,
                                                   64,
                                                   127,
                                                   128,
                                                   255,
                                                   256,
                                                   300.7,
                                                   32767,
                                                   32768,
                                                   65504,
                                                   65520,
                                                   65535,
                                                   65536,
                                                   1e6,
                                                   2147483520.0,
                                                   2147483647.0,
                                                   2147483648.0,
                                                   4294967295.0,
                                                   4294967296.0,
                                                   9.2e18,
                                                   9223372036854775808.0,
                                                   18446744073709549568.0,
                                                   18446744073709551616.0,
                                                   1e30,
                                                   3.4028234663852886e38,
                                                   3.4028236e38,
                                                   1e300,
                                                   1e-3,
                                                   1e-8,
                                                   5.9e-8,
                                                   6e-8,
                                                   2.98e-8,
                                                   1.1754943508222875e-38,
                                                   1e-40,
                                                   1e-45,
                                                   1e-320,
                                                   INFINITY,
                                                   NAN};
    for (double v : magnitudes)
      values.push_back(static_cast<T>(v)), values.push_back(static_cast<T>(-v));
  }
  return values;
}

template <class T> T randomValue(std::mt19937_64 &g) {
  const uint64_t bits = g();
  if constexpr (std::is_same_v<T, bool>) {
    return bits & 1;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits & 1 << 20 ? bits >> 32 : static_cast<uint64_t>(static_cast<int64_t>(bits) >> 57));
  } else {
    if (bits & 1) {
      T value;
      const uint64_t pattern = bits >> (64 - 8 * sizeof(T));
      std::memcpy(&value, &pattern, sizeof(T));
      return value;
    }
    return static_cast<T>(static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-60);
  }
}

/// Operand tensors: the special values crossed (for up to two operands), then random ones.
std::vector<DenseTensor> operandsOf(const std::vector<DType> &types) {
  std::vector<DenseTensor> operands;
  constexpr int64_t random = 3000;
  std::vector<int64_t> counts;
  int64_t crossed = 1;
  for (DType type : types) {
    int64_t count = 0;
    dispatch(type, [&]<class T>(pliant::Type<T>) { count = static_cast<int64_t>(specialValues<T>().size()); });
    counts.push_back(count);
    crossed *= count;
  }
  crossed = std::min<int64_t>(crossed, 10000);
  const int64_t n = crossed + random + 5; // a tail of odd length
  int64_t step = 1;
  for (size_t k = 0; k < types.size(); ++k) {
    DenseTensor x = *DenseTensor::allocate(types[k], {n});
    dispatch(types[k], [&]<class T>(pliant::Type<T>) {
      const std::vector<T> special = specialValues<T>();
      std::mt19937_64 generator(k + 1);
      for (int64_t i = 0; i < n; ++i)
        x.as<T>()[i] = i < crossed ? special[i / step % counts[k]] : randomValue<T>(generator);
    });
    step *= counts[k];
    operands.push_back(std::move(x));
  }
  return operands;
}

/// What a kernel reads: f16 and bf16 as f32.
std::vector<std::byte> toKernel(const DenseTensor &x) {
  std::vector<std::byte> bytes;
  dispatch(x.dtype(), [&]<class T>(pliant::Type<T>) {
    using C = ComputeOf<T>;
    bytes.resize(static_cast<size_t>(x.size()) * sizeof(C));
    for (int64_t i = 0; i < x.size(); ++i) {
      const C value = x.as<T>()[i];
      std::memcpy(&bytes[i * sizeof(C)], &value, sizeof(C));
    }
  });
  return bytes;
}

template <class T> std::string show(T v) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", static_cast<double>(v));
  return text;
}

/// Elements of a kernel's result against the reference's.
template <class T> std::string difference(const std::byte *got, T want, double ulp) {
  using C = ComputeOf<T>;
  C value;
  std::memcpy(&value, got, sizeof(C));
  if constexpr (isFloatStorage<T>) {
    const C right = want;
    if (std::isnan(value) && std::isnan(right))
      return {};
    if (!std::isnan(value) && static_cast<C>(T(static_cast<double>(value))) != value)
      return show(value) + " is not a value of the type";
    auto order = [](T v) { // neighbours in the storage type differ by one
      std::conditional_t<sizeof(T) == 8, int64_t, std::conditional_t<sizeof(T) == 4, int32_t, int16_t>> bits;
      std::memcpy(&bits, &v, sizeof bits);
      return bits < 0 ? -int64_t(bits & std::numeric_limits<decltype(bits)>::max()) : int64_t(bits);
    };
    if (ulp > 0 && !std::isnan(value) && !std::isnan(right) && std::signbit(value) == std::signbit(right) &&
        std::abs(order(T(static_cast<double>(value))) - order(want)) <= static_cast<int64_t>(ulp))
      return {};
    return std::memcmp(&value, &right, sizeof(C)) == 0 ? "" : show(value) + " instead of " + show(right);
  } else {
    return value == want ? "" : std::to_string(value) + " instead of " + std::to_string(want);
  }
}

std::string operandText(const std::vector<DenseTensor> &x, int64_t i) {
  std::string text;
  for (const DenseTensor &t : x)
    dispatch(t.dtype(), [&]<class T>(pliant::Type<T>) {
      text += (text.empty() ? "" : ", ") + show(static_cast<ComputeOf<T>>(t.as<T>()[i]));
    });
  return text;
}

void check(const std::vector<Case> &cases) {
  ASSERT_FALSE(cases.empty());
  const std::vector<DenseTensor> operands = operandsOf(cases[0].in);
  const int64_t n = operands[0].size();
  std::vector<std::vector<std::byte>> memory;
  for (const DenseTensor &x : operands)
    memory.push_back(toKernel(x));
  std::vector<PointBody> bodies;
  for (const Case &c : cases)
    bodies.push_back({c.in, c.out, [&c](PointEmitter &p, llvm::ArrayRef<Value> x) -> Value {
                        PointwiseEmit emit = pointwiseEmit(c.op);
                        return emit ? emit(p, c.op, c.attrs, x) : Value();
                      }});
  for (const TargetDescription &target : testTargets()) {
    const std::string where = target.name + " " + std::string(name(cases[0].in[0]));
    CompiledKernel kernel = compilePoints(target, static_cast<int>(operands.size()), bodies);
    ASSERT_TRUE(kernel.function) << where << ": " << kernel.error;
    std::vector<const void *> buffers;
    std::vector<std::vector<std::byte>> results(cases.size() * 2);
    for (const auto &m : memory)
      buffers.push_back(m.data());
    for (auto &result : results) {
      result.assign(static_cast<size_t>(n) * 8 + 64, std::byte(0xa5));
      buffers.push_back(result.data());
    }
    RunState state{};
    kernel.function(buffers.data(), nullptr, 0, n, &state);
    bool anyFault = false;
    for (size_t k = 0; k < cases.size(); ++k) {
      const Case &c = cases[k];
      DenseTensor want = *DenseTensor::zeros(c.out, {n});
      RefContext reference{c.op, c.attrs, operands, std::span(&want, 1)};
      const bool faulty = !c.ref(reference);
      anyFault |= faulty;
      int shown = 0;
      dispatch(c.out, [&]<class T>(pliant::Type<T>) {
        for (int64_t i = 0; i < 2 * n && shown < 3; ++i) {
          const int64_t at = i % n;
          if (faulty && operandText({operands[c.op == OpId::Pow ? 0 : 1]}, at) == "0")
            continue; // an element without a value
          std::string text = difference<T>(&results[2 * k + (i >= n)][static_cast<size_t>(at) * sizeof(ComputeOf<T>)],
                                           want.as<T>()[at], c.ulp);
          if (!text.empty()) {
            ADD_FAILURE() << where << " to " << name(c.out) << (i < n ? " vector" : " scalar") << ", op "
                          << static_cast<int>(c.op) << " of (" << operandText(operands, at) << "): " << text;
            ++shown;
          }
        }
      });
      for (int j = 0; j < 2; ++j)
        EXPECT_EQ(
            results[2 * k + j][static_cast<size_t>(n) * (isFloat(c.out) && byteSize(c.out) == 2 ? 4 : byteSize(c.out))],
            std::byte(0xa5))
            << "written beyond the end";
    }
    EXPECT_EQ(state.error.code, anyFault ? RunErrorDivision : RunErrorNone) << where;
  }
}

template <class A> Attrs attrs(A a = {}) { return a; }

class Types : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Pointwise, Types, testing::ValuesIn(allTypes),
                         [](const testing::TestParamInfo<DType> &info) { return std::string(name(info.param)); });

TEST_P(Types, Unary) {
  const DType type = GetParam();
  std::vector<Case> cases;
  auto add = [&](OpId op, Attrs a, double ulp = 0, std::optional<DType> out = {}) {
    cases.push_back({op, a, {type}, out.value_or(type), ops::unary::ref, ulp});
  };
  if (type == DType::Bool) {
    add(OpId::LogicalNot, LogicalNotAttrs{});
    return check(cases);
  }
  add(OpId::Abs, AbsAttrs{}), add(OpId::Neg, NegAttrs{}), add(OpId::Relu, ReluAttrs{}), add(OpId::Sign, SignAttrs{});
  if (isFloat(type)) {
    add(OpId::Sqrt, SqrtAttrs{}), add(OpId::Reciprocal, ReciprocalAttrs{}), add(OpId::Floor, FloorAttrs{});
    add(OpId::Ceil, CeilAttrs{}), add(OpId::Round, RoundAttrs{}), add(OpId::IsNan, IsNanAttrs{}, 0, DType::Bool);
    for (bool negative : {false, true})
      for (bool positive : {false, true})
        add(OpId::IsInf, IsInfAttrs{negative, positive}, 0, DType::Bool);
    const double ulp = type == DType::F64 ? 5 : type == DType::F32 ? 3 : 1;
    add(OpId::Exp, ExpAttrs{}, ulp), add(OpId::Log, LogAttrs{}, ulp), add(OpId::Sigmoid, SigmoidAttrs{}, ulp);
    add(OpId::Tanh, TanhAttrs{}, ulp), add(OpId::Erf, ErfAttrs{}, ulp), add(OpId::Sin, SinAttrs{}, ulp);
    add(OpId::Cos, CosAttrs{}, ulp), add(OpId::Tan, TanAttrs{}, ulp), add(OpId::Asin, AsinAttrs{}, ulp);
    add(OpId::Acos, AcosAttrs{}, ulp), add(OpId::Atan, AtanAttrs{}, ulp), add(OpId::Sinh, SinhAttrs{}, ulp);
    add(OpId::Cosh, CoshAttrs{}, ulp), add(OpId::Asinh, AsinhAttrs{}, ulp), add(OpId::Acosh, AcoshAttrs{}, ulp);
    add(OpId::Atanh, AtanhAttrs{}, ulp);
  }
  check(cases);
}

TEST_P(Types, Binary) {
  const DType type = GetParam();
  std::vector<Case> cases;
  auto add = [&](OpId op, Attrs a, double ulp = 0) {
    cases.push_back({op, a, {type, type}, type, ops::binary::ref, ulp});
  };
  if (type == DType::Bool) {
    add(OpId::LogicalAnd, LogicalAndAttrs{}), add(OpId::LogicalOr, LogicalOrAttrs{});
    add(OpId::LogicalXor, LogicalXorAttrs{});
    return check(cases);
  }
  add(OpId::Add, AddAttrs{}), add(OpId::Sub, SubAttrs{}), add(OpId::Mul, MulAttrs{});
  add(OpId::Min, MinAttrs{}), add(OpId::Max, MaxAttrs{});
  if (isInteger(type)) {
    add(OpId::BitAnd, BitAndAttrs{}), add(OpId::BitOr, BitOrAttrs{}), add(OpId::BitXor, BitXorAttrs{});
    if (isUnsigned(type))
      add(OpId::ShiftLeft, ShiftLeftAttrs{}), add(OpId::ShiftRight, ShiftRightAttrs{});
  } else {
    add(OpId::Div, DivAttrs{}), add(OpId::Fmod, FmodAttrs{});
    add(OpId::Pow, PowAttrs{}, type == DType::F64 ? 3 : type == DType::F32 ? 2 : 1);
  }
  check(cases);
}

TEST_P(Types, Division) { // apart: here the run ends with a fault
  const DType type = GetParam();
  if (!isInteger(type))
    return;
  for (auto &[op, a] : {std::pair<OpId, Attrs>{OpId::Div, DivAttrs{}},
                        {OpId::Mod, ModAttrs{}},
                        {OpId::Fmod, FmodAttrs{}},
                        {OpId::Pow, PowAttrs{}}})
    check({{op, a, {type, type}, type, ops::binary::ref}});
}

TEST_P(Types, Compare) {
  const DType type = GetParam();
  std::vector<Case> cases;
  for (auto &[op, a] : {std::pair<OpId, Attrs>{OpId::Equal, EqualAttrs{}},
                        {OpId::NotEqual, NotEqualAttrs{}},
                        {OpId::Less, LessAttrs{}},
                        {OpId::LessEqual, LessEqualAttrs{}},
                        {OpId::Greater, GreaterAttrs{}},
                        {OpId::GreaterEqual, GreaterEqualAttrs{}}})
    cases.push_back({op, a, {type, type}, DType::Bool, ops::compare::ref});
  check(cases);
}

TEST_P(Types, Select) {
  const DType type = GetParam();
  check({{OpId::Select, SelectAttrs{}, {DType::Bool, type, type}, type, ops::select::ref}});
}

TEST_P(Types, Cast) {
  std::vector<Case> cases;
  for (DType to : allTypes)
    cases.push_back({OpId::Cast, CastAttrs{to}, {GetParam()}, to, ops::cast::ref});
  check(cases);
}

TEST_P(Types, Fold) {
  const DType type = GetParam();
  struct Row {
    OpId op;
    OpId point; // the function of two elements that combines
    Attrs attrs, pointAttrs;
  };
  const Row rows[] = {{OpId::ReduceSum, OpId::Add, ReduceSumAttrs{}, AddAttrs{}},
                      {OpId::ReduceProd, OpId::Mul, ReduceProdAttrs{}, MulAttrs{}},
                      {OpId::ReduceMax, OpId::Max, ReduceMaxAttrs{}, MaxAttrs{}},
                      {OpId::ReduceMin, OpId::Min, ReduceMinAttrs{}, MinAttrs{}}};
  const std::vector<DenseTensor> operands = operandsOf({type, type});
  const int64_t n = operands[0].size();
  for (const TargetDescription &target : testTargets())
    for (const Row &row : rows) {
      const bool extreme = row.op == OpId::ReduceMax || row.op == OpId::ReduceMin;
      if (type == DType::Bool && !extreme)
        continue;
      // In the first result two elements combined, in the second the neutral one and an element, which must stay.
      auto combined = [&](bool neutral) {
        return PointBody{{type, type}, type, [&row, neutral](PointEmitter &p, llvm::ArrayRef<Value> x) -> Value {
                           Combiner c = reduceEmit(row.op)(p, row.op, row.attrs);
                           return c.combine(p, neutral ? c.neutral(p) : x[0], x[1]);
                         }};
      };
      CompiledKernel kernel = compilePoints(target, 2, {combined(false), combined(true)});
      ASSERT_TRUE(kernel.function) << kernel.error;
      std::vector<std::vector<std::byte>> memory{toKernel(operands[0]), toKernel(operands[1])};
      std::vector<const void *> buffers{memory[0].data(), memory[1].data()};
      std::vector<std::vector<std::byte>> results(4, std::vector<std::byte>(static_cast<size_t>(n) * 8));
      for (auto &result : results)
        buffers.push_back(result.data());
      kernel.function(buffers.data(), nullptr, 0, n, nullptr);
      dispatch(type, [&]<class T>(pliant::Type<T>) {
        DenseTensor want = *DenseTensor::zeros(type, {n});
        if constexpr (std::is_same_v<T, bool>) {
          for (int64_t i = 0; i < n; ++i) {
            const bool a = operands[0].as<bool>()[i], b = operands[1].as<bool>()[i];
            want.as<bool>()[i] = row.op == OpId::ReduceMax ? a || b : a && b;
          }
        } else {
          RefContext reference{row.point, row.pointAttrs, operands, std::span(&want, 1)};
          ASSERT_TRUE(ops::binary::ref(reference));
        }
        for (int64_t i = 0; i < 2 * n; ++i) {
          const size_t at = static_cast<size_t>(i % n), byte = at * sizeof(ComputeOf<T>);
          std::string text = difference<T>(&results[i >= n][byte], want.as<T>()[at], 0);
          ASSERT_EQ(text, "") << target.name << " fold " << static_cast<int>(row.op) << " of ("
                              << operandText(operands, at) << ")";
          text = difference<T>(&results[2 + (i >= n)][byte], operands[1].as<T>()[at], 0);
          const bool zero = text.starts_with("0 instead of -0");
          ASSERT_TRUE(text.empty() || zero) << target.name << " neutral " << static_cast<int>(row.op) << ": " << text;
        }
      });
    }
}

// Lanes that are masked off hold zeros here; only a zero divisor among the elements is a fault, and the first one
// stays.
TEST(Faults, MaskedLanesDoNotCount) {
  for (const TargetDescription &target : testTargets()) {
    PointBody body{{DType::I32, DType::I32}, DType::I32, [](PointEmitter &p, llvm::ArrayRef<Value> x) -> Value {
                     return pointwiseEmit(OpId::Div)(p, OpId::Div, DivAttrs{}, x);
                   }};
    CompiledKernel kernel = compilePoints(target, 2, {body}, false);
    ASSERT_TRUE(kernel.function) << kernel.error;
    std::vector<int32_t> x(87, 700), y(87, -7), z(87);
    const void *buffers[] = {x.data(), y.data(), z.data()};
    RunState state{};
    state.step = 12;
    kernel.function(buffers, nullptr, 0, 87, &state);
    EXPECT_EQ(state.error.code, RunErrorNone) << target.name;
    EXPECT_EQ(z, std::vector<int32_t>(87, -100));
    y[83] = y[85] = 0, x[83] = -5; // in the masked step
    kernel.function(buffers, nullptr, 0, 87, &state);
    EXPECT_EQ(state.error.code, RunErrorDivision);
    EXPECT_EQ(state.error.step, 12);
    EXPECT_EQ(state.error.value, 0);
    EXPECT_EQ(state.error.bound, -5);
    y[3] = 0; // a second run of the state keeps the first error
    kernel.function(buffers, nullptr, 0, 87, &state);
    EXPECT_EQ(state.error.bound, -5);
  }
}

} // namespace
} // namespace pliant::codegen
