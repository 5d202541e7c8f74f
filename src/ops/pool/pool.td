// SPDX-License-Identifier: Apache-2.0
// Windows over the spatial axes of (N, C, spatial...), or (N, spatial..., C) when channelsLast. pads: all low, then all high counts.
// With ceilMode the last window must start inside the input or its low padding. C1: float (max also integer). C2: rank at least 3.
// Without it, a window larger than a padded input that is not empty, by less than a stride, is cut to the input.
// C3: positive kernel, strides, dilations, one per spatial axis. C4: no output extent is negative.
// A window of padding only: -inf or the smallest integer as maximum, -1 as index, NaN as mean of nothing.
class Pliant_Pool<string mnemonic, string text, dag extra, string shown = ""> : Pliant_Op<mnemonic, "Kernel"> {
  let folder = "pool";
  let summary = text;
  let example = shown;
  let arguments = !con((ins Pliant_Tensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$dilations, Pliant_ExprsAttr:$pads, BoolAttr:$ceilMode, BoolAttr:$channelsLast), extra);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_MaxPoolOp : Pliant_Pool<"max_pool", "maximum of each window; padding never wins; NaN wins", (ins), [{f32(1, 1, 4): 1 3 2 0 {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, ceilMode = false, channelsLast = false} -> f32(1, 1, 2): 3 2}]>;
def Pliant_AvgPoolOp : Pliant_Pool<"avg_pool", "mean of each window; includePad counts padded cells inside input and pads",
    (ins BoolAttr:$includePad), [{f32(1, 1, 4): 1 3 2 0 {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, ceilMode = false, channelsLast = false, includePad = false} -> f32(1, 1, 2): 2 1}]>;
def Pliant_SumPoolOp : Pliant_Pool<"sum_pool", "sum of each window; padding adds 0", (ins), [{f32(1, 1, 4): 1 3 2 0 {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, ceilMode = false, channelsLast = false} -> f32(1, 1, 2): 4 2}]>;
// As max_pool, with the flat index (i64) of each maximum into x in (N, C, spatial...) order (columnMajor: spatial axes reversed).
def Pliant_MaxPoolIndicesOp : Pliant_Pool<"max_pool_indices", "flat index of the maximum of each window", (ins BoolAttr:$columnMajor), [{f32(1, 1, 4): 1 3 2 0 {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = #pliant.shape<"0", "0">, ceilMode = false, channelsLast = false, columnMajor = false} -> i64(1, 1, 2): 1 2}]>;
