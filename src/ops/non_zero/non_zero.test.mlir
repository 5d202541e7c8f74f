// A row per axis, a column per element.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3x4xi1> {pliant.name = "y"}, %z: tensor<?xi64> {pliant.name = "z"}) -> (tensor<2x?xi64>, tensor<3x5xi64>, tensor<1x0xi64>) {
  %0 = pliant.non_zero %x {count = #pliant.shape<"B">} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<2x?xi64>
  %1 = pliant.non_zero %y {count = #pliant.shape<"5">} : (tensor<2x3x4xi1>) -> tensor<3x5xi64>
  %2 = pliant.non_zero %z {count = #pliant.shape<"0">} : (tensor<?xi64>) -> tensor<1x0xi64>
  return %0, %1, %2 : tensor<2x?xi64>, tensor<3x5xi64>, tensor<1x0xi64>
}

// TYPES: pliant.non_zero {{.*}}-> tensor<2x?xi64, #pliant.shape<"2", "B">>{{$}}
// TYPES: pliant.non_zero {{.*}}-> tensor<3x5xi64>{{$}}
// TYPES: pliant.non_zero {{.*}}-> tensor<1x0xi64>{{$}}

// PLAN: launch

//--- count.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}) -> (tensor<2x?xi64>) {
  %0 = pliant.non_zero %x {count = #pliant.shape<"-2">} : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<2x?xi64>
  return %0 : tensor<2x?xi64>
}

// COUNT: (non_zero.C1)
