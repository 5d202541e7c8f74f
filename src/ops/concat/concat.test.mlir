// Extents along the axis add up; the others must be equal, which the run tests when nothing decides it.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/extents.mlir 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %w: tensor<?x4xf32, #pliant.shape<"B", "4">> {pliant.name = "w"}) -> (tensor<?x3xf32>, tensor<?x7xf32>, tensor<4x3xf32>, tensor<?x6xf32>) {
  %0 = pliant.concat %x, %z {axis = 0 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = pliant.concat %x, %w {axis = 1 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<?x7xf32>
  %2 = pliant.concat %y, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = pliant.concat %x, %z {axis = 1 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x3xf32>) -> tensor<?x6xf32>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<?x7xf32>, tensor<4x3xf32>, tensor<?x6xf32>
}

// TYPES: pliant.concat {{.*}}-> tensor<?x3xf32, #pliant.shape<"B+z.0", "3">>{{$}}
// TYPES: pliant.concat {{.*}}-> tensor<?x7xf32, #pliant.shape<"B", "7">>{{$}}
// TYPES: pliant.concat {{.*}}-> tensor<4x3xf32>{{$}}
// TYPES: pliant.concat {{.*}}-> tensor<?x6xf32, #pliant.shape<"B", "6">>{{$}}

// PLAN: check B z.0
// PLAN: launch

//--- extents.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<?x4xf32, #pliant.shape<"B", "4">> {pliant.name = "y"}) -> (tensor<?x3xf32>) {
  %0 = pliant.concat %x, %y {axis = 0 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// EXTENTS: lhs has shape (B, 3) but rhs has shape (B, 4): extents of axis 1{{.*}}3 and 4 differ (concat.C4)

//--- axis.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x3xf32>) {
  %0 = pliant.concat %x, %x {axis = 2 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// AXIS: (concat.C3)
