// Starts and sizes are symbolic and lie inside; steps are constants.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/outside.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not pliant compile %t/still.mlir 2>&1 | FileCheck %s --check-prefix=STILL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x6xf32, #pliant.shape<"B", "6">> {pliant.name = "x"}, %y: tensor<4x6xf32> {pliant.name = "y"}, %z: tensor<?x6xf32> {pliant.name = "z"}) -> (tensor<?x3xf32>, tensor<4x6xf32>, tensor<?x2xf32>) {
  %0 = pliant.slice %x {starts = #pliant.shape<"0", "1">, steps = array<i64: 1, 2>, sizes = #pliant.shape<"floordiv(B, 2)", "3">} : (tensor<?x6xf32, #pliant.shape<"B", "6">>) -> tensor<?x3xf32>
  %1 = pliant.slice %y {starts = #pliant.shape<"3", "5">, steps = array<i64: -1, -1>, sizes = #pliant.shape<"4", "6">} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = pliant.slice %z {starts = #pliant.shape<"0", "0">, steps = array<i64: 1, 1>, sizes = #pliant.shape<"z.0", "2">} : (tensor<?x6xf32>) -> tensor<?x2xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<4x6xf32>, tensor<?x2xf32>
}

// TYPES: pliant.slice {{.*}}-> tensor<?x3xf32, #pliant.shape<"floordiv(B, 2)", "3">>{{$}}
// TYPES: pliant.slice {{.*}}-> tensor<4x6xf32>{{$}}
// TYPES: pliant.slice {{.*}}-> tensor<?x2xf32, #pliant.shape<"z.0", "2">>{{$}}

// PLAN: launch

//--- outside.mlir
func.func @main(%x: tensor<?x6xf32, #pliant.shape<"B", "6">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.slice %x {starts = #pliant.shape<"0", "4">, steps = array<i64: 1, 1>, sizes = #pliant.shape<"B", "3">} : (tensor<?x6xf32, #pliant.shape<"B", "6">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// OUTSIDE: position 6{{.*}}(B, 6){{.*}}(slice.C3)

//--- still.mlir
func.func @main(%x: tensor<?x6xf32, #pliant.shape<"B", "6">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.slice %x {starts = #pliant.shape<"0", "0">, steps = array<i64: 1, 0>, sizes = #pliant.shape<"B", "3">} : (tensor<?x6xf32, #pliant.shape<"B", "6">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// STILL: (slice.C2)
