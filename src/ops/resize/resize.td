// SPDX-License-Identifier: Apache-2.0
def Pliant_ResizeOp : Pliant_Op<"resize", "Kernel"> {
  let summary = "interpolation to other spatial extents, by the rules of ONNX Resize";
  let example = [{f32(1, 1, 2): 1 2 {sizes = #pliant.shape<"1", "1", "4">, scales = array<f64: 1.0, 1.0, 2.0>, mode = "nearest", coordinates = "asymmetric", rounding = "floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64, roi = array<f64>} -> f32(1, 1, 4): 1 1 2 2}];
  let description = [{
    One target size per axis (unresized axes keep theirs). scales: one per axis, 0 where the scale is size / extent.
    mode: "nearest", "linear", "cubic". coordinates: ONNX's names ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
    "tf_crop_and_resize", "tf_half_pixel_for_nn"). rounding (nearest): "round_prefer_floor", "round_prefer_ceil", "floor", "ceil".
    roi: 2 per axis for tf_crop_and_resize, else empty. C1: float, or any type with nearest. C2: one size and scale per axis, not negative.
    C3: mode, coordinates and rounding are of those names; roi as said. C4: an empty x has no elements to give.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$sizes, DenseF64ArrayAttr:$scales, StrAttr:$mode, StrAttr:$coordinates,
                       StrAttr:$rounding, F64Attr:$cubicCoefficient, BoolAttr:$excludeOutside, F64Attr:$extrapolation,
                       DenseF64ArrayAttr:$roi);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ResizeByOp : Pliant_Op<"resize_by", "Kernel"> {
  let folder = "resize";
  let summary = "resize with scales, and for tf_crop_and_resize a region, that are known only at run time";
  let example = [{f32(2): 1 2; f64(1): 2.0 {sizes = #pliant.shape<"4">, mode = "nearest", coordinates = "asymmetric", rounding = "floor", cubicCoefficient = -0.75 : f64, excludeOutside = false, extrapolation = 0.0 : f64} -> f32(4): 1 1 2 2}];
  let description = [{
    factors, f64: one scale per axis (0 where it is size / extent), for tf_crop_and_resize then the region's starts and
    its ends. All else as for resize; C5: the type and length of factors.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$factors, Pliant_ExprsAttr:$sizes, StrAttr:$mode, StrAttr:$coordinates,
                       StrAttr:$rounding, F64Attr:$cubicCoefficient, BoolAttr:$excludeOutside, F64Attr:$extrapolation);
  let results = (outs Pliant_Tensor:$result);
}
