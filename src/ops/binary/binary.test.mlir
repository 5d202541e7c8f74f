// Extents of 1 repeat; where the facts do not decide, the run does.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/extents.mlir 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not pliant compile %t/kinds.mlir 2>&1 | FileCheck %s --check-prefix=KINDS

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<2x3xf32> {pliant.name = "y"}, %z: tensor<?x3xf32> {pliant.name = "z"}, %row: tensor<3xf32> {pliant.name = "row"}, %column: tensor<?x1xf32, #pliant.shape<"B", "1">> {pliant.name = "column"}) -> (tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = pliant.add %x, %row : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = pliant.mul %y, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = pliant.sub %column, %row : (tensor<?x1xf32, #pliant.shape<"B", "1">>, tensor<3xf32>) -> tensor<?x3xf32>
  %3 = pliant.max %x, %z : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// TYPES: pliant.add {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.mul {{.*}}-> tensor<2x3xf32>{{$}}
// TYPES: pliant.sub {{.*}}-> tensor<?x3xf32, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.max {{.*}}-> tensor<?x3xf32, #pliant.shape<"broadcast(B, z.0)", "3">>{{$}}

// PLAN: check B z.0
// PLAN: launch

//--- extents.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<4xf32> {pliant.name = "y"}) -> (tensor<?x3xf32>) {
  %0 = pliant.add %x, %y : (tensor<?x3xf32, #pliant.shape<"B", "3">>, tensor<4xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// EXTENTS: (B, 3) and (4){{.*}}(binary.C2)

//--- kinds.mlir
func.func @main(%x: tensor<?xf32, #pliant.shape<"B">> {pliant.name = "x"}, %y: tensor<?xi64, #pliant.shape<"B">> {pliant.name = "y"}) -> (tensor<?xf32>) {
  %0 = pliant.add %x, %y : (tensor<?xf32, #pliant.shape<"B">>, tensor<?xi64, #pliant.shape<"B">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// KINDS: (binary.C1)
