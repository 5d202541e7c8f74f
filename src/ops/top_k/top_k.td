// SPDX-License-Identifier: Apache-2.0
def Pliant_TopKOp : Pliant_Op<"top_k", "Kernel"> {
  let summary = "the k largest (or smallest) elements along an axis, sorted, and their indices (i64)";
  let example = [{f32(4): 3 1 4 2 {k = #pliant.shape<"2">, axis = 0 : i64, largest = true} -> f32(2): 4 3; i64(2): 2 0}];
  let description = [{ C1: axis in range. C2: k has one entry between 0 and the axis. C3: not bool. Ties: lower index first; NaN is the largest. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$k, I64Attr:$axis, BoolAttr:$largest);
  let results = (outs Pliant_Tensor:$values, Pliant_Tensor:$indices);
}
