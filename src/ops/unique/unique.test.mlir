// Lists as long as the axis, and how much of them means something.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/axis.mlir 2>&1 | FileCheck %s --check-prefix=AXIS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "N">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?xi64> {pliant.name = "z"}) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) {
  %0:4 = pliant.unique %x {axis = 1 : i64, sorted = true} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %1:4 = pliant.unique %y {axis = 0 : i64, sorted = false} : (tensor<2x3xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>)
  %2:4 = pliant.unique %z {axis = 0 : i64, sorted = true} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  return %0#0, %0#1, %0#2, %0#3, %1#0, %1#1, %1#2, %1#3, %2#0, %2#1, %2#2, %2#3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// TYPES: pliant.unique {{.*}}-> (tensor<?xi64, #pliant.shape<"N">>, tensor<?xi64, #pliant.shape<"N">>, tensor<?xi64, #pliant.shape<"N">>, tensor<i64>){{$}}
// TYPES: pliant.unique {{.*}}-> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>){{$}}
// TYPES: pliant.unique {{.*}}-> (tensor<?xi64, #pliant.shape<"z.0">>, tensor<?xi64, #pliant.shape<"z.0">>, tensor<?xi64, #pliant.shape<"z.0">>, tensor<i64>){{$}}

// PLAN: launch

//--- axis.mlir
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "N">> {pliant.name = "x"}) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) {
  %0:4 = pliant.unique %x {axis = 2 : i64, sorted = true} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// AXIS: axis 2 is outside x of shape (B, N){{.*}}(unique.C1)
