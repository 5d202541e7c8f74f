// Bytes in, i32 out; output extents are exact.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/channels.mlir 2>&1 | FileCheck %s --check-prefix=CHANNELS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?x?xui8, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "x"}, %y: tensor<1x3x10xi8> {pliant.name = "y"}, %z: tensor<?x8x8x3xui8> {pliant.name = "z"}, %w: tensor<6x3x3x3xi8> {pliant.name = "w"}, %w1: tensor<3x1x3xui8> {pliant.name = "w1"}, %u: tensor<ui8> {pliant.name = "u"}, %i: tensor<i8> {pliant.name = "i"}) -> (tensor<?x6x?x?xi32>, tensor<1x3x6xi32>, tensor<?x8x8x6xi32>) {
  %0 = pliant.conv_integer %x, %w, %u {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x?x?xui8, #pliant.shape<"B", "3", "H", "W">>, tensor<6x3x3x3xi8>, tensor<ui8>) -> tensor<?x6x?x?xi32>
  %1 = pliant.conv_integer %y, %w1, %i {strides = array<i64: 1>, dilations = array<i64: 2>, pads = #pliant.shape<"0", "0">, groups = 3 : i64, channelsLast = false} : (tensor<1x3x10xi8>, tensor<3x1x3xui8>, tensor<i8>) -> tensor<1x3x6xi32>
  %2 = pliant.conv_integer %z, %w, %u {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = true} : (tensor<?x8x8x3xui8>, tensor<6x3x3x3xi8>, tensor<ui8>) -> tensor<?x8x8x6xi32>
  return %0, %1, %2 : tensor<?x6x?x?xi32>, tensor<1x3x6xi32>, tensor<?x8x8x6xi32>
}

// TYPES: pliant.conv_integer {{.*}}-> tensor<?x6x?x?xi32, #pliant.shape<"B", "6", "floordiv(H-1, 2)+1", "floordiv(W-1, 2)+1">>{{$}}
// TYPES: pliant.conv_integer {{.*}}-> tensor<1x3x6xi32>{{$}}
// TYPES: pliant.conv_integer {{.*}}-> tensor<?x8x8x6xi32, #pliant.shape<"z.0", "8", "8", "6">>{{$}}

// PLAN: launch

//--- channels.mlir
func.func @main(%x: tensor<?x4x?x?xui8, #pliant.shape<"B", "4", "H", "W">> {pliant.name = "x"}, %w: tensor<6x3x3x3xi8> {pliant.name = "w"}, %u: tensor<ui8> {pliant.name = "u"}) -> (tensor<?x6x?x?xi32>) {
  %0 = pliant.conv_integer %x, %w, %u {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x4x?x?xui8, #pliant.shape<"B", "4", "H", "W">>, tensor<6x3x3x3xi8>, tensor<ui8>) -> tensor<?x6x?x?xi32>
  return %0 : tensor<?x6x?x?xi32>
}

// CHANNELS: x has 4 channels but w has 3 times 1{{.*}}(conv_integer.C3)
