// SPDX-License-Identifier: Apache-2.0
def Pliant_ConvTransposeOp : Pliant_Op<"conv_transpose", "Contraction"> {
  let summary = "transposed convolution over the spatial axes";
  let example = [{f32(1, 1, 2): 1 2; f32(1, 1, 2): 1 10 {strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, outputPadding = #pliant.shape<"0">, groups = 1 : i64, channelsLast = false} -> f32(1, 1, 4): 1 10 2 20}];
  let description = [{
    x is (N, C, spatial...), or (N, spatial..., C) when channelsLast; w is (C, M/groups, taps...); layout of the result as x.
    Output extent: stride*(in-1) + outputPadding + dilation*(tap-1) + 1 - low - high.
    C1: equal element types, not bool; integers wrap. C2: ranks equal and at least 3. C3: channels = w's first axis, divisible by groups. C4: positive strides and dilations.
    C5: no output extent is negative. Negative pads add zeros.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$w, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       Pliant_ExprsAttr:$pads, Pliant_ExprsAttr:$outputPadding, I64Attr:$groups, BoolAttr:$channelsLast);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 1];
}
