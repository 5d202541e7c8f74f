// SPDX-License-Identifier: Apache-2.0
def Pliant_TransposeOp : Pliant_Op<"transpose", "Map"> {
  let summary = "axes in another order: axis i of the result is axis perm[i] of x";
  let example = "f32(2, 3): 1 2 3 4 5 6 {perm = array<i64: 1, 0>} -> f32(3, 2): 1 4 2 5 3 6";
  let description = [{ C1: perm is a permutation of the axes. }];
  let arguments = (ins Pliant_Tensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs Pliant_Tensor:$result);
}
