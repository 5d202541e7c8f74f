// SPDX-License-Identifier: Apache-2.0
def Pliant_UniqueOp : Pliant_Op<"unique", "Kernel"> {
  let summary = "which slices along an axis are equal: the group of each, each group's first slice and size, the number of groups";
  let example = [{f32(3): 2 1 2 {axis = 0 : i64, sorted = true} -> i64(3): 1 0 1; i64(3): 1 0 0; i64(3): 1 2 0; i64(): 2}];
  let description = [{
    Groups are numbered in the order of their slices (compared element by element, NaN equal to itself and above every
    number), or of first occurrence when not sorted. For n slices: groups (n), firsts (n) and counts (n), of which the
    first `total` entries mean something, and total, a scalar; all i64. C1: axis in range.
  }];
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis, BoolAttr:$sorted);
  let results = (outs Pliant_Tensor:$groups, Pliant_Tensor:$firsts, Pliant_Tensor:$counts, Pliant_Tensor:$total);
}
