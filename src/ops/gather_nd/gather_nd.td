// SPDX-License-Identifier: Apache-2.0
def Pliant_GatherNdOp : Pliant_Op<"gather_nd", "Map"> {
  let summary = "slices of x picked by index tuples in the last axis of indices";
  let example = "f32(2, 2): 1 2 3 4; i64(2, 2): 0 0 1 1 {batchDims = 0 : i64} -> f32(2): 1 4";
  let description = [{ C1: indices are i64 or i32. C2: the last axis of indices is a constant, at most rank(x) - batchDims. C3: indices in range, checked. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$indices, I64Attr:$batchDims);
  let results = (outs Pliant_Tensor:$result);
}
