// The indices take the place of the axis.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<10x4xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %i: tensor<?x2xi64, #pliant.shape<"N", "2">> {pliant.name = "i"}, %j: tensor<5xi32> {pliant.name = "j"}) -> (tensor<?x2x3xf32>, tensor<10x5xf32>, tensor<?x?x2xf32>) {
  %0 = pliant.gather %x, %i {axis = 0 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x2xi64, #pliant.shape<"N", "2">>) -> tensor<?x2x3xf32>
  %1 = pliant.gather %y, %j {axis = 1 : i64} : (tensor<10x4xf32>, tensor<5xi32>) -> tensor<10x5xf32>
  %2 = pliant.gather %z, %i {axis = 1 : i64} : (tensor<?x3xf32>, tensor<?x2xi64, #pliant.shape<"N", "2">>) -> tensor<?x?x2xf32>
  return %0, %1, %2 : tensor<?x2x3xf32>, tensor<10x5xf32>, tensor<?x?x2xf32>
}

// TYPES: pliant.gather {{.*}}-> tensor<?x2x3xf32, #pliant.shape<"N", "2", "3">>{{$}}
// TYPES: pliant.gather {{.*}}-> tensor<10x5xf32>{{$}}
// TYPES: pliant.gather {{.*}}-> tensor<?x?x2xf32, #pliant.shape<"z.0", "N", "2">>{{$}}

// PLAN: launch

//--- type.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %i: tensor<?xf32, #pliant.shape<"N">> {pliant.name = "i"}) -> (tensor<?x3xf32>) {
  %0 = pliant.gather %x, %i {axis = 0 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?xf32, #pliant.shape<"N">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// TYPE: (gather.C1)

//--- axis.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %i: tensor<?xi64, #pliant.shape<"N">> {pliant.name = "i"}) -> (tensor<?x3xf32>) {
  %0 = pliant.gather %x, %i {axis = 2 : i64} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?xi64, #pliant.shape<"N">>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// AXIS: (gather.C2)
