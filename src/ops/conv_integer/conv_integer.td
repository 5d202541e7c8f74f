// SPDX-License-Identifier: Apache-2.0
def Pliant_ConvIntegerOp : Pliant_Op<"conv_integer", "Contraction"> {
  let summary = "convolution of x - xZero with w, of bytes, summed in i32, which wraps; padding counts as 0";
  let example = [{u8(1, 1, 4): 1 2 3 4; i8(1, 1, 3): 1 0 -1; u8(): 1 {strides = array<i64: 1>, dilations = array<i64: 1>, pads = #pliant.shape<"1", "0">, groups = 1 : i64, channelsLast = false} -> i32(1, 1, 3): -1 -2 -2}];
  let description = [{
    Attributes and layouts are those of conv.
    C1: x and w are i8 or u8, each its own; xZero has the type of x and rank 0. C2 to C5: as in conv.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$w, Pliant_Tensor:$xZero, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       Pliant_ExprsAttr:$pads, I64Attr:$groups, BoolAttr:$channelsLast);
  let results = (outs Pliant_Tensor:$result);
}
