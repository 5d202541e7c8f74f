// Three shapes broadcast.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/condition.mlir 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not pliant compile %t/kinds.mlir 2>&1 | FileCheck %s --check-prefix=KINDS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%c: tensor<?x1xi1, #pliant.shape<"B", "1">> {pliant.name = "c"}, %x: tensor<3xf32> {pliant.name = "x"}, %y: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "y"}, %d: tensor<2xi1> {pliant.name = "d"}, %s: tensor<2xf32> {pliant.name = "s"}, %e: tensor<?xi1> {pliant.name = "e"}) -> (tensor<?x3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = pliant.select %c, %x, %y : (tensor<?x1xi1, #pliant.shape<"B", "1">>, tensor<3xf32>, tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3xf32>
  %1 = pliant.select %d, %s, %s : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = pliant.select %e, %s, %s : (tensor<?xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<2xf32>, tensor<2xf32>
}

// TYPES: pliant.select {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.select {{.*}}-> tensor<2xf32>{{$}}
// TYPES: pliant.select {{.*}}-> tensor<2xf32>{{$}}

// PLAN: check e.0 2
// PLAN: launch

//--- condition.mlir
func.func @main(%c: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "c"}, %x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}) -> (tensor<?xf32>) {
  %0 = pliant.select %c, %x, %x : (tensor<?xf32, #pliant.shape<"B">>, tensor<?xf32, #pliant.shape<"B">>, tensor<?xf32, #pliant.shape<"B">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CONDITION: (select.C1)

//--- kinds.mlir
func.func @main(%c: tensor<?xi1, #pliant.shape<"B">> {pliant.name = "c"}, %x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}, %y: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "y"}) -> (tensor<?xf32>) {
  %0 = pliant.select %c, %x, %y : (tensor<?xi1, #pliant.shape<"B">>, tensor<?xf32, #pliant.shape<"B">>, tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// KINDS: (select.C2)
