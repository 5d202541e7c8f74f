// Values computed from symbols, and symbols read from values.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pliant compile %t/weight.mlir 2>&1 | FileCheck %s --check-prefix=WEIGHT

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<2xi64> {pliant.name = "x"}, %y: tensor<?x?xf32, #pliant.shape<"B", "N">> {pliant.name = "y"}) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xf32>, tensor<?xf32>) {
  %0 = pliant.extents {values = #pliant.shape<"B", "2*N">, scalar = false} : () -> tensor<2xi64>
  %1 = pliant.bind %x {symbols = #pliant.shape<"p", "q">, low = 0 : i64, high = 9 : i64, what = "a row"} : (tensor<2xi64>) -> tensor<2xi64>
  %2 = pliant.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %3 = pliant.iota {dtype = f32, shape = #pliant.shape<"p+q">} : () -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<2xi64>, tensor<2xf32>, tensor<?xf32>
}

// TYPES: pliant.extents {{.*}}-> tensor<2xi64>{{$}}
// TYPES: pliant.bind {{.*}}-> tensor<2xi64>{{$}}
// TYPES: pliant.constant {{.*}}-> tensor<2xf32>{{$}}
// TYPES: pliant.iota {{.*}}-> tensor<?xf32, #pliant.shape<"p+q">>{{$}}

// PLAN-DAG: extents B 2*N
// PLAN-DAG: bind

//--- count.mlir
func.func @main(%x: tensor<2xi64> {pliant.name = "x"}) -> (tensor<2xi64>) {
  %0 = pliant.bind %x {symbols = #pliant.shape<"p">, low = 0 : i64, high = 9 : i64, what = "a row"} : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// COUNT: (source.C1)

//--- weight.mlir
func.func @main() -> (tensor<2xf32>) {
  %0 = pliant.weight {index = 0 : i64, dtype = f32, shape = #pliant.shape<"2">} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// WEIGHT: the text names weights
