// SPDX-License-Identifier: Apache-2.0
// Types and values of whole ops: shape rules and references, and for composites their decomposition run by a builder
// that only types, or by one that evaluates at once. The latter is the oracle of the project.
#include "ops/builder.h"
#include "ops/content.h"
#include <deque>

namespace pliant {

/// An error inside a decomposition belongs to the op that the user wrote.
static Error inComposite(const OpInfo &entry, Error error) {
  if (error.op != entry.name) {
    error.message = "in its part " + error.op + ": " + error.message;
    error.op = entry.name;
  }
  return error;
}

static Error unknownValue() { return internalError("ops", "a value that does not belong to this builder"); }

namespace {
/// Types and known contents only.
class TypeBuilder final : public ValueBuilder {
public:
  /// `open`, when given, collects what the rules of the parts leave undecided.
  explicit TypeBuilder(Facts &facts, std::vector<Requirement> *open = nullptr) : known(facts), open(open) {}
  Value add(TensorType type, std::optional<Content> content = std::nullopt) {
    entries.push_back({std::move(type), std::move(content)});
    return {static_cast<uint32_t>(entries.size() - 1)};
  }
  const TensorType &type(Value v) const override { return v.id < entries.size() ? entries[v.id].type : none; }
  const Content *content(Value v) const override {
    return v.id < entries.size() && entries[v.id].content ? &*entries[v.id].content : nullptr;
  }
  Facts &facts() override { return known; }
  Value constant(const DenseTensor &value) override {
    return add({value.dtype(), Extents(value.dims().begin(), value.dims().end())}, contentOf(value));
  }
  Value extents(const Extents &values, bool scalar) override {
    return add({DType::I64, scalar ? Extents{} : Extents{Expr(static_cast<int64_t>(values.size()))}}, values);
  }
  Extents bind(Value v, Interval, std::string_view) override {
    if (const Content *elements = content(v))
      return *elements;
    fail(internalError("ops", "a decomposition reads a value on the host while only its types are known"));
    return {};
  }

private:
  struct Entry {
    TensorType type;
    std::optional<Content> content;
  };
  Result<std::vector<Value>> insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                    std::vector<TensorType> results) override {
    std::vector<TensorType> types;
    std::vector<const Content *> contents;
    for (Value operand : operands) {
      types.push_back(type(operand));
      contents.push_back(content(operand));
    }
    if (open) { // the rule again, for that
      PLIANT_TRY(results, inferTypes(op, attrs, types, known, open));
    }
    std::vector<Value> values;
    for (TensorType &result : results) {
      std::optional<Content> elements;
      if (results.size() == 1)
        elements = inferContent(op, attrs, types, contents, result, known);
      values.push_back(add(std::move(result), std::move(elements)));
    }
    return values;
  }
  std::deque<Entry> entries; // references to types stay valid
  Facts &known;
  std::vector<Requirement> *open;
  const TensorType none{};
};
} // namespace

static Status checkCall(OpId op, const Attrs &attrs, size_t operands) {
  const OpInfo &entry = info(op);
  if (attrs.index() != static_cast<size_t>(op))
    return internalError(entry.name, "built with attributes of another op");
  if (entry.operands >= 0 && operands != static_cast<size_t>(entry.operands))
    return internalError(entry.name, "built with " + std::to_string(operands) + " operands instead of " +
                                         std::to_string(entry.operands));
  return ok();
}

Error outOfBounds(std::string_view what, int64_t value, Interval bounds) {
  return userError("bind", std::string(what) + " is " + std::to_string(value) + ", outside [" +
                               std::to_string(bounds.lo) + ", " + std::to_string(bounds.hi) + "]");
}

Result<std::vector<TensorType>> inferTypes(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                           Facts &facts, std::vector<Requirement> *open) {
  const OpInfo &entry = info(op);
  PLIANT_CHECK(checkCall(op, attrs, operands.size()));
  if (!entry.texts)
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].dtype == DType::String)
        return userError(entry.name,
                         "operand " + std::to_string(i) + " is " + operands[i].str() +
                             ": strings are moved, compared and converted, not computed with",
                         "", "convert them with Cast first");
  if (!entry.decompose) {
    ShapeContext context{op, attrs, operands, facts, open};
    return entry.shape(context);
  }
  TypeBuilder builder(facts, open);
  std::vector<Value> inputs;
  for (const TensorType &operand : operands)
    inputs.push_back(builder.add(operand));
  std::vector<Value> outputs = entry.decompose(builder, attrs, inputs);
  if (builder.failed())
    return inComposite(entry, builder.takeError());
  std::vector<TensorType> types;
  for (Value output : outputs)
    types.push_back(builder.type(output));
  return types;
}

/// Runs one op whose result types are known. Sources and host ops have no reference: their values are at hand.
static Result<std::vector<DenseTensor>> evaluateAs(OpId op, const Attrs &attrs, std::span<const DenseTensor> inputs,
                                                   std::span<const TensorType> results);

namespace {
/// Evaluates at once.
class EvalBuilder final : public ValueBuilder {
public:
  Value add(DenseTensor tensor) {
    TensorType type{tensor.dtype(), Extents(tensor.dims().begin(), tensor.dims().end())};
    entries.push_back({std::move(tensor), std::move(type), std::nullopt});
    return {static_cast<uint32_t>(entries.size() - 1)};
  }
  const DenseTensor *tensor(Value v) const { return v.id < entries.size() ? &entries[v.id].tensor : nullptr; }
  const TensorType &type(Value v) const override { return v.id < entries.size() ? entries[v.id].type : none; }
  const Content *content(Value v) const override {
    if (v.id >= entries.size())
      return nullptr;
    const Entry &entry = entries[v.id];
    if (!entry.content)
      entry.content = contentOf(entry.tensor);
    return entry.content ? &*entry.content : nullptr;
  }
  Facts &facts() override { return known; }
  Value constant(const DenseTensor &value) override { return add(value); }
  Value extents(const Extents &values, bool scalar) override {
    Dims dims;
    if (!scalar)
      dims.push_back(static_cast<int64_t>(values.size()));
    std::optional<DenseTensor> made = tensorOf(values, DType::I64, dims);
    if (!made)
      fail(internalError("ops", "extents " + str(values) + " are no constants while evaluating"));
    return made ? add(std::move(*made)) : Value{};
  }
  Extents bind(Value v, Interval bounds, std::string_view hint) override {
    const Content *elements = content(v);
    if (!elements) {
      fail(userError("bind", "a host value must be an integer tensor of few elements"));
      return {};
    }
    for (const Expr &element : *elements)
      if (*element.constant() < bounds.lo || *element.constant() > bounds.hi)
        fail(outOfBounds(hint, *element.constant(), bounds));
    return *elements;
  }

private:
  using Dims = std::vector<int64_t>;
  struct Entry {
    DenseTensor tensor;
    TensorType type;
    mutable std::optional<Content> content;
  };
  Result<std::vector<Value>> insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                    std::vector<TensorType> results) override {
    std::vector<DenseTensor> inputs;
    for (Value operand : operands)
      inputs.push_back(entries[operand.id].tensor);
    PLIANT_TRY(std::vector<DenseTensor> outputs, evaluateAs(op, attrs, inputs, results));
    std::vector<Value> values;
    for (DenseTensor &output : outputs)
      values.push_back(add(std::move(output)));
    return values;
  }
  std::deque<Entry> entries;
  Facts known;
  const TensorType none{};
};
} // namespace

static Result<std::vector<DenseTensor>> evaluateComposite(OpId op, const Attrs &attrs,
                                                          std::span<const DenseTensor> inputs) {
  EvalBuilder builder;
  std::vector<Value> values;
  for (const DenseTensor &input : inputs)
    values.push_back(builder.add(input));
  std::vector<Value> outputs = info(op).decompose(builder, attrs, values);
  if (builder.failed())
    return inComposite(info(op), builder.takeError());
  std::vector<DenseTensor> results;
  for (Value output : outputs) {
    const DenseTensor *tensor = builder.tensor(output);
    if (!tensor)
      return unknownValue();
    results.push_back(*tensor);
  }
  return results;
}

static Result<std::vector<DenseTensor>> evaluateBind(const BindAttrs &bind, const DenseTensor &input) {
  std::optional<Content> elements = contentOf(input);
  if (!elements)
    return userError("bind", "a host value must be an integer tensor of few elements");
  for (const Expr &element : *elements)
    if (*element.constant() < bind.low || *element.constant() > bind.high)
      return outOfBounds(bind.what, *element.constant(), {bind.low, bind.high});
  return std::vector<DenseTensor>{input};
}

static Result<std::vector<DenseTensor>> evaluateAs(OpId op, const Attrs &attrs, std::span<const DenseTensor> inputs,
                                                   std::span<const TensorType> results) {
  const OpInfo &entry = info(op);
  if (entry.decompose)
    return evaluateComposite(op, attrs, inputs);
  if (op == OpId::Constant)
    return std::vector<DenseTensor>{std::get<ConstantAttrs>(attrs).value};
  if (op == OpId::Bind)
    return evaluateBind(std::get<BindAttrs>(attrs), inputs[0]);
  std::vector<DenseTensor> outputs;
  for (const TensorType &result : results) {
    std::vector<int64_t> dims;
    for (const Expr &extent : result.shape) {
      PLIANT_TRY(int64_t value, extent.evaluate([](const std::string &) { return std::nullopt; }));
      dims.push_back(value);
    }
    PLIANT_TRY(DenseTensor output, DenseTensor::allocate(result.dtype, std::move(dims)));
    outputs.push_back(std::move(output));
  }
  if (op == OpId::Extents) {
    const auto &values = std::get<ExtentsAttrs>(attrs).values;
    std::optional<DenseTensor> made = tensorOf(values, DType::I64, outputs[0].dims());
    if (!made)
      return internalError(entry.name, str(values) + " are no constants while evaluating");
    return std::vector<DenseTensor>{*made};
  }
  if (!entry.ref)
    return internalError(entry.name, "has no reference");
  StringPool strings;
  RefContext context{op, attrs, inputs, outputs, &strings};
  PLIANT_CHECK(entry.ref(context));
  for (DenseTensor &output : outputs)
    if (output.dtype() == DType::String) {
      PLIANT_TRY(output, output.withOwnStrings());
    }
  return outputs;
}

Result<std::vector<DenseTensor>> evaluate(OpId op, const Attrs &attrs, std::span<const DenseTensor> inputs) {
  PLIANT_CHECK(checkCall(op, attrs, inputs.size()));
  if (info(op).decompose)
    return evaluateComposite(op, attrs, inputs);
  std::vector<TensorType> types;
  for (const DenseTensor &input : inputs)
    types.push_back({input.dtype(), Extents(input.dims().begin(), input.dims().end())});
  Facts facts;
  PLIANT_TRY(std::vector<TensorType> results, inferTypes(op, attrs, types, facts));
  return evaluateAs(op, attrs, inputs, results);
}

} // namespace pliant
