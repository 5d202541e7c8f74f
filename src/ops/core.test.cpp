// SPDX-License-Identifier: Apache-2.0
// The builder's sticky errors, composites through their decomposition, contents of whole ops.
#include "ops/record.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Core, ErrorsAreSticky) {
  Recorder b;
  Value x = b.input(DType::F32, {"B", "4"}), wrong = b.add(x, b.input(DType::F32, {"5"}));
  EXPECT_FALSE(wrong);
  EXPECT_FALSE(b.exp(wrong));
  EXPECT_FALSE(b.scalarLike(wrong, 1));
  EXPECT_TRUE(b.build(OpId::Neg, NegAttrs{}, std::array{x}).empty());
  EXPECT_EQ(b.status().error().constraint, "binary.C2");
  EXPECT_EQ(b.takeError().op, "add");
  EXPECT_TRUE(b.status());
  EXPECT_TRUE(b.neg(x));
  EXPECT_FALSE(b.neg(Value{})); // our mistake, not the user's
  EXPECT_EQ(b.takeError().kind, Error::Kind::Internal);
}

TEST(Core, Composites) {
  EXPECT_EQ(infer(OpId::Softmax, SoftmaxAttrs{1}, {type(DType::F16, {"B", "S"})}), "f16(B, S)");
  EXPECT_EQ(run(OpId::Softmax, SoftmaxAttrs{1}, {f32({1, 2}, {1000, 1000})}), "f32(1, 2): 0.5 0.5");
  EXPECT_EQ(run(OpId::Softmax, SoftmaxAttrs{1}, {f32({0, 2}, {})}), "f32(0, 2): ");
  const std::string error = infer(OpId::Softmax, SoftmaxAttrs{1}, {type(DType::I64, {"B", "S"})});
  EXPECT_EQ(error.find("[softmax]"), 0u) << error;
}

TEST(Core, CallsAreChecked) {
  Facts facts;
  Result<std::vector<TensorType>> few = inferTypes(OpId::Add, AddAttrs{}, std::array{type(DType::F32, {})}, facts);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().kind, Error::Kind::Internal);
  EXPECT_FALSE(evaluate(OpId::Add, SubAttrs{}, std::array{f32({}, {1}), f32({}, {1})}));
}

/// What facts do not decide is not taken for granted: it becomes a check of the run.
TEST(Core, UndecidedExtentsAreLeftToChecks) {
  auto open = [](OpId op, const Attrs &attrs, const std::vector<TensorType> &operands) {
    Facts facts;
    std::vector<Requirement> list;
    auto results = inferTypes(op, attrs, operands, facts, &list);
    std::string text = results ? "" : results.error().text();
    for (const Requirement &r : list)
      text += (text.empty() ? "" : "; ") + r.a.str() + (r.broadcast ? " ~ " : " = ") + r.b.str();
    return text;
  };
  auto f = [](const std::vector<std::string> &extents) { return type(DType::F32, extents); };
  auto i = [](const std::vector<std::string> &extents) { return type(DType::I64, extents); };
  EXPECT_EQ(open(OpId::Matmul, MatmulAttrs{}, {f({"M", "K"}), f({"J", "N"})}), "K = J");
  EXPECT_EQ(open(OpId::Matmul, MatmulAttrs{}, {f({"M", "K"}), f({"K", "N"})}), "");
  EXPECT_EQ(open(OpId::Conv, ConvAttrs{{1}, {1}, {0, 0}, 2, false}, {f({"B", "C", "9"}), f({"6", "D", "3"})}),
            "C = 2*D");
  EXPECT_EQ(open(OpId::ConvTranspose, ConvTransposeAttrs{{1}, {1}, {0, 0}, {0}, 1, false},
                 {f({"B", "C", "9"}), f({"D", "6", "3"})}),
            "C = D");
  EXPECT_EQ(open(OpId::LayerNorm, LayerNormAttrs{1, 1e-5}, {f({"B", "N"}), f({"M"}), f({"N"})}),
            "N ~ M; broadcast(M, N) ~ N"); // what its parts leave undecided
  EXPECT_EQ(open(OpId::BroadcastTo, BroadcastToAttrs{{Expr::symbol("N"), 4}}, {f({"M", "1"})}),
            "M ~ N; broadcast(M, N) = N"); // not for N = 1
  EXPECT_EQ(open(OpId::BroadcastTo, BroadcastToAttrs{{1, broadcast(Expr::symbol("M"), Expr::symbol("N"))}}, {f({"M"})}),
            "M ~ N; M ~ broadcast(M, N)");
  EXPECT_EQ(open(OpId::GatherElements, GatherElementsAttrs{0}, {f({"A", "B"}), i({"I", "J"})}), "max(0, -B+J) = 0");
  EXPECT_EQ(open(OpId::GatherElements, GatherElementsAttrs{0}, {f({"A", "B"}), i({"I", "B"})}), "");
  EXPECT_NE(
      open(OpId::GatherElements, GatherElementsAttrs{0}, {f({"A", "2"}), i({"I", "3"})}).find("(gather_elements.C2)"),
      std::string::npos);
  EXPECT_EQ(open(OpId::ScatterElements, ScatterElementsAttrs{0, "none"}, {f({"A", "B"}), i({"I", "J"}), f({"I", "J"})}),
            "max(0, -B+J) = 0");
  EXPECT_EQ(
      open(OpId::RnnSteps, RnnStepsAttrs{"", "forward", "Tanh", {0}, {0}}, {f({"T", "B", "H"}), f({"1", "G", "U"})}),
      "G = U; H = U");
}

TEST(Core, ContentsOfConstantsAreEvaluated) {
  EXPECT_EQ(contentOf(OpId::ReduceMax, ReduceMaxAttrs{{0}, false}, {Known(DType::I64, {"3", "9", "4"})}), "(9)");
  EXPECT_EQ(contentOf(OpId::Div, DivAttrs{}, {Known(DType::I32, {"-7"}), Known(DType::I32, {"2"})}), "(-3)");
  // Positions to move to must be constant; what is moved need not be.
  EXPECT_EQ(contentOf(OpId::Gather, GatherAttrs{0}, {Known(DType::I64, {"3", "4"}), Known(DType::I64, {"S"})}),
            "unknown");
}
