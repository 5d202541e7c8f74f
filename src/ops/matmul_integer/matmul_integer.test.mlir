// Bytes in, i32 out; inner extents agree, leading ones broadcast.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/inner.mlir 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not pliant compile %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x4xui8, #pliant.shape<"B", "4">> {pliant.name = "x"}, %y: tensor<2x4xi8> {pliant.name = "y"}, %z: tensor<?x5x4xui8> {pliant.name = "z"}, %w: tensor<4x3xi8> {pliant.name = "w"}, %v: tensor<4x?xui8, #pliant.shape<"4", "N">> {pliant.name = "v"}, %u: tensor<ui8> {pliant.name = "u"}, %i: tensor<i8> {pliant.name = "i"}) -> (tensor<?x3xi32>, tensor<2x3xi32>, tensor<?x5x?xi32>) {
  %0 = pliant.matmul_integer %x, %w, %u : (tensor<?x4xui8, #pliant.shape<"B", "4">>, tensor<4x3xi8>, tensor<ui8>) -> tensor<?x3xi32>
  %1 = pliant.matmul_integer %y, %w, %i : (tensor<2x4xi8>, tensor<4x3xi8>, tensor<i8>) -> tensor<2x3xi32>
  %2 = pliant.matmul_integer %z, %v, %u : (tensor<?x5x4xui8>, tensor<4x?xui8, #pliant.shape<"4", "N">>, tensor<ui8>) -> tensor<?x5x?xi32>
  return %0, %1, %2 : tensor<?x3xi32>, tensor<2x3xi32>, tensor<?x5x?xi32>
}

// TYPES: pliant.matmul_integer {{.*}}-> tensor<?x3xi32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.matmul_integer {{.*}}-> tensor<2x3xi32>{{$}}
// TYPES: pliant.matmul_integer {{.*}}-> tensor<?x5x?xi32, #pliant.shape<"z.0", "5", "N">>{{$}}

// PLAN: launch

//--- inner.mlir
func.func @main(%x: tensor<?x4xui8, #pliant.shape<"B", "4">> {pliant.name = "x"}, %w: tensor<5x3xi8> {pliant.name = "w"}, %u: tensor<ui8> {pliant.name = "u"}) -> (tensor<?x3xi32>) {
  %0 = pliant.matmul_integer %x, %w, %u : (tensor<?x4xui8, #pliant.shape<"B", "4">>, tensor<5x3xi8>, tensor<ui8>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// INNER: inner extents 4 and 5 differ{{.*}}(matmul_integer.C2)

//--- type.mlir
func.func @main(%x: tensor<?x4xui8, #pliant.shape<"B", "4">> {pliant.name = "x"}, %w: tensor<4x3xi16> {pliant.name = "w"}, %u: tensor<ui8> {pliant.name = "u"}) -> (tensor<?x3xi32>) {
  %0 = pliant.matmul_integer %x, %w, %u : (tensor<?x4xui8, #pliant.shape<"B", "4">>, tensor<4x3xi16>, tensor<ui8>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// TYPE: (matmul_integer.C1)
