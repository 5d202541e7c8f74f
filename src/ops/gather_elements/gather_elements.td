// SPDX-License-Identifier: Apache-2.0
def Pliant_GatherElementsOp : Pliant_Op<"gather_elements", "Map"> {
  let summary = "result[i..] = x[i.. with the axis replaced by indices[i..]]; the result has the shape of indices";
  let example = "f32(2, 2): 1 2 3 4; i64(2, 2): 0 0 1 0 {axis = 1 : i64} -> f32(2, 2): 1 1 4 3";
  let description = [{ C1: indices are i64 or i32. C2: equal ranks, at least 1; indices no longer than x but on the axis. C3: axis in range. C4: each index in [-n, n), checked. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$indices, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
}
