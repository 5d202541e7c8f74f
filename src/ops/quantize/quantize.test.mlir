// The shape stays, the element type is that of the zero point or of the scale.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "C">> {pliant.name = "x"}, %s: tensor<?xf32, #pliant.shape<"C">> {pliant.name = "s"}, %z: tensor<?xui8, #pliant.shape<"C">> {pliant.name = "z"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %t: tensor<f32> {pliant.name = "t"}, %w: tensor<i8> {pliant.name = "w"}, %v: tensor<?x3xui8> {pliant.name = "v"}, %u: tensor<ui8> {pliant.name = "u"}) -> (tensor<?x?xui8>, tensor<2x3xi8>, tensor<?x3xf32>) {
  %0 = pliant.quantize %x, %s, %z {axis = 1 : i64} : (tensor<?x?xf32, #pliant.shape<"B", "C">>, tensor<?xf32, #pliant.shape<"C">>, tensor<?xui8, #pliant.shape<"C">>) -> tensor<?x?xui8>
  %1 = pliant.quantize %y, %t, %w {axis = 0 : i64} : (tensor<2x3xf32>, tensor<f32>, tensor<i8>) -> tensor<2x3xi8>
  %2 = pliant.dequantize %v, %t, %u {axis = 0 : i64} : (tensor<?x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x?xui8>, tensor<2x3xi8>, tensor<?x3xf32>
}

// TYPES: pliant.quantize {{.*}}-> tensor<?x?xui8, #pliant.shape<"B", "C">>{{$}}
// TYPES: pliant.quantize {{.*}}-> tensor<2x3xi8>{{$}}
// TYPES: pliant.dequantize {{.*}}-> tensor<?x3xf32, #pliant.shape<"v.0", "3">>{{$}}

// PLAN: launch

//--- type.mlir
func.func @main(%x: tensor<2x3xf32> {pliant.name = "x"}, %t: tensor<f32> {pliant.name = "t"}, %w: tensor<i64> {pliant.name = "w"}) -> (tensor<2x3xi64>) {
  %0 = pliant.quantize %x, %t, %w {axis = 0 : i64} : (tensor<2x3xf32>, tensor<f32>, tensor<i64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// TYPE: (quantize.C1)

//--- axis.mlir
func.func @main(%x: tensor<2x3xf32> {pliant.name = "x"}, %s: tensor<2xf32> {pliant.name = "s"}, %z: tensor<2xui8> {pliant.name = "z"}) -> (tensor<2x3xui8>) {
  %0 = pliant.quantize %x, %s, %z {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// AXIS: (quantize.C3)
