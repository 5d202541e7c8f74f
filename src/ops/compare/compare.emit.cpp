// SPDX-License-Identifier: Apache-2.0
// Comparisons: ordered, so that NaN compares false, but for not_equal, which is true.
#include "codegen/number.h"

namespace pliant::ops::compare {
using namespace codegen;
using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

mlir::Value emit(PointEmitter &e, OpId op, const Attrs &, llvm::ArrayRef<mlir::Value> x) {
  struct Row {
    OpId op;
    CmpFPredicate real;
    CmpIPredicate withSign, withoutSign;
  };
  static constexpr Row rows[] = {
      {OpId::Equal, CmpFPredicate::OEQ, CmpIPredicate::eq, CmpIPredicate::eq},
      {OpId::NotEqual, CmpFPredicate::UNE, CmpIPredicate::ne, CmpIPredicate::ne},
      {OpId::Less, CmpFPredicate::OLT, CmpIPredicate::slt, CmpIPredicate::ult},
      {OpId::LessEqual, CmpFPredicate::OLE, CmpIPredicate::sle, CmpIPredicate::ule},
      {OpId::Greater, CmpFPredicate::OGT, CmpIPredicate::sgt, CmpIPredicate::ugt},
      {OpId::GreaterEqual, CmpFPredicate::OGE, CmpIPredicate::sge, CmpIPredicate::uge},
  };
  for (const Row &row : rows)
    if (row.op == op) {
      if (isFloat(e.in[0]))
        return e.b.create<mlir::arith::CmpFOp>(e.loc, row.real, x[0], x[1]);
      // bool counts as unsigned: false is below true.
      return e.b.create<mlir::arith::CmpIOp>(e.loc, isSigned(e.in[0]) ? row.withSign : row.withoutSign, x[0], x[1]);
    }
  return {};
}

} // namespace pliant::ops::compare
