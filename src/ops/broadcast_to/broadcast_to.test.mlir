// The target is given; each axis of x is 1 or equal to it.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/extent.mlir 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not pliant compile %t/rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x1xf32, #pliant.shape<"B", "1">> {pliant.name = "x"}, %y: tensor<2x1xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}) -> (tensor<?x?xf32>, tensor<4x2x5xf32>, tensor<?x3xf32>) {
  %0 = pliant.broadcast_to %x {shape = #pliant.shape<"B", "2*B">} : (tensor<?x1xf32, #pliant.shape<"B", "1">>) -> tensor<?x?xf32>
  %1 = pliant.broadcast_to %y {shape = #pliant.shape<"4", "2", "5">} : (tensor<2x1xf32>) -> tensor<4x2x5xf32>
  %2 = pliant.broadcast_to %z {shape = #pliant.shape<"z.0", "3">} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<4x2x5xf32>, tensor<?x3xf32>
}

// TYPES: pliant.broadcast_to {{.*}}-> tensor<?x?xf32, #pliant.shape<"B", "2*B">>{{$}}
// TYPES: pliant.broadcast_to {{.*}}-> tensor<4x2x5xf32>{{$}}
// TYPES: pliant.broadcast_to {{.*}}-> tensor<?x3xf32, #pliant.shape<"z.0", "3">>{{$}}

// PLAN: launch

//--- extent.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?x4xf32>) {
  %0 = pliant.broadcast_to %x {shape = #pliant.shape<"B", "4">} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// EXTENT: (B, 3) cannot be broadcast to (B, 4): extent 3{{.*}}(broadcast_to.C2)

//--- rank.mlir
func.func @main(%x: tensor<2x3xf32> {pliant.name = "x"}) -> (tensor<3xf32>) {
  %0 = pliant.broadcast_to %x {shape = #pliant.shape<"3">} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// RANK: (broadcast_to.C1)
