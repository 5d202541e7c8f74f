// The element type changes, the shape stays.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/declared.mlir 2>&1 | FileCheck %s --check-prefix=DECLARED

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?xi64> {pliant.name = "z"}) -> (tensor<?x3xi64>, tensor<2x3xi1>, tensor<?xf64>) {
  %0 = pliant.cast %x {dtype = i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xi64>
  %1 = pliant.cast %y {dtype = i1} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = pliant.cast %z {dtype = f64} : (tensor<?xi64>) -> tensor<?xf64>
  return %0, %1, %2 : tensor<?x3xi64>, tensor<2x3xi1>, tensor<?xf64>
}

// TYPES: pliant.cast {{.*}}-> tensor<?x3xi64, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.cast {{.*}}-> tensor<2x3xi1>{{$}}
// TYPES: pliant.cast {{.*}}-> tensor<?xf64, #pliant.shape<"z.0">>{{$}}

// PLAN: launch

//--- declared.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xi32>) {
  %0 = pliant.cast %x {dtype = i64} : (tensor<?xf32, #pliant.shape<"B">>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// DECLARED: result is declared i32(?.0) but its rule gives i64(B)
