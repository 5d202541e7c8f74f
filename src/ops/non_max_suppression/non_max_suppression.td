// SPDX-License-Identifier: Apache-2.0
def Pliant_NonMaxSuppressionOp : Pliant_Op<"non_max_suppression", "Kernel"> {
  let summary = "boxes by falling score, leaving out those that overlap a chosen one too much: (batch, class, box) triples and their number";
  let example = [{f32(1, 2, 4): 0 0 1 1 0 0 1 0.9; f32(1, 1, 2): 1 2; f32(): 0.5; f32(): 0 {limit = #pliant.shape<"2">, centred = false} -> i64(2, 3): 0 0 1 0 0 0; i64(): 1}];
  let description = [{
    boxes (B, N, 4): two opposite corners y1, x1, y2, x2, or centre x, y, width, height when `centred`; scores (B, C, N);
    overlap and least, scalars: a box is left out when intersection over union with a chosen box of its class is above
    `overlap`, or its score is not above `least`. Per batch and class at most `limit` (one entry) boxes are chosen; of
    equal scores the lower box first; NaN scores never. selected has B*C*min(limit, N) rows, of which the first `count`
    (a scalar) mean something; the others are 0. C1: all operands are f32, of ranks 3, 3, 0, 0. C2: B and N agree, boxes
    have 4 numbers. C3: limit has one entry, not negative.
  }];
  let arguments = (ins Pliant_Tensor:$boxes, Pliant_Tensor:$scores, Pliant_Tensor:$overlap, Pliant_Tensor:$least,
                       Pliant_ExprsAttr:$limit, BoolAttr:$centred);
  let results = (outs Pliant_Tensor:$selected, Pliant_Tensor:$count);
}
