// SPDX-License-Identifier: Apache-2.0
// Activations that stand for a few pointwise ops. C1: float.
class Pliant_Activation<string mnemonic, string text, dag args> : Pliant_Op<mnemonic, "Composite"> {
  let folder = "activation";
  let summary = text;
  let arguments = args;
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_HardSigmoidOp : Pliant_Activation<"hard_sigmoid", "max(0, min(1, alpha*x + beta))", (ins Pliant_Tensor:$x, F64Attr:$alpha, F64Attr:$beta)>;
def Pliant_HardSwishOp : Pliant_Activation<"hard_swish", "x * hard_sigmoid(x, 1/6, 0.5)", (ins Pliant_Tensor:$x)>;
def Pliant_EluOp : Pliant_Activation<"elu", "x where x > 0 else alpha*(exp(x)-1)", (ins Pliant_Tensor:$x, F64Attr:$alpha)>;
def Pliant_SeluOp : Pliant_Activation<"selu", "gamma * (x where x > 0 else alpha*(exp(x)-1))", (ins Pliant_Tensor:$x, F64Attr:$alpha, F64Attr:$gamma)>;
def Pliant_CeluOp : Pliant_Activation<"celu", "max(0,x) + min(0, alpha*(exp(x/alpha)-1))", (ins Pliant_Tensor:$x, F64Attr:$alpha)>;
def Pliant_LeakyReluOp : Pliant_Activation<"leaky_relu", "x where x >= 0 else alpha*x", (ins Pliant_Tensor:$x, F64Attr:$alpha)>;
def Pliant_PreluOp : Pliant_Activation<"prelu", "x where x >= 0 else slope*x; slope broadcasts", (ins Pliant_Tensor:$x, Pliant_Tensor:$slope)>;
def Pliant_ThresholdedReluOp : Pliant_Activation<"thresholded_relu", "x where x > alpha else 0", (ins Pliant_Tensor:$x, F64Attr:$alpha)>;
def Pliant_SoftplusOp : Pliant_Activation<"softplus", "log(exp(x) + 1), without overflow", (ins Pliant_Tensor:$x)>;
def Pliant_SoftsignOp : Pliant_Activation<"softsign", "x / (1 + |x|)", (ins Pliant_Tensor:$x)>;
def Pliant_MishOp : Pliant_Activation<"mish", "x * tanh(softplus(x))", (ins Pliant_Tensor:$x)>;
def Pliant_GeluOp : Pliant_Activation<"gelu", "0.5*x*(1+erf(x/sqrt(2))), or the tanh form", (ins Pliant_Tensor:$x, BoolAttr:$approximate)>;
def Pliant_ShrinkOp : Pliant_Activation<"shrink", "x+bias below -lambd, x-bias above lambd, else 0", (ins Pliant_Tensor:$x, F64Attr:$bias, F64Attr:$lambd)>;
