// A layer is one product of all steps and the steps proper; extents follow x and r.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after decompose | FileCheck %s --check-prefix=PARTS
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/units.mlir 2>&1 | FileCheck %s --check-prefix=UNITS
// RUN: not pliant compile %t/activation.mlir 2>&1 | FileCheck %s --check-prefix=ACTIVATION

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?x4xf32, #pliant.shape<"T", "B", "4">> {pliant.name = "x"}, %w: tensor<2x12x4xf32> {pliant.name = "w"}, %r: tensor<2x12x3xf32> {pliant.name = "r"}, %z: tensor<?x2x4xf32> {pliant.name = "z"}, %v: tensor<1x3x4xf32> {pliant.name = "v"}, %q: tensor<1x3x3xf32> {pliant.name = "q"}) -> (tensor<?x2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<?x2x1x3xf32>, tensor<?x1x3xf32>) {
  %y, %h, %c = pliant.lstm %x, %w, %r {given = "", direction = "bidirectional", activations = "Sigmoid Tanh Tanh Sigmoid Tanh Tanh", alphas = array<f64: 0.0, 0.0, 0.0, 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0, 0.0, 0.0, 0.0>, clip = 0.0 : f64, units = 3 : i64, batchFirst = false, coupled = false} : (tensor<?x?x4xf32, #pliant.shape<"T", "B", "4">>, tensor<2x12x4xf32>, tensor<2x12x3xf32>) -> (tensor<?x2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>)
  %u, %s = pliant.rnn %z, %v, %q {given = "", direction = "reverse", activations = "Relu", alphas = array<f64: 0.0>, betas = array<f64: 0.0>, clip = 1.0 : f64, units = 0 : i64, batchFirst = true} : (tensor<?x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>) -> (tensor<?x2x1x3xf32>, tensor<?x1x3xf32>)
  return %y, %h, %c, %u, %s : tensor<?x2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<?x2x1x3xf32>, tensor<?x1x3xf32>
}

// TYPES: pliant.lstm {{.*}}-> (tensor<?x2x?x3xf32, #pliant.shape<"T", "2", "B", "3">>, tensor<2x?x3xf32, #pliant.shape<"2", "B", "3">>, tensor<2x?x3xf32, #pliant.shape<"2", "B", "3">>){{$}}
// TYPES: pliant.rnn {{.*}}-> (tensor<?x2x1x3xf32, #pliant.shape<"z.0", "2", "1", "3">>, tensor<?x1x3xf32, #pliant.shape<"z.0", "1", "3">>){{$}}

// PARTS: pliant.matmul
// PARTS: pliant.lstm_steps
// PARTS: pliant.matmul
// PARTS: pliant.rnn_steps

// PLAN: launch matmul
// PLAN: launch lstm_steps

//--- units.mlir
func.func @main(%x: tensor<3x2x4xf32> {pliant.name = "x"}, %w: tensor<1x3x4xf32> {pliant.name = "w"}, %r: tensor<1x3x2xf32> {pliant.name = "r"}) -> (tensor<?x?x?x?xf32>) {
  %y, %h = pliant.rnn %x, %w, %r {given = "", direction = "forward", activations = "Tanh", alphas = array<f64: 0.0>, betas = array<f64: 0.0>, clip = 0.0 : f64, units = 0 : i64, batchFirst = false} : (tensor<3x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x2xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?xf32>)
  return %y : tensor<?x?x?x?xf32>
}

// UNITS: w has (1, 3, 4) and r has (1, 3, 2) but with 2 hidden units w must have (1, 2, 4) and r (1, 2, 2) (recurrence.C2)

//--- activation.mlir
func.func @main(%x: tensor<3x2x4xf32> {pliant.name = "x"}, %w: tensor<1x2x4xf32> {pliant.name = "w"}, %r: tensor<1x2x2xf32> {pliant.name = "r"}) -> (tensor<?x?x?x?xf32>) {
  %y, %h = pliant.rnn %x, %w, %r {given = "", direction = "forward", activations = "Swish", alphas = array<f64: 0.0>, betas = array<f64: 0.0>, clip = 0.0 : f64, units = 0 : i64, batchFirst = false} : (tensor<3x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x2xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?xf32>)
  return %y : tensor<?x?x?x?xf32>
}

// ACTIVATION: the activation "Swish" does not exist (recurrence.C4)
