// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(ArgReduce, Values) {
  const DenseTensor x = f32({2, 3}, {1, 3, 3, 5, 4, 4});
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{1, false, false}, {x}), "i64(2,): 1 0");
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{1, true, true}, {x}), "i64(2, 1): 2 0");
  EXPECT_EQ(run(OpId::ArgMin, ArgMinAttrs{0, false, false}, {x}), "i64(3,): 0 0 0");
  EXPECT_EQ(run(OpId::ArgMin, ArgMinAttrs{1, false, true}, {x}), "i64(2,): 0 2");
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{0, false, false}, {tensor(DType::U64, {2}, {1.8e19, 3})}), "i64(): 0");
}

TEST(ArgReduce, NanIsTheExtreme) {
  const DenseTensor x = f32({5}, {1, NaN, 9, NaN, 0});
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{0, false, false}, {x}), "i64(): 1");
  EXPECT_EQ(run(OpId::ArgMin, ArgMinAttrs{0, false, false}, {x}), "i64(): 1");
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{0, false, true}, {x}), "i64(): 3");
}

TEST(ArgReduce, EmptyExtentsAndTypes) {
  EXPECT_EQ(run(OpId::ArgMax, ArgMaxAttrs{1, false, false}, {f32({0, 3}, {})}), "i64(0,): ");
  EXPECT_NE(run(OpId::ArgMax, ArgMaxAttrs{1, false, false}, {f32({2, 0}, {})}).find("(arg_reduce.C3)"),
            std::string::npos);
  EXPECT_EQ(infer(OpId::ArgMax, ArgMaxAttrs{1, true, false}, {type(DType::F32, {"B", "S"})}), "i64(B, 1)");
  EXPECT_NE(infer(OpId::ArgMax, ArgMaxAttrs{2, true, false}, {type(DType::F32, {"B", "S"})}).find("(arg_reduce.C1)"),
            std::string::npos);
}
