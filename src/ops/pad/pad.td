// SPDX-License-Identifier: Apache-2.0
def Pliant_PadOp : Pliant_Op<"pad", "Map"> {
  let summary = "elements added before and after each axis; negative counts crop";
  let example = [{f32(2): 1 2; f32(): 9 {low = #pliant.shape<"1">, high = #pliant.shape<"2">, mode = "constant"} -> f32(5): 9 1 2 9 9}];
  let description = [{
    mode is "constant" (the rank-0 value), "reflect", "edge" or "wrap". C1: one low and high count per axis.
    C2: value is rank 0 of x's element type. C3: only constant crops; reflect needs counts below the axis, edge and wrap a
    non-empty axis where they add. C4: at least nothing is left of an axis.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$value, Pliant_ExprsAttr:$low, Pliant_ExprsAttr:$high, StrAttr:$mode);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 1];
}
