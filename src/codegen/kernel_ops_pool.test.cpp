// SPDX-License-Identifier: Apache-2.0
// Kernels of pooling against the references.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

struct Windows {
  Dims kernel, strides, dilations, pads;
  bool ceilMode;
  bool ofEachKind = false; ///< of those that each type is checked with
};
const Windows grid[] = {
    {{2}, {1}, {1}, {0, 0}, false},
    {{3}, {2}, {1}, {1, 1}, true, true},
    {{3}, {1}, {2}, {2, 0}, false},
    {{1}, {3}, {1}, {2, 1}, true},
    {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}, false},
    {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, false},
    {{3, 2}, {1, 1}, {1, 2}, {1, 0, 0, 2}, true, true},
    {{9, 9}, {1, 1}, {1, 1}, {4, 4, 4, 4}, false},
    {{2, 3, 2}, {1, 2, 1}, {1, 1, 1}, {0, 1, 1, 0, 1, 0}, true, true},
};
const Dims spatialExtents[] = {{0, 0, 0}, {1, 1, 1}, {4, 5, 7}, {5, 3, 33}};

void run(OpId op, DType type, bool last, const char *target = "host") {
  std::mt19937 random(7);
  for (const Windows &w : grid)
    for (bool other : {false, true}) {
      if (other && (op == OpId::MaxPool || op == OpId::SumPool))
        continue;
      if (!w.ofEachKind && (type != DType::F32 || std::string(target) != "host") && !everyForm())
        continue;
      Attrs attrs = MaxPoolAttrs{w.kernel, w.strides, w.dilations, exprs(w.pads), w.ceilMode, last};
      if (op == OpId::AvgPool)
        attrs = AvgPoolAttrs{w.kernel, w.strides, w.dilations, exprs(w.pads), w.ceilMode, last, other};
      if (op == OpId::SumPool)
        attrs = SumPoolAttrs{w.kernel, w.strides, w.dilations, exprs(w.pads), w.ceilMode, last};
      if (op == OpId::MaxPoolIndices)
        attrs = MaxPoolIndicesAttrs{w.kernel, w.strides, w.dilations, exprs(w.pads), w.ceilMode, last, other};
      std::vector<std::string> extents{"N"};
      for (size_t i = 0; i < w.kernel.size(); ++i)
        extents.push_back(std::string(1, static_cast<char>('P' + i)));
      extents.insert(last ? extents.end() : extents.begin() + 1, "C");
      OneOp one(op, attrs, {typed(type, extents)}, target);
      for (const Dims &space : spatialExtents)
        for (int64_t channels : {0, 1, 15, 17, 83}) {
          Dims dims{channels == 17 ? 2 : 1};
          dims.insert(dims.end(), space.end() - w.kernel.size(), space.end());
          dims.insert(last ? dims.end() : dims.begin() + 1, channels);
          bool fits = true;
          for (size_t i = 0; i < w.kernel.size(); ++i) {
            const int64_t span = (w.kernel[i] - 1) * w.dilations[i] + 1;
            const int64_t extent = dims[i + (last ? 1 : 2)];
            const int64_t missing = span - extent - w.pads[i] - w.pads[w.kernel.size() + i];
            fits &= missing <= 0 || (extent > 0 && missing < w.strides[i]); // the window is cut
          }
          if (fits)
            one.check({randomTensor(type, dims, random, op != OpId::AvgPool && op != OpId::SumPool)},
                      toleranceOf(type));
        }
    }
}

} // namespace

TEST(PoolKernel, Maximum) {
  for (bool last : {false, true})
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::U8, DType::I64, DType::U32})
      run(OpId::MaxPool, type, last);
}
TEST(PoolKernel, Mean) {
  for (bool last : {false, true})
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16})
      run(OpId::AvgPool, type, last);
}
TEST(PoolKernel, Sum) {
  for (bool last : {false, true})
    for (DType type : {DType::F32, DType::F16})
      run(OpId::SumPool, type, last);
}
TEST(PoolKernel, Indices) {
  for (bool last : {false, true})
    for (DType type : {DType::F32, DType::F16, DType::I16, DType::U64})
      run(OpId::MaxPoolIndices, type, last);
}
TEST(PoolKernel, NarrowTargets) {
  for (const char *target : {"avx2", "x86-64"})
    for (OpId op : {OpId::MaxPool, OpId::AvgPool, OpId::MaxPoolIndices})
      run(op, DType::F32, true, target);
}
