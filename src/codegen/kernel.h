// SPDX-License-Identifier: Apache-2.0
// One fused group to one kernel object: `void k(const void* const* buffers, const int64_t* symbols, int64_t begin,
// int64_t end, RunState*)`. Buffers are the inputs, the outputs, then scratch; symbols are the kernel's parameters.
#pragma once
#include "group/group.h"
#include "runtime/pack.h"
#include "runtime/target.h"
#include "shape/expr.h"
#include <cstddef>

namespace mlir {
class MLIRContext;
}

namespace pliant::codegen {

/// A weight that the kernel reads packed.
struct PackedInput {
  int input;
  PackSpec spec;
};

struct Kernel {
  std::string symbol;
  std::string object;           ///< relocatable ELF, no undefined symbols
  std::vector<Expr> parameters; ///< what the caller writes to `symbols`
  Expr units;                   ///< the whole range of begin..end
  Expr scratchBytes;            ///< 0: no scratch buffer is passed; each thread has its own
  Expr work;                    ///< nanoseconds on one thread, roughly: what is not worth several is not split
  std::vector<PackedInput> packed;
  int64_t versions = 1;    ///< of the code, chosen between once per launch
  std::string description; ///< "row kernel, 3 phases": for explain
};

/// Per-process state of kernel compilation, kept because making a context is slow.
class KernelCompiler {
public:
  explicit KernelCompiler(const TargetDescription &target);
  ~KernelCompiler();
  /// `dump`, when not null, receives the kernel's IR text.
  Result<Kernel> compile(const Group &group, const std::string &symbol, std::string *dump = nullptr);

private:
  TargetDescription target;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace pliant::codegen
