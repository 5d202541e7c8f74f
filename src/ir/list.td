// SPDX-License-Identifier: Apache-2.0
// Lists: ONNX's sequences and optionals when their length is not known before the run. Values of the host flow that
// share their elements by reference count. A position is a list of at most one integer; without one it is the end.
class Pliant_ListOp<string mnemonic, list<Trait> traits> : Op<Pliant_Dialect, "list_" # mnemonic, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Pliant_ListMakeOp : Pliant_ListOp<"make", [Pure]> {
  let summary = "a list of the operands, or the absent value";
  let arguments = (ins Variadic<Pliant_Tensor>:$items, BoolAttr:$present);
  let results = (outs Pliant_ListType:$result);
}
def Pliant_ListInsertOp : Pliant_ListOp<"insert", [Pure]> {
  let summary = "the list with a tensor before position, in [-length, length]";
  let arguments = (ins Pliant_ListType:$list, Pliant_Tensor:$item, Pliant_ExprsAttr:$position);
  let results = (outs Pliant_ListType:$result);
}
def Pliant_ListEraseOp : Pliant_ListOp<"erase", [Pure]> {
  let summary = "the list without the tensor at position, in [-length, length)";
  let arguments = (ins Pliant_ListType:$list, Pliant_ExprsAttr:$position);
  let results = (outs Pliant_ListType:$result);
}
def Pliant_ListAtOp : Pliant_ListOp<"at", []> { // not pure: types name its symbols without using its result
  let summary = "the tensor at position; extents that the list's type leaves open are declared";
  let arguments = (ins Pliant_ListType:$list, Pliant_ExprsAttr:$position, Pliant_ExprsAttr:$declares);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ListLengthOp : Pliant_ListOp<"length", []> {
  let summary = "declares the number of elements as a symbol";
  let arguments = (ins Pliant_ListType:$list, Pliant_ExprsAttr:$declares);
}
def Pliant_ListPresentOp : Pliant_ListOp<"present", []> {
  let summary = "declares a symbol: 0 for the absent value, else 1";
  let arguments = (ins Pliant_ListType:$list, Pliant_ExprsAttr:$declares);
}
def Pliant_ListGetOp : Pliant_ListOp<"get", [Pure]> {
  let summary = "the list inside an optional; an error for the absent value";
  let arguments = (ins Pliant_ListType:$list);
  let results = (outs Pliant_ListType:$result);
}
def Pliant_ListConcatOp : Pliant_ListOp<"concat", []> {
  let summary = "all elements one after the other along an axis, a new one with newAxis";
  let arguments = (ins Pliant_ListType:$list, I64Attr:$axis, BoolAttr:$newAxis, Pliant_ExprsAttr:$declares);
  let results = (outs Pliant_Tensor:$result);
}
def Pliant_ListSplitOp : Pliant_ListOp<"split", [Pure]> {
  let summary = "parts along an axis: of the lengths in `sizes`, or of `size` each (the last what is left)";
  let arguments = (ins Pliant_Tensor:$x, Optional<Pliant_Tensor>:$sizes, Pliant_ExprsAttr:$size, I64Attr:$axis,
                   BoolAttr:$keepDims);
  let results = (outs Pliant_ListType:$result);
}
