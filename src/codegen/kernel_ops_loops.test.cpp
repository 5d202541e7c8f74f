// SPDX-License-Identifier: Apache-2.0
// Loops of special shape at the sizes around their blocks, for every kind of element and every width of vectors:
// transposes in squares of registers, folds of columns in panels and of rows in a tree.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

const std::vector<int64_t> permutations[] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

void transpose(DType type, const char *target = "host") {
  std::mt19937 random(7);
  for (const auto &perm : permutations) {
    OneOp free(OpId::Transpose, TransposeAttrs{perm}, {typed(type, {"A", "B", "C"})}, target);
    for (const Dims &dims : {Dims{1, 1, 1}, Dims{2, 15, 17}, Dims{3, 16, 16}, Dims{2, 7, 65}, Dims{17, 1, 3},
                             Dims{0, 3, 5}, Dims{4, 0, 2}, Dims{2, 31, 130}, Dims{33, 2, 64}, Dims{3, 128, 66}})
      free.check({randomTensor(type, dims, random, true)});
    for (const Dims &dims : {Dims{3, 20, 33}, Dims{1, 3, 100}, Dims{2, 64, 3}}) {
      OneOp fixed(OpId::Transpose, TransposeAttrs{perm}, {{type, exprs(dims)}}, target);
      fixed.check({randomTensor(type, dims, random)});
    }
  }
}

TEST(Transpose, EverySizeOfElement) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I8, DType::Bool})
    transpose(type);
}
TEST(Transpose, NarrowerVectors) {
  for (const char *target : {"avx2", "x86-64"})
    for (DType type : {DType::F32, DType::I64, DType::U8})
      transpose(type, target);
}

void folds(DType type, const char *target = "host") {
  std::mt19937 random(11);
  for (const std::vector<int64_t> &axes : {std::vector<int64_t>{0}, {1}, {0, 1}, {2}}) {
    const std::pair<OpId, Attrs> ops[] = {{OpId::ReduceSum, ReduceSumAttrs{axes, false}},
                                          {OpId::ReduceMax, ReduceMaxAttrs{axes, false}},
                                          {OpId::ReduceMin, ReduceMinAttrs{axes, true}}};
    for (const auto &[op, attrs] : ops) {
      OneOp one(op, attrs, {typed(type, {"A", "B", "C"})}, target);
      // Up to 4,096 columns of 4 bytes make a panel; sums of these numbers are exact in f32.
      for (const Dims &dims : {Dims{1, 1, 1}, Dims{9, 8, 17}, Dims{3, 7, 64}, Dims{1, 16, 33}, Dims{17, 23, 1},
                               Dims{5, 2, 130}, Dims{0, 3, 5}, Dims{4, 0, 9}, Dims{2, 9, 4113}})
        one.check({randomTensor(type, dims, random, op != OpId::ReduceSum)}, toleranceOf(type));
    }
  }
}

TEST(Folds, EveryType) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::I64, DType::I32, DType::I8})
    folds(type);
}
TEST(Folds, NarrowerVectors) {
  for (const char *target : {"avx2", "x86-64"})
    folds(DType::F32, target);
}

} // namespace
