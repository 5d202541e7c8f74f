// The result has the shape of the indices.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<10x4xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %i: tensor<?x2xi64, #pliant.shape<"B", "2">> {pliant.name = "i"}, %j: tensor<10x5xi64> {pliant.name = "j"}, %k: tensor<?x3xi64, #pliant.shape<"N", "3">> {pliant.name = "k"}) -> (tensor<?x2xf32>, tensor<10x5xf32>, tensor<?x3xf32>) {
  %0 = pliant.gather_elements %x, %i {axis = 1 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x2xi64, #pliant.shape<"B", "2">>) -> tensor<?x2xf32>
  %1 = pliant.gather_elements %y, %j {axis = 1 : i64} : (tensor<10x4xf32>, tensor<10x5xi64>) -> tensor<10x5xf32>
  %2 = pliant.gather_elements %z, %k {axis = 0 : i64} : (tensor<?x3xf32>, tensor<?x3xi64, #pliant.shape<"N", "3">>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<10x5xf32>, tensor<?x3xf32>
}

// TYPES: pliant.gather_elements {{.*}}-> tensor<?x2xf32, #pliant.shape<"B", "2">>{{$}}
// TYPES: pliant.gather_elements {{.*}}-> tensor<10x5xf32>{{$}}
// TYPES: pliant.gather_elements {{.*}}-> tensor<?x3xf32, #pliant.shape<"N", "3">>{{$}}

// PLAN: launch

//--- rank.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %i: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "i"}) -> (tensor<?xf32>) {
  %0 = pliant.gather_elements %x, %i {axis = 0 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// RANK: (B, 3) but the indices have shape (B{{.*}}(gather_elements.C2)
