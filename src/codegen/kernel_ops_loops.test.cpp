// SPDX-License-Identifier: Apache-2.0
// Loops of special shape at the sizes around their blocks, for every kind of element and every width of vectors:
// transposes in squares of registers, folds of columns in panels and of rows in a tree.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

const std::vector<int64_t> permutations[] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/// What is turned in registers is so many bytes: `every` permutation for one type of each size.
void transpose(DType type, bool every, const char *target = "host") {
  std::mt19937 random(7);
  for (const auto &perm : permutations) {
    if (!every && perm != permutations[0] && perm != permutations[4])
      continue;
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
    transpose(type, everyForm() || type == DType::F32 || type == DType::I64 || type == DType::F16 || type == DType::I8);
}
TEST(Transpose, NarrowerVectors) {
  for (const char *target : {"avx2", "x86-64"})
    for (DType type : {DType::F32, DType::I64, DType::U8})
      transpose(type, everyForm() || type == DType::F32, target);
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
/// The bound of docs/semantics.md, N2: each block of a long sum is rounded for itself. Numbers of one sign and size are
/// the worst case of a sum in one piece: that of a million tenths would be a percent off.
void longSums(const char *target) {
  constexpr double roundOff = 0x1p-24;
  const float tenth = 0.1f;
  auto bounded = [&](OneOp &one, const Dims &dims, int64_t count, int64_t blocks) {
    DenseTensor x = *DenseTensor::zeros(DType::F32, dims);
    std::fill_n(x.as<float>(), x.size(), tenth);
    const double exact = static_cast<double>(tenth) * static_cast<double>(count);
    const double bound = static_cast<double>(blocks) * roundOff * exact;
    for (const DenseTensor &sum : one.run({x}))
      for (int64_t i = 0; i < sum.size(); ++i)
        ASSERT_NEAR(static_cast<double>(sum.as<float>()[i]), exact, bound) << str(dims) << " element " << i;
  };
  OneOp down(OpId::ReduceSum, ReduceSumAttrs{{0}, false}, {typed(DType::F32, {"A", "B"})}, target);
  OneOp along(OpId::ReduceSum, ReduceSumAttrs{{1}, false}, {typed(DType::F32, {"A", "B"})}, target);
  OneOp both(OpId::ReduceSum, ReduceSumAttrs{{0, 2}, false}, {typed(DType::F32, {"A", "B", "C"})}, target);
  for (int64_t n : {63, 65, 513, 4097, 32769, 1000003}) {
    bounded(down, {n, 19}, n, 576 + n / 4096);
    bounded(along, {2, n}, n, 70 + n / 4096);
  }
  bounded(both, {5003, 3, 201}, 5003 * 201, 4 + 70 + 128 + 5003 / 4096);
  OneOp fixed(OpId::ReduceSum, ReduceSumAttrs{{0}, false}, {{DType::F32, {100001, 7}}}, target);
  bounded(fixed, {100001, 7}, 100001, 576 + 100001 / 4096);
}
TEST(Folds, LongSumsAreRoundedInBlocks) {
  for (const char *target : {"host", "avx2", "x86-64"})
    longSums(target);
}

/// N2: the same bits whether extents are numbers or symbols.
TEST(Folds, ExtentsThatAreNumbersChangeNoBit) {
  std::mt19937 random(7);
  const Dims dims{5, 3, 67, 9};
  for (const std::vector<int64_t> &axes :
       std::vector<std::vector<int64_t>>{{0}, {3}, {0, 2}, {1, 3}, {0, 3}, {0, 2, 3}})
    for (const char *target : {"host", "x86-64"}) {
      const Attrs attrs = ReduceSumAttrs{axes, false};
      OneOp given(OpId::ReduceSum, attrs, {{DType::F32, exprs(dims)}}, target);
      OneOp any(OpId::ReduceSum, attrs, {typed(DType::F32, {"A", "B", "C", "D"})}, target);
      const DenseTensor x = *DenseTensor::zeros(DType::F32, dims);
      std::generate_n(x.as<float>(), x.size(), [&] { return std::normal_distribution<float>()(random); });
      const auto a = given.run({x}), b = any.run({x});
      for (size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(std::memcmp(a[i].data(), b[i].data(), a[i].bytes()), 0) << str(Dims(axes)) << " " << target;
    }
}

TEST(Folds, NarrowerVectors) {
  for (const char *target : {"avx2", "x86-64"})
    folds(DType::F32, target);
}

/// As if the last cache held 256 bytes: results of more are written past it where they are aligned, in whole vectors.
void streams(DType type, const char *target = "host") {
  std::mt19937 random(23);
  OneOp row(OpId::Add, AddAttrs{}, {typed(type, {"A"}), typed(type, {"A"})}, target, {}, 256);
  OneOp table(OpId::Add, AddAttrs{}, {typed(type, {"A", "B"}), typed(type, {"B"})}, target, {}, 256);
  const bool whole = byteSize(type) * TargetDescription::forced(target)->vectorBits / 32 >= 16; // the least such store
  for (OneOp *one : {&row, &table})
    EXPECT_EQ(one->emitted.find("nontemporal") != std::string::npos, whole) << one->emitted;
  for (int64_t n : {0, 1, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 512, 1031}) {
    row.check({randomTensor(type, {n}, random), randomTensor(type, {n}, random)}, toleranceOf(type));
    table.check({randomTensor(type, {5, n}, random), randomTensor(type, {n}, random)}, toleranceOf(type));
  }
}
TEST(Streams, EverySizeOfElement) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::I64, DType::I8})
    streams(type);
}
TEST(Streams, NarrowerVectors) {
  streams(DType::F32, "avx2");
  streams(DType::F64, "x86-64");
}
TEST(Streams, SmallResultsDoNot) {
  OneOp small(OpId::Add, AddAttrs{}, {typed(DType::F32, {"64"}), typed(DType::F32, {"64"})}, "host", {}, 256);
  EXPECT_EQ(small.emitted.find("nontemporal"), std::string::npos);
}

} // namespace
