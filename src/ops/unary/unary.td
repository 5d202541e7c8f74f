// SPDX-License-Identifier: Apache-2.0
// Functions of one element. C1: the element type is one for which the row is defined (float, integer or bool).
class Pliant_Unary<string mnemonic, string text, string shown = ""> : Pliant_Op<mnemonic, "Pointwise"> {
  let folder = "unary";
  let summary = text;
  let example = shown;
  let arguments = (ins Pliant_Tensor:$x);
  let results = (outs Pliant_Tensor:$result);
}

class Pliant_Real<string mnemonic, string text, string shown = ""> : Pliant_Unary<mnemonic, text, shown> {
  let folder = "unary";
  let together = [0];
  let floats = 1;
}

def Pliant_AbsOp : Pliant_Unary<"abs", "absolute value; the smallest integer stays itself", "f32(3): -1.5 0 2 -> f32(3): 1.5 0 2">;
def Pliant_NegOp : Pliant_Unary<"neg", "negation; integers wrap", "i32(2): 3 -4 -> i32(2): -3 4"> { let content = 1; }
def Pliant_ReluOp : Pliant_Unary<"relu", "x where x > 0, NaN where NaN, else 0", "f32(3): -1 nan 2 -> f32(3): 0 nan 2">;
def Pliant_ExpOp : Pliant_Real<"exp", "e to the x; float", "f32(2): 0 1 -> f32(2): 1 2.71828">;
def Pliant_LogOp : Pliant_Real<"log", "natural logarithm; float", "f32(2): 1 10 -> f32(2): 0 2.30259">;
def Pliant_SqrtOp : Pliant_Real<"sqrt", "square root; float", "f32(2): 4 2 -> f32(2): 2 1.41421">;
def Pliant_ReciprocalOp : Pliant_Real<"reciprocal", "1 / x; float", "f32(2): 4 -0.5 -> f32(2): 0.25 -2">;
def Pliant_FloorOp : Pliant_Real<"floor", "largest integer not above x; float", "f32(2): -1.5 1.5 -> f32(2): -2 1"> { let content = 1; }
def Pliant_CeilOp : Pliant_Real<"ceil", "smallest integer not below x; float", "f32(2): -1.5 1.5 -> f32(2): -1 2"> { let content = 1; }
def Pliant_RoundOp : Pliant_Real<"round", "nearest integer, halves to even; float", "f32(3): 0.5 1.5 2.5 -> f32(3): 0 2 2">;
def Pliant_SignOp : Pliant_Unary<"sign", "-1, 0 or 1; NaN stays NaN", "f32(3): -3 0 7 -> f32(3): -1 0 1">;
def Pliant_SigmoidOp : Pliant_Real<"sigmoid", "1 / (1 + exp(-x)); float", "f32(2): 0 1 -> f32(2): 0.5 0.731059">;
def Pliant_TanhOp : Pliant_Real<"tanh", "hyperbolic tangent; float", "f32(2): 0 1 -> f32(2): 0 0.761594">;
def Pliant_ErfOp : Pliant_Real<"erf", "Gauss error function; float", "f32(2): 0 1 -> f32(2): 0 0.842701">;
def Pliant_SinOp : Pliant_Real<"sin", "sine; float", "f32(2): 0 1 -> f32(2): 0 0.841471">;
def Pliant_CosOp : Pliant_Real<"cos", "cosine; float", "f32(2): 0 1 -> f32(2): 1 0.540302">;
def Pliant_TanOp : Pliant_Real<"tan", "tangent; float", "f32(2): 0 1 -> f32(2): 0 1.55741">;
def Pliant_AsinOp : Pliant_Real<"asin", "arc sine; float", "f32(2): 0 1 -> f32(2): 0 1.5708">;
def Pliant_AcosOp : Pliant_Real<"acos", "arc cosine; float", "f32(2): 1 0 -> f32(2): 0 1.5708">;
def Pliant_AtanOp : Pliant_Real<"atan", "arc tangent; float", "f32(2): 0 1 -> f32(2): 0 0.785398">;
def Pliant_SinhOp : Pliant_Real<"sinh", "hyperbolic sine; float", "f32(2): 0 1 -> f32(2): 0 1.1752">;
def Pliant_CoshOp : Pliant_Real<"cosh", "hyperbolic cosine; float", "f32(2): 0 1 -> f32(2): 1 1.54308">;
def Pliant_AsinhOp : Pliant_Real<"asinh", "inverse hyperbolic sine; float", "f32(2): 0 1 -> f32(2): 0 0.881374">;
def Pliant_AcoshOp : Pliant_Real<"acosh", "inverse hyperbolic cosine; float", "f32(2): 1 2 -> f32(2): 0 1.31696">;
def Pliant_AtanhOp : Pliant_Real<"atanh", "inverse hyperbolic tangent; float", "f32(2): 0 0.5 -> f32(2): 0 0.549306">;
def Pliant_LogicalNotOp : Pliant_Unary<"logical_not", "not; bool", "bool(2): 1 0 -> bool(2): 0 1"> { let content = 1; }
def Pliant_IsNanOp : Pliant_Real<"is_nan", "bool: is x NaN; float", "f32(2): nan 1 -> bool(2): 1 0">;
def Pliant_IsInfOp : Pliant_Real<"is_inf", "bool: is x infinite; float", "f32(3): inf -inf 1 {negative = false, positive = true} -> bool(3): 1 0 0"> {
  let arguments = (ins Pliant_Tensor:$x, BoolAttr:$negative, BoolAttr:$positive);
}
