// Composites become the ops that they stand for, also those inside composites and inside branches; the rest stays.
// RUN: pliant compile %s --stop-after decompose | FileCheck %s --implicit-check-not=pliant.softmax --implicit-check-not=pliant.layer_norm --implicit-check-not=pliant.gelu --implicit-check-not=pliant.reduce_mean

// CHECK-LABEL: func.func @main
// CHECK: pliant.matmul
// CHECK: pliant.reduce_max {{.*}}axes = array<i64: 1>
// CHECK: pliant.sub
// CHECK: pliant.exp
// CHECK: pliant.reduce_sum
// CHECK: pliant.reciprocal
// CHECK: pliant.mul
// CHECK: pliant.if
// CHECK: pliant.reduce_sum
// CHECK: pliant.yield
// CHECK: else
// CHECK: pliant.erf
// CHECK: pliant.yield
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">>, %w: tensor<4x3xf32>, %s: tensor<3xf32>, %c: tensor<i1>) -> tensor<?x3xf32> {
  %0 = pliant.matmul %x, %w : (tensor<?x4xf32, #pliant.shape<"B", "4">>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = pliant.softmax %0 {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = pliant.if %c : tensor<i1> -> tensor<?x3xf32> {
    %3 = pliant.layer_norm %1, %s, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    pliant.yield %3 : tensor<?x3xf32>
  } else {
    %4 = pliant.gelu %1 {approximate = false} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    pliant.yield %4 : tensor<?x3xf32>
  }
  return %2 : tensor<?x3xf32>
}
