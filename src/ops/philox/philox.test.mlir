// Random bits of counters: one kernel, whatever their number.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/counters.mlir 2>&1 | FileCheck %s --check-prefix=COUNTERS
// RUN: not pliant compile %t/key.mlir 2>&1 | FileCheck %s --check-prefix=KEY

//--- types.mlir
func.func @main(%x: tensor<?xui64, #pliant.shape<"N">> {pliant.name = "x"}, %k: tensor<ui64> {pliant.name = "k"}) -> (tensor<?xui64>, tensor<?xui64>) {
  %0:2 = pliant.philox %x, %k : (tensor<?xui64, #pliant.shape<"N">>, tensor<ui64>) -> (tensor<?xui64>, tensor<?xui64>)
  return %0#0, %0#1 : tensor<?xui64>, tensor<?xui64>
}

// TYPES: pliant.philox {{.*}}-> (tensor<?xui64, #pliant.shape<"N">>, tensor<?xui64, #pliant.shape<"N">>)

// PLAN: launch

//--- counters.mlir
func.func @main(%x: tensor<2xi64> {pliant.name = "x"}, %k: tensor<ui64> {pliant.name = "k"}) -> (tensor<2xui64>) {
  %0:2 = pliant.philox %x, %k : (tensor<2xi64>, tensor<ui64>) -> (tensor<2xui64>, tensor<2xui64>)
  return %0#0 : tensor<2xui64>
}

// COUNTERS: (philox.C1)

//--- key.mlir
func.func @main(%x: tensor<2xui64> {pliant.name = "x"}, %k: tensor<2xui64> {pliant.name = "k"}) -> (tensor<2xui64>) {
  %0:2 = pliant.philox %x, %k : (tensor<2xui64>, tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  return %0#0 : tensor<2xui64>
}

// KEY: (philox.C2)
