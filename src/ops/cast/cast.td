// SPDX-License-Identifier: Apache-2.0
def Pliant_CastOp : Pliant_Op<"cast", "Pointwise"> {
  let summary = "conversion of the element type";
  let example = "f32(3): 1.7 -1.7 nan {dtype = i32} -> i32(3): 1 -1 0";
  let description = [{
    Float to integer truncates towards zero; NaN becomes 0 and values out of range saturate (docs/semantics.md); to bool is x != 0;
    between integers wraps; to a narrower float rounds to nearest even.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_TypeAttr:$dtype);
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
}
