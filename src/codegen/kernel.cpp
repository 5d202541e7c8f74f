// SPDX-License-Identifier: Apache-2.0
// One group to one object: emission, lowering to the LLVM dialect, translation, code generation.
#include "codegen/kernel.h"
#include "codegen/contraction_kernel.h"
#include "codegen/loop_kernel.h"
#include "codegen/lower.h"
#include "codegen/object.h"
#include "codegen/plain_contraction.h"
#include "group/tiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace pliant::codegen {

struct KernelCompiler::State {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  ObjectWriter writer;
  explicit State(const TargetDescription &target) : writer(target) {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                        scf::SCFDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(context);
    registerLLVMDialectTranslation(context);
  }
};

KernelCompiler::KernelCompiler(const TargetDescription &target)
    : target(target), state(std::make_unique<State>(target)) {}
KernelCompiler::~KernelCompiler() = default;

namespace {

/// A scalar that the group holds itself, put into memory for a kernel op to read.
Value embedded(Emitter &e, const GroupNode &node, Parameters &parameters) {
  const int64_t bytes = static_cast<int64_t>(byteSize(node.type.dtype));
  Value memory = e.stack(8);
  if (node.op == OpId::Extents) {
    e.b.create<LLVM::StoreOp>(e.loc, e.i64(parameters.value(std::get<ExtentsAttrs>(node.attrs).values[0])), memory, 8);
    return memory;
  }
  int64_t bits = 0;
  std::memcpy(&bits, std::get<ConstantAttrs>(node.attrs).value.data(), static_cast<size_t>(bytes));
  Value value = e.b.create<arith::ConstantOp>(e.loc, e.b.getI64IntegerAttr(bits));
  e.b.create<LLVM::StoreOp>(e.loc, value, memory, 8); // little endian: the low bytes come first
  return memory;
}

/// A kernel op writes its result by its own loops.
Status emitKernelOp(Kernel &kernel, Emitter &frame, const Group &group, Parameters &parameters, const Values &inputs,
                    const Values &outputs, Value scratch, Value begin, Value end, Value state,
                    const TargetDescription &target) {
  const GroupNode &node = group.nodes.back();
  KernelEmitter k(frame.b, frame.loc, node.type.dtype, frame.lanes, frame.fused);
  k.node = &node;
  for (int operand : node.operands) {
    k.operandTypes.push_back(group.type(operand));
    k.weights.push_back(group.isInput(operand) && group.weights[operand]);
    k.inputs.push_back(group.isInput(operand) ? inputs[operand] : embedded(frame, group.node(operand), parameters));
  }
  k.outputs = outputs;
  k.begin = begin;
  k.end = end;
  k.state = state;
  k.scratch = scratch;
  k.target = &target;
  k.extentOf = [&](const Expr &e) { return parameters.value(e); };
  if (info(node.op).pattern == Pattern::Contraction) {
    PLIANT_TRY(kernel.units, emitPlainContraction(k));
    return ok();
  }
  KernelEmit emit = kernelEmit(node.op);
  if (!emit)
    return internalError("codegen", std::string("no emitter for ") + info(node.op).name);
  PLIANT_TRY(kernel.units, emit(k, node.op, node.attrs));
  kernel.scratchBytes = k.scratchBytes;
  for (auto &[operand, spec] : k.packed)
    kernel.packed.push_back({node.operands[operand], spec});
  return ok();
}

/// Whether the group is one op that writes its result by loops of its own.
bool isKernelOp(const Group &group) {
  if (group.nodes.empty())
    return false;
  const GroupNode &node = group.nodes.back();
  if (info(node.op).pattern != Pattern::Contraction)
    return info(node.op).pattern == Pattern::Kernel;
  std::vector<TensorType> operands;
  for (int operand : node.operands)
    operands.push_back(group.type(operand));
  return !hasTiles(node.op, node.attrs, operands);
}

/// A vector unit's pace: 16 bytes of memory or 32 operations in a nanosecond.
Expr loopWork(const Group &group, const Schedule &plan) {
  int64_t cost = 0;
  for (const Instance &i : plan.instances)
    cost += i.kind == Instance::Kind::Load    ? 4 * static_cast<int64_t>(byteSize(group.type(i.value).dtype))
            : i.kind == Instance::Kind::Point ? 2 * pointCost(group.node(i.value).op)
                                              : 2;
  for (const Schedule::Store &store : plan.stores)
    cost += 4 * static_cast<int64_t>(byteSize(group.type(group.outputs[store.output].value).dtype));
  return floorDiv(product(plan.domain) * cost, 64);
}

} // namespace

Result<Kernel> KernelCompiler::compile(const Group &group, const std::string &symbol, std::string *dump) {
  Kernel kernel;
  kernel.symbol = symbol;
  MLIRContext &context = state->context;
  OpBuilder b(&context);
  Location loc = NameLoc::get(b.getStringAttr(group.name()));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToStart(module->getBody());
  auto pointer = LLVM::LLVMPointerType::get(&context);
  Type i64 = b.getI64Type();
  auto function =
      b.create<func::FuncOp>(loc, symbol, b.getFunctionType({pointer, pointer, i64, i64, pointer}, TypeRange{}));
  for (unsigned i : {0u, 1u, 4u})
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);

  // Lanes count elements of the widest arithmetic: a contraction's accumulators set them.
  bool wide = false;
  for (const GroupNode &node : group.nodes)
    wide |= info(node.op).pattern == Pattern::Contraction && node.type.dtype == DType::F64;
  const int64_t lanes = target.vectorBits / (wide ? 64 : 32);
  Emitter e(b, loc, DType::F32, lanes, target.fma);
  Parameters parameters(e, entry->getArgument(1));
  Values buffers;
  const size_t count = group.inputs.size() + group.outputs.size() + 1; // and scratch
  for (size_t i = 0; i < count; ++i) {
    Value at = b.create<LLVM::GEPOp>(loc, pointer, i64, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    buffers.push_back(b.create<LLVM::LoadOp>(loc, pointer, at, 8));
  }
  Values inputs(buffers.begin(), buffers.begin() + group.inputs.size());
  Values outputs(buffers.begin() + group.inputs.size(), buffers.end() - 1);
  Value begin = b.create<arith::IndexCastOp>(loc, b.getIndexType(), entry->getArgument(2));
  Value end = b.create<arith::IndexCastOp>(loc, b.getIndexType(), entry->getArgument(3));
  Value runState = entry->getArgument(4);

  if (isKernelOp(group)) {
    PLIANT_CHECK(
        emitKernelOp(kernel, e, group, parameters, inputs, outputs, buffers.back(), begin, end, runState, target));
    kernel.description = "own loops";
    for (int value = 0; value < group.values(); ++value)
      kernel.work = kernel.work + product(group.type(value).shape);
  } else {
    PLIANT_TRY(Schedule plan, schedule(group));
    GroupEmitter g(e, group, plan, parameters, inputs, outputs, runState, target, lanes);
    if (plan.contraction >= 0) {
      PLIANT_TRY(ContractionPlan emitted, emitContraction(g, inputs, buffers.back(), begin, end, target));
      kernel.units = emitted.units;
      kernel.scratchBytes = emitted.scratchBytes;
      kernel.work = emitted.work;
      kernel.packed = emitted.packed;
      kernel.description = "contraction";
    } else {
      PLIANT_TRY(kernel.units, emitLoops(g, begin, end));
      kernel.work = loopWork(group, plan);
      kernel.versions = g.versions;
      kernel.description = plan.phases ? "rows in " + std::to_string(plan.phases + 1) + " phases" : "loops";
    }
  }
  b.create<func::ReturnOp>(loc);
  kernel.parameters = parameters.slots();

  if (dump) {
    llvm::raw_string_ostream stream(*dump);
    module->print(stream);
  }
  std::string problem;
  ScopedDiagnosticHandler diagnostics(&context, [&](Diagnostic &diagnostic) {
    problem += diagnostic.str() + "; ";
    return success();
  });
  if (failed(verify(*module)))
    return internalError("codegen", "the emitted kernel '" + group.name() + "' does not verify: " + problem);
  if (failed(lowerToLlvm(*module)))
    return internalError("codegen", "lowering of '" + group.name() + "' fails: " + problem);
  llvm::LLVMContext llvmContext;
  auto llvmModule = translateModuleToLLVMIR(*module, llvmContext);
  if (!llvmModule)
    return internalError("codegen", "translation of '" + group.name() + "' fails: " + problem);
  for (llvm::Function &function : *llvmModule)
    if (!function.isDeclaration() && function.getName() != symbol)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvmModule->getFunction(symbol)->setVisibility(llvm::GlobalValue::HiddenVisibility);
  PLIANT_TRY(kernel.object, state->writer.write(*llvmModule));
  return kernel;
}

} // namespace pliant::codegen
