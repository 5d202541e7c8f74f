// SPDX-License-Identifier: Apache-2.0
def Pliant_CumsumOp : Pliant_Op<"cumsum", "Kernel"> {
  let summary = "running sums along an axis";
  let description = [{ C1: axis in range. C2: not bool. exclusive leaves the element itself out; reverse runs from the end. }];
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis, BoolAttr:$exclusive, BoolAttr:$reverse);
  let results = (outs Pliant_Tensor:$result);
}
