// SPDX-License-Identifier: Apache-2.0
// The frame of every op's contract: the dialect, the kinds of arguments, and what the registry reads of an op.
#ifndef PLIANT_IR_BASE_TD
#define PLIANT_IR_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Pliant_Dialect : Dialect {
  let name = "pliant";
  let cppNamespace = "::pliant::ir";
  let summary = "tensors with symbolic shapes";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1; // pliant.facts
  let useDefaultTypePrinterParser = 1;
}

// One canonical expression per axis: `#pliant.shape<"B", "2*S+1">`. As a tensor's encoding it states the extents;
// as an op's attribute it is a list of integers computed from symbols (targets of reshape, starts of slices).
def Pliant_ShapeAttr : AttrDef<Pliant_Dialect, "Shape"> {
  let mnemonic = "shape";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$extents);
  let hasCustomAssemblyFormat = 1;
}

// A list of tensors of one element type: a sequence, or an optional value (which is a list that may be absent). The
// element's extents are those that all elements have; "?" where they differ; unranked where ranks do.
def Pliant_ListType : TypeDef<Pliant_Dialect, "List"> {
  let mnemonic = "list";
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

// The element type of texts.
def Pliant_StringType : TypeDef<Pliant_Dialect, "String"> {
  let mnemonic = "string";
}

def Pliant_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "ranked tensor", "::mlir::RankedTensorType">;
def Pliant_Value : AnyTypeOf<[Pliant_Tensor, Pliant_ListType]>;
// Lists of symbolic integers.
def Pliant_ExprsAttr : Attr<CPred<"::llvm::isa<::pliant::ir::ShapeAttr>($_self)">, "list of symbolic integers"> {
  let storageType = "::pliant::ir::ShapeAttr";
  let returnType = "::pliant::ir::ShapeAttr";
  let convertFromStorage = "$_self";
}
def Pliant_TypeAttr : Attr<CPred<"::llvm::isa<::mlir::TypeAttr>($_self)">, "element type"> {
  let storageType = "::mlir::TypeAttr";
  let returnType = "::mlir::Type";
  let convertFromStorage = "$_self.getValue()";
}

// How fusion and code generation see an op:
//   Pointwise   each element of the result is a function of the elements at the same (broadcast) index
//   Map         each element of the result is one element of an operand (reshape, slice, gather, pad, concat, ...)
//   Reduce      a commutative fold over axes
//   Contraction a sum of products with epilogue: matmul, convolutions
//   Kernel      writes its result by loops of its own: pooling, resize, arg-reduce, cumulative sum, ...
//   Composite   stands for other ops; `decompose` gives them, and with them its shape rule and its reference
//   Host        works on extents: extents, bind
//   Source      constant, weight
class Pliant_Op<string mnemonic, string patternName, list<Trait> traits = [], list<Trait> purity = [Pure]>
    : Op<Pliant_Dialect, mnemonic, !listconcat(traits, purity)> {
  string folder = mnemonic; // where it lives below src/ops
  string pattern = patternName;
  // What the op does to a few elements, in the text of the tests: operands, attributes, results. A test runs it:
  // "i32(2): 3 4; i32(): 1 -> i32(2): 2 3", "f32(4): 1 2 3 4 {axis = 0 : i64} -> ...". Sources state types only.
  string example = "";
  bit content = 0; // has a rule on known integer contents (`content` in the shape file)
  // What front ends that take any types do: bring these operands (-1: all) to one element type; take integers as floats.
  list<int> together = [];
  bit floats = 0;
  bit emitted = 1; // 0: no emitter yet, runs as its reference and counts as a fallback
  bit hosted = 0;  // 1: its reference is how it runs: what it does is no loop over numbers. No fallback.
  bit texts = 0;   // 1: takes tensors of strings, as all ops of pattern Map do
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::pliant::ir::verifyByRule(getOperation()); }
  }];
}

#endif
