// SPDX-License-Identifier: Apache-2.0
def Pliant_MatmulOp : Pliant_Op<"matmul", "Contraction"> {
  let summary = "matrix product over the last two axes; leading axes broadcast";
  let example = "f32(2, 2): 1 2 3 4; f32(2, 1): 10 1 -> f32(2, 1): 12 34";
  let description = [{
    C1: equal element types. C2: the last axis of lhs equals the last but one of rhs. C3: leading axes broadcast.
    C4: both ranks are at least 2 (a front end gives vectors an axis and takes it away again).
  }];
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
  let results = (outs Pliant_Tensor:$result);
  let together = [0, 1];
}
