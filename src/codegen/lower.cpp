// SPDX-License-Identifier: Apache-2.0
// Two conversions and no greedy rewriting: upstream's convert-vector-to-llvm first runs patterns to a fixed point, and
// its constant folder confuses constants of different types in large functions (MLIR 19; seen as an index compared with
// a mask). It is also the slowest part of lowering.
#include "codegen/lower.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace pliant::codegen {

/// Regions marked out of line become functions: their registers and constants are then no business of the loops around
/// the call.
static void moveOutOfLine(ModuleOp module) {
  std::vector<scf::ExecuteRegionOp> marked;
  module.walk([&](scf::ExecuteRegionOp region) {
    if (region->hasAttr("out_of_line"))
      marked.push_back(region);
  });
  int number = 0;
  for (scf::ExecuteRegionOp region : marked) {
    auto kernel = region->getParentOfType<func::FuncOp>();
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(region.getRegion(), used);
    SmallVector<Value> captured;
    for (Value v : used)
      if (!v.getDefiningOp<arith::ConstantOp>())
        captured.push_back(v);
    OpBuilder top(kernel);
    top.setInsertionPointAfter(kernel);
    auto function =
        top.create<func::FuncOp>(region.getLoc(), (kernel.getName() + "_tail" + llvm::Twine(number++)).str(),
                                 top.getFunctionType(ValueRange(captured).getTypes(), {}));
    function.setPrivate();
    OpBuilder in = OpBuilder::atBlockBegin(function.addEntryBlock());
    IRMapping inside;
    for (auto [v, argument] : llvm::zip(captured, function.getArguments()))
      inside.map(v, argument);
    for (Value v : used)
      if (auto constant = v.getDefiningOp<arith::ConstantOp>())
        inside.map(v, in.clone(*constant)->getResult(0));
    for (Operation &op : region.getRegion().front().without_terminator())
      in.clone(op, inside);
    in.create<func::ReturnOp>(region.getLoc());
    OpBuilder(region).create<func::CallOp>(region.getLoc(), function, captured);
    region.erase();
  }
}

llvm::LogicalResult lowerToLlvm(ModuleOp module) {
  moveOutOfLine(module);
  MLIRContext *context = module.getContext();
  {
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(*context);
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return failure();
  }
  LowerToLLVMOptions options(context);
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  PassManager passes(context);
  passes.enableVerifier(false);
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

} // namespace pliant::codegen
