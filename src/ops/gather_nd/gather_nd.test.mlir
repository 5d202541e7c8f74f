// The last axis of the indices walks into x.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/depth.mlir 2>&1 | FileCheck %s --check-prefix=DEPTH

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x4xf32, #pliant.shape<"B", "3", "4">> {pliant.name = "x"}, %y: tensor<5x6xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %i: tensor<?x2xi64, #pliant.shape<"N", "2">> {pliant.name = "i"}, %j: tensor<7x1xi64> {pliant.name = "j"}, %k: tensor<?x2xi64> {pliant.name = "k"}) -> (tensor<?x4xf32>, tensor<7x6xf32>, tensor<?xf32>) {
  %0 = pliant.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<?x3x4xf32, #pliant.shape<"B", "3", "4">>, tensor<?x2xi64, #pliant.shape<"N", "2">>) -> tensor<?x4xf32>
  %1 = pliant.gather_nd %y, %j {batchDims = 0 : i64} : (tensor<5x6xf32>, tensor<7x1xi64>) -> tensor<7x6xf32>
  %2 = pliant.gather_nd %z, %k {batchDims = 0 : i64} : (tensor<?x3xf32>, tensor<?x2xi64>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<7x6xf32>, tensor<?xf32>
}

// TYPES: pliant.gather_nd {{.*}}-> tensor<?x4xf32, #pliant.shape<"N", "4">>{{$}}
// TYPES: pliant.gather_nd {{.*}}-> tensor<7x6xf32>{{$}}
// TYPES: pliant.gather_nd {{.*}}-> tensor<?xf32, #pliant.shape<"k.0">>{{$}}

// PLAN: launch

//--- depth.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}, %i: tensor<?x2xi64, #pliant.shape<"N", "2">> {pliant.name = "i"}) -> (tensor<?xf32>) {
  %0 = pliant.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<?xf32, #pliant.shape<"B">>, tensor<?x2xi64, #pliant.shape<"N", "2">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// DEPTH: the last axis of the indices must be a constant of at most 1{{.*}}(gather_nd.C2)
