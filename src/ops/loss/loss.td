// SPDX-License-Identifier: Apache-2.0
def Pliant_NllLossOp : Pliant_Op<"nll_loss", "Composite"> {
  let folder = "loss";
  let summary = "negative log likelihood of target classes";
  let example = [{f32(2, 3): -1 -2 -3 -4 -5 -6; i64(2): 2 0 {reduction = "mean", ignore = array<i64>} -> f32(): 3.5}];
  let description = [{
    operands: log-probabilities (N, C, d...), targets (N, d...) of i64 or i32, and if given weights (C). The loss of a
    place is -x[n, target, d...] * weights[target]. reduction: "none" gives (N, d...), "sum" and "mean" a scalar; the mean
    is over weights. Places whose target is `ignore` (empty, or one number) count neither in sum nor mean and have loss 0.
    C1: x is float, of rank 2 at least. C2: targets are i64 or i32 of x's shape without axis 1. C3: weights are C numbers
    of x's type. C4: reduction is of those names; ignore has at most one entry. Targets in [-C, C), checked at run time.
  }];
  let arguments = (ins Variadic<Pliant_Tensor>:$operands, StrAttr:$reduction, DenseI64ArrayAttr:$ignore);
  let results = (outs Pliant_Tensor:$result);
}
