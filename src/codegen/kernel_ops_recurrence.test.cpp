// SPDX-License-Identifier: Apache-2.0
// Kernels of recurrences against the references: random cells, activations and options, at extents around 0, 1, the
// vector width and the rows that go together.
#include "codegen/kernel_ops_testing.h"
#include <cstring>

using namespace pliant;
using namespace pliant::test;

namespace {

struct Draw {
  std::mt19937 random;
  int64_t below(int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); }
  bool maybe() { return below(2) == 0; }
  double real(double low, double high) { return low + (high - low) * static_cast<double>(random() % 4096) / 4096; }
  DenseTensor reals(DType type, const Dims &dims, double most) {
    DenseTensor t = *DenseTensor::zeros(type, dims);
    for (int64_t i = 0; i < t.size(); ++i)
      if (type == DType::F64)
        t.as<double>()[i] = real(-most, most);
      else
        t.as<float>()[i] = static_cast<float>(real(-most, most));
    return t;
  }
};

/// One recurrence with options that `seed` draws.
class Drawn {
public:
  Drawn(unsigned seed, DType type, int64_t units) : draw{std::mt19937(seed)}, type(type), units(units) {
    const OpId cells[] = {OpId::LstmSteps, OpId::GruSteps, OpId::RnnSteps};
    op = cells[seed % 3];
    const int64_t functions = op == OpId::LstmSteps ? 3 : op == OpId::GruSteps ? 2 : 1;
    const char *directions[] = {"forward", "reverse", "bidirectional"};
    a.direction = directions[draw.below(3)];
    D = a.direction == "bidirectional" ? 2 : 1;
    gates = op == OpId::LstmSteps ? 4 : op == OpId::GruSteps ? 3 : 1;
    const bool usual = draw.below(3) == 0;
    for (int64_t i = 0; i < D * functions; ++i) {
      const char *all[] = {"Affine",  "Relu",        "LeakyRelu", "ThresholdedRelu", "Tanh",    "ScaledTanh",
                           "Sigmoid", "HardSigmoid", "Elu",       "Softsign",        "Softplus"};
      a.activations += (i ? " " : "") + std::string(!usual                            ? all[draw.below(11)]
                                                    : i % functions || functions == 1 ? "Tanh"
                                                                                      : "Sigmoid");
      a.alphas.push_back(draw.real(0.1, 0.6));
      a.betas.push_back(draw.real(0.1, 0.6));
    }
    a.clip = draw.below(3) == 0 ? draw.real(0.2, 1) : 0;
    a.batchFirst = draw.maybe();
    variant = draw.maybe();
    staticExtents = draw.below(4) == 0;
    packed = draw.maybe();
    Dims r{D, gates * units, units};
    add("", r, {std::to_string(r[0]), std::to_string(r[1]), std::to_string(r[2])}, draw.reals(type, r, 1.0 / units));
    const bool lstm = op == OpId::LstmSteps;
    if (op == OpId::GruSteps && variant && draw.maybe())
      option("bias", {D, units});
    if (draw.maybe())
      given += " lengths", lengths = true;
    for (const char *state : {"hidden", "cell"})
      if ((lstm || std::string(state) == "hidden") && draw.maybe())
        given += " " + std::string(state), ++states;
    if (lstm && draw.maybe())
      option("peepholes", {D, 3 * units});
  }

  void check(const char *target) {
    const std::vector<std::pair<int64_t, int64_t>> sizes{{3, 1}, {0, 2}, {1, 3}, {5, 2}, {2, 0}, {4, 17}, {2, 97}};
    std::unique_ptr<OneOp> one;
    for (auto [T, B] : sizes) {
      if (staticExtents || !one)
        one = compile(target, T, B);
      one->check(inputs(T, B), toleranceOf(type));
      if (staticExtents && T == 1) // each is a compile
        break;
    }
    if (lengths) {
      std::vector<DenseTensor> bad = inputs(3, 2);
      if (staticExtents)
        one = compile(target, 3, 2);
      bad[lengthsAt()].as<int32_t>()[1] = 4;
      EXPECT_NE(one->error(bad).find("extents 4 and 3 differ"), std::string::npos) << one->error(bad);
    }
  }

private:
  Draw draw;
  const DType type;
  const int64_t units;
  OpId op;
  LstmStepsAttrs a;
  int64_t D, gates, states = 0;
  bool variant, staticExtents, packed, lengths = false;
  std::string given;
  std::vector<TensorType> constantTypes; ///< r, bias, peepholes
  std::vector<DenseTensor> constants;

  void add(const char *name, const Dims &, const std::vector<std::string> &extents, DenseTensor value) {
    given += *name ? " " + std::string(name) : "";
    constantTypes.push_back(typed(type, extents));
    constants.push_back(std::move(value));
  }
  void option(const char *name, const Dims &dims) {
    add(name, dims, {std::to_string(dims[0]), std::to_string(dims[1])}, draw.reals(type, dims, 1));
  }
  bool has(const char *name) const { return given.find(name) != std::string::npos; }
  size_t lengthsAt() const { return has("bias") ? 3 : 2; }
  Dims state(int64_t B) const { return a.batchFirst ? Dims{B, D, units} : Dims{D, B, units}; }

  std::unique_ptr<OneOp> compile(const char *target, int64_t T, int64_t B) const {
    const std::string t = staticExtents ? std::to_string(T) : "T", b = staticExtents ? std::to_string(B) : "B";
    const std::string u = std::to_string(units), d = std::to_string(D), all = std::to_string(D * gates * units);
    std::vector<TensorType> types{typed(type, a.batchFirst ? std::vector{b, t, all} : std::vector{t, b, all}),
                                  constantTypes[0]};
    std::map<size_t, DenseTensor> weights;
    if (packed)
      weights[1] = constants[0];
    if (has("bias"))
      types.push_back(constantTypes[1]);
    if (lengths)
      types.push_back(typed(DType::I32, {b}));
    for (int64_t i = 0; i < states; ++i)
      types.push_back(typed(type, a.batchFirst ? std::vector{b, d, u} : std::vector{d, b, u}));
    if (has("peepholes"))
      types.push_back(constantTypes.back());
    return std::make_unique<OneOp>(op, attrs(), types, target, weights);
  }
  Attrs attrs() const {
    auto fill = [&](auto out) {
      out.given = given, out.direction = a.direction, out.activations = a.activations;
      out.alphas = a.alphas, out.betas = a.betas, out.clip = a.clip, out.batchFirst = a.batchFirst;
      if constexpr (requires { out.coupled; })
        out.coupled = variant;
      if constexpr (requires { out.resetAfter; })
        out.resetAfter = variant;
      return Attrs(out);
    };
    return op == OpId::LstmSteps  ? fill(LstmStepsAttrs{})
           : op == OpId::GruSteps ? fill(GruStepsAttrs{})
                                  : fill(RnnStepsAttrs{});
  }
  std::vector<DenseTensor> inputs(int64_t T, int64_t B) {
    const int64_t all = D * gates * units;
    std::vector<DenseTensor> list{draw.reals(type, a.batchFirst ? Dims{B, T, all} : Dims{T, B, all}, 2), constants[0]};
    if (has("bias"))
      list.push_back(constants[1]);
    if (lengths) {
      DenseTensor n = *DenseTensor::zeros(DType::I32, {B});
      for (int64_t i = 0; i < B; ++i)
        n.as<int32_t>()[i] = static_cast<int32_t>(draw.below(T + 1));
      list.push_back(n);
    }
    for (int64_t i = 0; i < states; ++i)
      list.push_back(draw.reals(type, state(B), 1));
    if (has("peepholes"))
      list.push_back(constants.back());
    return list;
  }
};

void sweep(unsigned first, unsigned count, DType type, const char *target = "host") {
  const int64_t units[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64};
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Drawn(seed, type, units[seed * 7 % 12]).check(target);
  }
}

TEST(KernelOps, RecurrenceF32) { sweep(0, 24, DType::F32); }
TEST(KernelOps, RecurrenceF64) { sweep(100, 9, DType::F64); }
TEST(KernelOps, RecurrenceOnAvx2) { sweep(200, 6, DType::F32, "avx2"); }
TEST(KernelOps, RecurrenceOnBaseline) { sweep(300, 6, DType::F32, "x86-64"); }

/// The bits of a row depend neither on the rows beside it nor on how the kernel's units are shared.
TEST(KernelOps, RecurrenceRowsAreIndependent) {
  Draw draw{std::mt19937(3)};
  const int64_t T = 4, B = 19, H = 21, G = 3 * H;
  const DenseTensor r = draw.reals(DType::F32, {2, G, H}, 0.1), gates = draw.reals(DType::F32, {B, T, 2 * G}, 2);
  for (bool after : {false, true}) {
    GruStepsAttrs a{"", "bidirectional", "Sigmoid Tanh Sigmoid Tanh", {0, 0, 0, 0}, {0, 0, 0, 0}};
    a.batchFirst = true;
    a.resetAfter = after;
    OneOp one(OpId::GruSteps, a,
              {typed(DType::F32, {"B", "T", std::to_string(2 * G)}),
               typed(DType::F32, {"2", std::to_string(G), std::to_string(H)})},
              "host", {{1, r}});
    const std::vector<DenseTensor> all = one.run({gates, r});
    for (int64_t row = 0; row < B; ++row) {
      DenseTensor alone = *DenseTensor::zeros(DType::F32, {1, T, 2 * G});
      std::memcpy(alone.data(), gates.as<float>() + row * T * 2 * G, static_cast<size_t>(alone.size()) * 4);
      const std::vector<DenseTensor> own = one.run({alone, r});
      for (size_t i = 0; i < own.size(); ++i)
        EXPECT_EQ(std::memcmp(own[i].data(), all[i].as<float>() + row * own[i].size(),
                              static_cast<size_t>(own[i].size()) * 4),
                  0)
            << "row " << row;
    }
  }
}

TEST(KernelOps, RecurrenceWithSymbolicUnits) {
  Draw draw{std::mt19937(9)};
  for (OpId op : {OpId::LstmSteps, OpId::GruSteps, OpId::RnnSteps}) {
    const int64_t gates = op == OpId::LstmSteps ? 4 : op == OpId::GruSteps ? 3 : 1;
    const std::string g = gates == 1 ? "" : std::to_string(gates) + "*";
    Attrs attrs = RnnStepsAttrs{"", "reverse", "Tanh", {0}, {0}};
    if (op == OpId::GruSteps)
      attrs = GruStepsAttrs{"", "reverse", "Sigmoid Tanh", {0, 0}, {0, 0}};
    if (op == OpId::LstmSteps)
      attrs = LstmStepsAttrs{"", "reverse", "Sigmoid Tanh Tanh", {0, 0, 0}, {0, 0, 0}};
    OneOp one(op, attrs, {typed(DType::F32, {"T", "B", g + "H"}), typed(DType::F32, {"1", g + "H", "H"})});
    for (int64_t units : {0, 1, 5, 16, 33})
      one.check({draw.reals(DType::F32, {3, 2, gates * units}, 2),
                 draw.reals(DType::F32, {1, gates * units, units}, 1.0 / std::max<int64_t>(units, 1))},
                1e-5);
  }
}

} // namespace
