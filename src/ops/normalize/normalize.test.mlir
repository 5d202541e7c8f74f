// The shape stays; the composites become reductions and arithmetic.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/scale.mlir 2>&1 | FileCheck %s --check-prefix=SCALE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3x4x4xf32> {pliant.name = "y"}, %z: tensor<?x3x?xf32> {pliant.name = "z"}, %s: tensor<3xf32> {pliant.name = "s"}) -> (tensor<?x3xf32>, tensor<2x3x4x4xf32>, tensor<?x3x?xf32>) {
  %0 = pliant.layer_norm %x, %s, %s {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = pliant.batch_norm %y, %s, %s, %s, %s {epsilon = 1.0e-05 : f64} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  %2 = pliant.instance_norm %z, %s, %s {epsilon = 1.0e-05 : f64} : (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2x3x4x4xf32>, tensor<?x3x?xf32>
}

// TYPES: pliant.layer_norm {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.batch_norm {{.*}}-> tensor<2x3x4x4xf32>{{$}}
// TYPES: pliant.instance_norm {{.*}}-> tensor<?x3x?xf32, #pliant.shape<"z.0", "3", "z.2">>{{$}}

// PLAN: launch

//--- scale.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %s: tensor<4xf32> {pliant.name = "s"}) -> (tensor<?x3xf32>) {
  %0 = pliant.layer_norm %x, %s, %s {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// SCALE: layer_norm
