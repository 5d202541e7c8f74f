// Values and indices; k may be symbolic.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/many.mlir 2>&1 | FileCheck %s --check-prefix=MANY

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?xf32, #pliant.shape<"B", "N">> {pliant.name = "x"}, %y: tensor<2x5xf32> {pliant.name = "y"}, %z: tensor<?x5xf32> {pliant.name = "z"}) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<2x2xf32>, tensor<2x2xi64>, tensor<?x0xf32>, tensor<?x0xi64>) {
  %0:2 = pliant.top_k %x {k = #pliant.shape<"min(3, N)">, axis = 1 : i64, largest = true} : (tensor<?x?xf32, #pliant.shape<"B", "N">>) -> (tensor<?x?xf32>, tensor<?x?xi64>)
  %1:2 = pliant.top_k %y {k = #pliant.shape<"2">, axis = 1 : i64, largest = false} : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  %2:2 = pliant.top_k %z {k = #pliant.shape<"0">, axis = 1 : i64, largest = true} : (tensor<?x5xf32>) -> (tensor<?x0xf32>, tensor<?x0xi64>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<2x2xf32>, tensor<2x2xi64>, tensor<?x0xf32>, tensor<?x0xi64>
}

// TYPES: pliant.top_k {{.*}}-> (tensor<?x?xf32, #pliant.shape<"B", "min(3, N)">>, tensor<?x?xi64, #pliant.shape<"B", "min(3, N)">>){{$}}
// TYPES: pliant.top_k {{.*}}-> (tensor<2x2xf32>, tensor<2x2xi64>){{$}}
// TYPES: pliant.top_k {{.*}}-> (tensor<?x0xf32, #pliant.shape<"z.0", "0">>, tensor<?x0xi64, #pliant.shape<"z.0", "0">>){{$}}

// PLAN: launch

//--- many.mlir
func.func @main(%x: tensor<?x5xf32, #pliant.shape<"B", "5">> {pliant.name = "x"}) -> (tensor<?x6xf32>, tensor<?x6xi64>) {
  %0:2 = pliant.top_k %x {k = #pliant.shape<"6">, axis = 1 : i64, largest = true} : (tensor<?x5xf32, #pliant.shape<"B", "5">>) -> (tensor<?x6xf32>, tensor<?x6xi64>)
  return %0#0, %0#1 : tensor<?x6xf32>, tensor<?x6xi64>
}

// MANY: (B, 5) but k is 6{{.*}}(top_k.C2)
