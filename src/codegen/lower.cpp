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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace pliant::codegen {

llvm::LogicalResult lowerToLlvm(ModuleOp module) {
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
