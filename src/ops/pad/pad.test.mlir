// Counts add up, negative ones crop; they may be symbolic.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/reflect.mlir 2>&1 | FileCheck %s --check-prefix=REFLECT
// RUN: not pliant compile %t/counts.mlir 2>&1 | FileCheck %s --check-prefix=COUNTS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %v: tensor<f32> {pliant.name = "v"}) -> (tensor<?x5xf32>, tensor<2x2xf32>, tensor<?x5xf32>) {
  %0 = pliant.pad %x, %v {low = #pliant.shape<"1", "0">, high = #pliant.shape<"B", "2">, mode = "constant"} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<f32>) -> tensor<?x5xf32>
  %1 = pliant.pad %y, %v {low = #pliant.shape<"0", "-1">, high = #pliant.shape<"0", "0">, mode = "constant"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  %2 = pliant.pad %z, %v {low = #pliant.shape<"0", "1">, high = #pliant.shape<"0", "1">, mode = "reflect"} : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x5xf32>
  return %0, %1, %2 : tensor<?x5xf32>, tensor<2x2xf32>, tensor<?x5xf32>
}

// TYPES: pliant.pad {{.*}}-> tensor<?x5xf32, #pliant.shape<"2*B+1", "5">>{{$}}
// TYPES: pliant.pad {{.*}}-> tensor<2x2xf32>{{$}}
// TYPES: pliant.pad {{.*}}-> tensor<?x5xf32, #pliant.shape<"z.0", "5">>{{$}}

// PLAN: launch

//--- reflect.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %v: tensor<f32> {pliant.name = "v"}) -> (tensor<?x6xf32>) {
  %0 = pliant.pad %x, %v {low = #pliant.shape<"0", "3">, high = #pliant.shape<"0", "0">, mode = "reflect"} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<f32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// REFLECT: reflect padding of axis 1 of shape (B, 3) by 3{{.*}}(pad.C3)

//--- counts.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %v: tensor<f32> {pliant.name = "v"}) -> (tensor<?x3xf32>) {
  %0 = pliant.pad %x, %v {low = #pliant.shape<"0">, high = #pliant.shape<"0">, mode = "constant"} : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<f32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// COUNTS: (pad.C1)
