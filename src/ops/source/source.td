// SPDX-License-Identifier: Apache-2.0
// Where values come from other than arguments, and what works on extents.
def Pliant_ConstantOp : Pliant_Op<"constant", "Source", [ConstantLike]> {
  let folder = "source";
  let summary = "a small constant";
  let example = "{value = dense<[1.0, 2.0]> : tensor<2xf32>} -> f32(2)";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Pliant_Tensor:$result);
  let hasFolder = 1;
}
def Pliant_WeightOp : Pliant_Op<"weight", "Source"> {
  let folder = "source";
  let summary = "a tensor of the program's weight table, whose bytes are no part of the program";
  let example = [{{index = 0 : i64, shape = #pliant.shape<"2">, dtype = f32} -> f32(2)}];
  let arguments = (ins I64Attr:$index, Pliant_ExprsAttr:$shape, Pliant_TypeAttr:$dtype);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ExtentsOp : Pliant_Op<"extents", "Host"> {
  let folder = "source";
  let summary = "integers computed from symbols: rank 1, or rank 0 when scalar";
  let example = [{{values = #pliant.shape<"2", "3">, scalar = false} -> i64(2)}];
  let arguments = (ins Pliant_ExprsAttr:$values, BoolAttr:$scalar);
  let results = (outs Pliant_Tensor:$result);
}
// Reads a small integer tensor on the host and gives its elements names; `what` says in an error what each of them is. C1: the operand is integer with a constant element count.
def Pliant_BindOp : Pliant_Op<"bind", "Host", [], []> { // not pure: types name its symbols without using its result
  let folder = "source";
  let summary = "declares one fresh symbol per element, within bounds checked at run time";
  let example = [{i64(2): 4 5 {symbols = #pliant.shape<"p", "q">, low = 0 : i64, high = 9 : i64, what = "a row"} -> i64(2)}];
  let arguments = (ins Pliant_Tensor:$x, Pliant_ExprsAttr:$symbols, I64Attr:$low, I64Attr:$high, StrAttr:$what);
  let results = (outs Pliant_Tensor:$result);
}
