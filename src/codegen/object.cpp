// SPDX-License-Identifier: Apache-2.0
// LLVM IR to object code: a minimal function pipeline, because the emitters unroll and vectorise themselves.
#include "codegen/object.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace pliant::codegen {

Status optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  llvm::ModulePassManager passes;
  if (auto error = builder.parsePassPipeline(
          passes, "function(sroa,early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg,early-cse,"
                  "instcombine<no-verify-fixpoint>,adce)"))
    return internalError("codegen", llvm::toString(std::move(error)));
  passes.run(module, mam);
  return ok();
}

ObjectWriter::ObjectWriter(const TargetDescription &target, Code code) {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialized;
  const std::string triple = "x86_64-unknown-linux-gnu";
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, failure);
  if (!found)
    return;
  const bool host = code == Code::HostFlow;
  machine.reset(found->createTargetMachine(
      triple, host ? "x86-64" : target.cpu, host ? "" : target.features, {}, llvm::Reloc::PIC_, std::nullopt,
      host ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default)); // None selects quickly
}
ObjectWriter::~ObjectWriter() = default;

Result<std::string> ObjectWriter::write(llvm::Module &module) {
  if (!machine)
    return internalError("codegen", "no target machine: " + failure);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    function.setUWTableKind(llvm::UWTableKind::None);
    function.addFnAttr("prefer-vector-width", "512");
  }
  PLIANT_CHECK(optimize(module, *machine));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return internalError("codegen", "the target cannot write objects");
  codegen.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace pliant::codegen
