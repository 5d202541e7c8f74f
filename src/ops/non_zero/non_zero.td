// SPDX-License-Identifier: Apache-2.0
def Pliant_NonZeroOp : Pliant_Op<"non_zero", "Kernel"> {
  let summary = "indices of the elements that are not zero, in row-major order: (rank, count) of i64";
  let example = [{f32(2, 2): 0 5 7 0 {count = #pliant.shape<"2">} -> i64(2, 2): 0 1 1 0}];
  let description = [{
    C1: count has one entry, not negative; it is the number of such elements, which a front end counts and reads first. NaN is not zero.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$count);
  let results = (outs Pliant_Tensor:$result);
}
