// SPDX-License-Identifier: Apache-2.0
// Functions of one element. C1: the element type is one for which the row is defined (float, integer or bool).
class Pliant_Unary<string mnemonic, string text> : Pliant_Op<mnemonic, "Pointwise"> {
  let folder = "unary";
  let summary = text;
  let arguments = (ins Pliant_Tensor:$x);
  let results = (outs Pliant_Tensor:$result);
}

def Pliant_AbsOp : Pliant_Unary<"abs", "absolute value; the smallest integer stays itself">;
def Pliant_NegOp : Pliant_Unary<"neg", "negation; integers wrap"> { let content = 1; }
def Pliant_ReluOp : Pliant_Unary<"relu", "x where x > 0, NaN where NaN, else 0">;
def Pliant_ExpOp : Pliant_Unary<"exp", "e to the x; float">;
def Pliant_LogOp : Pliant_Unary<"log", "natural logarithm; float">;
def Pliant_SqrtOp : Pliant_Unary<"sqrt", "square root; float">;
def Pliant_ReciprocalOp : Pliant_Unary<"reciprocal", "1 / x; float">;
def Pliant_FloorOp : Pliant_Unary<"floor", "largest integer not above x; float"> { let content = 1; }
def Pliant_CeilOp : Pliant_Unary<"ceil", "smallest integer not below x; float"> { let content = 1; }
def Pliant_RoundOp : Pliant_Unary<"round", "nearest integer, halves to even; float">;
def Pliant_SignOp : Pliant_Unary<"sign", "-1, 0 or 1; NaN stays NaN">;
def Pliant_SigmoidOp : Pliant_Unary<"sigmoid", "1 / (1 + exp(-x)); float">;
def Pliant_TanhOp : Pliant_Unary<"tanh", "hyperbolic tangent; float">;
def Pliant_ErfOp : Pliant_Unary<"erf", "Gauss error function; float">;
def Pliant_SinOp : Pliant_Unary<"sin", "sine; float">;
def Pliant_CosOp : Pliant_Unary<"cos", "cosine; float">;
def Pliant_TanOp : Pliant_Unary<"tan", "tangent; float">;
def Pliant_AsinOp : Pliant_Unary<"asin", "arc sine; float">;
def Pliant_AcosOp : Pliant_Unary<"acos", "arc cosine; float">;
def Pliant_AtanOp : Pliant_Unary<"atan", "arc tangent; float">;
def Pliant_SinhOp : Pliant_Unary<"sinh", "hyperbolic sine; float">;
def Pliant_CoshOp : Pliant_Unary<"cosh", "hyperbolic cosine; float">;
def Pliant_AsinhOp : Pliant_Unary<"asinh", "inverse hyperbolic sine; float">;
def Pliant_AcoshOp : Pliant_Unary<"acosh", "inverse hyperbolic cosine; float">;
def Pliant_AtanhOp : Pliant_Unary<"atanh", "inverse hyperbolic tangent; float">;
def Pliant_LogicalNotOp : Pliant_Unary<"logical_not", "not; bool"> { let content = 1; }
def Pliant_IsNanOp : Pliant_Unary<"is_nan", "bool: is x NaN; float">;
def Pliant_IsInfOp : Pliant_Unary<"is_inf", "bool: is x infinite; float"> {
  let arguments = (ins Pliant_Tensor:$x, BoolAttr:$negative, BoolAttr:$positive);
}
