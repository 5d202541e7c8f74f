// SPDX-License-Identifier: Apache-2.0
// Functions of two elements, NumPy broadcasting. C1: equal element types. C2: shapes broadcast.
class Pliant_Binary<string mnemonic, string text> : Pliant_Op<mnemonic, "Pointwise"> {
  let folder = "binary";
  let summary = text;
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
}

def Pliant_AddOp : Pliant_Binary<"add", "sum; integers wrap">;
def Pliant_SubOp : Pliant_Binary<"sub", "difference; integers wrap">;
def Pliant_MulOp : Pliant_Binary<"mul", "product; integers wrap">;
def Pliant_DivOp : Pliant_Binary<"div", "quotient; integers towards zero, by zero an error, smallest over -1 wraps">;
def Pliant_ModOp : Pliant_Binary<"mod", "remainder with the sign of the divisor (integers); by zero an error">;
def Pliant_FmodOp : Pliant_Binary<"fmod", "remainder with the sign of the dividend">;
def Pliant_PowOp : Pliant_Binary<"pow", "lhs to the rhs; integers wrap">;
def Pliant_MinOp : Pliant_Binary<"min", "minimum; NaN if either is NaN">;
def Pliant_MaxOp : Pliant_Binary<"max", "maximum; NaN if either is NaN">;
def Pliant_LogicalAndOp : Pliant_Binary<"logical_and", "and; bool">;
def Pliant_LogicalOrOp : Pliant_Binary<"logical_or", "or; bool">;
def Pliant_LogicalXorOp : Pliant_Binary<"logical_xor", "exclusive or; bool">;
def Pliant_BitAndOp : Pliant_Binary<"bit_and", "bitwise and; integer"> { let content = 0; }
def Pliant_BitOrOp : Pliant_Binary<"bit_or", "bitwise or; integer"> { let content = 0; }
def Pliant_BitXorOp : Pliant_Binary<"bit_xor", "bitwise exclusive or; integer"> { let content = 0; }
def Pliant_ShiftLeftOp : Pliant_Binary<"shift_left", "bit shift; unsigned integer"> { let content = 0; }
def Pliant_ShiftRightOp : Pliant_Binary<"shift_right", "bit shift; unsigned integer"> { let content = 0; }
