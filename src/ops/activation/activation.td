// SPDX-License-Identifier: Apache-2.0
// Activations that stand for a few pointwise ops. C1: float; prelu also of integers.
class Pliant_Activation<string mnemonic, string text, dag args, string shown = ""> : Pliant_Op<mnemonic, "Composite"> {
  let folder = "activation";
  let summary = text;
  let example = shown;
  let arguments = args;
  let results = (outs Pliant_Tensor:$result);
  let together = [0];
  let floats = 1;
}
def Pliant_HardSigmoidOp : Pliant_Activation<"hard_sigmoid", "max(0, min(1, alpha*x + beta))", (ins Pliant_Tensor:$x, F64Attr:$alpha, F64Attr:$beta), "f32(3): -4 0 1 {alpha = 0.25 : f64, beta = 0.5 : f64} -> f32(3): 0 0.5 0.75">;
def Pliant_HardSwishOp : Pliant_Activation<"hard_swish", "x * hard_sigmoid(x, 1/6, 0.5)", (ins Pliant_Tensor:$x), "f32(3): 0 1 3 -> f32(3): 0 0.666667 3">;
def Pliant_EluOp : Pliant_Activation<"elu", "x where x > 0 else alpha*(exp(x)-1)", (ins Pliant_Tensor:$x, F64Attr:$alpha), "f32(2): -1 2 {alpha = 1.0 : f64} -> f32(2): -0.632121 2">;
def Pliant_SeluOp : Pliant_Activation<"selu", "gamma * (x where x > 0 else alpha*(exp(x)-1))", (ins Pliant_Tensor:$x, F64Attr:$alpha, F64Attr:$gamma), "f32(2): -1 2 {alpha = 1.5 : f64, gamma = 2.0 : f64} -> f32(2): -1.89636 4">;
def Pliant_CeluOp : Pliant_Activation<"celu", "max(0,x) + min(0, alpha*(exp(x/alpha)-1))", (ins Pliant_Tensor:$x, F64Attr:$alpha), "f32(2): -1 2 {alpha = 2.0 : f64} -> f32(2): -0.786939 2">;
def Pliant_LeakyReluOp : Pliant_Activation<"leaky_relu", "x where x >= 0 else alpha*x", (ins Pliant_Tensor:$x, F64Attr:$alpha), "f32(2): -2 3 {alpha = 0.5 : f64} -> f32(2): -1 3">;
def Pliant_PreluOp : Pliant_Activation<"prelu", "x where x >= 0 else slope*x; slope broadcasts", (ins Pliant_Tensor:$x, Pliant_Tensor:$slope), "f32(2, 2): -1 2 -3 4; f32(2): 0.5 0.25 -> f32(2, 2): -0.5 2 -1.5 4"> { let together = [0, 1]; let floats = 0; }
def Pliant_ThresholdedReluOp : Pliant_Activation<"thresholded_relu", "x where x > alpha else 0", (ins Pliant_Tensor:$x, F64Attr:$alpha), "f32(2): 1 2 {alpha = 1.5 : f64} -> f32(2): 0 2">;
def Pliant_SoftplusOp : Pliant_Activation<"softplus", "log(exp(x) + 1), without overflow", (ins Pliant_Tensor:$x), "f32(2): 0 1 -> f32(2): 0.693147 1.31326">;
def Pliant_SoftsignOp : Pliant_Activation<"softsign", "x / (1 + |x|)", (ins Pliant_Tensor:$x), "f32(2): -1 3 -> f32(2): -0.5 0.75">;
def Pliant_MishOp : Pliant_Activation<"mish", "x * tanh(softplus(x))", (ins Pliant_Tensor:$x), "f32(2): 0 1 -> f32(2): 0 0.865098">;
def Pliant_GeluOp : Pliant_Activation<"gelu", "0.5*x*(1+erf(x/sqrt(2))), or the tanh form", (ins Pliant_Tensor:$x, BoolAttr:$approximate), "f32(2): 0 1 {approximate = false} -> f32(2): 0 0.841345">;
def Pliant_ShrinkOp : Pliant_Activation<"shrink", "x+bias below -lambd, x-bias above lambd, else 0", (ins Pliant_Tensor:$x, F64Attr:$bias, F64Attr:$lambd), "f32(3): -2 0.5 2 {bias = 0.5 : f64, lambd = 1.0 : f64} -> f32(3): -1.5 0 1.5">;
