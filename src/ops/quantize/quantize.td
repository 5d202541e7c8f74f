// SPDX-License-Identifier: Apache-2.0
// Between numbers and their quantised form, by ONNX's formulas in f32 (f64 for f64). scale and zeroPoint are scalars or
// have one entry, or one entry per element of an axis of x. C1: the types are those of the op. C2: scale and zeroPoint
// have rank 0 or 1 and equal shapes. C3: where they have several entries axis is in range and as long.
def Pliant_QuantizeOp : Pliant_Op<"quantize", "Composite"> {
  let summary = "round(x / scale) + zeroPoint, saturated to zeroPoint's integer type; halves to even";
  let example = [{f32(3): 1 3 -9; f32(): 2; u8(): 128 {axis = 0 : i64} -> u8(3): 128 130 124}];
  let description = [{
    x is float or i32, scale float, zeroPoint an integer of 8 or 16 bits.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$zeroPoint, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_DequantizeOp : Pliant_Op<"dequantize", "Composite"> {
  let folder = "quantize";
  let summary = "(x - zeroPoint) * scale; the difference in i32, the product in scale's type";
  let example = [{u8(2): 0 255; f32(): 0.5; u8(): 128 {axis = 0 : i64} -> f32(2): -64 63.5}];
  let description = [{ x and zeroPoint are integers of one type of at most 32 bits, scale is float. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$zeroPoint, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
}
