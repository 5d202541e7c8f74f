// SPDX-License-Identifier: Apache-2.0
// A square of elements turned in registers.
#pragma once
#include "codegen/contraction/emitter.h"

namespace pliant::codegen {

/// Vector i of the result holds element i of every row, in the order of the rows. As many rows as lanes: 4, 8 or 16.
Values turned(Emitter &e, llvm::ArrayRef<Value> rows);

} // namespace pliant::codegen
