// SPDX-License-Identifier: Apache-2.0
def Pliant_ConcatOp : Pliant_Op<"concat", "Map"> {
  let summary = "operands one after another along an axis";
  let example = "f32(1, 2): 1 2; f32(2, 2): 3 4 5 6 {axis = 0 : i64} -> f32(3, 2): 1 2 3 4 5 6";
  let description = [{ C1: one element type. C2: one rank, at least 1. C3: axis in range. C4: the other axes are equal. }];
  let arguments = (ins Variadic<Pliant_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
  let together = [-1];
}
