// SPDX-License-Identifier: Apache-2.0
def Pliant_SliceOp : Pliant_Op<"slice", "Map"> {
  let summary = "every step-th element of each axis: result[i] = x[start + i * step], sizes given";
  let example = [{f32(5): 0 1 2 3 4 {starts = #pliant.shape<"4">, steps = array<i64: -2>, sizes = #pliant.shape<"3">} -> f32(3): 4 2 0}];
  let description = [{
    One start, step and size per axis; steps are constants other than 0, starts and sizes are symbolic and already clamped.
    C1: one entry per axis. C2: step is not 0. C3: 0 <= size, and where size > 0 both ends lie inside the axis.
  }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$starts, DenseI64ArrayAttr:$steps, Pliant_ExprsAttr:$sizes);
  let results = (outs Pliant_Tensor:$result);
}
