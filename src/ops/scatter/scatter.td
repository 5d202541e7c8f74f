// SPDX-License-Identifier: Apache-2.0
// A copy of x with elements replaced or combined at given places, in row-major order of the updates (the last one wins).
// reduction is "none", "add", "mul", "min" or "max". C1: indices are i64 or i32. C2: indices in [-n, n), checked.
// C3 (scatter_elements): equal ranks, at least 1; axis in range; updates shaped as indices; indices no longer than x but
// on the axis. C4 (scatter_nd): the last axis of indices is a constant q, at most the rank of x; updates are
// indices.shape[:-1] + x.shape[q:]. C5: updates have x's element type, for which the reduction is defined.
def Pliant_ScatterElementsOp : Pliant_Op<"scatter_elements", "Kernel"> {
  let folder = "scatter";
  let summary = "x[i.. with the axis replaced by indices[i..]] = updates[i..]";
  let example = [{f32(3): 1 2 3; i64(1): 1; f32(1): 9 {axis = 0 : i64, reduction = "none"} -> f32(3): 1 9 3}];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$indices, Pliant_Tensor:$updates, I64Attr:$axis, StrAttr:$reduction);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 2];
  let texts = 1; // without a reduction
}
def Pliant_ScatterNdOp : Pliant_Op<"scatter_nd", "Kernel"> {
  let folder = "scatter";
  let summary = "slices of x at index tuples replaced by slices of updates";
  let example = [{f32(3): 1 2 3; i64(2, 1): 0 0; f32(2): 10 20 {reduction = "add"} -> f32(3): 31 2 3}];
  let arguments = (ins Pliant_Tensor:$x, Pliant_Tensor:$indices, Pliant_Tensor:$updates, StrAttr:$reduction);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 2];
  let texts = 1; // without a reduction
}
