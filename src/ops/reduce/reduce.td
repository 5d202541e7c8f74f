// SPDX-License-Identifier: Apache-2.0
// Folds over axes. C1: axes are distinct and in range (negative ones allowed in no op: front ends normalise).
// C2: the element type is one for which the fold is defined. An empty fold gives the neutral element (sum 0, prod 1,
// max smallest or -inf, min largest or inf). Sums: 64 logical lanes and a fixed tree, see docs/semantics.md.
class Pliant_Reduce<string mnemonic, string text, string shown = ""> : Pliant_Op<mnemonic, "Reduce"> {
  let folder = "reduce";
  let summary = text;
  let example = shown;
  let arguments = (ins Pliant_Tensor:$x, DenseI64ArrayAttr:$axes, BoolAttr:$keepDims);
  let results = (outs Pliant_Tensor:$result);
}

def Pliant_ReduceSumOp : Pliant_Reduce<"reduce_sum", "sum over axes", "f32(2, 3): 1 2 3 4 5 6 {axes = array<i64: 1>, keepDims = false} -> f32(2): 6 15">;
def Pliant_ReduceProdOp : Pliant_Reduce<"reduce_prod", "product over axes", "f32(2, 3): 1 2 3 4 5 6 {axes = array<i64: 1>, keepDims = false} -> f32(2): 6 120"> { let content = 1; }
def Pliant_ReduceMaxOp : Pliant_Reduce<"reduce_max", "maximum over axes; NaN if any is NaN", "f32(2, 3): 1 2 3 4 5 6 {axes = array<i64: 1>, keepDims = false} -> f32(2): 3 6">;
def Pliant_ReduceMinOp : Pliant_Reduce<"reduce_min", "minimum over axes; NaN if any is NaN", "f32(2, 3): 1 2 3 4 5 6 {axes = array<i64: 1>, keepDims = false} -> f32(2): 1 4">;
def Pliant_ReduceMeanOp : Pliant_Op<"reduce_mean", "Composite"> {
  let folder = "reduce";
  let summary = "mean over axes: sum divided by the count; integers divide towards zero";
  let example = "f32(2, 3): 1 2 3 4 5 6 {axes = array<i64: 1>, keepDims = false} -> f32(2): 2 5";
  let arguments = (ins Pliant_Tensor:$x, DenseI64ArrayAttr:$axes, BoolAttr:$keepDims);
  let results = (outs Pliant_Tensor:$result);
}
