// Windows as of convolutions; with ceilMode the last one may reach beyond.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not pliant compile %t/bool.mlir 2>&1 | FileCheck %s --check-prefix=BOOL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "x"}, %y: tensor<1x3x5x5xf32> {pliant.name = "y"}, %z: tensor<?x3x8x8xf32> {pliant.name = "z"}) -> (tensor<?x3x?x?xf32>, tensor<1x3x3x3xf32>, tensor<?x3x4x4xi64>) {
  %0 = pliant.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, ceilMode = false, channelsLast = false} : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>) -> tensor<?x3x?x?xf32>
  %1 = pliant.avg_pool %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, ceilMode = true, channelsLast = false, includePad = false} : (tensor<1x3x5x5xf32>) -> tensor<1x3x3x3xf32>
  %2 = pliant.max_pool_indices %z {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, ceilMode = false, channelsLast = false, columnMajor = false} : (tensor<?x3x8x8xf32>) -> tensor<?x3x4x4xi64>
  return %0, %1, %2 : tensor<?x3x?x?xf32>, tensor<1x3x3x3xf32>, tensor<?x3x4x4xi64>
}

// TYPES: pliant.max_pool {{.*}}-> tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "max(floordiv(H, 2), min(1, H))", "max(floordiv(W, 2), min(1, W))">>{{$}}
// TYPES: pliant.avg_pool {{.*}}-> tensor<1x3x3x3xf32>{{$}}
// TYPES: pliant.max_pool_indices {{.*}}-> tensor<?x3x4x4xi64, #pliant.shape<"z.0", "3", "4", "4">>{{$}}

// PLAN: launch

//--- rank.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, ceilMode = false, channelsLast = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// RANK: (pool.C2)

//--- bool.mlir
func.func @main(%x: tensor<1x3x4x4xi1> {pliant.name = "x"}) -> (tensor<1x3x2x2xi1>) {
  %0 = pliant.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, ceilMode = false, channelsLast = false} : (tensor<1x3x4x4xi1>) -> tensor<1x3x2x2xi1>
  return %0 : tensor<1x3x2x2xi1>
}

// BOOL: (pool.C1)
