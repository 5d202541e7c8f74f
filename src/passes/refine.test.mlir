// Open extents get names from the inputs and from the ops' rules; declared ones must provably agree.
// RUN: split-file %s %t
// RUN: pliant compile %t/open.mlir --stop-after import | FileCheck %t/open.mlir
// RUN: pliant compile %t/equal.mlir --stop-after import | FileCheck %t/equal.mlir
// RUN: not pliant compile %t/other.mlir 2>&1 | FileCheck %t/other.mlir
// RUN: not pliant compile %t/branches.mlir 2>&1 | FileCheck %t/branches.mlir
// RUN: not pliant compile %t/unbound.mlir 2>&1 | FileCheck %t/unbound.mlir

//--- open.mlir
// Branches that differ in an extent give it a fresh symbol.
// CHECK: func.func @main(%arg0: tensor<?xf32, #pliant.shape<"x.0">> {pliant.name = "x"}, %arg1: tensor<i1>) -> tensor<?xf32, #pliant.shape<"if0">>
// CHECK: pliant.concat {{.*}} -> tensor<?xf32, #pliant.shape<"2*x.0">>
// CHECK: pliant.yield {{.*}} : tensor<?xf32, #pliant.shape<"2*x.0">>
// CHECK: pliant.slice {{.*}} -> tensor<?xf32, #pliant.shape<"x.0">>
func.func @main(%x: tensor<?xf32> {pliant.name = "x"}, %c: tensor<i1>) -> tensor<?xf32> {
  %0 = pliant.if %c : tensor<i1> -> tensor<?xf32> {
    %1 = pliant.concat %x, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    pliant.yield %1 : tensor<?xf32>
  } else {
    %2 = pliant.slice %x {starts = #pliant.shape<"0">, steps = array<i64: 1>, sizes = #pliant.shape<"x.0">} : (tensor<?xf32>) -> tensor<?xf32>
    pliant.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

//--- equal.mlir
// "m" is what the rule calls "n": the facts say so.
// CHECK: pliant.abs {{.*}} -> tensor<?xf32, #pliant.shape<"m">>
func.func @main(%x: tensor<?xf32, #pliant.shape<"n">>, %y: tensor<?xf32, #pliant.shape<"m">>) -> tensor<?xf32, #pliant.shape<"m">> attributes {pliant.facts = [["n == m", "user"]]} {
  %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32, #pliant.shape<"m">>
  return %0 : tensor<?xf32, #pliant.shape<"m">>
}

//--- other.mlir
// CHECK: error: [types] a result of abs is declared f32(m) but is f32(n)
func.func @main(%x: tensor<?xf32, #pliant.shape<"n">>, %y: tensor<?xf32, #pliant.shape<"m">>) -> tensor<?xf32, #pliant.shape<"m">> {
  %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32, #pliant.shape<"m">>
  return %0 : tensor<?xf32, #pliant.shape<"m">>
}

//--- branches.mlir
// CHECK: error: [if] the branches give f32(x.0) and f32(x.0, 1) for a result declared f32(
// CHECK-SAME: element types and ranks must agree
func.func @main(%x: tensor<?xf32> {pliant.name = "x"}, %c: tensor<i1>) -> tensor<?xf32> {
  %0 = pliant.if %c : tensor<i1> -> tensor<?xf32> {
    pliant.yield %x : tensor<?xf32>
  } else {
    %2 = pliant.reshape %x {shape = #pliant.shape<"x.0", "1">} : (tensor<?xf32>) -> tensor<?x1xf32>
    pliant.yield %2 : tensor<?x1xf32>
  }
  return %0 : tensor<?xf32>
}

//--- unbound.mlir
// CHECK: error: [types] nothing gives symbol 'n' a value
func.func @main(%x: tensor<?xf32, #pliant.shape<"2*n">>) -> tensor<?xf32> {
  %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"2*n">>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
