// SPDX-License-Identifier: Apache-2.0
// One instruction, or a few, for each step of an expression.
#include "codegen/flow_extents.h"

namespace pliant::codegen {

Result<llvm::Value *> extentArithmetic(llvm::IRBuilder<> &b, const Expr &expr,
                                       const std::function<Result<llvm::Value *>(const std::string &)> &symbol,
                                       llvm::Value **overflow) {
  std::vector<llvm::Value *> values;
  for (const Expr::Step &s : expr.steps()) {
    llvm::Value *x = s.lhs >= 0 ? values[s.lhs] : nullptr, *y = s.rhs >= 0 ? values[s.rhs] : nullptr;
    auto arithmetic = [&](llvm::Intrinsic::ID checkedOp, llvm::Value *plain) {
      if (!overflow)
        return plain;
      llvm::Value *pair = b.CreateBinaryIntrinsic(checkedOp, x, y);
      *overflow = b.CreateOr(*overflow, b.CreateExtractValue(pair, 1));
      return b.CreateExtractValue(pair, 0);
    };
    switch (s.op) {
    case Expr::Op::Constant:
      values.push_back(b.getInt64(s.value));
      break;
    case Expr::Op::Symbol: {
      PLIANT_TRY(llvm::Value * value, symbol(s.symbol));
      values.push_back(value);
      break;
    }
    case Expr::Op::Add:
      values.push_back(arithmetic(llvm::Intrinsic::sadd_with_overflow, overflow ? nullptr : b.CreateAdd(x, y)));
      break;
    case Expr::Op::Mul:
      values.push_back(arithmetic(llvm::Intrinsic::smul_with_overflow, overflow ? nullptr : b.CreateMul(x, y)));
      break;
    case Expr::Op::FloorDiv:
    case Expr::Op::Mod: {
      llvm::Value *by = b.CreateSelect(b.CreateICmpEQ(y, b.getInt64(0)), b.getInt64(1), y);
      llvm::Value *rest = b.CreateSRem(x, by), *quotient = b.CreateSDiv(x, by);
      llvm::Value *adjust =
          b.CreateAnd(b.CreateICmpNE(rest, b.getInt64(0)), b.CreateICmpSLT(b.CreateXor(rest, by), b.getInt64(0)));
      values.push_back(s.op == Expr::Op::FloorDiv ? b.CreateSub(quotient, b.CreateZExt(adjust, b.getInt64Ty()))
                                                  : b.CreateAdd(rest, b.CreateSelect(adjust, by, b.getInt64(0))));
      break;
    }
    case Expr::Op::Min:
      values.push_back(b.CreateSelect(b.CreateICmpSLT(x, y), x, y));
      break;
    case Expr::Op::Max:
      values.push_back(b.CreateSelect(b.CreateICmpSGT(x, y), x, y));
      break;
    case Expr::Op::Broadcast:
      values.push_back(b.CreateSelect(b.CreateICmpEQ(x, b.getInt64(1)), y, x));
      break;
    }
  }
  return values.back();
}

} // namespace pliant::codegen
