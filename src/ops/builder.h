// SPDX-License-Identifier: Apache-2.0
// The one way to build values: importer, gradients, decompositions and the trace call the same methods; implementers
// write IR, a trace log, or evaluate at once. Errors are sticky: after the first one every method returns an invalid
// value and does nothing, so that callers write expressions and check `status()` once.
#pragma once
#include "ops/op.h"
#include <array>

namespace pliant {

class ValueBuilder {
public:
  virtual ~ValueBuilder() = default;

  /// Adds an op after checking it with its shape rule. Empty when the builder has failed.
  std::vector<Value> build(OpId op, Attrs attrs, std::span<const Value> operands);
  Value build1(OpId op, Attrs attrs, std::initializer_list<Value> operands);

  virtual const TensorType &type(Value v) const = 0;
  /// Known elements of a small integer or bool tensor; null when unknown.
  virtual const Content *content(Value v) const = 0;
  /// The value of every element, however many there are; null when unknown or when they may differ.
  virtual const DenseTensor *uniform(Value) const { return nullptr; }
  virtual Facts &facts() = 0;
  /// A constant tensor (the bytes are copied when small, shared otherwise).
  virtual Value constant(const DenseTensor &value) = 0;
  /// A rank-1 i64 tensor (rank 0 when `scalar`) whose elements are computed from symbols on the host.
  virtual Value extents(const Extents &values, bool scalar = false) = 0;
  /// Reads a small integer tensor on the host: its elements, known or as fresh symbols within the bounds.
  virtual Extents bind(Value v, Interval bounds, std::string_view hint) = 0;

  // Shorthands.
  int64_t rank(Value v) const { return type(v).rank(); }
  DType dtype(Value v) const { return type(v).dtype; }
  const Extents &shape(Value v) const { return type(v).shape; }
  Value scalar(DType dtype, double value); ///< rank-0 constant
  Value scalarLike(Value v, double value) { return failed() || !v ? Value{} : scalar(dtype(v), value); }
  Value ints(const std::vector<int64_t> &values); ///< rank-1 i64 constant

  bool failed() const { return failure.has_value(); }
  void fail(Error error) {
    if (!failure)
      failure = std::move(error);
  }
  Status status() const { return failure ? Status(*failure) : ok(); }
  Error takeError() {
    Error error = std::move(*failure);
    failure.reset();
    return error;
  }

#include "ops/builder_methods.inc" // generated: Value matmul(Value lhs, Value rhs); Value slice(Value x, Extents starts, ...);

protected:
  /// The only result of an op; invalid after a failure.
  static Value first(const std::vector<Value> &values) { return values.empty() ? Value{} : values.front(); }
  /// Called with checked types, never after a failure.
  virtual Result<std::vector<Value>> insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                            std::vector<TensorType> results) = 0;

private:
  std::optional<Error> failure;
};

} // namespace pliant
