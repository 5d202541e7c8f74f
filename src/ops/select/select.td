// SPDX-License-Identifier: Apache-2.0
def Pliant_SelectOp : Pliant_Op<"select", "Pointwise"> {
  let summary = "on_true where condition, else on_false; shapes broadcast";
  let example = "bool(2): 1 0; f32(): 5; f32(2): 1 2 -> f32(2): 5 2";
  let description = [{ C1: condition is bool. C2: on_true and on_false have one element type. C3: the shapes broadcast. }];
  let arguments = (ins Pliant_Tensor:$condition, Pliant_Tensor:$onTrue, Pliant_Tensor:$onFalse);
  let texts = 1;
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
  let together = [1, 2];
}
