// As many images as regions, of fixed size.
// RUN: split-file %s %t
// RUN: pliant compile %t/types.mlir --stop-after import | FileCheck %s --check-prefix=TYPES
// RUN: pliant compile %t/types.mlir --stop-after plan | FileCheck %s --check-prefix=PLAN --implicit-check-not=evaluate
// RUN: not pliant compile %t/regions.mlir 2>&1 | FileCheck %s --check-prefix=REGIONS
// RUN: not pliant compile %t/samples.mlir 2>&1 | FileCheck %s --check-prefix=SAMPLES

// Static extents, symbols, and extents that the text leaves open and the rule names.
//--- types.mlir
func.func @main(%x: tensor<?x?x?x?xf32, #pliant.shape<"N", "C", "H", "W">> {pliant.name = "x"}, %r: tensor<?x4xf32, #pliant.shape<"R", "4">> {pliant.name = "r"}, %i: tensor<?xi64, #pliant.shape<"R">> {pliant.name = "i"}, %y: tensor<1x2x8x8xf32> {pliant.name = "y"}, %s: tensor<5x4xf32> {pliant.name = "s"}, %j: tensor<5xi32> {pliant.name = "j"}) -> (tensor<?x?x3x2xf32>, tensor<5x2x3x2xf32>) {
  %0 = pliant.roi_align %x, %r, %i {height = 3 : i64, width = 2 : i64, samples = 2 : i64, scale = 1.0 : f64, halfPixel = true, mode = "avg"} : (tensor<?x?x?x?xf32, #pliant.shape<"N", "C", "H", "W">>, tensor<?x4xf32, #pliant.shape<"R", "4">>, tensor<?xi64, #pliant.shape<"R">>) -> tensor<?x?x3x2xf32>
  %1 = pliant.roi_align %y, %s, %j {height = 3 : i64, width = 2 : i64, samples = 0 : i64, scale = 1.0 : f64, halfPixel = true, mode = "avg"} : (tensor<1x2x8x8xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x2x3x2xf32>
  return %0, %1 : tensor<?x?x3x2xf32>, tensor<5x2x3x2xf32>
}

// TYPES: pliant.roi_align {{.*}}-> tensor<?x?x3x2xf32, #pliant.shape<"R", "C", "3", "2">>{{$}}
// TYPES: pliant.roi_align {{.*}}-> tensor<5x2x3x2xf32>{{$}}

// PLAN: launch

//--- regions.mlir
func.func @main(%x: tensor<1x2x8x8xf32> {pliant.name = "x"}, %s: tensor<5x5xf32> {pliant.name = "s"}, %j: tensor<5xi32> {pliant.name = "j"}) -> (tensor<5x2x3x2xf32>) {
  %0 = pliant.roi_align %x, %s, %j {height = 3 : i64, width = 2 : i64, samples = 0 : i64, scale = 1.0 : f64, halfPixel = true, mode = "avg"} : (tensor<1x2x8x8xf32>, tensor<5x5xf32>, tensor<5xi32>) -> tensor<5x2x3x2xf32>
  return %0 : tensor<5x2x3x2xf32>
}

// REGIONS: (roi_align.C2)

//--- samples.mlir
func.func @main(%x: tensor<1x2x8x8xf32> {pliant.name = "x"}, %s: tensor<5x4xf32> {pliant.name = "s"}, %j: tensor<5xi32> {pliant.name = "j"}) -> (tensor<5x2x3x2xf32>) {
  %0 = pliant.roi_align %x, %s, %j {height = 3 : i64, width = 2 : i64, samples = -1 : i64, scale = 1.0 : f64, halfPixel = true, mode = "avg"} : (tensor<1x2x8x8xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x2x3x2xf32>
  return %0 : tensor<5x2x3x2xf32>
}

// SAMPLES: (roi_align.C3)
