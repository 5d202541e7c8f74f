// SPDX-License-Identifier: Apache-2.0
// Control flow: structured, values captured from outside are used directly. `declares` lists the fresh symbols of an
// op's results: extents that only a run knows. Ops that name them come after it, whether they read its results or not.
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Pliant_YieldOp : Op<Pliant_Dialect, "yield", [Pure, Terminator]> {
  let summary = "results of a region";
  let arguments = (ins Variadic<Pliant_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
def Pliant_IfOp : Op<Pliant_Dialect, "if", [NoRegionArguments, SingleBlock]> {
  let summary = "one of two regions by a rank-0 bool";
  let description = [{ Extents in which the branches differ are fresh symbols of the result type. }];
  let arguments = (ins Pliant_Tensor:$condition, OptionalAttr<Pliant_ExprsAttr>:$declares);
  let results = (outs Variadic<Pliant_Value>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition `:` type($condition) (`->` type($results)^)? $thenRegion `else` $elseRegion attr-dict";
  let hasVerifier = 1;
}
def Pliant_GuardOp : Op<Pliant_Dialect, "guard"> { // not pure: a run in which it fails gives nothing
  let summary = "a bool that must have a value, or the run ends with an error that says why";
  let arguments = (ins Pliant_Tensor:$condition, BoolAttr:$value, StrAttr:$reason);
  let assemblyFormat = "$condition `:` type($condition) attr-dict";
  let hasVerifier = 1;
}
def Pliant_LoopOp : Op<Pliant_Dialect, "loop", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "repeats a region, at most `trips` times and while a condition holds";
  let description = [{
    The region's arguments are the carried values. An extent in which an argument differs from its initial value is a
    symbol of the loop, which has another value in each trip; `iteration` is the symbol that counts trips from 0. The
    region yields the condition of the next trip (only when the loop has one), the carried values, and the elements
    of the outputs that grow by one along a new first axis per trip. Results: carried values, then those outputs.
    An absent `condition` is true; `trips` has at most one element.
  }];
  let arguments = (ins Optional<Pliant_Tensor>:$condition, Variadic<Pliant_Value>:$initial, Pliant_ExprsAttr:$trips,
                   Pliant_ExprsAttr:$iteration, Pliant_ExprsAttr:$declares);
  let results = (outs Variadic<Pliant_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`while` $condition^ `:` type($condition))? (`carry` $initial^ `:` type($initial))? (`->` type($results)^)?
    $body attr-dict
  }];
  let extraClassDeclaration = [{
    /// Whether the region yields a condition, as its first value.
    bool yieldsCondition() {
      return getBody().front().getTerminator()->getNumOperands() > getNumResults();
    }
  }];
  let hasVerifier = 1;
}
