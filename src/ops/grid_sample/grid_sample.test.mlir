// Places take the room of the spatial axes.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not pliant compile %t/mode.mlir 2>&1 | FileCheck %s --check-prefix=MODE

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">> {pliant.name = "x"}, %g: tensor<?x?x1xf32, #pliant.shape<"B", "P", "1">> {pliant.name = "g"}, %y: tensor<1x2x4x4xf32> {pliant.name = "y"}, %h: tensor<1x5x6x2xf32> {pliant.name = "h"}, %z: tensor<?x2x8xf32> {pliant.name = "z"}, %k: tensor<?x7x1xf32> {pliant.name = "k"}) -> (tensor<?x2x?xf32>, tensor<1x2x5x6xf32>, tensor<?x2x7xf32>) {
  %0 = pliant.grid_sample %x, %g {mode = "linear", padding = "zeros", alignCorners = false} : (tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">>, tensor<?x?x1xf32, #pliant.shape<"B", "P", "1">>) -> tensor<?x2x?xf32>
  %1 = pliant.grid_sample %y, %h {mode = "linear", padding = "zeros", alignCorners = false} : (tensor<1x2x4x4xf32>, tensor<1x5x6x2xf32>) -> tensor<1x2x5x6xf32>
  %2 = pliant.grid_sample %z, %k {mode = "linear", padding = "zeros", alignCorners = false} : (tensor<?x2x8xf32>, tensor<?x7x1xf32>) -> tensor<?x2x7xf32>
  return %0, %1, %2 : tensor<?x2x?xf32>, tensor<1x2x5x6xf32>, tensor<?x2x7xf32>
}

// TYPES: pliant.grid_sample {{.*}}-> tensor<?x2x?xf32, #pliant.shape<"B", "2", "P">>{{$}}
// TYPES: pliant.grid_sample {{.*}}-> tensor<1x2x5x6xf32>{{$}}
// TYPES: pliant.grid_sample {{.*}}-> tensor<?x2x7xf32, #pliant.shape<"z.0", "2", "7">>{{$}}

// PLAN: launch

//--- rank.mlir
func.func @main(%x: tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">> {pliant.name = "x"}, %g: tensor<1x5x6x2xf32> {pliant.name = "g"}) -> (tensor<?x2x?xf32>) {
  %0 = pliant.grid_sample %x, %g {mode = "linear", padding = "zeros", alignCorners = false} : (tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">>, tensor<1x5x6x2xf32>) -> tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}

// RANK: (grid_sample.C2)

//--- mode.mlir
func.func @main(%x: tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">> {pliant.name = "x"}, %g: tensor<?x?x1xf32, #pliant.shape<"B", "P", "1">> {pliant.name = "g"}) -> (tensor<?x2x?xf32>) {
  %0 = pliant.grid_sample %x, %g {mode = "area", padding = "zeros", alignCorners = false} : (tensor<?x2x?xf32, #pliant.shape<"B", "2", "W">>, tensor<?x?x1xf32, #pliant.shape<"B", "P", "1">>) -> tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}

// MODE: (grid_sample.C4)
