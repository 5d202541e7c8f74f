// SPDX-License-Identifier: Apache-2.0
// Functions of two elements: broadcasting, special values, integers, types, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Binary, Broadcasts) {
  EXPECT_EQ(run(OpId::Add, AddAttrs{}, {f32({2, 1}, {1, 2}), f32({3}, {10, 20, 30})}), "f32(2, 3): 11 21 31 12 22 32");
  EXPECT_EQ(run(OpId::Mul, MulAttrs{}, {f32({0, 1}, {}), f32({1, 3}, {1, 2, 3})}), "f32(0, 3): ");
  EXPECT_EQ(run(OpId::Sub, SubAttrs{}, {f32({}, {1}), f32({}, {3})}), "f32(): -2");
}

TEST(Binary, Floats) {
  const DenseTensor a = f32({4}, {NaN, 1, -0.0, 2}), b = f32({4}, {1, NaN, 0, 3});
  EXPECT_EQ(run(OpId::Max, MaxAttrs{}, {a, b}), "f32(4,): nan nan -0 3");
  EXPECT_EQ(run(OpId::Min, MinAttrs{}, {a, b}), "f32(4,): nan nan -0 2");
  EXPECT_EQ(run(OpId::Fmod, FmodAttrs{}, {f32({2}, {-7, 7}), f32({2}, {3, -3})}), "f32(2,): -1 1");
  EXPECT_EQ(run(OpId::Div, DivAttrs{}, {f32({2}, {1, 0}), f32({2}, {0, 0})}), "f32(2,): inf nan");
  // One rounding after the sum in f32: 2048 + 1 is a tie that goes to the even 2048 in f16.
  EXPECT_EQ(run(OpId::Add, AddAttrs{}, {tensor(DType::F16, {2}, {2048, 65504}), tensor(DType::F16, {2}, {1, 65504})}),
            "f16(2,): 2048 inf");
}

TEST(Binary, Integers) {
  const DenseTensor low = tensor(DType::I32, {2}, {-2147483648.0, -7}), by = tensor(DType::I32, {2}, {-1, 2});
  EXPECT_EQ(run(OpId::Div, DivAttrs{}, {low, by}), "i32(2,): -2147483648 -3");
  EXPECT_EQ(run(OpId::Mod, ModAttrs{}, {low, by}), "i32(2,): 0 1");
  EXPECT_EQ(run(OpId::Fmod, FmodAttrs{}, {low, by}), "i32(2,): 0 -1");
  EXPECT_EQ(run(OpId::Mul, MulAttrs{}, {tensor(DType::U16, {1}, {65535}), tensor(DType::U16, {1}, {65535})}),
            "u16(1,): 1");
  EXPECT_EQ(run(OpId::Pow, PowAttrs{}, {i64({4}, {3, -1, 2, 2}), i64({4}, {5, -3, -1, 64})}), "i64(4,): 243 -1 0 0");
  EXPECT_EQ(run(OpId::ShiftLeft, ShiftLeftAttrs{}, {tensor(DType::U8, {2}, {3, 1}), tensor(DType::U8, {2}, {7, 8})}),
            "u8(2,): 128 0");
  const std::string error = run(OpId::Div, DivAttrs{}, {i64({3}, {1, 2, 3}), i64({3}, {1, 0, 0})});
  EXPECT_NE(error.find("[div] integer division by zero: 2 / 0 at element 1"), std::string::npos) << error;
}

TEST(Binary, Types) {
  const Attrs add = AddAttrs{};
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"B", "S", "4"}), type(DType::F32, {"4"})}), "f32(B, S, 4)");
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"B", "1"}), type(DType::F32, {"S"})}), "f32(B, S)");
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"B"}), type(DType::F32, {"S"})}), "f32(broadcast(B, S))");
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"B"}), type(DType::F32, {"8"})}), "f32(8)");
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"B", "0"}), type(DType::F32, {"1"})}), "f32(B, 0)");
  EXPECT_EQ(infer(OpId::Add, add, {type(DType::F32, {"S", "8"}), type(DType::F32, {"min(S, 512)", "8"})}), "f32(S, 8)");
  const std::string shapes = infer(OpId::Add, add, {type(DType::F32, {"B", "4"}), type(DType::F32, {"5", "5"})});
  EXPECT_NE(shapes.find("(B, 4) and (5, 5)"), std::string::npos) << shapes;
  EXPECT_NE(shapes.find("(binary.C2)"), std::string::npos) << shapes;
  EXPECT_NE(infer(OpId::Add, add, {type(DType::F32, {"B+2"}), type(DType::F32, {"0"})}).find("binary.C2"),
            std::string::npos);
  const std::string types = infer(OpId::Add, add, {type(DType::F32, {}), type(DType::I64, {})});
  EXPECT_NE(types.find("lhs has element type f32 but rhs has i64 (binary.C1)"), std::string::npos) << types;
  EXPECT_NE(infer(OpId::BitAnd, BitAndAttrs{}, {type(DType::F32, {}), type(DType::F32, {})}).find("binary.C1"),
            std::string::npos);
}

/// What a run must test of two extents: "" for nothing, "=" that they are equal, "~" that they broadcast.
static std::string tested(const std::string &a, const std::string &b, Facts facts = {}) {
  std::vector<Requirement> open;
  const Attrs add = AddAttrs{};
  auto types = inferTypes(OpId::Add, add, std::array{type(DType::F32, {a}), type(DType::F32, {b})}, facts, &open);
  EXPECT_TRUE(types) << types.error().text();
  return open.empty() ? "" : open[0].broadcast ? "~" : "=";
}

TEST(Binary, EqualityIsTestedWhereOnesComeTogether) {
  EXPECT_EQ(tested("S", "S"), "");
  EXPECT_EQ(tested("S", "1"), "");
  EXPECT_EQ(tested("S", "T"), "~");
  EXPECT_EQ(tested("S+2", "T+2"), "=");
  EXPECT_EQ(tested("S+2", "T"), "~");
  EXPECT_EQ(tested("S", "min(S, 512)"), "="); // a slice of a table of positions
  EXPECT_EQ(tested("min(S, 512)", "S"), "=");
  EXPECT_EQ(tested("S", "min(S, 1)"), "~"); // a table of one row
  EXPECT_EQ(tested("S", "min(S, T)"), "~");
  // A step after P tokens: the last row alone may be left of the table, and repeats.
  EXPECT_EQ(tested("S", "max(0, min(256, P+S)-P)"), "~");
  EXPECT_EQ(tested("P+broadcast(S, max(0, min(256, P+S)-P))", "min(256, P+S)"), "=");
  Facts signedFacts; // P may be negative: 3+P and min(512, 3) then are 1 and 3
  ASSERT_TRUE(signedFacts.assumeRange("P", {-5, 5}));
  EXPECT_EQ(tested("max(P, 2)+1", "min(512, max(P, 2)+1)", signedFacts), ""); // at most 6
  EXPECT_EQ(tested("max(P, 2)+1", "min(512, max(P, 2)+1)"), "=");
  EXPECT_EQ(tested("P+3", "min(4, P+6)", signedFacts), "~");
}

TEST(Binary, Contents) {
  const Known a(DType::I64, {"B", "S", "-7"}), two(DType::I64, {"2"});
  EXPECT_EQ(contentOf(OpId::Add, AddAttrs{}, {a, two}), "(B+2, S+2, -5)");
  EXPECT_EQ(contentOf(OpId::Mul, MulAttrs{}, {a, two}), "(2*B, 2*S, -14)");
  EXPECT_EQ(contentOf(OpId::Div, DivAttrs{}, {a, two}), "(floordiv(B, 2), floordiv(S, 2), -3)");
  EXPECT_EQ(contentOf(OpId::Mod, ModAttrs{}, {a, two}), "(mod(B, 2), mod(S, 2), 1)");
  EXPECT_EQ(contentOf(OpId::Max, MaxAttrs{}, {a, Known(DType::I64, {"-1"})}), "(B, S, -1)");
  EXPECT_EQ(contentOf(OpId::Div, DivAttrs{}, {Known(DType::I64, {"B-9"}), two}), "unknown"); // the sign is not known
  EXPECT_EQ(contentOf(OpId::Div, DivAttrs{}, {Known(DType::I64, {"4*B-8"}), two}), "(2*B-4)");
  EXPECT_EQ(contentOf(OpId::Div, DivAttrs{}, {a, Known(DType::I64, {"0"})}), "unknown");
  EXPECT_EQ(contentOf(OpId::Add, AddAttrs{}, {Known(DType::I8, {"127"}), Known(DType::I8, {"1"})}), "(-128)");
  EXPECT_EQ(contentOf(OpId::BitAnd, BitAndAttrs{}, {Known(DType::I64, {"6"}), Known(DType::I64, {"3"})}), "(2)");
}
