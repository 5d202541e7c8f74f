// SPDX-License-Identifier: Apache-2.0
// select: one instruction.
#include "codegen/emit.h"

namespace pliant::ops::select {
using namespace codegen;

mlir::Value emit(PointEmitter &e, OpId, const Attrs &, llvm::ArrayRef<mlir::Value> x) {
  return e.select(x[0], x[1], x[2]);
}

} // namespace pliant::ops::select
