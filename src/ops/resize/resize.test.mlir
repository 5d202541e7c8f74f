// The sizes are given, also in symbols.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/mode.mlir 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not pliant compile %t/integer.mlir 2>&1 | FileCheck %s --check-prefix=INTEGER

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">> {pliant.name = "x"}, %y: tensor<1x3x4x4xf32> {pliant.name = "y"}, %z: tensor<?x3x4x4xf32> {pliant.name = "z"}) -> (tensor<?x3x?x?xf32>, tensor<1x3x2x7xf32>, tensor<?x3x8x8xf32>) {
  %0 = pliant.resize %x {sizes = #pliant.shape<"B", "3", "2*H", "2*W">, scales = array<f64: 1.0, 1.0, 2.0, 2.0>, mode = "linear", coordinates = "half_pixel", rounding = "round_prefer_floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} : (tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "H", "W">>) -> tensor<?x3x?x?xf32>
  %1 = pliant.resize %y {sizes = #pliant.shape<"1", "3", "2", "7">, scales = array<f64: 0.0, 0.0, 0.0, 0.0>, mode = "linear", coordinates = "half_pixel", rounding = "round_prefer_floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x7xf32>
  %2 = pliant.resize %z {sizes = #pliant.shape<"z.0", "3", "8", "8">, scales = array<f64: 0.0, 0.0, 0.0, 0.0>, mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} : (tensor<?x3x4x4xf32>) -> tensor<?x3x8x8xf32>
  return %0, %1, %2 : tensor<?x3x?x?xf32>, tensor<1x3x2x7xf32>, tensor<?x3x8x8xf32>
}

// TYPES: pliant.resize {{.*}}-> tensor<?x3x?x?xf32, #pliant.shape<"B", "3", "2*H", "2*W">>{{$}}
// TYPES: pliant.resize {{.*}}-> tensor<1x3x2x7xf32>{{$}}
// TYPES: pliant.resize {{.*}}-> tensor<?x3x8x8xf32, #pliant.shape<"z.0", "3", "8", "8">>{{$}}

// PLAN: launch

//--- mode.mlir
func.func @main(%x: tensor<1x3x4x4xf32> {pliant.name = "x"}) -> (tensor<1x3x8x8xf32>) {
  %0 = pliant.resize %x {sizes = #pliant.shape<"1", "3", "8", "8">, scales = array<f64: 0.0, 0.0, 0.0, 0.0>, mode = "quintic", coordinates = "half_pixel", rounding = "round_prefer_floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// MODE: (resize.C3)

//--- integer.mlir
func.func @main(%x: tensor<1x3x4x4xi64> {pliant.name = "x"}) -> (tensor<1x3x8x8xi64>) {
  %0 = pliant.resize %x {sizes = #pliant.shape<"1", "3", "8", "8">, scales = array<f64: 0.0, 0.0, 0.0, 0.0>, mode = "linear", coordinates = "half_pixel", rounding = "round_prefer_floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} : (tensor<1x3x4x4xi64>) -> tensor<1x3x8x8xi64>
  return %0 : tensor<1x3x8x8xi64>
}

// INTEGER: (resize.C1)
