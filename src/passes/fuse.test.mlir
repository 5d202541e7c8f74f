// One group for what provably loops alike, for rows around their reductions, and for a product with what follows it.
// RUN: split-file %s %t
// RUN: pliant compile %t/row.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/row.mlir --implicit-check-not="group = 1"
// RUN: pliant compile %t/epilogue.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/epilogue.mlir --implicit-check-not="group = 2"
// RUN: pliant compile %t/ones.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/ones.mlir --implicit-check-not="group = 1"
// RUN: pliant compile %t/view.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/view.mlir
// RUN: pliant compile %t/apart.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/apart.mlir
// RUN: pliant explain %t/apart.mlir | FileCheck %t/apart.mlir --check-prefix=WHY
// RUN: pliant compile %t/sum.mlir --start-after fold_weights --stop-after fuse | FileCheck %t/sum.mlir

//--- row.mlir
// CHECK-COUNT-4: group = 0
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "N">>) -> tensor<?x?xf32> {
  %0 = pliant.reduce_max %x {axes = array<i64: 1>, keepDims = true} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> tensor<?x1xf32>
  %1 = pliant.sub %x, %0 : (tensor<?x?xf32, #pliant.shape<"B", "N">>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %2 = pliant.exp %1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = pliant.relu %2 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

//--- epilogue.mlir
// What comes before a product is stored; what follows it is its epilogue.
// CHECK: pliant.exp {{.*}}group = 0
// CHECK: pliant.matmul {{.*}}group = 1
// CHECK: pliant.add {{.*}}group = 1
// CHECK: pliant.relu {{.*}}group = 1
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %0 = pliant.exp %x : (tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<?x4xf32>
  %1 = pliant.matmul %0, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %2 = pliant.add %1, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %3 = pliant.relu %2 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

//--- ones.mlir
// An extent of 1 is in nobody's way.
// CHECK-COUNT-2: group = 0
func.func @main(%x: tensor<1x?x4xf32, #pliant.shape<"1", "B", "4">>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<1x?x8xf32> {
  %0 = pliant.matmul %x, %w : (tensor<1x?x4xf32, #pliant.shape<"1", "B", "4">>, tensor<4x8xf32>) -> tensor<1x?x8xf32>
  %1 = pliant.add %0, %b : (tensor<1x?x8xf32>, tensor<8xf32>) -> tensor<1x?x8xf32>
  return %1 : tensor<1x?x8xf32>
}

//--- view.mlir
// A transpose that two groups read is copied into both; nothing stores it.
// CHECK-DAG: [[A:%.+]] = pliant.transpose %arg0 {group = [[G:[0-9]+]] : i64
// CHECK-DAG: pliant.matmul [[A]], %arg2 {group = [[G]] : i64
// CHECK-DAG: [[B:%.+]] = pliant.transpose %arg0 {group = [[H:[0-9]+]] : i64
// CHECK-DAG: pliant.matmul [[B]], %arg1 {group = [[H]] : i64
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">>, %y: tensor<?x8xf32, #pliant.shape<"B", "8">>, %z: tensor<?x2xf32, #pliant.shape<"B", "2">>) -> (tensor<4x2xf32>, tensor<4x8xf32>) {
  %0 = pliant.transpose %x {perm = array<i64: 1, 0>} : (tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<4x?xf32>
  %1 = pliant.matmul %0, %z : (tensor<4x?xf32>, tensor<?x2xf32, #pliant.shape<"B", "2">>) -> tensor<4x2xf32>
  %2 = pliant.matmul %0, %y : (tensor<4x?xf32>, tensor<?x8xf32, #pliant.shape<"B", "8">>) -> tensor<4x8xf32>
  return %1, %2 : tensor<4x2xf32>, tensor<4x8xf32>
}

//--- sum.mlir
// A sum adds in the order of its operand's shape: what is transposed, or repeats along one of two summed axes, is stored
// first. A maximum has no order.
// CHECK: pliant.transpose %arg0 {group = [[A:[0-9]+]] : i64
// CHECK-NOT: pliant.reduce_sum {{.*}}group = [[A]] : i64
// CHECK: pliant.add {{.*}}group = [[B:[0-9]+]] : i64
// CHECK-NOT: pliant.reduce_sum {{.*}}group = [[B]] : i64
// CHECK: pliant.transpose %arg1 {group = [[C:[0-9]+]] : i64
// CHECK: pliant.reduce_max {{.*}}group = [[C]] : i64
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "N">>, %y: tensor<?x?xf32, #pliant.shape<"B", "N">>, %r: tensor<?xf32, #pliant.shape<"N">>) -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>) {
  %0 = pliant.transpose %x {perm = array<i64: 1, 0>} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> tensor<?x?xf32>
  %1 = pliant.reduce_sum %0 {axes = array<i64: 1>, keepDims = false} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = pliant.add %y, %r : (tensor<?x?xf32, #pliant.shape<"B", "N">>, tensor<?xf32, #pliant.shape<"N">>) -> tensor<?x?xf32>
  %3 = pliant.reduce_sum %2 {axes = array<i64: 0, 1>, keepDims = false} : (tensor<?x?xf32>) -> tensor<f32>
  %4 = pliant.transpose %y {perm = array<i64: 1, 0>} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> tensor<?x?xf32>
  %5 = pliant.reduce_max %4 {axes = array<i64: 1>, keepDims = false} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %1, %3, %5 : tensor<?xf32>, tensor<f32>, tensor<?xf32>
}

//--- apart.mlir
// A costly value of few elements is not computed again for every element that it is broadcast to; running sums have
// loops of their own.
// CHECK: pliant.exp {{.*}}group = 0
// CHECK: pliant.mul {{.*}}group = 1
// CHECK: pliant.cumsum {{.*}}group = 2
// WHY: not fused: 2 values
// WHY: 1 kernel
// WHY-NEXT: 1: cumsum has loops of its own
// WHY-NEXT: mul ({{.*}}) -> cumsum
// WHY: 1 repeated
// WHY-NEXT: 1: the value costs more to compute again
// WHY-NEXT: exp ({{.*}}) -> mul
func.func @main(%x: tensor<?x1xf32, #pliant.shape<"B", "1">>, %y: tensor<?x8xf32, #pliant.shape<"B", "8">>) -> tensor<?x8xf32> {
  %0 = pliant.exp %x : (tensor<?x1xf32, #pliant.shape<"B", "1">>) -> tensor<?x1xf32>
  %1 = pliant.mul %y, %0 : (tensor<?x8xf32, #pliant.shape<"B", "8">>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %2 = pliant.cumsum %1 {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
