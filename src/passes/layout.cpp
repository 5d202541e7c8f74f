// SPDX-License-Identifier: Apache-2.0
// Channels last inside: convolutions and what stands between them work on (N, spatial..., C). Each such op reads its
// operands through transposes that cancel against those behind the producers; what is left over stays a transpose.
#include "ir/ir_builder.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {
namespace {

std::vector<int64_t> toLast(size_t rank) { // axes of (N, spatial..., C) in (N, C, spatial...)
  std::vector<int64_t> perm{0};
  for (size_t i = 2; i < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  perm.push_back(1);
  return perm;
}
std::vector<int64_t> toFirst(size_t rank) {
  std::vector<int64_t> perm{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  return perm;
}

bool isConvolution(OpId id) { return id == OpId::Conv || id == OpId::ConvInteger || id == OpId::ConvTranspose; }

class Layout {
public:
  explicit Layout(func::FuncOp function) : facts(ir::factsOf(function)), function(function) {}

  Status run() {
    std::vector<Operation *> ops;
    bool convolves = false;
    function.walk([&](Operation *op) {
      if (auto id = ir::opIdOf(op)) {
        ops.push_back(op);
        convolves |= isConvolution(*id) || *id == OpId::MaxPool || *id == OpId::AvgPool || *id == OpId::SumPool;
      }
    });
    if (convolves)
      for (Operation *op : ops)
        PLIANT_CHECK(visit(op));
    return ok();
  }

private:
  Facts facts;
  func::FuncOp function;

  /// The channels-last twin of a value, when one exists already.
  static mlir::Value twin(mlir::Value value) {
    auto transpose = value.getDefiningOp<ir::TransposeOp>();
    if (!transpose)
      return {};
    auto perm = transpose.getPerm();
    if (perm.size() < 3 || perm.size() > 4 || toFirst(perm.size()) != perm.vec())
      return {};
    return transpose.getX();
  }
  static size_t rankOf(mlir::Value value) {
    return static_cast<size_t>(cast<RankedTensorType>(value.getType()).getRank());
  }

  Status visit(Operation *op) {
    OpId id = *ir::opIdOf(op);
    if (op->getNumResults() != 1)
      return ok();
    size_t rank = rankOf(op->getResult(0));
    Attrs attrs = ir::attrsOf(op, id);
    switch (id) {
    case OpId::Conv:
    case OpId::ConvInteger:
    case OpId::ConvTranspose:
    case OpId::MaxPool:
    case OpId::AvgPool:
    case OpId::SumPool: {
      bool first = std::visit(
          [](auto &a) {
            if constexpr (requires { a.channelsLast; })
              return !std::exchange(a.channelsLast, true);
            else
              return false;
          },
          attrs);
      bool fits = (rank == 3 || rank == 4) && first;
      if (!isa<FloatType>(cast<RankedTensorType>(op->getResult(0).getType()).getElementType()) && id != OpId::MaxPool &&
          id != OpId::ConvInteger)
        fits = false;
      if (isConvolution(id)) // plain loops are as good with channels first
        fits = fits && cast<RankedTensorType>(op->getOperand(1).getType()).hasStaticShape();
      return fits ? rebuild(op, id, attrs, rank) : ok();
    }
    case OpId::Resize: {
      if (!reads(op) || rank > 4 || rank < 3)
        return ok();
      auto &a = std::get<ResizeAttrs>(attrs);
      a.sizes = permuted(a.sizes, rank);
      a.scales = permuted(a.scales, rank);
      if (!a.roi.empty())
        return ok();
      return rebuild(op, id, attrs, rank);
    }
    case OpId::Slice: {
      if (!reads(op))
        return ok();
      auto &a = std::get<SliceAttrs>(attrs);
      a.starts = permuted(a.starts, rank);
      a.steps = permuted(a.steps, rank);
      a.sizes = permuted(a.sizes, rank);
      return rebuild(op, id, attrs, rank);
    }
    case OpId::Pad: {
      if (!reads(op))
        return ok();
      auto &a = std::get<PadAttrs>(attrs);
      a.low = permuted(a.low, rank);
      a.high = permuted(a.high, rank);
      return rebuild(op, id, attrs, rank);
    }
    case OpId::Concat: {
      if (!llvm::all_of(op->getOperands(), [](mlir::Value v) { return bool(twin(v)); }))
        return ok();
      auto &a = std::get<ConcatAttrs>(attrs);
      a.axis = position(a.axis, rank);
      return rebuild(op, id, attrs, rank);
    }
    case OpId::ReduceSum:
    case OpId::ReduceMax:
    case OpId::ReduceMin:
    case OpId::ReduceProd:
      return reduce(op, id, attrs);
    default:
      if (info(id).pattern == Pattern::Pointwise && reads(op) && (rank == 3 || rank == 4))
        return pointwise(op, id, attrs, rank);
      return ok();
    }
  }

  /// Whether some operand has a twin.
  static bool reads(Operation *op) {
    return llvm::any_of(op->getOperands(), [](mlir::Value v) { return bool(twin(v)); });
  }

  template <class T> static std::vector<T> permuted(const std::vector<T> &list, size_t rank) {
    if (list.size() != rank)
      return list;
    std::vector<T> out;
    for (int64_t axis : toLast(rank))
      out.push_back(list[axis]);
    return out;
  }
  static int64_t position(int64_t axis, size_t rank) {
    axis += axis < 0 ? static_cast<int64_t>(rank) : 0;
    auto perm = toLast(rank);
    return llvm::find(perm, axis) - perm.begin();
  }

  Result<Value> last(ir::IrBuilder &b, mlir::Value value) {
    if (mlir::Value already = twin(value))
      return b.adopt(already);
    PLIANT_TRY(Value v, b.adopt(value));
    return b.transpose(v, toLast(rankOf(value)));
  }

  Status finish(ir::IrBuilder &b, Operation *op, Value made, size_t rank) {
    Value back = b.transpose(made, toFirst(rank));
    PLIANT_CHECK(b.status());
    op->getResult(0).replaceAllUsesWith(b.ssa(back));
    op->erase();
    return ok();
  }

  /// The op on channels-last data: its first operand (all of them for concat); the others as they are.
  Status rebuild(Operation *op, OpId id, const Attrs &attrs, size_t rank) {
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    std::vector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      PLIANT_TRY(Value v, i == 0 || id == OpId::Concat ? last(b, operand) : b.adopt(operand));
      operands.push_back(v);
    }
    std::vector<Value> made = b.build(id, attrs, operands);
    PLIANT_CHECK(b.status());
    return finish(b, op, made[0], rank);
  }

  Status pointwise(Operation *op, OpId id, const Attrs &attrs, size_t rank) {
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    std::vector<Value> operands;
    for (mlir::Value operand : op->getOperands()) {
      PLIANT_TRY(Value v, b.adopt(operand));
      const Extents shape = b.shape(v);
      size_t own = shape.size();
      bool single = std::all_of(shape.begin(), shape.end(), [](const Expr &e) { return e.isConstant(1); });
      if (single && own < rank) {
        operands.push_back(v);
        continue;
      }
      if (own == rank) {
        PLIANT_TRY(Value moved, one(b, operand, v, shape));
        operands.push_back(moved);
        continue;
      }
      Extents padded(rank - own, Expr(1));
      padded.insert(padded.end(), shape.begin(), shape.end());
      Value full = b.reshape(v, padded);
      PLIANT_CHECK(b.status());
      PLIANT_TRY(Value moved, one(b, b.ssa(full), full, padded));
      operands.push_back(moved);
    }
    std::vector<Value> made = b.build(id, attrs, operands);
    PLIANT_CHECK(b.status());
    return finish(b, op, made[0], rank);
  }

  /// Moving axes of which at most one is longer than 1 is a reshape.
  Result<Value> one(ir::IrBuilder &b, mlir::Value ssa, Value v, const Extents &shape) {
    size_t longer = std::count_if(shape.begin(), shape.end(), [](const Expr &e) { return !e.isConstant(1); });
    if (longer <= 1 && !twin(ssa))
      return b.reshape(v, permuted(shape, shape.size()));
    return last(b, ssa);
  }

  Status reduce(Operation *op, OpId id, Attrs &attrs) {
    mlir::Value x = op->getOperand(0);
    if (!twin(x))
      return ok();
    size_t rank = rankOf(x);
    bool keep = false;
    std::vector<int64_t> given;
    std::visit(
        [&](auto &a) {
          if constexpr (requires {
                          a.axes;
                          a.keepDims;
                        }) {
            keep = a.keepDims;
            given = a.axes;
            for (int64_t &axis : a.axes)
              axis = position(axis, rank);
            std::sort(a.axes.begin(), a.axes.end());
          }
        },
        attrs);
    bool channels = llvm::is_contained(given, int64_t(1));
    if (!keep && (channels || given.size() + 2 != rank || llvm::is_contained(given, int64_t(0))))
      return ok(); // the kept axes would come in another order
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    PLIANT_TRY(Value v, last(b, x));
    std::vector<Value> made = b.build(id, attrs, std::array{v});
    PLIANT_CHECK(b.status());
    if (keep)
      return finish(b, op, made[0], rank);
    op->getResult(0).replaceAllUsesWith(b.ssa(made[0]));
    op->erase();
    return ok();
  }
};

} // namespace

Status layout(Unit &unit) { return Layout(unit.function).run(); }

} // namespace pliant::passes
