// SPDX-License-Identifier: Apache-2.0
// LLVM IR to object code for a target description.
#pragma once
#include "runtime/target.h"
#include "support/result.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pliant::codegen {

/// The minimal function pipeline, since emitters unroll and vectorise themselves.
Status optimize(llvm::Module &module, llvm::TargetMachine &machine);

class ObjectWriter {
public:
  /// Kernels are scheduled and allocated with care, for this processor. The host flow runs once where its kernels loop:
  /// quick code for any x86-64 costs it two nanoseconds a kernel, and a small program compiles in four fifths of the
  /// time.
  enum class Code { Kernels, HostFlow };
  explicit ObjectWriter(const TargetDescription &target, Code code = Code::Kernels);
  ~ObjectWriter();
  /// Sets triple, layout and per-function features, runs the minimal pipeline and code generation.
  Result<std::string> write(llvm::Module &module);

private:
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string failure;
};

} // namespace pliant::codegen
