// Equal ops are one, dead ones are gone, a branch with all that is in it; x to the 2 is x * x. A bind stays, since types
// name its symbols, and so does a guard, which may end the run.
// RUN: pliant compile %s --start-after layout --stop-after simplify | FileCheck %s --implicit-check-not=pliant.pow --implicit-check-not=pliant.tanh --implicit-check-not=pliant.log --implicit-check-not=pliant.if

// CHECK: pliant.bind
// CHECK: pliant.guard %arg2 : tensor<i1> {reason = "c must hold", value = true}
// CHECK: [[E:%.+]] = pliant.exp
// CHECK-NOT: pliant.exp
// CHECK: [[SQUARE:%.+]] = pliant.mul %arg0, %arg0
// CHECK: [[SUM:%.+]] = pliant.add [[E]], [[SQUARE]]
// CHECK: pliant.iota
// CHECK: return [[SUM]]
func.func @main(%x: tensor<?xf32, #pliant.shape<"n">>, %i: tensor<1xi64>, %c: tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>) {
  pliant.guard %c : tensor<i1> {value = true, reason = "c must hold"}
  %dead = pliant.tanh %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32>
  %deader = pliant.log %dead : (tensor<?xf32>) -> tensor<?xf32>
  %two = pliant.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %b = pliant.bind %i {symbols = #pliant.shape<"k">, low = 0 : i64, high = 9 : i64, what = "a row"} : (tensor<1xi64>) -> tensor<1xi64>
  %unread = pliant.if %c : tensor<i1> -> tensor<?xf32> {
    %t = pliant.tanh %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32>
    pliant.yield %t : tensor<?xf32>
  } else {
    %l = pliant.log %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32>
    pliant.yield %l : tensor<?xf32>
  }
  %0 = pliant.exp %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32>
  %1 = pliant.exp %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32>
  %2 = pliant.pow %x, %two : (tensor<?xf32, #pliant.shape<"n">>, tensor<f32>) -> tensor<?xf32>
  %3 = pliant.add %0, %2 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %4 = pliant.iota {shape = #pliant.shape<"k">, dtype = f32} : () -> tensor<?xf32>
  return %3, %4 : tensor<?xf32>, tensor<?xf32>
}
