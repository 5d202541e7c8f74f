// SPDX-License-Identifier: Apache-2.0
def Pliant_ConvOp : Pliant_Op<"conv", "Contraction"> {
  let summary = "convolution over the spatial axes; 1 to 3 of them; cross-correlation as in ONNX";
  let example = [{f32(1, 1, 4): 1 2 3 4; f32(1, 1, 3): 1 0 -1 {strides = array<i64: 1>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, groups = 1 : i64, channelsLast = false} -> f32(1, 1, 2): -2 -2}];
  let description = [{
    x is (N, C, spatial...), or (N, spatial..., C) when channelsLast; w is always (M, C/groups, taps...); the result is laid out as x.
    pads holds the low counts of all spatial axes, then the high ones (symbolic: SAME_* of a front end depends on extents).
    C1: equal element types, not bool; integers wrap. C2: ranks equal and at least 3. C3: channels = w's times groups, M divisible by groups.
    C4: strides and dilations are positive, one per spatial axis. Output extent: floor((in + low + high - dilation*(tap-1) - 1) / stride) + 1.
    C5: no output extent is negative.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$w, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       Pliant_ExprsAttr:$pads, I64Attr:$groups, BoolAttr:$channelsLast);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 1];
}
