// SPDX-License-Identifier: Apache-2.0
// For the tests and the benchmark only: wraps an emitter in a function with the project's kernel signature, lowers it,
// and loads it with LLJIT.
#pragma once
#include "codegen/contraction/contraction.h"
#include "runtime/target.h"
#include <memory>
#include <string>
#include <vector>

namespace pliant::codegen {

using KernelFunction = void (*)(const void *const *buffers, const int64_t *symbols, int64_t begin, int64_t end,
                                void *state);

/// Values of the kernel's arguments inside the function being built.
struct KernelArguments {
  llvm::SmallVector<mlir::Value> buffers, symbols;
  mlir::Value begin, end;
  mlir::Value state; ///< !llvm.ptr
};

/// Of a kernel whose first buffers are a, b and c, and whose symbols are batch, m, n, k, then the strides in their
/// order.
inline GemmOperands gemmOperands(const KernelArguments &args) {
  GemmOperands o;
  o.a = args.buffers[0], o.b = args.buffers[1], o.c = args.buffers[2], o.scratch = args.buffers[3];
  o.batch = args.symbols[0], o.m = args.symbols[1], o.n = args.symbols[2], o.k = args.symbols[3];
  o.lda = args.symbols[4], o.ldb = args.symbols[5], o.ldc = args.symbols[6];
  o.batchStrideA = args.symbols[7], o.batchStrideB = args.symbols[8], o.batchStrideC = args.symbols[9];
  o.begin = args.begin, o.end = args.end;
  return o;
}
/// Of a kernel whose first symbols are images, the extents, pads and the stride between output pixels.
inline ConvOperands convOperands(const KernelArguments &args) {
  ConvOperands o;
  o.input = args.buffers[0], o.weights = args.buffers[1], o.output = args.buffers[2], o.scratch = args.buffers[3];
  o.images = args.symbols[0], o.inH = args.symbols[1], o.inW = args.symbols[2], o.outH = args.symbols[3];
  o.outW = args.symbols[4], o.padTop = args.symbols[5], o.padLeft = args.symbols[6];
  o.outputStride = args.symbols[7];
  o.begin = args.begin, o.end = args.end;
  return o;
}
/// The nine numbers of a geometry from the given symbol on.
inline ConvGeometry convGeometry(const KernelArguments &args, size_t first) {
  auto at = [&](size_t i) { return args.symbols[first + i]; };
  return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)};
}

struct CompiledKernel {
  KernelFunction function = nullptr;
  size_t objectBytes = 0;
  double emitMs = 0, lowerMs = 0, optimizeMs = 0, codegenMs = 0;
  std::string assembly, error;
  std::vector<std::string> undefined; ///< symbols the object expects from outside: none in a product's kernel
};

struct CompileOptions {
  std::string cpu, features; ///< empty: the host's
  bool assembly = false;
};

/// Emits, verifies, lowers and loads one kernel; it stays loaded until the process ends.
CompiledKernel
compileKernel(int buffers, int symbols,
              llvm::function_ref<Status(mlir::OpBuilder &, mlir::Location, const KernelArguments &)> emit,
              const CompileOptions &options = {});

/// Those of the named targets that this processor has.
inline std::vector<TargetDescription> runnable(std::initializer_list<const char *> names) {
  std::vector<TargetDescription> targets;
  for (const char *name : names)
    if (auto target = TargetDescription::forced(name))
      targets.push_back(*target);
  return targets;
}

} // namespace pliant::codegen
