// SPDX-License-Identifier: Apache-2.0
def Pliant_DetOp : Pliant_Op<"det", "Kernel"> {
  let summary = "determinants of square matrices, the last two axes; the empty matrix has 1";
  let example = [{f32(2, 2): 1 2 3 4 -> f32(): -2}];
  let description = [{
    C1: float. C2: rank at least 2, the last two extents equal. Elimination with row pivots in f64.
  }];
  let arguments = (ins Pliant_Tensor:$x);
  let results = (outs Pliant_Tensor:$result);
}
