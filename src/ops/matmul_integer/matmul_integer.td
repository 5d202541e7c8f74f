// SPDX-License-Identifier: Apache-2.0
def Pliant_MatmulIntegerOp : Pliant_Op<"matmul_integer", "Contraction"> {
  let summary = "(lhs - lhsZero) times rhs over the last two axes, of bytes, summed in i32, which wraps; leading axes broadcast";
  let example = "u8(1, 2): 200 3; i8(2, 1): -100 7; u8(): 1 -> i32(1, 1): -19886";
  let description = [{
    C1: lhs and rhs are i8 or u8, each its own; lhsZero has the type of lhs and rank 0. C2: the last axis of lhs equals the last but
    one of rhs. C3: leading axes broadcast. C4: both ranks are at least 2.
  }];
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs, Pliant_Tensor:$lhsZero);
  let results = (outs Pliant_Tensor:$result);
}
