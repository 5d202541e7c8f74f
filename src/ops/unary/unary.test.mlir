// The shape stays; predicates give bool.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/whole.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not pliant compile %t/bool.mlir 2>&1 | FileCheck %s --check-prefix=BOOL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xi64> {pliant.name = "y"}, %z: tensor<?xf32> {pliant.name = "z"}) -> (tensor<?x3xf32>, tensor<2x3xi64>, tensor<?xi1>) {
  %0 = pliant.exp %x : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  %1 = pliant.neg %y : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %2 = pliant.is_nan %z : (tensor<?xf32>) -> tensor<?xi1>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2x3xi64>, tensor<?xi1>
}

// TYPES: pliant.exp {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.neg {{.*}}-> tensor<2x3xi64>{{$}}
// TYPES: pliant.is_nan {{.*}}-> tensor<?xi1, #pliant.shape<"z.0">>{{$}}

// PLAN: launch

//--- whole.mlir
func.func @main(%x: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xi64>) {
  %0 = pliant.exp %x : (tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// WHOLE: (unary.C1)

//--- bool.mlir
func.func @main(%x: tensor<?xi1, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xi1>) {
  %0 = pliant.neg %x : (tensor<?xi1, #pliant.shape<"B">>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// BOOL: (unary.C1)
