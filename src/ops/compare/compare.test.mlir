// As arithmetic, with a bool result.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/kinds.mlir 2>&1 | FileCheck %s --check-prefix=KINDS
// RUN: not pliant compile %t/extents.mlir 2>&1 | FileCheck %s --check-prefix=EXTENTS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?xf32> {pliant.name = "z"}, %row: tensor<3xf32> {pliant.name = "row"}) -> (tensor<?x3xi1>, tensor<2x3xi1>, tensor<?xi1>) {
  %0 = pliant.less %x, %row : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<3xf32>) -> tensor<?x3xi1>
  %1 = pliant.equal %y, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = pliant.greater_equal %z, %z : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  return %0, %1, %2 : tensor<?x3xi1>, tensor<2x3xi1>, tensor<?xi1>
}

// TYPES: pliant.less {{.*}}-> tensor<?x3xi1, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.equal {{.*}}-> tensor<2x3xi1>{{$}}
// TYPES: pliant.greater_equal {{.*}}-> tensor<?xi1, #pliant.shape<"z.0">>{{$}}

// PLAN: launch

//--- kinds.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}, %y: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "y"}) -> (tensor<?xi1>) {
  %0 = pliant.less %x, %y : (tensor<?xf32, #pliant.shape<"B">>, tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// KINDS: (compare.C1)

//--- extents.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<?x4xf32, #pliant.shape<"B", "4">> {pliant.name = "y"}) -> (tensor<?x3xi1>) {
  %0 = pliant.equal %x, %y : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<?x3xi1>
  return %0 : tensor<?x3xi1>
}

// EXTENTS: (compare.C2)
