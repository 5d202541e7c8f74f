// The number of elements is proved equal, or tested by the run.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x6xf32, #pliant.shape<"B", "6">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}) -> (tensor<?x3xf32>, tensor<6xf32>, tensor<3x?xf32>) {
  %0 = pliant.reshape %x {shape = #pliant.shape<"2*B", "3">} : (tensor<?x6xf32, #pliant.shape<"B", "6">>) -> tensor<?x3xf32>
  %1 = pliant.reshape %y {shape = #pliant.shape<"6">} : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = pliant.reshape %z {shape = #pliant.shape<"3", "B">} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<6xf32>, tensor<3x?xf32>
}

// TYPES: pliant.reshape {{.*}}-> tensor<?x3xf32, #pliant.shape<"2*B", "3">>{{$}}
// TYPES: pliant.reshape {{.*}}-> tensor<6xf32>{{$}}
// TYPES: pliant.reshape {{.*}}-> tensor<3x?xf32, #pliant.shape<"3", "B">>{{$}}

// PLAN: check 3*z.0 3*B

//--- count.mlir
func.func @main(%x: tensor<2x6xf32> {pliant.name = "x"}) -> (tensor<2x5xf32>) {
  %0 = pliant.reshape %x {shape = #pliant.shape<"2", "5">} : (tensor<2x6xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// COUNT: (2, 6) has 12 elements but (2, 5) has 10{{.*}}(reshape.C1)
