// SPDX-License-Identifier: Apache-2.0
// Normalisations, two-pass variance. C1: float. C2: parameters broadcast as described.
class Pliant_Norm<string mnemonic, string text, dag args> : Pliant_Op<mnemonic, "Composite"> {
  let folder = "normalize";
  let summary = text;
  let arguments = args;
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_LayerNormOp : Pliant_Norm<"layer_norm", "mean and variance over the axes from `axis` on, then scale and bias",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, I64Attr:$axis, F64Attr:$epsilon)>;
def Pliant_BatchNormOp : Pliant_Norm<"batch_norm", "inference: (x - mean) / sqrt(variance + epsilon) * scale + bias per channel (axis 1)",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, Pliant_Tensor:$mean, Pliant_Tensor:$variance, F64Attr:$epsilon)>;
def Pliant_InstanceNormOp : Pliant_Norm<"instance_norm", "mean and variance over the spatial axes per sample and channel",
  (ins Pliant_Tensor:$x, Pliant_Tensor:$scale, Pliant_Tensor:$bias, F64Attr:$epsilon)>;
def Pliant_LrnOp : Pliant_Norm<"lrn", "local response normalisation across channels",
  (ins Pliant_Tensor:$x, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias)>;
