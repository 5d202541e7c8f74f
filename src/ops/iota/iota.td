// SPDX-License-Identifier: Apache-2.0
def Pliant_IotaOp : Pliant_Op<"iota", "Map"> {
  let summary = "0, 1, 2, ... of an integer or float type along the only axis";
  let example = [{{dtype = i64, shape = #pliant.shape<"3">} -> i64(3): 0 1 2}];
  let description = [{ C1: shape has one entry, not negative. }];
  let arguments = (ins Pliant_ExprsAttr:$shape, Pliant_TypeAttr:$dtype);
  let results = (outs Pliant_Tensor:$result);
  let content = 1;
}
