// SPDX-License-Identifier: Apache-2.0
// Symbolic extents as LLVM IR of the host flow.
#pragma once
#include "shape/expr.h"
#include "support/result.h"
#include "llvm/IR/IRBuilder.h"
#include <functional>

namespace pliant::codegen {

/// The value of an expression in 64 bits. With `overflow`, an i1, every overflow of the arithmetic is noted in it.
Result<llvm::Value *> extentArithmetic(llvm::IRBuilder<> &b, const Expr &expr,
                                       const std::function<Result<llvm::Value *>(const std::string &)> &symbol,
                                       llvm::Value **overflow);

} // namespace pliant::codegen
