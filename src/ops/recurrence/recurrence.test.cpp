// SPDX-License-Identifier: Apache-2.0
// Recurrent layers with activations that are the identity, so that their states are whole numbers.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

namespace {

/// All results: "2 7 18 @ 18".
std::string layer(OpId op, const Attrs &attrs, const std::vector<DenseTensor> &inputs) {
  Result<std::vector<DenseTensor>> results = evaluate(op, attrs, inputs);
  if (!results)
    return results.error().text();
  std::string all;
  for (size_t i = 0; i < results->size(); ++i)
    all += (i ? " @ " : "") + text((*results)[i]);
  return all;
}

template <class A> A linear(const std::string &given, int functions, const std::string &direction = "forward") {
  A a;
  a.given = given;
  a.direction = direction;
  for (int i = 0; i < functions; ++i) {
    a.activations += i ? " Affine" : "Affine";
    a.alphas.push_back(1);
    a.betas.push_back(0);
  }
  return a;
}
DenseTensor lengths(const std::vector<double> &values) {
  return tensor(DType::I32, {static_cast<int64_t>(values.size())}, values);
}

const DenseTensor one = f32({1, 1, 1}, {1});

TEST(Recurrence, Rnn) {
  const DenseTensor x = f32({3, 1, 1}, {1, 2, 3}), r = f32({1, 1, 1}, {2}), bias = f32({1, 2}, {3, -2});
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("bias", 1), {x, one, r, bias}), "2 7 18 @ 18");
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("bias", 1, "reverse"), {x, one, r, bias}), "24 11 4 @ 24");
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("", 1), {x, one, r}), "1 4 11 @ 11");
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("hidden", 1), {x, one, r, f32({1, 1, 1}, {10})}), "21 44 91 @ 91");
  RnnAttrs clipped = linear<RnnAttrs>("", 1);
  clipped.clip = 3;
  EXPECT_EQ(layer(OpId::Rnn, clipped, {x, one, r}), "1 3 3 @ 3");
  const DenseTensor both = f32({2, 1, 1}, {1, 1}), twice = f32({2, 1, 1}, {2, 2});
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("", 2, "bidirectional"), {x, both, twice}), "1 17 4 8 11 3 @ 11 17");
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("hidden", 1), {f32({0, 1, 1}, {}), one, r, f32({1, 1, 1}, {10})}),
            " @ 10");
}

TEST(Recurrence, LengthsAndOrderOfAxes) {
  // Rows of 3, 2 and 0 steps; what lies beyond them (100) must not be seen. A reversed row starts at its own end.
  const DenseTensor x = f32({3, 3, 1}, {1, 1, 100, 2, 2, 100, 3, 100, 100}), h = f32({1, 3, 1}, {0, 0, 5});
  const DenseTensor n = lengths({3, 2, 0});
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("lengths hidden", 1), {x, one, one, n, h}), "1 1 0 3 3 0 6 0 0 @ 6 3 5");
  EXPECT_EQ(layer(OpId::Rnn, linear<RnnAttrs>("lengths hidden", 1, "reverse"), {x, one, one, n, h}),
            "6 3 0 5 2 0 3 0 0 @ 6 3 5");
  RnnAttrs first = linear<RnnAttrs>("lengths hidden", 1);
  first.batchFirst = true;
  EXPECT_EQ(layer(OpId::Rnn, first,
                  {f32({3, 3, 1}, {1, 2, 3, 1, 2, 100, 100, 100, 100}), one, one, n, f32({3, 1, 1}, {0, 0, 5})}),
            "1 3 6 1 3 0 0 0 0 @ 6 3 5");
  EXPECT_NE(layer(OpId::Rnn, linear<RnnAttrs>("lengths hidden", 1), {x, one, one, lengths({3, 4, 0}), h})
                .find("row 1 has length 4 but there are 3 steps (recurrence.C3)"),
            std::string::npos);
}

TEST(Recurrence, Gru) {
  const DenseTensor x = one, w = f32({1, 3, 1}, {1, 2, 3}), r = f32({1, 3, 1}, {1, 1, 2}), h = f32({1, 1, 1}, {2});
  // update 3, reset 4; hidden 3 + 2 * (4 * 2) = 19; (1 - 3) * 19 + 3 * 2
  EXPECT_EQ(layer(OpId::Gru, linear<GruAttrs>("hidden", 2), {x, w, r, h}), "-32 @ -32");
  GruAttrs after = linear<GruAttrs>("bias hidden", 2);
  after.resetAfter = true;
  // hidden 3 + 4 * (2 * 2 + 1) = 23
  EXPECT_EQ(layer(OpId::Gru, after, {x, w, r, f32({1, 6}, {0, 0, 0, 0, 0, 1}), h}), "-40 @ -40");
}

TEST(Recurrence, Lstm) {
  const DenseTensor x = one, w = f32({1, 4, 1}, {1, 2, 3, 1}), r = f32({1, 4, 1}, {1, 0, 1, 2}), h = one,
                    c = f32({1, 1, 1}, {2});
  // input 2, output 2, forget 4, cell 3
  EXPECT_EQ(layer(OpId::Lstm, linear<LstmAttrs>("hidden cell", 3), {x, w, r, h, c}), "28 @ 28 @ 14");
  EXPECT_EQ(layer(OpId::Lstm, linear<LstmAttrs>("cell", 3), {x, w, r, c}), "14 @ 14 @ 7");
  // input 2 + 1 * 2, forget 4 + 3 * 2, cell 10 * 2 + 4 * 3, output 2 + 2 * 32
  EXPECT_EQ(layer(OpId::Lstm, linear<LstmAttrs>("hidden cell peepholes", 3), {x, w, r, h, c, f32({1, 3}, {1, 2, 3})}),
            "2112 @ 2112 @ 32");
  LstmAttrs a = linear<LstmAttrs>("hidden cell", 3);
  a.coupled = true; // forget 1 - 2
  EXPECT_EQ(layer(OpId::Lstm, a, {x, w, r, h, c}), "8 @ 8 @ 4");
  a.coupled = false;
  a.clip = 2; // gates 2, 2, 2, 2; the cell state is clipped where an activation sees it
  EXPECT_EQ(layer(OpId::Lstm, a, {x, w, r, h, c}), "4 @ 4 @ 8");
}

TEST(Recurrence, Activations) {
  auto at = [](const std::string &name, double alpha, double beta, double x) {
    RnnAttrs a{"", "forward", name, {alpha}, {beta}};
    return layer(OpId::Rnn, a, {f32({1, 1, 1}, {x}), one, f32({1, 1, 1}, {0})});
  };
  EXPECT_EQ(at("Affine", 2, 3, 4), "11 @ 11");
  EXPECT_EQ(at("relu", 0, 0, -4), "0 @ 0");
  EXPECT_EQ(at("Relu", 0, 0, NaN), "nan @ nan");
  EXPECT_EQ(at("LeakyRelu", 0.5, 0, -4), "-2 @ -2");
  EXPECT_EQ(at("ThresholdedRelu", 2, 0, 2), "0 @ 0");
  EXPECT_EQ(at("ThresholdedRelu", 2, 0, 3), "3 @ 3");
  EXPECT_EQ(at("Tanh", 9, 9, 0.5), "0.462117 @ 0.462117");
  EXPECT_EQ(at("ScaledTanh", 2, 0.5, 1), "0.924234 @ 0.924234");
  EXPECT_EQ(at("Sigmoid", 0, 0, -inf), "0 @ 0");
  EXPECT_EQ(at("HardSigmoid", 0.2, 0.5, 1), "0.7 @ 0.7");
  EXPECT_EQ(at("Elu", 2, 0, -inf), "-2 @ -2");
  EXPECT_EQ(at("Softsign", 0, 0, -3), "-0.75 @ -0.75");
  EXPECT_EQ(at("Softplus", 0, 0, 1000), "1000 @ 1000");
}

TEST(Recurrence, HalfIsComputedInF32) {
  // 2048 + 1 twice: rounding the state to f16 after each step would stay at 2048.
  auto half = [](const std::vector<int64_t> &dims, const std::vector<double> &v) {
    return tensor(DType::F16, dims, v);
  };
  Result<std::vector<DenseTensor>> results = evaluate(
      OpId::Rnn, linear<RnnAttrs>("hidden", 1),
      std::array{half({2, 1, 1}, {1, 1}), half({1, 1, 1}, {1}), half({1, 1, 1}, {1}), half({1, 1, 1}, {2048})});
  ASSERT_TRUE(results);
  EXPECT_EQ((*results)[1].dtype(), DType::F16);
  EXPECT_EQ(text((*results)[1]), "2050");
}

TEST(Recurrence, Types) {
  const TensorType x = type(DType::F32, {"T", "B", "4"}), w = type(DType::F32, {"2", "12", "4"}),
                   r = type(DType::F32, {"2", "12", "3"});
  LstmAttrs a = linear<LstmAttrs>("", 6, "bidirectional");
  EXPECT_EQ(infer(OpId::Lstm, a, {x, w, r}), "f32(T, 2, B, 3)");
  Facts facts;
  EXPECT_EQ((*inferTypes(OpId::Lstm, a, std::array{x, w, r}, facts))[2].str(), "f32(2, B, 3)");
  a.batchFirst = true;
  EXPECT_EQ(infer(OpId::Lstm, a, {x, w, r}), "f32(T, B, 2, 3)");
  EXPECT_EQ((*inferTypes(OpId::Lstm, a, std::array{x, w, r}, facts))[1].str(), "f32(T, 2, 3)");
  a.units = 3; // decides extents that r leaves open
  EXPECT_EQ(infer(OpId::Lstm, a, {x, type(DType::F32, {"D", "G", "I"}), type(DType::F32, {"D", "G", "H"})}),
            "f32(T, B, 2, 3)");

  auto fails = [&](const Attrs &attrs, const std::vector<TensorType> &operands, const char *with) {
    const std::string error = infer(std::holds_alternative<RnnAttrs>(attrs) ? OpId::Rnn : OpId::Lstm, attrs, operands);
    EXPECT_NE(error.find(with), std::string::npos) << error;
  };
  a = linear<LstmAttrs>("", 6, "bidirectional");
  fails(a, {x, type(DType::F64, {"2", "12", "4"}), r}, "(recurrence.C1)");
  fails(a, {type(DType::I32, {"T", "B", "4"}), w, r}, "(recurrence.C1)");
  fails(a, {x, w, type(DType::F32, {"2", "12", "4"})}, "(recurrence.C2)");
  fails(a, {x, type(DType::F32, {"2", "12", "5"}), r}, "(recurrence.C2)");
  fails(linear<LstmAttrs>("bias", 6, "bidirectional"), {x, w, r, type(DType::F32, {"2", "12"})}, "(recurrence.C2)");
  fails(linear<LstmAttrs>("hidden", 6, "bidirectional"), {x, w, r, type(DType::F32, {"1", "B", "3"})},
        "hidden has shape (1, B, 3) but must have (2, B, 3) (recurrence.C2)");
  fails(linear<LstmAttrs>("lengths", 6, "bidirectional"), {x, w, r, type(DType::I64, {"B"})}, ".C3)");
  a.activations = "Sigmoid Tanh";
  fails(a, {x, w, r}, "(recurrence.C4)");
  fails(linear<LstmAttrs>("", 3, "both"), {x, w, r}, "the direction \"both\" does not exist");
  fails(linear<RnnAttrs>("cell", 1), {x, w, r, r}, "there is no operand \"cell\"");
  fails(linear<RnnAttrs>("lengths bias", 1), {x, w, r, r, r}, "there is no operand \"bias\"");
}

} // namespace
