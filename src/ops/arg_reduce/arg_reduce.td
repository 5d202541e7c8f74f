// SPDX-License-Identifier: Apache-2.0
// Index (i64) of the extreme element along an axis. C1: axis in range. C2: not bool. C3: the axis is not empty where the result is not. NaN counts as the extreme, as in NumPy.
class Pliant_ArgReduce<string mnemonic, string text, string shown = ""> : Pliant_Op<mnemonic, "Kernel"> {
  let folder = "arg_reduce";
  let summary = text;
  let example = shown;
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis, BoolAttr:$keepDims, BoolAttr:$lastIndex);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ArgMaxOp : Pliant_ArgReduce<"arg_max", "index of the maximum", "f32(2, 3): 1 3 3 0 -1 -2 {axis = 1 : i64, keepDims = false, lastIndex = false} -> i64(2): 1 0">;
def Pliant_ArgMinOp : Pliant_ArgReduce<"arg_min", "index of the minimum", "f32(2, 3): 1 3 3 0 -1 -2 {axis = 1 : i64, keepDims = false, lastIndex = false} -> i64(2): 0 2">;
