// Axes change places.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/perm.mlir 2>&1 | FileCheck %s --check-prefix=PERM

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?xf32, #pliant.shape<"B", "3", "N">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}) -> (tensor<?x?x3xf32>, tensor<3x2xf32>, tensor<3x?xf32>) {
  %0 = pliant.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<?x3x?xf32, #pliant.shape<"B", "3", "N">>) -> tensor<?x?x3xf32>
  %1 = pliant.transpose %y {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = pliant.transpose %z {perm = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  return %0, %1, %2 : tensor<?x?x3xf32>, tensor<3x2xf32>, tensor<3x?xf32>
}

// TYPES: pliant.transpose {{.*}}-> tensor<?x?x3xf32, #pliant.shape<"N", "B", "3">>{{$}}
// TYPES: pliant.transpose {{.*}}-> tensor<3x2xf32>{{$}}
// TYPES: pliant.transpose {{.*}}-> tensor<3x?xf32, #pliant.shape<"3", "z.0">>{{$}}

// PLAN: launch

//--- perm.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.transpose %x {perm = array<i64: 0, 0>} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// PERM: (0, 0) is no permutation{{.*}}(B, 3){{.*}}(transpose.C1)
