// The result is a copy of x.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/updates.mlir 2>&1 | FileCheck %s --check-prefix=UPDATES
// RUN: not pliant compile %t/reduction.mlir 2>&1 | FileCheck %s --check-prefix=REDUCTION

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<4x3xf32> {pliant.name = "y"}, %i: tensor<?x2xi64, #pliant.shape<"B", "2">> {pliant.name = "i"}, %u: tensor<?x2xf32, #pliant.shape<"B", "2">> {pliant.name = "u"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %j: tensor<?x1xi64, #pliant.shape<"N", "1">> {pliant.name = "j"}, %v: tensor<?x3xf32, #pliant.shape<"N", "3">> {pliant.name = "v"}) -> (tensor<?x3xf32>, tensor<4x3xf32>, tensor<?x3xf32>) {
  %0 = pliant.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = "none"} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x2xi64, #pliant.shape<"B", "2">>, tensor<?x2xf32, #pliant.shape<"B", "2">>) -> tensor<?x3xf32>
  %1 = pliant.scatter_nd %y, %j, %v {reduction = "add"} : (tensor<4x3xf32>, tensor<?x1xi64, #pliant.shape<"N", "1">>, tensor<?x3xf32, #pliant.shape<"N", "3">>) -> tensor<4x3xf32>
  %2 = pliant.scatter_nd %z, %j, %v {reduction = "none"} : (tensor<?x3xf32>, tensor<?x1xi64, #pliant.shape<"N", "1">>, tensor<?x3xf32, #pliant.shape<"N", "3">>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<4x3xf32>, tensor<?x3xf32>
}

// TYPES: pliant.scatter_elements {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.scatter_nd {{.*}}-> tensor<4x3xf32>{{$}}
// TYPES: pliant.scatter_nd {{.*}}-> tensor<?x3xf32, #pliant.shape<"z.0", "3">>{{$}}

// PLAN: launch

//--- updates.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %i: tensor<?x2xi64, #pliant.shape<"B", "2">> {pliant.name = "i"}, %u: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "u"}) -> (tensor<?x3xf32>) {
  %0 = pliant.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = "none"} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x2xi64, #pliant.shape<"B", "2">>, tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// UPDATES: (scatter.C3)

//--- reduction.mlir
func.func @main(%x: tensor<4xf32> {pliant.name = "x"}, %i: tensor<2x1xi64> {pliant.name = "i"}, %u: tensor<2xf32> {pliant.name = "u"}) -> (tensor<4xf32>) {
  %0 = pliant.scatter_nd %x, %i, %u {reduction = "xor"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// REDUCTION: (scatter.C5)
