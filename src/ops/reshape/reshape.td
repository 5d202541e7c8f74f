// SPDX-License-Identifier: Apache-2.0
def Pliant_ReshapeOp : Pliant_Op<"reshape", "Map"> {
  let summary = "the same elements in row-major order under other extents";
  let example = [{f32(2, 3): 1 2 3 4 5 6 {shape = #pliant.shape<"3", "2">} -> f32(3, 2): 1 2 3 4 5 6}];
  let description = [{ C1: the element counts are equal. (Front ends resolve 0 and -1, squeeze, unsqueeze and flatten.) }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$shape);
  let results = (outs Pliant_Tensor:$result);
}
