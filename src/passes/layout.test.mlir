// Convolutions work with channels last; the transposes between them are gone, and what stands between follows.
// RUN: split-file %s %t
// RUN: pliant compile %t/chain.mlir --start-after decompose --stop-after layout | FileCheck %t/chain.mlir
// RUN: pliant compile %t/none.mlir --start-after decompose --stop-after layout | FileCheck %t/none.mlir --implicit-check-not=pliant.transpose

//--- chain.mlir
// One transpose into the chain and one out of it (the filters' own are computed at load).
// CHECK: [[IN:%.+]] = pliant.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-NOT: pliant.transpose %arg0
// CHECK: [[A:%.+]] = pliant.conv [[IN]], {{.*}}channelsLast = true
// CHECK: [[B:%.+]] = pliant.relu [[A]] : (tensor<?x?x?x4xf32
// CHECK: [[C:%.+]] = pliant.conv [[B]], {{.*}}channelsLast = true
// CHECK: [[OUT:%.+]] = pliant.transpose [[C]] {perm = array<i64: 0, 3, 1, 2>}
// CHECK: return [[OUT]]
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>) -> tensor<?x4x?x?xf32> {
  %w = pliant.weight {index = 0 : i64, dtype = f32, shape = #pliant.shape<"4", "3", "3", "3">} : () -> tensor<4x3x3x3xf32>
  %v = pliant.weight {index = 1 : i64, dtype = f32, shape = #pliant.shape<"4", "4", "1", "1">} : () -> tensor<4x4x1x1xf32>
  %0 = pliant.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32>
  %1 = pliant.relu %0 : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %2 = pliant.conv %1, %v {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, groups = 1 : i64, channelsLast = false} : (tensor<?x4x?x?xf32>, tensor<4x4x1x1xf32>) -> tensor<?x4x?x?xf32>
  return %2 : tensor<?x4x?x?xf32>
}

//--- none.mlir
// Without a convolution nothing changes its layout.
// CHECK: pliant.relu
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>) -> tensor<?x3x?x?xf32> {
  %0 = pliant.relu %x : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}
