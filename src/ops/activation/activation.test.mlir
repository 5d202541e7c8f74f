// Activations take any shape and become a few ops of one kernel.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %slope: tensor<3xf32> {pliant.name = "slope"}) -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = pliant.hard_swish %x : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  %1 = pliant.elu %y {alpha = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pliant.gelu %z {approximate = true} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %3 = pliant.prelu %x, %slope : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// TYPES: pliant.hard_swish {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.elu {{.*}}-> tensor<2x3xf32>{{$}}
// TYPES: pliant.gelu {{.*}}-> tensor<?x3xf32, #pliant.shape<"z.0", "3">>{{$}}
// TYPES: pliant.prelu {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}

// PLAN: launch

//--- whole.mlir
func.func @main(%x: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xi64>) {
  %0 = pliant.hard_swish %x : (tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// WHOLE: hard_swish
