// SPDX-License-Identifier: Apache-2.0
// Index (i64) of the extreme element along an axis. C1: axis in range. C2: not bool. C3: the axis is not empty where the result is not. NaN counts as the extreme, as in NumPy.
class Pliant_ArgReduce<string mnemonic, string text> : Pliant_Op<mnemonic, "Kernel"> {
  let folder = "arg_reduce";
  let summary = text;
  let arguments = (ins Pliant_Tensor:$x, I64Attr:$axis, BoolAttr:$keepDims, BoolAttr:$lastIndex);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ArgMaxOp : Pliant_ArgReduce<"arg_max", "index of the maximum">;
def Pliant_ArgMinOp : Pliant_ArgReduce<"arg_min", "index of the minimum">;
