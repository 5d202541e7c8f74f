// The verifier: what an op's rule contradicts is refused with the op, both types and the place.
// RUN: split-file %s %t
// RUN: not pliant compile %t/rank.mlir 2>&1 | FileCheck %t/rank.mlir
// RUN: not pliant compile %t/extent.mlir 2>&1 | FileCheck %t/extent.mlir
// RUN: not pliant compile %t/element.mlir 2>&1 | FileCheck %t/element.mlir
// RUN: not pliant compile %t/entries.mlir 2>&1 | FileCheck %t/entries.mlir
// RUN: not pliant compile %t/static.mlir 2>&1 | FileCheck %t/static.mlir
// RUN: not pliant compile %t/expression.mlir 2>&1 | FileCheck %t/expression.mlir
// RUN: not pliant compile %t/attribute.mlir 2>&1 | FileCheck %t/attribute.mlir
// RUN: not pliant compile %t/condition.mlir 2>&1 | FileCheck %t/condition.mlir
// RUN: not pliant compile %t/guard.mlir 2>&1 | FileCheck %t/guard.mlir
// RUN: not pliant compile %t/facts.mlir 2>&1 | FileCheck %t/facts.mlir
// RUN: not pliant compile %t/unknown.mlir 2>&1 | FileCheck %t/unknown.mlir

//--- rank.mlir
// CHECK: rank.mlir:3: 'pliant.abs' op result is declared f32(2, 1) but its rule gives f32(2)
func.func @main(%x: tensor<2xf32>) -> tensor<2x1xf32> {
  %0 = pliant.abs %x : (tensor<2xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

//--- extent.mlir
// CHECK: 'pliant.abs' op result is declared f32(n+1) but its rule gives f32(n)
func.func @main(%x: tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32, #pliant.shape<"n+1">> {
  %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32, #pliant.shape<"n+1">>
  return %0 : tensor<?xf32, #pliant.shape<"n+1">>
}

//--- element.mlir
// CHECK: 'pliant.abs' op [type] not a ranked tensor of a known element type
func.func @main(%x: tensor<2xi3>) -> tensor<2xi3> {
  %0 = pliant.abs %x : (tensor<2xi3>) -> tensor<2xi3>
  return %0 : tensor<2xi3>
}

//--- entries.mlir
// CHECK: 'pliant.abs' op [type] the symbolic shape has 2 entries for rank 1
func.func @main(%x: tensor<?xf32, #pliant.shape<"n", "m">>) -> tensor<?xf32, #pliant.shape<"n", "m">> {
  %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"n", "m">>) -> tensor<?xf32, #pliant.shape<"n", "m">>
  return %0 : tensor<?xf32, #pliant.shape<"n", "m">>
}

//--- static.mlir
// CHECK: 'pliant.abs' op [type] axis 0 is 3 but its symbolic extent is 4
func.func @main(%x: tensor<3x?xf32, #pliant.shape<"4", "m">>) -> tensor<3x?xf32, #pliant.shape<"4", "m">> {
  %0 = pliant.abs %x : (tensor<3x?xf32, #pliant.shape<"4", "m">>) -> tensor<3x?xf32, #pliant.shape<"4", "m">>
  return %0 : tensor<3x?xf32, #pliant.shape<"4", "m">>
}

//--- expression.mlir
// CHECK: expression.mlir:2: [shape] cannot read "2*" as an extent
func.func @main(%x: tensor<?xf32, #pliant.shape<"2*">>) -> tensor<?xf32, #pliant.shape<"2*">> {
  return %x : tensor<?xf32, #pliant.shape<"2*">>
}

//--- attribute.mlir
// CHECK: 'pliant.softmax' op requires attribute 'axis'
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pliant.softmax %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- facts.mlir
// CHECK: [fact] 'n ~ m' is no fact
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {pliant.facts = [["n ~ m", "user"]]} {
  return %x : tensor<2xf32>
}

//--- unknown.mlir
// CHECK: {{unregistered|unknown}}{{.*}}pliant.frobnicate
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "pliant.frobnicate"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- condition.mlir
// CHECK: 'pliant.if' op needs one bool as its condition, not bool(0)
func.func @main(%x: tensor<2xf32>, %c: tensor<0xi1>) -> tensor<2xf32> {
  %0 = pliant.if %c : tensor<0xi1> -> tensor<2xf32> {
    pliant.yield %x : tensor<2xf32>
  } else {
    pliant.yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

//--- guard.mlir
// CHECK: 'pliant.guard' op needs one bool as its condition, not f32()
func.func @main(%x: tensor<2xf32>, %c: tensor<f32>) -> tensor<2xf32> {
  pliant.guard %c : tensor<f32> {value = true, reason = "it must hold"}
  return %x : tensor<2xf32>
}
