// SPDX-License-Identifier: Apache-2.0
// Before: matmul(dequantize(%a), dequantize(%b)), convolutions alike. After: an integer contraction of the bytes, times
// the product of the scales in f32. Before: matmul(%x, dequantize(%weight)) with zero points of 0. After: matmul(%x,
// cast(%weight)), times the scale, so that the weight stays bytes. Decision 0015 says what that means for the last
// bits.
#include "ir/group_of.h"
#include "ir/ir_builder.h"
#include "ops/compose.h"
#include "ops/integer_products.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {
namespace {

/// An operand as bytes, their zero point and scale; `axis` of the bytes counts where the latter are lists.
struct Quantised {
  Value bytes, zero, scale;
  int64_t axis = 0;
  bool isWeight = false;
};

class Integers {
public:
  explicit Integers(func::FuncOp function) : facts(ir::factsOf(function)), function(function) {}

  Status run() {
    std::vector<Operation *> products;
    function.walk([&](Operation *op) {
      if (isa<ir::MatmulOp, ir::ConvOp>(op))
        products.push_back(op);
    });
    for (Operation *op : products)
      PLIANT_CHECK(visit(op));
    return ok();
  }

private:
  Facts facts;
  func::FuncOp function;

  Status visit(Operation *op) {
    if (!cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF32())
      return ok();
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    PLIANT_TRY(std::optional<Quantised> rhs, quantised(b, op->getOperand(1)));
    if (!rhs)
      return ok();
    PLIANT_TRY(std::optional<Quantised> lhs, quantised(b, op->getOperand(0)));
    const int64_t rank = b.rank(rhs->bytes);
    const bool isConv = isa<ir::ConvOp>(op);
    if (!single(b, rhs->scale) && rhs->axis != (isConv ? 0 : rank - 1))
      return ok();
    const bool both = lhs && single(b, lhs->scale);
    if (!both && (isConv || !rhs->isWeight || !isZero(b, rhs->zero)))
      return ok();
    Value sum;
    Extents line; // the scales of rhs along the result
    if (!both) {
      PLIANT_TRY(Value x, b.adopt(op->getOperand(0)));
      sum = b.matmul(x, b.cast(rhs->bytes, DType::F32));
      line.assign(1, Expr(1));
    } else if (isConv) {
      const auto a = std::get<ConvAttrs>(ir::attrsOf(op, OpId::Conv));
      sum = integerConv(b, lhs->bytes, lhs->zero, rhs->bytes, rhs->zero, a.strides, a.dilations, a.pads, a.groups);
      line.assign(static_cast<size_t>(rank) - 1, Expr(1));
    } else {
      sum = integerMatmul(b, lhs->bytes, lhs->zero, rhs->bytes, rhs->zero);
      line.assign(1, Expr(1));
    }
    if (b.failed())
      return b.takeError().at(ir::placeOf(op->getLoc()));
    if (!single(b, rhs->scale))
      line[0] = b.shape(rhs->scale)[0];
    Value scale = single(b, rhs->scale) ? scalar(b, rhs->scale) : b.reshape(rhs->scale, line);
    Value y = both ? b.mul(b.cast(sum, DType::F32), b.mul(scalar(b, lhs->scale), scale)) : b.mul(sum, scale);
    if (b.failed())
      return b.takeError().at(ir::placeOf(op->getLoc()));
    op->getResult(0).replaceAllUsesWith(b.ssa(y));
    op->erase();
    return ok();
  }

  static bool single(ValueBuilder &b, Value v) { return product(b.shape(v)).isConstant(1); }
  static bool isZero(ir::IrBuilder &b, Value v) {
    const Content *content = b.content(v);
    return content && llvm::all_of(*content, [](const Expr &e) { return e.isConstant(0); });
  }
  static Value scalar(ValueBuilder &b, Value v) { return b.rank(v) == 0 ? v : b.reshape(v, {}); }

  /// The value as dequantised bytes, seen through transposes and, with one scale for all, reshapes.
  Result<std::optional<Quantised>> quantised(ir::IrBuilder &b, mlir::Value value) {
    std::vector<Operation *> views;
    Operation *maker = value.getDefiningOp();
    while (maker && isa<ir::TransposeOp, ir::ReshapeOp>(maker)) {
      views.push_back(maker);
      maker = maker->getOperand(0).getDefiningOp();
    }
    auto dequantize = dyn_cast_or_null<ir::DequantizeOp>(maker);
    if (!dequantize || !cast<RankedTensorType>(dequantize.getType()).getElementType().isF32())
      return std::optional<Quantised>();
    Quantised found;
    found.axis = static_cast<int64_t>(dequantize.getAxis());
    PLIANT_TRY(found.bytes, b.adopt(dequantize.getX()));
    PLIANT_TRY(found.scale, b.adopt(dequantize.getScale()));
    PLIANT_TRY(found.zero, b.adopt(dequantize.getZeroPoint()));
    found.isWeight = ir::isWeight(dequantize.getX());
    const DType type = b.dtype(found.bytes);
    if (type != DType::I8 && type != DType::U8)
      return std::optional<Quantised>();
    const bool one = single(b, found.scale);
    for (Operation *view : views)
      if (!one && isa<ir::ReshapeOp>(view))
        return std::optional<Quantised>();
    for (Operation *view : llvm::reverse(views)) {
      const OpId id = *ir::opIdOf(view);
      const Attrs attrs = ir::attrsOf(view, id);
      if (const auto *transpose = std::get_if<TransposeAttrs>(&attrs); transpose && !one)
        found.axis = llvm::find(transpose->perm, found.axis) - transpose->perm.begin();
      found.bytes = b.build1(id, attrs, {found.bytes});
    }
    if (b.failed())
      return b.takeError();
    return std::optional(found);
  }
};

} // namespace

Status integers(Unit &unit) { return Integers(unit.function).run(); }

} // namespace pliant::passes
