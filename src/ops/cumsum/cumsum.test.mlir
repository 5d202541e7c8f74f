// The shape stays.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not pliant compile %t/bool.mlir 2>&1 | FileCheck %s --check-prefix=BOOL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xi64> {pliant.name = "z"}) -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xi64>) {
  %0 = pliant.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  %1 = pliant.cumsum %y {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pliant.cumsum %z {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x3xi64>) -> tensor<?x3xi64>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xi64>
}

// TYPES: pliant.cumsum {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.cumsum {{.*}}-> tensor<2x3xf32>{{$}}
// TYPES: pliant.cumsum {{.*}}-> tensor<?x3xi64, #pliant.shape<"z.0", "3">>{{$}}

// PLAN: launch

//--- axis.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xf32>) {
  %0 = pliant.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?xf32, #pliant.shape<"B">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// AXIS: axis 1 is outside x of shape (B{{.*}}(cumsum.C1)

//--- bool.mlir
func.func @main(%x: tensor<?x3xi1, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xi1>) {
  %0 = pliant.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x3xi1, #pliant.shape<"B", "3">>) -> tensor<?x3xi1>
  return %0 : tensor<?x3xi1>
}

// BOOL: (cumsum.C2)
