// Output extents are exact; channels-last differs in the layout of x and the result.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/channels.mlir 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not pliant compile %t/small.mlir 2>&1 | FileCheck %s --check-prefix=SMALL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "x"}, %y: tensor<1x3x10xf32> {pliant.name = "y"}, %z: tensor<?x8x8x3xf32> {pliant.name = "z"}, %w: tensor<6x3x3x3xf32> {pliant.name = "w"}, %w1: tensor<3x1x3xf32> {pliant.name = "w1"}) -> (tensor<?x6x?x?xf32>, tensor<1x3x6xf32>, tensor<?x8x8x6xf32>) {
  %0 = pliant.conv %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>, tensor<6x3x3x3xf32>) -> tensor<?x6x?x?xf32>
  %1 = pliant.conv %y, %w1 {strides = array<i64: 1>, dilations = array<i64: 2>, pads = #pliant.shape<"0", "0">, groups = 3 : i64, channelsLast = false} : (tensor<1x3x10xf32>, tensor<3x1x3xf32>) -> tensor<1x3x6xf32>
  %2 = pliant.conv %z, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = true} : (tensor<?x8x8x3xf32>, tensor<6x3x3x3xf32>) -> tensor<?x8x8x6xf32>
  return %0, %1, %2 : tensor<?x6x?x?xf32>, tensor<1x3x6xf32>, tensor<?x8x8x6xf32>
}

// TYPES: pliant.conv {{.*}}-> tensor<?x6x?x?xf32, #pliant.shape<"B", "6", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1">>{{$}}
// TYPES: pliant.conv {{.*}}-> tensor<1x3x6xf32>{{$}}
// TYPES: pliant.conv {{.*}}-> tensor<?x8x8x6xf32, #pliant.shape<"z.0", "8", "8", "6">>{{$}}

// PLAN: launch

//--- channels.mlir
func.func @main(%x: tensor<?x4x?x?xf32, #pliant.shape<"B", "4", "H", "W">> {pliant.name = "x"}, %w: tensor<6x3x3x3xf32> {pliant.name = "w"}) -> (tensor<?x6x?x?xf32>) {
  %0 = pliant.conv %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x4x?x?xf32, #pliant.shape<"B", "4", "H", "W">>, tensor<6x3x3x3xf32>) -> tensor<?x6x?x?xf32>
  return %0 : tensor<?x6x?x?xf32>
}

// CHANNELS: x has 4 channels but w has 3 times 1{{.*}}(conv.C3)

//--- small.mlir
func.func @main(%x: tensor<1x3x2x2xf32> {pliant.name = "x"}, %w: tensor<6x3x7x7xf32> {pliant.name = "w"}) -> (tensor<1x6x0x0xf32>) {
  %0 = pliant.conv %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<1x3x2x2xf32>, tensor<6x3x7x7xf32>) -> tensor<1x6x0x0xf32>
  return %0 : tensor<1x6x0x0xf32>
}

// SMALL: (conv.C5)
