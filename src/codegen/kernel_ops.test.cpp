// SPDX-License-Identifier: Apache-2.0
// Kernels of arg_max, arg_min, cumsum, top_k and the scatters against the references.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

const DType numbers[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32,
                         DType::I16, DType::I8,  DType::U64, DType::U32,  DType::U16, DType::U8};
const std::vector<std::string> cube{"A", "B", "C"};
const Dims cubes[] = {{1, 1, 1},  {2, 15, 17}, {3, 7, 64}, {1, 33, 130}, {5, 64, 1},
                      {17, 1, 3}, {2, 3, 257}, {0, 3, 5},  {4, 2, 16},   {1, 2, 63}};

void argReduce(DType type, const char *target = "host") {
  std::mt19937 random(5);
  for (int64_t axis : {0, 1, 2})
    for (bool last : {false, true})
      for (bool largest : {false, true}) {
        if (type != DType::F32 && last == largest && !everyForm())
          continue;
        Attrs a = ArgMinAttrs{axis, last, last};
        if (largest)
          a = ArgMaxAttrs{axis, !last, last};
        OneOp one(largest ? OpId::ArgMax : OpId::ArgMin, a, {typed(type, cube)}, target);
        for (const Dims &dims : cubes)
          if (dims[axis])
            for (bool special : {false, true})
              one.check({randomTensor(type, dims, random, special)});
      }
}
void cumsum(DType type, const char *target = "host") {
  std::mt19937 random(5);
  for (int64_t axis : {0, 1, 2})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true}) {
        if (type != DType::F32 && exclusive == reverse && axis != 1 && !everyForm())
          continue;
        OneOp one(OpId::Cumsum, CumsumAttrs{axis, exclusive, reverse}, {typed(type, cube)}, target);
        for (const Dims &dims : cubes)
          one.check({randomTensor(type, dims, random)}, type == DType::F64 ? 1e-14 : 0);
      }
}

void topK(DType type, const char *target = "host") {
  std::mt19937 random(5);
  for (int64_t axis : {0, 1, 2})
    for (bool largest : {false, true}) {
      TopKAttrs a{{}, axis, largest};
      for (const char *k : {"0", "1", "3", "all"}) {
        if (type != DType::F32 && *k != (axis == 1 ? 'a' : '3') && !everyForm())
          continue;
        a.k = {std::string(k) == "all" ? Expr::symbol(cube[axis]) : *Expr::parse(k)};
        OneOp one(OpId::TopK, a, {typed(type, cube)}, target);
        for (const Dims &dims : cubes)
          if (!a.k[0].constant() || *a.k[0].constant() <= dims[axis])
            one.check({randomTensor(type, dims, random, axis == 1)});
      }
    }
}

DenseTensor randomIndices(DType type, const Dims &dims, int64_t extent, std::mt19937 &random) {
  DenseTensor t = *DenseTensor::zeros(type, dims);
  for (int64_t i = 0; i < t.size(); ++i) {
    const int64_t index = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * extent)) - extent;
    if (type == DType::I64)
      t.as<int64_t>()[i] = index;
    else
      t.as<int32_t>()[i] = static_cast<int32_t>(index);
  }
  return t;
}

void scatter(DType type, const std::string &reduction) {
  std::mt19937 random(5);
  const DType indexType = reduction == "none" || reduction == "min" ? DType::I64 : DType::I32;
  const double tolerance = isFloat(type) && (reduction == "add" || reduction == "mul") ? 8 * toleranceOf(type) : 0;
  for (int64_t axis : {0, 1}) {
    OneOp one(OpId::ScatterElements, ScatterElementsAttrs{axis, reduction},
              {typed(type, {"A", "B"}), typed(indexType, {"P", "Q"}), typed(type, {"P", "Q"})});
    for (const Dims &dims : {Dims{5, 7}, {1, 33}, {16, 1}}) {
      Dims places{axis == 0 ? 6 : dims[0], axis == 1 ? 6 : dims[1]};
      one.check({randomTensor(type, dims, random), randomIndices(indexType, places, dims[axis], random),
                 randomTensor(type, places, random, reduction == "min" || reduction == "max")},
                tolerance);
      one.check({randomTensor(type, dims, random), *DenseTensor::zeros(indexType, {0, 1}),
                 *DenseTensor::zeros(type, {0, 1})});
    }
  }
  for (int64_t depth : {0, 1, 2}) {
    std::vector<std::string> updates{"P"};
    if (depth < 1)
      updates.push_back("A");
    if (depth < 2)
      updates.push_back("B");
    OneOp one(OpId::ScatterNd, ScatterNdAttrs{reduction},
              {typed(type, {"A", "B"}), typed(indexType, {"P", std::to_string(depth)}), typed(type, updates)});
    for (const Dims &dims : {Dims{5, 7}, {3, 65}, {2, 1}}) {
      Dims shape{4};
      shape.insert(shape.end(), dims.begin() + depth, dims.end());
      one.check({randomTensor(type, dims, random),
                 randomIndices(indexType, {4, depth}, std::min(dims[0], dims[1]), random),
                 randomTensor(type, shape, random)},
                tolerance);
    }
  }
}

} // namespace

TEST(ArgReduceKernel, AllTypes) {
  for (DType type : numbers)
    argReduce(type);
}
TEST(ArgReduceKernel, NarrowTargets) {
  for (const char *target : {"avx2", "x86-64"})
    for (DType type : {DType::F32, DType::F64, DType::I64, DType::U8})
      argReduce(type, target);
}
TEST(ArgReduceKernel, EmptyAxis) {
  OneOp one(OpId::ArgMax, ArgMaxAttrs{1, false, false}, {typed(DType::F32, {"A", "B"})});
  EXPECT_NE(one.error({*DenseTensor::zeros(DType::F32, {2, 0})}), "");
  one.check({*DenseTensor::zeros(DType::F32, {0, 0})});
}
TEST(CumsumKernel, AllTypes) {
  for (DType type : numbers)
    cumsum(type);
  cumsum(DType::F32, "x86-64");
}
TEST(TopKKernel, AllTypes) {
  for (DType type : numbers)
    topK(type);
  topK(DType::F32, "x86-64");
}
TEST(TopKKernel, MoreThanThereAre) {
  OneOp one(OpId::TopK, TopKAttrs{{4}, 0, true}, {typed(DType::F32, {"A"})});
  EXPECT_NE(one.error({*DenseTensor::zeros(DType::F32, {3})}), "");
}
TEST(ScatterKernel, Replaces) {
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::I64, DType::U8, DType::Bool})
    scatter(type, "none");
}
TEST(ScatterKernel, Reduces) {
  for (DType type : numbers)
    for (const char *reduction : {"add", "mul", "min", "max"})
      scatter(type, reduction);
}
TEST(ScatterKernel, BadIndices) {
  OneOp one(OpId::ScatterElements, ScatterElementsAttrs{0, "none"},
            {typed(DType::F32, {"A"}), typed(DType::I64, {"P"}), typed(DType::F32, {"P"})});
  DenseTensor index = *DenseTensor::zeros(DType::I64, {2});
  index.as<int64_t>()[1] = 3;
  const std::vector<DenseTensor> inputs{*DenseTensor::zeros(DType::F32, {3}), index,
                                        *DenseTensor::zeros(DType::F32, {2})};
  EXPECT_NE(one.error(inputs).find("index 3 is out of range [-3, 3)"), std::string::npos) << one.error(inputs);
  index.as<int64_t>()[1] = -3;
  one.check(inputs);
}
