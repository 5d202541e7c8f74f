// The axis vanishes or stays with extent 1; the result is i64.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not pliant compile %t/bool.mlir 2>&1 | FileCheck %s --check-prefix=BOOL

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}) -> (tensor<?xi64>, tensor<1x3xi64>, tensor<3xi64>) {
  %0 = pliant.arg_max %x {axis = 1 : i64, keepDims = false, lastIndex = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?xi64>
  %1 = pliant.arg_min %y {axis = 0 : i64, keepDims = true, lastIndex = false} : (tensor<2x3xf32>) -> tensor<1x3xi64>
  %2 = pliant.arg_max %z {axis = 0 : i64, keepDims = false, lastIndex = true} : (tensor<?x3xf32>) -> tensor<3xi64>
  return %0, %1, %2 : tensor<?xi64>, tensor<1x3xi64>, tensor<3xi64>
}

// TYPES: pliant.arg_max {{.*}}-> tensor<?xi64, #pliant.shape<"B">>{{$}}
// TYPES: pliant.arg_min {{.*}}-> tensor<1x3xi64>{{$}}
// TYPES: pliant.arg_max {{.*}}-> tensor<3xi64>{{$}}

// PLAN: launch

//--- axis.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<?xi64>) {
  %0 = pliant.arg_max %x {axis = 2 : i64, keepDims = false, lastIndex = false} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// AXIS: axis 2 is outside x of shape (B, 3){{.*}}(arg_reduce.C1)

//--- bool.mlir
func.func @main(%x: tensor<2x3xi1> {pliant.name = "x"}) -> (tensor<2xi64>) {
  %0 = pliant.arg_max %x {axis = 1 : i64, keepDims = false, lastIndex = false} : (tensor<2x3xi1>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// BOOL: (arg_reduce.C2)
