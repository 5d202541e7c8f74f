// Strings are made, read and compared on the host; what only moves them is a kernel.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN
// RUN: not pliant compile %t/number.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not pliant compile %t/sum.mlir 2>&1 | FileCheck %s --check-prefix=SUM

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3xf32, #pliant.shape<"B", "3">> {pliant.name = "x"}, %y: tensor<3x!pliant.string> {pliant.name = "y"}, %z: tensor<?x!pliant.string> {pliant.name = "z"}) -> (tensor<?x3x!pliant.string>, tensor<3xf64>, tensor<?xi1>, tensor<3x?x!pliant.string>) {
  %0 = pliant.format_text %x : (tensor<?x3xf32, #pliant.shape<"B", "3">>) -> tensor<?x3x!pliant.string>
  %1 = pliant.parse_text %y {dtype = f64} : (tensor<3x!pliant.string>) -> tensor<3xf64>
  %c = pliant.constant {value = dense<"stop"> : tensor<!pliant.string>} : () -> tensor<!pliant.string>
  %u = pliant.text_case %z {upper = false} : (tensor<?x!pliant.string>) -> tensor<?x!pliant.string>
  %2 = pliant.text_equal %u, %c : (tensor<?x!pliant.string>, tensor<!pliant.string>) -> tensor<?xi1>
  %t = pliant.transpose %0 {perm = array<i64: 1, 0>} : (tensor<?x3x!pliant.string>) -> tensor<3x?x!pliant.string>
  return %0, %1, %2, %t : tensor<?x3x!pliant.string>, tensor<3xf64>, tensor<?xi1>, tensor<3x?x!pliant.string>
}

// TYPES: pliant.format_text {{.*}}-> tensor<?x3x!pliant.string, #pliant.shape<"B", "3">>{{$}}
// TYPES: pliant.parse_text {{.*}}-> tensor<3xf64>{{$}}
// TYPES: pliant.constant {{.*}}dense<"stop">
// TYPES: pliant.text_equal {{.*}}-> tensor<?xi1, #pliant.shape<"z.0">>{{$}}

// PLAN-DAG: evaluate format_text
// PLAN-DAG: evaluate parse_text
// PLAN-DAG: evaluate text_equal
// PLAN-DAG: launch transpose

//--- number.mlir
func.func @main(%x: tensor<3xf32> {pliant.name = "x"}) -> (tensor<3xi64>) {
  %0 = pliant.parse_text %x {dtype = i64} : (tensor<3xf32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// NUMBER: (text.C1)

//--- sum.mlir
func.func @main(%x: tensor<3x!pliant.string> {pliant.name = "x"}) -> (tensor<3x!pliant.string>) {
  %0 = pliant.add %x, %x : (tensor<3x!pliant.string>, tensor<3x!pliant.string>) -> tensor<3x!pliant.string>
  return %0 : tensor<3x!pliant.string>
}

// SUM: [add] operand 0 is string(3): strings are moved, compared and converted, not computed with
