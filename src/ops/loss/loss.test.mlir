// One number per place, or one for all.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/targets.mlir 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: not pliant compile %t/reduction.mlir 2>&1 | FileCheck %s --check-prefix=REDUCTION

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x4x?xf32, #pliant.shape<"N", "4", "D">> {pliant.name = "x"}, %t: tensor<?x?xi64, #pliant.shape<"N", "D">> {pliant.name = "t"}, %y: tensor<5x3xf32> {pliant.name = "y"}, %u: tensor<5xi32> {pliant.name = "u"}, %z: tensor<?x4xf32> {pliant.name = "z"}, %v: tensor<?xi64> {pliant.name = "v"}) -> (tensor<?x?xf32>, tensor<f32>, tensor<f32>) {
  %0 = pliant.nll_loss %x, %t {reduction = "none", ignore = array<i64>} : (tensor<?x4x?xf32, #pliant.shape<"N", "4", "D">>, tensor<?x?xi64, #pliant.shape<"N", "D">>) -> tensor<?x?xf32>
  %1 = pliant.nll_loss %y, %u {reduction = "mean", ignore = array<i64: -1>} : (tensor<5x3xf32>, tensor<5xi32>) -> tensor<f32>
  %2 = pliant.nll_loss %z, %v {reduction = "sum", ignore = array<i64>} : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<f32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<f32>, tensor<f32>
}

// TYPES: pliant.nll_loss {{.*}}-> tensor<?x?xf32, #pliant.shape<"N", "D">>{{$}}
// TYPES: pliant.nll_loss {{.*}}-> tensor<f32>{{$}}
// TYPES: pliant.nll_loss {{.*}}-> tensor<f32>{{$}}

// PLAN: launch

//--- targets.mlir
func.func @main(%x: tensor<5x3xf32> {pliant.name = "x"}, %t: tensor<4xi64> {pliant.name = "t"}) -> (tensor<f32>) {
  %0 = pliant.nll_loss %x, %t {reduction = "sum", ignore = array<i64>} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// TARGETS: (5, 3) but the targets have shape (4){{.*}}(loss.C2)

//--- reduction.mlir
func.func @main(%x: tensor<?x4x?xf32, #pliant.shape<"N", "4", "D">> {pliant.name = "x"}, %t: tensor<?x?xi64, #pliant.shape<"N", "D">> {pliant.name = "t"}) -> (tensor<f32>) {
  %0 = pliant.nll_loss %x, %t {reduction = "max", ignore = array<i64>} : (tensor<?x4x?xf32, #pliant.shape<"N", "4", "D">>, tensor<?x?xi64, #pliant.shape<"N", "D">>) -> tensor<f32>
  return %0 : tensor<f32>
}

// REDUCTION: (loss.C4)
