// SPDX-License-Identifier: Apache-2.0
// Comparisons to bool, NumPy broadcasting. C1: equal element types. C2: shapes broadcast. NaN compares false but for ne.
class Pliant_Compare<string mnemonic, string text, string shown = ""> : Pliant_Op<mnemonic, "Pointwise"> {
  let folder = "compare";
  let summary = text;
  let example = shown;
  let arguments = (ins Pliant_Tensor:$lhs, Pliant_Tensor:$rhs);
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
  let together = [0, 1];
}

def Pliant_EqualOp : Pliant_Compare<"equal", "lhs == rhs", "f32(3): 1 nan 3; f32(3): 1 nan 4 -> bool(3): 1 0 0">;
def Pliant_NotEqualOp : Pliant_Compare<"not_equal", "lhs != rhs", "f32(3): 1 nan 3; f32(3): 1 nan 4 -> bool(3): 0 1 1">;
def Pliant_LessOp : Pliant_Compare<"less", "lhs < rhs", "f32(3): 1 2 3; f32(): 2 -> bool(3): 1 0 0">;
def Pliant_LessEqualOp : Pliant_Compare<"less_equal", "lhs <= rhs", "f32(3): 1 2 3; f32(): 2 -> bool(3): 1 1 0">;
def Pliant_GreaterOp : Pliant_Compare<"greater", "lhs > rhs", "f32(3): 1 2 3; f32(): 2 -> bool(3): 0 0 1">;
def Pliant_GreaterEqualOp : Pliant_Compare<"greater_equal", "lhs >= rhs", "f32(3): 1 2 3; f32(): 2 -> bool(3): 0 1 1">;
