// Inner extents agree, leading ones broadcast.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/inner.mlir 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not pliant compile %t/vector.mlir 2>&1 | FileCheck %s --check-prefix=VECTOR

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">> {pliant.name = "x"}, %y: tensor<2x4xf32> {pliant.name = "y"}, %z: tensor<?x5x4xf32> {pliant.name = "z"}, %w: tensor<4x3xf32> {pliant.name = "w"}, %v: tensor<4x?xf32, #pliant.shape<"4", "N">> {pliant.name = "v"}) -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x5x?xf32>) {
  %0 = pliant.matmul %x, %w : (tensor<?x4xf32, #pliant.shape<"B", "4">>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = pliant.matmul %y, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %2 = pliant.matmul %z, %v : (tensor<?x5x4xf32>, tensor<4x?xf32, #pliant.shape<"4", "N">>) -> tensor<?x5x?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x5x?xf32>
}

// TYPES: pliant.matmul {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.matmul {{.*}}-> tensor<2x3xf32>{{$}}
// TYPES: pliant.matmul {{.*}}-> tensor<?x5x?xf32, #pliant.shape<"z.0", "5", "N">>{{$}}

// PLAN: launch

//--- inner.mlir
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">> {pliant.name = "x"}, %w: tensor<5x?xf32, #pliant.shape<"5", "N">> {pliant.name = "w"}) -> (tensor<?x?xf32>) {
  %0 = pliant.matmul %x, %w : (tensor<?x4xf32, #pliant.shape<"B", "4">>, tensor<5x?xf32, #pliant.shape<"5", "N">>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// INNER: lhs has shape (B, 4) but rhs has shape (5, N): inner extents 4 and 5 differ (matmul.C2)

//--- vector.mlir
func.func @main(%x: tensor<4xf32> {pliant.name = "x"}, %w: tensor<4x3xf32> {pliant.name = "w"}) -> (tensor<3xf32>) {
  %0 = pliant.matmul %x, %w : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// VECTOR: (matmul.C4)
