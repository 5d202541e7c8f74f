// SPDX-License-Identifier: Apache-2.0
def Pliant_GatherOp : Pliant_Op<"gather", "Map"> {
  let summary = "slices of x along an axis picked by indices: x.shape[:axis] + indices.shape + x.shape[axis+1:]";
  let example = "f32(3, 2): 1 2 3 4 5 6; i64(2): 2 -3 {axis = 0 : i64} -> f32(2, 2): 5 6 1 2";
  let description = [{ C1: indices are i64 or i32. C2: axis in range. C3: each index in [-n, n), checked at run time. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$indices, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
}
