// Products of dequantised bytes become integer contractions; weights that are dequantised alone stay bytes.
// RUN: split-file %s %t
// RUN: pliant compile %t/pairs.mlir --stop-after integers | FileCheck %s --check-prefix=PAIRS
// RUN: pliant compile %t/alone.mlir --start-after import --stop-after integers | FileCheck %s --check-prefix=ALONE
// RUN: pliant compile %t/not.mlir --stop-after integers | FileCheck %s --check-prefix=NOT --implicit-check-not=_integer

// A matrix product with one scale per column, behind a transpose; a convolution whose filters have a zero point.
//--- pairs.mlir
func.func @main(%x: tensor<?x8xui8, #pliant.shape<"B", "8">> {pliant.name = "x"}, %w: tensor<6x8xi8> {pliant.name = "w"}, %i: tensor<?x3x?x?xi8, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "i"}, %f: tensor<4x3x3x3xui8> {pliant.name = "f"}, %s: tensor<f32> {pliant.name = "s"}, %t: tensor<6xf32> {pliant.name = "t"}, %u: tensor<ui8> {pliant.name = "u"}, %z: tensor<6xi8> {pliant.name = "z"}, %v: tensor<i8> {pliant.name = "v"}) -> (tensor<?x6xf32>, tensor<?x4x?x?xf32>) {
  %0 = pliant.dequantize %x, %s, %u {axis = 0 : i64} : (tensor<?x8xui8, #pliant.shape<"B", "8">>, tensor<f32>, tensor<ui8>) -> tensor<?x8xf32>
  %1 = pliant.dequantize %w, %t, %z {axis = 0 : i64} : (tensor<6x8xi8>, tensor<6xf32>, tensor<6xi8>) -> tensor<6x8xf32>
  %2 = pliant.transpose %1 {perm = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %3 = pliant.matmul %0, %2 : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %4 = pliant.dequantize %i, %s, %v {axis = 0 : i64} : (tensor<?x3x?x?xi8, #pliant.shape<"B", "3", "H", "W">>, tensor<f32>, tensor<i8>) -> tensor<?x3x?x?xf32>
  %5 = pliant.dequantize %f, %s, %u {axis = 0 : i64} : (tensor<4x3x3x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x3x3x3xf32>
  %6 = pliant.conv %4, %5 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = #pliant.shape<"1", "1", "1", "1">, groups = 1 : i64, channelsLast = false} : (tensor<?x3x?x?xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32>
  return %3, %6 : tensor<?x6xf32>, tensor<?x4x?x?xf32>
}

// PAIRS: %[[W:.*]] = pliant.transpose %arg1
// PAIRS: %[[SUM:.*]] = pliant.matmul_integer %arg0, %[[W]], %arg6
// PAIRS: pliant.cast {{.*}}-> tensor<?x6xf32
// PAIRS: pliant.conv_integer %arg2, %arg3, %arg8
// PAIRS: pliant.conv_integer %arg2, %{{.*}}tensor<1x3x3x3xi8>
// PAIRS: pliant.cast {{.*}}-> tensor<?x4x?x?xf32

// The weight is widened where it is read; its scale is applied to the result.
//--- alone.mlir
func.func @main(%x: tensor<?x8xf32, #pliant.shape<"B", "8">> {pliant.name = "x"}, %s: tensor<f32> {pliant.name = "s"}) -> (tensor<?x2xf32, #pliant.shape<"B", "2">>) {
  %w = pliant.weight {index = 0 : i64, dtype = i8, shape = #pliant.shape<"8", "2">} : () -> tensor<8x2xi8>
  %z = pliant.constant {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %0 = pliant.dequantize %w, %s, %z {axis = 0 : i64} : (tensor<8x2xi8>, tensor<f32>, tensor<i8>) -> tensor<8x2xf32>
  %1 = pliant.matmul %x, %0 : (tensor<?x8xf32, #pliant.shape<"B", "8">>, tensor<8x2xf32>) -> tensor<?x2xf32, #pliant.shape<"B", "2">>
  return %1 : tensor<?x2xf32, #pliant.shape<"B", "2">>
}

// ALONE: %[[WIDE:.*]] = pliant.cast %{{.*}}(tensor<8x2xi8>) -> tensor<8x2xf32>
// ALONE: %[[SUM:.*]] = pliant.matmul %arg0, %[[WIDE]]
// ALONE: pliant.mul %[[SUM]]

// A list of scales on the left, or along k on the right, is no factor of the result.
//--- not.mlir
func.func @main(%x: tensor<?x8xui8, #pliant.shape<"B", "8">> {pliant.name = "x"}, %w: tensor<8x6xi8> {pliant.name = "w"}, %s: tensor<f32> {pliant.name = "s"}, %t: tensor<8xf32> {pliant.name = "t"}, %u: tensor<ui8> {pliant.name = "u"}, %z: tensor<8xi8> {pliant.name = "z"}) -> (tensor<?x6xf32>) {
  %0 = pliant.dequantize %x, %s, %u {axis = 0 : i64} : (tensor<?x8xui8, #pliant.shape<"B", "8">>, tensor<f32>, tensor<ui8>) -> tensor<?x8xf32>
  %1 = pliant.dequantize %w, %t, %z {axis = 0 : i64} : (tensor<8x6xi8>, tensor<8xf32>, tensor<8xi8>) -> tensor<8x6xf32>
  %2 = pliant.matmul %0, %1 : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  return %2 : tensor<?x6xf32>
}

// NOT: pliant.matmul
