// SPDX-License-Identifier: Apache-2.0
// Functions of two elements, NumPy broadcasting. C1: equal element types. C2: shapes broadcast.
class Pliant_Binary<string mnemonic, string text, string shown = ""> : Pliant_Op<mnemonic, "Pointwise"> {
  let folder = "binary";
  let summary = text;
  let example = shown;
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
  let together = [0, 1];
}

def Pliant_AddOp : Pliant_Binary<"add", "sum; integers wrap", "f32(2, 2): 1 2 3 4; f32(2): 10 20 -> f32(2, 2): 11 22 13 24">;
def Pliant_SubOp : Pliant_Binary<"sub", "difference; integers wrap", "i32(2): 3 4; i32(): 1 -> i32(2): 2 3">;
def Pliant_MulOp : Pliant_Binary<"mul", "product; integers wrap", "f32(2): 2 3; f32(2): 4 5 -> f32(2): 8 15">;
def Pliant_DivOp : Pliant_Binary<"div", "quotient; integers towards zero, by zero an error, smallest over -1 wraps", "i32(3): 7 -7 -2147483648; i32(3): 2 2 -1 -> i32(3): 3 -3 -2147483648">;
def Pliant_ModOp : Pliant_Binary<"mod", "remainder with the sign of the divisor (integers); by zero an error", "i32(2): 7 -7; i32(): 3 -> i32(2): 1 2">;
def Pliant_FmodOp : Pliant_Binary<"fmod", "remainder with the sign of the dividend", "f32(2): 7 -7; f32(): 3 -> f32(2): 1 -1">;
def Pliant_PowOp : Pliant_Binary<"pow", "lhs to the rhs; integers wrap", "f32(2): 2 9; f32(2): 3 0.5 -> f32(2): 8 3">;
def Pliant_MinOp : Pliant_Binary<"min", "minimum; NaN if either is NaN", "f32(3): 1 nan 3; f32(): 2 -> f32(3): 1 nan 2">;
def Pliant_MaxOp : Pliant_Binary<"max", "maximum; NaN if either is NaN", "f32(3): 1 nan 3; f32(): 2 -> f32(3): 2 nan 3">;
def Pliant_LogicalAndOp : Pliant_Binary<"logical_and", "and; bool", "bool(4): 1 1 0 0; bool(4): 1 0 1 0 -> bool(4): 1 0 0 0">;
def Pliant_LogicalOrOp : Pliant_Binary<"logical_or", "or; bool", "bool(4): 1 1 0 0; bool(4): 1 0 1 0 -> bool(4): 1 1 1 0">;
def Pliant_LogicalXorOp : Pliant_Binary<"logical_xor", "exclusive or; bool", "bool(4): 1 1 0 0; bool(4): 1 0 1 0 -> bool(4): 0 1 1 0">;
def Pliant_BitAndOp : Pliant_Binary<"bit_and", "bitwise and; integer", "u8(1): 12; u8(1): 10 -> u8(1): 8"> { let content = 0; }
def Pliant_BitOrOp : Pliant_Binary<"bit_or", "bitwise or; integer", "u8(1): 12; u8(1): 10 -> u8(1): 14"> { let content = 0; }
def Pliant_BitXorOp : Pliant_Binary<"bit_xor", "bitwise exclusive or; integer", "u8(1): 12; u8(1): 10 -> u8(1): 6"> { let content = 0; }
def Pliant_ShiftLeftOp : Pliant_Binary<"shift_left", "bit shift; unsigned integer", "u8(2): 3 255; u8(2): 2 1 -> u8(2): 12 254"> { let content = 0; }
def Pliant_ShiftRightOp : Pliant_Binary<"shift_right", "bit shift; unsigned integer", "u8(2): 12 255; u8(2): 2 1 -> u8(2): 3 127"> { let content = 0; }
