// SPDX-License-Identifier: Apache-2.0
def Pliant_ReshapeOp : Pliant_Op<"reshape", "Map"> {
  let summary = "the same elements in row-major order under other extents";
  let description = [{ C1: the element counts are equal. (Front ends resolve 0 and -1, squeeze, unsqueeze and flatten.) }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$shape);
  let results = (outs Pliant_Tensor:$result);
}
