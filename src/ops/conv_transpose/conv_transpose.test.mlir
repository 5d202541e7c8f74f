// Output extents grow by the stride.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/channels.mlir 2>&1 | FileCheck %s --check-prefix=CHANNELS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "x"}, %y: tensor<1x3x10xf32> {pliant.name = "y"}, %z: tensor<?x3x8x8xf32> {pliant.name = "z"}, %w: tensor<3x6x2x2xf32> {pliant.name = "w"}, %w1: tensor<3x4x3xf32> {pliant.name = "w1"}) -> (tensor<?x6x?x?xf32>, tensor<1x4x20xf32>, tensor<?x6x16x16xf32>) {
  %0 = pliant.conv_transpose %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, outputPadding = #pliant.shape<"0", "0">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>, tensor<3x6x2x2xf32>) -> tensor<?x6x?x?xf32>
  %1 = pliant.conv_transpose %y, %w1 {strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"1", "1">, outputPadding = #pliant.shape<"1">, groups = 1 : i64, channelsLast = false} : (tensor<1x3x10xf32>, tensor<3x4x3xf32>) -> tensor<1x4x20xf32>
  %2 = pliant.conv_transpose %z, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, outputPadding = #pliant.shape<"0", "0">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x8x8xf32>, tensor<3x6x2x2xf32>) -> tensor<?x6x16x16xf32>
  return %0, %1, %2 : tensor<?x6x?x?xf32>, tensor<1x4x20xf32>, tensor<?x6x16x16xf32>
}

// TYPES: pliant.conv_transpose {{.*}}-> tensor<?x6x?x?xf32, #pliant.shape<"B", "6", "2*H", "2*W">>{{$}}
// TYPES: pliant.conv_transpose {{.*}}-> tensor<1x4x20xf32>{{$}}
// TYPES: pliant.conv_transpose {{.*}}-> tensor<?x6x16x16xf32, #pliant.shape<"z.0", "6", "16", "16">>{{$}}

// PLAN: launch

//--- channels.mlir
func.func @main(%x: tensor<?x4x?x?xf32, #pliant.shape<"B", "4", "H", "W">> {pliant.name = "x"}, %w: tensor<3x6x2x2xf32> {pliant.name = "w"}) -> (tensor<?x6x?x?xf32>) {
  %0 = pliant.conv_transpose %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"0", "0", "0", "0">, outputPadding = #pliant.shape<"0", "0">, groups = 1 : i64, channelsLast = false} : (tensor<?x4x?x?xf32, #pliant.shape<"B", "4", "H", "W">>, tensor<3x6x2x2xf32>) -> tensor<?x6x?x?xf32>
  return %0 : tensor<?x6x?x?xf32>
}

// CHANNELS: x has 4 channels but w has 3{{.*}}(conv_transpose.C3)
