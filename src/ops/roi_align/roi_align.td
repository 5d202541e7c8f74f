// SPDX-License-Identifier: Apache-2.0
def Pliant_RoiAlignOp : Pliant_Op<"roi_align", "Kernel"> {
  let summary = "regions of images pooled to (R, C, height, width): mean or maximum of bilinear samples in each bin";
  let example = [{f32(1, 1, 2, 2): 1 2 3 4; f32(1, 4): 0 0 2 2; i64(1): 0 {height = 1 : i64, width = 1 : i64, samples = 2 : i64, scale = 1.0 : f64, halfPixel = true, mode = "avg"} -> f32(1, 1, 1, 1): 2.5}];
  let description = [{
    x (N, C, H, W), rois (R, 4) as x1, y1, x2, y2 times `scale`, images (R) the image of each. A bin has `samples` by
    `samples` of them, or ceil(bin size) when that is 0. halfPixel moves them by half an element and lets them be
    smaller than 1. Samples more than 1 outside are 0. mode: "avg" or "max".
    C1: x and rois are float of one type. C2: ranks 4, 2 and 1 with 4 numbers a region and one image each; images are i64
    or i32 in [0, N), checked. C3: height, width positive, samples not negative. C4: mode is one of those.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$rois, Pliant_Tensor:$images, I64Attr:$height, I64Attr:$width,
                       I64Attr:$samples, F64Attr:$scale, BoolAttr:$halfPixel, StrAttr:$mode);
  let results = (outs Pliant_Tensor:$result);
}
