// SPDX-License-Identifier: Apache-2.0
def Pliant_BroadcastToOp : Pliant_Op<"broadcast_to", "Map"> {
  let summary = "x repeated to a shape: each axis, right-aligned, is 1 or equal";
  let example = [{f32(2, 1): 1 2 {shape = #pliant.shape<"2", "3">} -> f32(2, 3): 1 1 1 2 2 2}];
  let description = [{ C1: the rank does not shrink. C2: each axis of x is 1 or the target's extent. }];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$shape);
  let results = (outs Pliant_Tensor:$result);
}
