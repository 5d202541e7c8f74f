// SPDX-License-Identifier: Apache-2.0
// Pooling.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static Extents exprs(const std::vector<int64_t> &values) { return Extents(values.begin(), values.end()); }
static std::string maximum(const MaxPoolAttrs &a, const DenseTensor &x) { return run(OpId::MaxPool, a, {x}); }
static std::string sum(const SumPoolAttrs &a, const DenseTensor &x) { return run(OpId::SumPool, a, {x}); }
static std::string average(const AvgPoolAttrs &a, const DenseTensor &x) { return run(OpId::AvgPool, a, {x}); }

TEST(Pool, Maximum) {
  EXPECT_EQ(maximum({{2}, {1}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 4}, {1, 4, 2, 3})), "f32(1, 1, 3): 4 4 3");
  EXPECT_EQ(maximum({{2}, {1}, {2}, exprs({0, 0}), false, false}, f32({1, 1, 4}, {1, 4, 2, 3})), "f32(1, 1, 2): 2 4");
  // Padding never wins, not even over negative numbers.
  EXPECT_EQ(maximum({{2}, {1}, {1}, exprs({1, 1}), false, false}, f32({1, 1, 2}, {-3, -2})), "f32(1, 1, 3): -3 -2 -2");
  EXPECT_EQ(maximum({{1}, {1}, {1}, exprs({1, 0}), false, false}, f32({1, 1, 1}, {5})), "f32(1, 1, 2): -inf 5");
  EXPECT_EQ(maximum({{2}, {1}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 4}, {NaN, 1, 2, NaN})),
            "f32(1, 1, 3): nan 2 nan");
  EXPECT_EQ(maximum({{2}, {2}, {1}, exprs({0, 0}), false, false}, tensor(DType::U8, {1, 1, 2}, {200, 100})),
            "u8(1, 1, 1): 200");
  // Channels last: each channel by itself.
  EXPECT_EQ(maximum({{2}, {1}, {1}, exprs({0, 0}), false, true}, f32({1, 2, 2}, {1, 9, 5, 2})), "f32(1, 1, 2): 5 9");
}

TEST(Pool, Indices) {
  const DenseTensor x = f32({1, 2, 2, 2}, {1, 2, 4, 3, 5, 9, 7, 9});
  EXPECT_EQ(run(OpId::MaxPoolIndices,
                MaxPoolIndicesAttrs{{2, 2}, {1, 1}, {1, 1}, exprs({0, 0, 0, 0}), false, false, false}, {x}),
            "i64(1, 2, 1, 1): 2 5"); // the first of equals
  EXPECT_EQ(run(OpId::MaxPoolIndices,
                MaxPoolIndicesAttrs{{2, 2}, {1, 1}, {1, 1}, exprs({0, 0, 0, 0}), false, false, true}, {x}),
            "i64(1, 2, 1, 1): 1 6");
}

TEST(Pool, Average) {
  const DenseTensor x = f32({1, 1, 3}, {1, 2, 6});
  EXPECT_EQ(average({{2}, {1}, {1}, exprs({1, 0}), false, false, false}, x), "f32(1, 1, 3): 1 1.5 4");
  EXPECT_EQ(average({{2}, {1}, {1}, exprs({1, 0}), false, false, true}, x), "f32(1, 1, 3): 0.5 1.5 4");
  // user-needs row 28: with includePad only cells inside input and pads count.
  EXPECT_EQ(average({{7}, {3}, {1}, exprs({3, 3}), true, false, true}, f32({1, 1, 9}, {7, 7, 7, 7, 7, 7, 7, 7, 7})),
            "f32(1, 1, 4): 4 7 6 3.5");
  EXPECT_EQ(average({{2}, {2}, {1}, exprs({0, 0}), false, false, false}, tensor(DType::F16, {1, 1, 2}, {60000, 60000})),
            "f16(1, 1, 1): 60000");
}

TEST(Pool, CeilMode) { // user-needs row 26
  EXPECT_EQ(maximum({{3, 3}, {3, 3}, {1, 1}, exprs({1, 1, 1, 1}), true, false},
                    f32({1, 3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})),
            "f32(1, 3, 1, 1): 4 8 12");
  EXPECT_EQ(maximum({{1}, {2}, {1}, exprs({0, 0}), true, false}, f32({1, 1, 2}, {1, 2})), "f32(1, 1, 1): 1");
  EXPECT_EQ(maximum({{2}, {2}, {1}, exprs({0, 0}), true, false}, f32({1, 1, 3}, {1, 2, 3})), "f32(1, 1, 2): 2 3");
}

TEST(Pool, CutWindows) { // an input smaller than the window, by less than a stride
  EXPECT_EQ(maximum({{2}, {2}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 1}, {5})), "f32(1, 1, 1): 5");
  EXPECT_EQ(maximum({{3}, {2}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 2}, {5, 7})), "f32(1, 1, 1): 7");
  EXPECT_EQ(maximum({{2}, {2}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 0}, {})), "f32(1, 1, 0): ");
  EXPECT_EQ(average({{3}, {2}, {1}, exprs({0, 0}), false, false, true}, f32({1, 1, 2}, {5, 7})), "f32(1, 1, 1): 6");
  EXPECT_EQ(sum({{3}, {2}, {1}, exprs({0, 0}), false, false}, f32({1, 1, 2}, {5, 7})), "f32(1, 1, 1): 12");
}

TEST(Pool, Sum) {
  const DenseTensor x = f32({1, 1, 3}, {1, 2, 6});
  EXPECT_EQ(sum({{2}, {1}, {1}, exprs({1, 1}), false, false}, x), "f32(1, 1, 4): 1 3 8 6");
  EXPECT_EQ(sum({{2}, {2}, {1}, exprs({0, 0}), true, false}, x), "f32(1, 1, 2): 3 6");
  EXPECT_EQ(sum({{1}, {1}, {1}, exprs({1, 0}), false, false}, f32({1, 1, 1}, {NaN})), "f32(1, 1, 2): 0 nan");
  EXPECT_NE(infer(OpId::SumPool, SumPoolAttrs{{1}, {1}, {1}, exprs({0, 0}), false, false},
                  {type(DType::I64, {"1", "1", "4"})})
                .find("pool.C1"),
            std::string::npos);
}

TEST(Pool, Types) {
  auto types = [](const MaxPoolAttrs &a, const std::vector<std::string> &x) {
    return infer(OpId::MaxPool, a, {type(DType::F32, x)});
  };
  EXPECT_EQ(types({{2, 2}, {2, 2}, {1, 1}, exprs({0, 0, 0, 0}), false, false}, {"B", "8", "H", "W"}),
            "f32(B, 8, max(floordiv(H, 2), min(1, H)), max(floordiv(W, 2), min(1, W)))");
  EXPECT_EQ(types({{2, 2}, {2, 2}, {1, 1}, exprs({0, 0, 0, 0}), false, false}, {"B", "8", "2*H+2", "5"}),
            "f32(B, 8, H+1, 2)");
  EXPECT_EQ(types({{2, 2}, {2, 2}, {1, 1}, exprs({0, 0, 0, 0}), true, true}, {"B", "H", "W", "8"}),
            "f32(B, floordiv(H-1, 2)+1, floordiv(W-1, 2)+1, 8)");
  EXPECT_EQ(types({{3}, {2}, {1}, exprs({1, 1}), true, false}, {"B", "8", "W"}), "f32(B, 8, floordiv(W, 2)+1)");
  EXPECT_EQ(maximum({{2}, {2}, {1}, exprs({0, 0}), true, false}, f32({1, 1, 0}, {})), "f32(1, 1, 0): ");
  EXPECT_NE(types({{2, 2}, {2, 2}, {1, 1}, exprs({0, 0, 0, 0}), false, false}, {"B", "8", "W"}).find("(pool.C3)"),
            std::string::npos);
  EXPECT_NE(types({{5}, {1}, {1}, exprs({0, 0}), false, false}, {"B", "8", "2"}).find("(pool.C4)"), std::string::npos);
  EXPECT_NE(types({{}, {}, {}, {}, false, false}, {"B", "8"}).find("(pool.C2)"), std::string::npos);
  EXPECT_NE(infer(OpId::AvgPool, AvgPoolAttrs{{2}, {1}, {1}, exprs({0, 0}), false, false, false},
                  {type(DType::I32, {"1", "1", "4"})})
                .find("(pool.C1)"),
            std::string::npos);
}
