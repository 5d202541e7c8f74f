// What only weights need is computed when the program is loaded; what an input needs stays.
// RUN: pliant compile %s --start-after simplify --stop-after fold_weights | FileCheck %s --implicit-check-not=pliant.div --implicit-check-not=pliant.sqrt --implicit-check-not=pliant.reshape

// CHECK: [[FACTOR:%.+]] = pliant.weight {{.*}}-> tensor<1x4xf32>
// CHECK: pliant.mul %arg0, [[FACTOR]]
func.func @main(%x: tensor<?x4xf32, #pliant.shape<"B", "4">>) -> tensor<?x4xf32> {
  %scale = pliant.weight {index = 0 : i64, dtype = f32, shape = #pliant.shape<"4">} : () -> tensor<4xf32>
  %variance = pliant.weight {index = 1 : i64, dtype = f32, shape = #pliant.shape<"4">} : () -> tensor<4xf32>
  %0 = pliant.sqrt %variance : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pliant.div %scale, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = pliant.reshape %1 {shape = #pliant.shape<"1", "4">} : (tensor<4xf32>) -> tensor<1x4xf32>
  %3 = pliant.mul %x, %2 : (tensor<?x4xf32, #pliant.shape<"B", "4">>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}
