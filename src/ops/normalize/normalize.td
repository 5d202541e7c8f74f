// SPDX-License-Identifier: Apache-2.0
// Normalisations, two-pass variance. C1: float. C2: parameters broadcast as described.
class Pliant_Norm<string mnemonic, string text, dag args, string shown = ""> : Pliant_Op<mnemonic, "Composite"> {
  let folder = "normalize";
  let summary = text;
  let example = shown;
  let arguments = args;
  let results = (outs Pliant_Tensor:$result);
  let together = [-1];
  let floats = 1;
}
def Pliant_LayerNormOp : Pliant_Norm<"layer_norm", "mean and variance over the axes from `axis` on, then scale and bias",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, I64Attr:$axis, F64Attr:$epsilon), "f32(1, 2): 1 3; f32(2): 2 1; f32(2): 0 10 {axis = 1 : i64, epsilon = 0.0 : f64} -> f32(1, 2): -2 11">;
def Pliant_BatchNormOp : Pliant_Norm<"batch_norm", "inference: (x - mean) / sqrt(variance + epsilon) * scale + bias per channel (axis 1)",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, Pliant_Tensor:$mean, Pliant_Tensor:$variance, F64Attr:$epsilon), "f32(1, 2): 3 8; f32(2): 1 2; f32(2): 0 1; f32(2): 1 2; f32(2): 4 9 {epsilon = 0.0 : f64} -> f32(1, 2): 1 5">;
def Pliant_InstanceNormOp : Pliant_Norm<"instance_norm", "mean and variance over the spatial axes per sample and channel",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, F64Attr:$epsilon), "f32(1, 1, 2): 1 3; f32(1): 2; f32(1): 1 {epsilon = 0.0 : f64} -> f32(1, 1, 2): -1 3">;
def Pliant_LrnOp : Pliant_Norm<"lrn", "local response normalisation across channels",
  (ins Pliant_Tensor:$x, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias), "f32(1, 2, 1): 1 2 {size = 1 : i64, alpha = 3.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} -> f32(1, 2, 1): 0.25 0.153846">;
