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
  explicit ObjectWriter(const TargetDescription &target);
  ~ObjectWriter();
  /// Sets triple, layout and per-function features, runs the minimal pipeline and code generation.
  Result<std::string> write(llvm::Module &module);

private:
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string failure;
};

} // namespace pliant::codegen
