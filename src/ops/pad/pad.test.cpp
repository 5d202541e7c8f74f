// SPDX-License-Identifier: Apache-2.0
// Pad: modes, cropping, empty axes, constraints.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string pad(const DenseTensor &x, Extents low, Extents high, const char *mode, double value = 0) {
  return run(OpId::Pad, PadAttrs{std::move(low), std::move(high), mode}, {x, tensor(x.dtype(), {}, {value})});
}

TEST(Pad, Values) {
  const DenseTensor x = f32({3}, {1, 2, 3});
  EXPECT_EQ(pad(x, {2}, {1}, "constant", 9), "f32(6,): 9 9 1 2 3 9");
  EXPECT_EQ(pad(x, {2}, {2}, "reflect"), "f32(7,): 3 2 1 2 3 2 1");
  EXPECT_EQ(pad(x, {2}, {1}, "edge"), "f32(6,): 1 1 1 2 3 3");
  EXPECT_EQ(pad(x, {4}, {1}, "wrap"), "f32(8,): 3 1 2 3 1 2 3 1");
  EXPECT_EQ(pad(x, {-1}, {-1}, "constant"), "f32(1,): 2");
  EXPECT_EQ(pad(x, {2}, {-4}, "constant", 7), "f32(1,): 7");
  EXPECT_EQ(pad(f32({2, 1}, {1, 2}), {1, 0}, {0, 1}, "constant"), "f32(3, 2): 0 0 1 0 2 0");
  EXPECT_EQ(pad(f32({0}, {}), {1}, {1}, "constant", 5), "f32(2,): 5 5");
  EXPECT_EQ(pad(i64({0, 3}, {}), {0, 1}, {0, 1}, "reflect"), "i64(0, 5): ");
  EXPECT_EQ(pad(f32({6}, {0, 1, 2, 3, 4, 5}), {-5}, {5}, "reflect"),
            "[pad] reflect padding of axis 0 of shape (6) by -5: crop by a slice (pad.C3)");
}

TEST(Pad, Constraints) {
  EXPECT_NE(pad(f32({3}, {1, 2, 3}), {3}, {0}, "reflect").find("pad.C3"), std::string::npos);
  EXPECT_NE(pad(f32({0}, {}), {1}, {0}, "edge").find("pad.C3"), std::string::npos);
  EXPECT_NE(pad(f32({1}, {1}), {-1}, {-1}, "constant").find("pad.C4"), std::string::npos);
  EXPECT_NE(pad(f32({1}, {1}), {}, {0}, "constant").find("pad.C1"), std::string::npos);
  const PadAttrs attrs{{*Expr::parse("P")}, {1}, "constant"};
  EXPECT_EQ(infer(OpId::Pad, attrs, {type(DType::F32, {"S"}), type(DType::F32, {})}), "f32(P+S+1)");
  EXPECT_NE(infer(OpId::Pad, attrs, {type(DType::F32, {"S"}), type(DType::F32, {"1"})}).find("pad.C2"),
            std::string::npos);
}
