// SPDX-License-Identifier: Apache-2.0
// The value builder that writes IR into a block. Integer chains whose elements are known in symbols become `extents`
// or `constant` at once, so shape arithmetic of exporters never reaches the passes.
#pragma once
#include "ir/convert.h"
#include "ops/builder.h"
#include <deque>
#include <functional>
#include <unordered_map>

namespace pliant::ir {

/// Implements ValueBuilder by creating ops at an insertion point.
struct IrBuilder final : public ValueBuilder {
  IrBuilder(mlir::OpBuilder b, Facts &known);

  const TensorType &type(Value v) const override {
    static const TensorType none; // of an invalid value, after a failure
    return v.id < types.size() ? types[v.id] : none;
  }
  const Content *content(Value v) const override;
  const DenseTensor *uniform(Value v) const override {
    auto found = uniforms.find(v.id);
    return found == uniforms.end() ? nullptr : &found->second;
  }
  Facts &facts() override { return known; }
  Value constant(const DenseTensor &value) override;
  Value extents(const Extents &values, bool scalar) override;
  Extents bind(Value v, Interval bounds, std::string_view hint) override;

  /// Makes an existing SSA value known to the builder.
  Value adopt(mlir::Value value, TensorType type);
  Result<Value> adopt(mlir::Value value);
  mlir::Value ssa(Value v) const { return values[v.id]; }
  /// The tensor of a small constant, or null.
  const DenseTensor *constantValue(Value v) const {
    auto found = constants.find(v.id);
    return found == constants.end() ? nullptr : &found->second;
  }
  Value weight(int64_t index, const TensorType &type);
  void at(mlir::Location place) { loc = place; }
  mlir::Location location() const { return loc; }
  mlir::OpBuilder &builder() { return b; }
  /// Who makes fresh symbols from what they are called, so that none has the name of another.
  void nameSymbols(std::function<Expr(std::string)> maker) { symbol = std::move(maker); }

protected:
  Result<std::vector<Value>> insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                    std::vector<TensorType> results) override;

private:
  mlir::OpBuilder b;
  mlir::Location loc;
  Facts &known;
  std::vector<mlir::Value> values;
  std::deque<TensorType> types; // callers hold references to shapes while values are added
  std::unordered_map<uint32_t, Content> contents;
  std::unordered_map<uint32_t, DenseTensor> constants; // small, for folding
  std::unordered_map<uint32_t, DenseTensor> uniforms;  // the one element of what a constant was broadcast to
  int fresh = 0;
  std::function<Expr(std::string)> symbol = [](std::string name) { return Expr::symbol(std::move(name)); };

  std::vector<Value> create(OpId op, const Attrs &attrs, std::span<const Value> operands,
                            const std::vector<TensorType> &results);
  std::optional<DenseTensor> folded(OpId op, const Attrs &attrs, std::span<const Value> operands,
                                    const TensorType &result);
};

} // namespace pliant::ir
