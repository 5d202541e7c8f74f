// SPDX-License-Identifier: Apache-2.0
def Pliant_CumsumOp : Pliant_Op<"cumsum", "Kernel"> {
  let summary = "running sums along an axis";
  let example = "f32(4): 1 2 3 4 {axis = 0 : i64, exclusive = false, reverse = false} -> f32(4): 1 3 6 10";
  let description = [{ C1: axis in range. C2: not bool. exclusive leaves the element itself out; reverse runs from the end. }];
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis, BoolAttr:$exclusive, BoolAttr:$reverse);
  let results = (outs Pliant_Tensor:$result);
}
