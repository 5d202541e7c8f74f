// The shape stays; rows become one kernel.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not pliant compile %t/whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x?xf32> {pliant.name = "z"}) -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x?xf32>) {
  %0 = pliant.softmax %x {axis = 1 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  %1 = pliant.softmax %y {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pliant.log_softmax %z {axis = 1 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x?xf32>
}

// TYPES: pliant.softmax {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.softmax {{.*}}-> tensor<2x3xf32>{{$}}
// TYPES: pliant.log_softmax {{.*}}-> tensor<?x?xf32, #pliant.shape<"z.0", "z.1">>{{$}}

// PLAN: launch

//--- axis.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.softmax %x {axis = 2 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// AXIS: (softmax.C2)

//--- whole.mlir
func.func @main(%x: tensor<?x3xi64, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xi64>) {
  %0 = pliant.softmax %x {axis = 1 : i64} : (tensor<?x3xi64, #pliant.shape<"B", "3">>) -> tensor<?x3xi64>
  return %0 : tensor<?x3xi64>
}

// WHOLE: softmax
