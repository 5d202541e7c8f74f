// SPDX-License-Identifier: Apache-2.0
// For the tests and the benchmark only: wraps an emitter in a function with the project's kernel signature, lowers it,
// and loads it with LLJIT.
#pragma once
#include "codegen/contraction/contraction.h"
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

} // namespace pliant::codegen
