// Room for the most boxes there can be, and how many there are.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/boxes.mlir 2>&1 | FileCheck %s --check-prefix=BOXES
// RUN: not pliant compile %t/limit.mlir 2>&1 | FileCheck %s --check-prefix=LIMIT

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%b: tensor<?x?x4xf32, #pliant.shape<"B", "N", "4">> {pliant.name = "b"}, %s: tensor<?x2x?xf32, #pliant.shape<"B", "2", "N">> {pliant.name = "s"}, %c: tensor<1x10x4xf32> {pliant.name = "c"}, %t: tensor<1x1x10xf32> {pliant.name = "t"}, %o: tensor<f32> {pliant.name = "o"}) -> (tensor<?x3xi64>, tensor<i64>, tensor<3x3xi64>, tensor<i64>) {
  %0:2 = pliant.non_max_suppression %b, %s, %o, %o {limit = #pliant.shape<"N">, centred = false} : (tensor<?x?x4xf32, #pliant.shape<"B", "N", "4">>, tensor<?x2x?xf32, #pliant.shape<"B", "2", "N">>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  %1:2 = pliant.non_max_suppression %c, %t, %o, %o {limit = #pliant.shape<"3">, centred = false} : (tensor<1x10x4xf32>, tensor<1x1x10xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x3xi64>, tensor<i64>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<?x3xi64>, tensor<i64>, tensor<3x3xi64>, tensor<i64>
}

// TYPES: pliant.non_max_suppression {{.*}}-> (tensor<?x3xi64, #pliant.shape<"2*B*N", "3">>, tensor<i64>){{$}}
// TYPES: pliant.non_max_suppression {{.*}}-> (tensor<3x3xi64>, tensor<i64>){{$}}

// PLAN: launch

//--- boxes.mlir
func.func @main(%b: tensor<1x10x5xf32> {pliant.name = "b"}, %s: tensor<1x1x10xf32> {pliant.name = "s"}, %o: tensor<f32> {pliant.name = "o"}) -> (tensor<3x3xi64>, tensor<i64>) {
  %0:2 = pliant.non_max_suppression %b, %s, %o, %o {limit = #pliant.shape<"3">, centred = false} : (tensor<1x10x5xf32>, tensor<1x1x10xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x3xi64>, tensor<i64>)
  return %0#0, %0#1 : tensor<3x3xi64>, tensor<i64>
}

// BOXES: (non_max_suppression.C2)

//--- limit.mlir
func.func @main(%b: tensor<1x10x4xf32> {pliant.name = "b"}, %s: tensor<1x1x10xf32> {pliant.name = "s"}, %o: tensor<f32> {pliant.name = "o"}) -> (tensor<?x3xi64>, tensor<i64>) {
  %0:2 = pliant.non_max_suppression %b, %s, %o, %o {limit = #pliant.shape<"-1">, centred = false} : (tensor<1x10x4xf32>, tensor<1x1x10xf32>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<i64>)
  return %0#0, %0#1 : tensor<?x3xi64>, tensor<i64>
}

// LIMIT: (non_max_suppression.C3)
