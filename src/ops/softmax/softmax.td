// SPDX-License-Identifier: Apache-2.0
def Pliant_SoftmaxOp : Pliant_Op<"softmax", "Composite"> {
  let summary = "exp(x - max) / sum along an axis";
  let example = "f32(1, 2): 0 1 {axis = 1 : i64} -> f32(1, 2): 0.268941 0.731059";
  let description = [{ C1: float. C2: axis in range. }];
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
  let together = [0];
  let floats = 1;
}
def Pliant_LogSoftmaxOp : Pliant_Op<"log_softmax", "Composite"> {
  let folder = "softmax";
  let summary = "x - max - log(sum(exp(x - max))) along an axis";
  let example = "f32(1, 2): 0 1 {axis = 1 : i64} -> f32(1, 2): -1.31326 -0.313262";
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis);
  let results = (outs Pliant_Tensor:$result);
  let together = [0];
  let floats = 1;
}
