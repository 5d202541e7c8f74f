// Axes vanish or stay with extent 1.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not pliant compile %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}) -> (tensor<3xf32>, tensor<2x1xf32>, tensor<?xf32>, tensor<f32>) {
  %0 = pliant.reduce_sum %x {axes = array<i64: 0>, keepDims = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<3xf32>
  %1 = pliant.reduce_max %y {axes = array<i64: 1>, keepDims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %2 = pliant.reduce_mean %z {axes = array<i64: 1>, keepDims = false} : (tensor<?x3xf32>) -> tensor<?xf32>
  %3 = pliant.reduce_prod %x {axes = array<i64: 0, 1>, keepDims = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<2x1xf32>, tensor<?xf32>, tensor<f32>
}

// TYPES: pliant.reduce_sum {{.*}}-> tensor<3xf32>{{$}}
// TYPES: pliant.reduce_max {{.*}}-> tensor<2x1xf32>{{$}}
// TYPES: pliant.reduce_mean {{.*}}-> tensor<?xf32, #pliant.shape<"z.0">>{{$}}
// TYPES: pliant.reduce_prod {{.*}}-> tensor<f32>{{$}}

// PLAN: launch

//--- axis.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?xf32>) {
  %0 = pliant.reduce_sum %x {axes = array<i64: 2>, keepDims = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// AXIS: axis 2 is outside x of shape (B, 3){{.*}}(reduce.C1)

//--- twice.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?xf32>) {
  %0 = pliant.reduce_sum %x {axes = array<i64: 1, 1>, keepDims = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// TWICE: axis 1 occurs twice (reduce.C1)
