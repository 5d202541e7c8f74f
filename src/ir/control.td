// SPDX-License-Identifier: Apache-2.0
// Control flow: structured, values captured from outside are used directly.
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Pliant_YieldOp : Op<Pliant_Dialect, "yield", [Pure, Terminator]> {
  let summary = "results of a region";
  let arguments = (ins Variadic<Pliant_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
def Pliant_IfOp : Op<Pliant_Dialect, "if", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "one of two regions by a rank-0 bool";
  let description = [{ Extents in which the branches differ are fresh symbols of the result type. }];
  let arguments = (ins Pliant_Tensor:$condition);
  let results = (outs Variadic<Pliant_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition `:` type($condition) (`->` type($results)^)? $thenRegion `else` $elseRegion attr-dict";
}
