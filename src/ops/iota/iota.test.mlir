// One axis, counted from 0.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/bool.mlir 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not pliant compile %t/unbound.mlir 2>&1 | FileCheck %s --check-prefix=UNBOUND

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xi64>, tensor<4xf32>, tensor<?xi32>) {
  %0 = pliant.iota {dtype = i64, shape = #pliant.shape<"B">} : () -> tensor<?xi64>
  %1 = pliant.iota {dtype = f32, shape = #pliant.shape<"4">} : () -> tensor<4xf32>
  %2 = pliant.iota {dtype = i32, shape = #pliant.shape<"2*B+1">} : () -> tensor<?xi32>
  return %0, %1, %2 : tensor<?xi64>, tensor<4xf32>, tensor<?xi32>
}

// TYPES: pliant.iota {{.*}}-> tensor<?xi64, #pliant.shape<"B">>{{$}}
// TYPES: pliant.iota {{.*}}-> tensor<4xf32>{{$}}
// TYPES: pliant.iota {{.*}}-> tensor<?xi32, #pliant.shape<"2*B+1">>{{$}}

// PLAN: launch

//--- bool.mlir
func.func @main() -> (tensor<4xi1>) {
  %0 = pliant.iota {dtype = i1, shape = #pliant.shape<"4">} : () -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// BOOL: (iota.C1)

//--- unbound.mlir
func.func @main() -> (tensor<?xi64>) {
  %0 = pliant.iota {dtype = i64, shape = #pliant.shape<"N">} : () -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// UNBOUND: nothing gives symbol 'N' a value
