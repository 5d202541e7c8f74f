// Matrices become numbers; the leading axes stay.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not pliant compile %t/square.mlir 2>&1 | FileCheck %s --check-prefix=SQUARE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?x?xf32, #pliant.shape<"B", "N", "N">> {pliant.name = "x"}, %y: tensor<2x3x3xf32> {pliant.name = "y"}, %z: tensor<?x3x3xf32> {pliant.name = "z"}) -> (tensor<?xf32>, tensor<2xf32>, tensor<?xf32>) {
  %0 = pliant.det %x : (tensor<?x?x?xf32, #pliant.shape<"B", "N", "N">>) -> tensor<?xf32>
  %1 = pliant.det %y : (tensor<2x3x3xf32>) -> tensor<2xf32>
  %2 = pliant.det %z : (tensor<?x3x3xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<2xf32>, tensor<?xf32>
}

// TYPES: pliant.det {{.*}}-> tensor<?xf32, #pliant.shape<"B">>{{$}}
// TYPES: pliant.det {{.*}}-> tensor<2xf32>{{$}}
// TYPES: pliant.det {{.*}}-> tensor<?xf32, #pliant.shape<"z.0">>{{$}}

// PLAN: launch

//--- whole.mlir
func.func @main(%x: tensor<?x3x3xi64, #pliant.shape<"B", "3", "3">> {pliant.name = "x"}) -> (tensor<?xi64>) {
  %0 = pliant.det %x : (tensor<?x3x3xi64, #pliant.shape<"B", "3", "3">>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// WHOLE: (det.C1)

//--- square.mlir
func.func @main(%x: tensor<?x2x3xf32, #pliant.shape<"B", "2", "3">> {pliant.name = "x"}) -> (tensor<?xf32>) {
  %0 = pliant.det %x : (tensor<?x2x3xf32, #pliant.shape<"B", "2", "3">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// SQUARE: (det.C2)
