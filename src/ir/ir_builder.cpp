// SPDX-License-Identifier: Apache-2.0
// Writes ops into a block, with types in canonical symbols, and folds what is known.
#include "ir/ir_builder.h"
#include "ir/facts.h"
#include "ops/content.h"

using namespace mlir;

namespace pliant::ir {

constexpr int64_t foldLimit = 4096; // bytes of a result that is worth folding at compile time

IrBuilder::IrBuilder(OpBuilder b, Facts &known) : b(b), loc(b.getUnknownLoc()), known(known) {}

const Content *IrBuilder::content(Value v) const {
  auto found = contents.find(v.id);
  return found == contents.end() ? nullptr : &found->second;
}

Value IrBuilder::adopt(mlir::Value value, TensorType type) {
  values.push_back(value);
  types.push_back(std::move(type));
  return {static_cast<uint32_t>(values.size() - 1)};
}

Result<Value> IrBuilder::adopt(mlir::Value value) {
  PLIANT_TRY(TensorType type, fromMlir(value.getType()));
  Value v = adopt(value, std::move(type));
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    PLIANT_TRY(DenseTensor tensor, fromMlir(constant.getValueAttr()));
    constants[v.id] = tensor;
    if (auto content = contentOf(tensor))
      contents[v.id] = *content;
  } else if (auto extents = value.getDefiningOp<ExtentsOp>()) {
    contents[v.id] = fromMlir(extents.getValues());
  }
  return v;
}

std::vector<Value> IrBuilder::create(OpId op, const Attrs &attrs, std::span<const Value> operands,
                                     const std::vector<TensorType> &results) {
  OperationState state(loc, ("pliant." + std::string(info(op).name)));
  for (Value operand : operands)
    state.addOperands(values[operand.id]);
  writeAttrs(b, state.attributes, attrs);
  for (const TensorType &type : results)
    state.addTypes(toMlir(b.getContext(), type));
  Operation *made = b.create(state);
  std::vector<Value> out;
  for (size_t i = 0; i < results.size(); ++i)
    out.push_back(adopt(made->getResult(static_cast<unsigned>(i)), results[i]));
  return out;
}

Value IrBuilder::constant(const DenseTensor &value) {
  TensorType type{value.dtype(), Extents(value.dims().begin(), value.dims().end())};
  Value v = create(OpId::Constant, ConstantAttrs{value}, {}, {type})[0];
  constants[v.id] = value;
  if (auto content = contentOf(value))
    contents[v.id] = *content;
  return v;
}

Value IrBuilder::extents(const Extents &list, bool scalar) {
  TensorType type{DType::I64, scalar ? Extents{} : Extents{Expr(static_cast<int64_t>(list.size()))}};
  Value v = create(OpId::Extents, ExtentsAttrs{list, scalar}, {}, {type})[0];
  contents[v.id] = list;
  return v;
}

Value IrBuilder::weight(int64_t index, const TensorType &type) {
  return create(OpId::Weight, WeightAttrs{index, type.shape, type.dtype}, {}, {type})[0];
}

Extents IrBuilder::bind(Value v, Interval bounds, std::string_view hint) {
  if (failed() || !v)
    return {};
  if (const Content *already = content(v))
    return *already;
  if (!isInteger(dtype(v))) {
    fail(userError(std::string(hint), "what decides extents or positions is " + type(v).str() + ", not integers"));
    return {};
  }
  auto count = product(shape(v)).constant();
  if (!count || *count > contentLimit) {
    fail(userError(std::string(hint),
                   "the number of integers " + pliant::str(shape(v)) + " is not known before the run", "",
                   "a rank that depends on the data cannot be compiled"));
    return {};
  }
  Extents symbols;
  for (int64_t i = 0; i < *count; ++i) {
    symbols.push_back(symbol(std::string(hint) + "." + std::to_string(fresh++)));
    auto status = known.assumeRange(symbols.back().symbolName().value_or(""), bounds, readAtRunTime);
    if (!status)
      fail(status.takeError());
  }
  Value operand[] = {v};
  Value bound = create(OpId::Bind, BindAttrs{symbols, bounds.lo, bounds.hi, std::string(hint)}, operand, {type(v)})[0];
  contents[bound.id] = symbols;
  return symbols;
}

std::optional<DenseTensor> IrBuilder::folded(OpId op, const Attrs &attrs, std::span<const Value> operands,
                                             const TensorType &result) {
  auto count = product(result.shape).constant();
  if (!count || *count > foldLimit / static_cast<int64_t>(byteSize(result.dtype)) || info(op).results != 1)
    return std::nullopt;
  std::vector<DenseTensor> inputs;
  for (Value operand : operands) {
    auto found = constants.find(operand.id);
    if (found == constants.end())
      return std::nullopt;
    inputs.push_back(found->second);
  }
  bool symbolic = false;
  mapExprs(attrs, [&](const Expr &e) {
    symbolic |= !e.constant();
    return e;
  });
  if (symbolic)
    return std::nullopt;
  auto outputs = evaluate(op, attrs, inputs);
  if (!outputs || outputs->size() != 1)
    return std::nullopt; // a run-time error stays one
  return outputs->front();
}

Result<std::vector<Value>> IrBuilder::insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                             std::vector<TensorType> results) {
  for (TensorType &type : results)
    for (Expr &extent : type.shape)
      extent = known.canonical(extent);
  attrs = mapExprs(attrs, [&](const Expr &e) { return known.canonical(e); });
  if (results.size() == 1) {
    if (auto tensor = folded(op, attrs, operands, results[0]))
      return std::vector<Value>{constant(*tensor)};
    const TensorType &type = results[0];
    auto count = product(type.shape).constant();
    if (count && *count <= contentLimit && (isInteger(type.dtype) || type.dtype == DType::Bool)) {
      std::vector<TensorType> operandTypes;
      std::vector<const Content *> known_;
      for (Value operand : operands) {
        operandTypes.push_back(this->type(operand));
        known_.push_back(content(operand));
      }
      if (auto content = inferContent(op, attrs, operandTypes, known_, type, known)) {
        for (Expr &e : *content)
          e = known.canonical(e);
        bool constantContent =
            std::all_of(content->begin(), content->end(), [](const Expr &e) { return e.constant(); });
        if (auto dims = constantDims(type.shape); constantContent && dims) {
          if (auto tensor = tensorOf(*content, type.dtype, *dims))
            return std::vector<Value>{this->constant(*tensor)};
        } else if (type.rank() <= 1 && type.dtype == DType::I64) {
          return std::vector<Value>{extents(*content, type.rank() == 0)};
        }
        // Other ranks and types keep the op; the content is still known to whoever asks.
        std::vector<Value> made = create(op, attrs, operands, results);
        contents[made[0].id] = *content;
        return made;
      }
    }
  }
  std::vector<Value> made = create(op, attrs, operands, results);
  if (op == OpId::BroadcastTo)
    if (const DenseTensor *from = constantValue(operands[0]); from && from->size() == 1)
      uniforms.emplace(made[0].id, *from);
  return made;
}

} // namespace pliant::ir
