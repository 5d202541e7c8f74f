// SPDX-License-Identifier: Apache-2.0
def Pliant_GridSampleOp : Pliant_Op<"grid_sample", "Composite"> {
  let summary = "x (N, C, spatial...) read at the places of grid (N, out..., d), by nearest, linear or cubic interpolation";
  let example = [{f32(1, 1, 4): 10 20 30 40; f32(1, 2, 1): 0 -1 {mode = "linear", padding = "zeros", alignCorners = false} -> f32(1, 1, 2): 25 5}];
  let description = [{
    The last axis of grid names the d spatial axes of x, innermost first; -1 and 1 are the middles of the first and last
    elements when alignCorners, else the outer edges. mode: "nearest" (halves to even), "linear", "cubic" (-0.75).
    padding, for each tap: "zeros", "border", "reflection". NaN is far below, so it reads padding or the first element.
    C1: x is float, or of any type with nearest; grid is float. C2: equal ranks of at least 3, grid's last extent is rank - 2.
    C3: batches agree. C4: mode and padding are of those names.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$grid, StrAttr:$mode, StrAttr:$padding, BoolAttr:$alignCorners);
  let results = (outs Pliant_Tensor:$result);
}
