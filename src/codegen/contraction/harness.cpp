// SPDX-License-Identifier: Apache-2.0
// Compiles and loads one kernel for the tests and the benchmark.
#include "codegen/contraction/harness.h"
#include "codegen/contraction/emitter.h"
#include "codegen/lower.h"
#include "codegen/object.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <ctime>

using namespace mlir;

namespace pliant::codegen {
namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); // the machine is shared
  return 1e3 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
}

std::unique_ptr<llvm::TargetMachine> machineFor(const CompileOptions &options) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  std::string error, cpu = options.cpu, features = options.features;
  if (cpu.empty()) {
    cpu = llvm::sys::getHostCPUName().str();
    for (auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  auto *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, {}, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

void emitFunction(OpBuilder &b, Location loc, int buffers, int symbols,
                  llvm::function_ref<Status(OpBuilder &, Location, const KernelArguments &)> emit, std::string &error) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto i64 = b.getI64Type();
  auto function =
      b.create<func::FuncOp>(loc, "kernel", b.getFunctionType({pointer, pointer, i64, i64, pointer}, TypeRange{}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  KernelArguments arguments;
  auto index = [&](Value v) -> Value { return b.create<arith::IndexCastOp>(loc, b.getIndexType(), v); };
  for (int i = 0; i < buffers; ++i) {
    Value at = b.create<LLVM::GEPOp>(loc, pointer, i64, entry->getArgument(0), ArrayRef<LLVM::GEPArg>{i});
    arguments.buffers.push_back(b.create<LLVM::LoadOp>(loc, pointer, at));
  }
  for (int i = 0; i < symbols; ++i) {
    Value at = b.create<LLVM::GEPOp>(loc, pointer, i64, entry->getArgument(1), ArrayRef<LLVM::GEPArg>{i});
    arguments.symbols.push_back(index(b.create<LLVM::LoadOp>(loc, i64, at)));
  }
  arguments.begin = index(entry->getArgument(2));
  arguments.end = index(entry->getArgument(3));
  arguments.state = entry->getArgument(4);
  auto status = emit(b, loc, arguments);
  if (!status)
    error = status.error().message;
  b.create<func::ReturnOp>(loc);
}

} // namespace

CompiledKernel compileKernel(int buffers, int symbols,
                             llvm::function_ref<Status(OpBuilder &, Location, const KernelArguments &)> emit,
                             const CompileOptions &options) {
  CompiledKernel result;
  auto fail = [&](std::string what) {
    result.error = std::move(what);
    return std::move(result);
  };
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                      scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);

  double start = now();
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(module->getBody());
  emitFunction(b, b.getUnknownLoc(), buffers, symbols, emit, result.error);
  result.emitMs = now() - start;
  if (!result.error.empty())
    return result;
  if (failed(verify(*module)))
    return fail("the verifier rejects the emitted function");

  start = now();
  if (failed(lowerToLlvm(*module)) || failed(verify(*module)))
    return fail("lowering fails");
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto llvmModule = translateModuleToLLVMIR(*module, *llvmContext);
  if (!llvmModule)
    return fail("translation fails");
  result.lowerMs = now() - start;

  start = now();
  auto machine = machineFor(options);
  llvmModule->setTargetTriple(machine->getTargetTriple().str());
  llvmModule->setDataLayout(machine->createDataLayout());
  if (Status status = optimize(*llvmModule, *machine); !status)
    return fail(status.error().message);
  result.optimizeMs = now() - start;

  auto generate = [&](llvm::Module &m, llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager codegen;
    machine->addPassesToEmitFile(codegen, stream, nullptr, type);
    codegen.run(m);
    return bytes;
  };
  if (options.assembly) {
    auto copy = llvm::CloneModule(*llvmModule);
    auto text = generate(*copy, llvm::CodeGenFileType::AssemblyFile);
    result.assembly.assign(text.begin(), text.end());
  }
  start = now();
  auto object = generate(*llvmModule, llvm::CodeGenFileType::ObjectFile);
  result.codegenMs = now() - start;
  result.objectBytes = object.size();
  if (auto file = llvm::object::ObjectFile::createObjectFile({{object.data(), object.size()}, "kernel"})) {
    for (const auto &symbol : (*file)->symbols())
      if (auto flags = symbol.getFlags(); flags && (*flags & llvm::object::SymbolRef::SF_Undefined))
        if (auto name = symbol.getName(); name && !name->empty())
          result.undefined.push_back(name->str());
  } else {
    return fail(llvm::toString(file.takeError()));
  }

  static std::unique_ptr<llvm::orc::LLJIT> jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  static int count = 0;
  auto &dylib = llvm::cantFail(jit->createJITDylib("kernel" + std::to_string(count++)));
  if (auto error = jit->addObjectFile(dylib, std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object))))
    return fail(llvm::toString(std::move(error)));
  auto symbol = jit->lookup(dylib, "kernel");
  if (!symbol)
    return fail(llvm::toString(symbol.takeError()));
  result.function = symbol->toPtr<KernelFunction>();
  return result;
}

} // namespace pliant::codegen
