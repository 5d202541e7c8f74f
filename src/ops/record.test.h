// SPDX-License-Identifier: Apache-2.0
// For tests of what is written against the value builder: a builder that types symbolically, keeps what it is told, and
// can run it on concrete inputs with the references. Importer rows run against a node made of plain lists.
#pragma once
#include "onnx/node.h"
#include "ops/ops.test.h"
#include <deque>
#include <map>

namespace pliant::test {

class Recorder final : public ValueBuilder {
public:
  Value input(TensorType type) {
    inputs.push_back(record({std::move(type), {}, {}, {}, {}, 0, {}}));
    return inputs.back();
  }
  Value input(DType dtype, const std::vector<std::string> &extents) { return input(test::type(dtype, extents)); }
  Value known(const Known &k) { // content known, no value
    Value v = record({k.type, k.content, OpId::Extents, ExtentsAttrs{k.content, k.type.rank() == 0}, {}, 0, {}});
    return v;
  }
  const TensorType &type(Value v) const override { return v ? entries[v.id].type : none; }
  const Content *content(Value v) const override {
    return v && entries[v.id].content ? &*entries[v.id].content : nullptr;
  }
  Facts &facts() override { return known_; }
  Value constant(const DenseTensor &t) override {
    return record({{t.dtype(), Extents(t.dims().begin(), t.dims().end())}, pliant::contentOf(t), {}, {}, {}, 0, t});
  }
  Value extents(const Extents &values, bool scalar) override {
    return record({{DType::I64, scalar ? Extents{} : Extents{Expr(static_cast<int64_t>(values.size()))}},
                   values,
                   OpId::Extents,
                   ExtentsAttrs{values, scalar},
                   {},
                   0,
                   {}});
  }
  Extents bind(Value v, Interval bounds, std::string_view hint) override {
    if (failed() || !v)
      return {};
    if (const Content *elements = content(v))
      return *elements;
    Extents symbols;
    for (int64_t i = 0; i < product(shape(v)).constant().value_or(0); ++i) {
      symbols.push_back(Expr::symbol(std::string(hint) + "." + std::to_string(fresh++)));
      (void)static_cast<bool>(known_.assumeRange(*symbols.back().symbolName(), bounds));
    }
    build(OpId::Bind, BindAttrs{symbols, bounds.lo, bounds.hi, std::string(hint)}, std::array{v});
    return symbols;
  }
  std::string typeText(Value v) const { return type(v).str(); }
  std::string contentText(Value v) const { return content(v) ? str(*content(v)) : "unknown"; }

  /// Runs everything on values of the inputs, in their order; checks that inferred types and contents hold.
  std::string run(const std::vector<DenseTensor> &values, Value result) {
    std::map<std::string, int64_t> symbols;
    auto valueOf = [&](const std::string &s) { return symbols.count(s) ? std::optional(symbols[s]) : std::nullopt; };
    std::vector<DenseTensor> tensors(entries.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors[inputs[i].id] = values[i];
      for (size_t axis = 0; axis < values[i].dims().size(); ++axis)
        if (auto symbol = entries[inputs[i].id].type.shape[axis].symbolName())
          symbols[*symbol] = values[i].dims()[axis];
    }
    for (size_t id = 0; id < entries.size(); ++id) {
      Entry &e = entries[id];
      if (e.value)
        tensors[id] = *e.value;
      if (e.op && e.result == 0) {
        std::vector<DenseTensor> operands;
        for (Value operand : e.operands)
          operands.push_back(tensors[operand.id]);
        if (e.op == OpId::Bind)
          for (size_t i = 0; i < std::get<BindAttrs>(e.attrs).symbols.size(); ++i)
            symbols[*std::get<BindAttrs>(e.attrs).symbols[i].symbolName()] =
                *(*pliant::contentOf(operands[0]))[i].constant();
        std::string problem;
        auto number = [&](const Expr &expr) {
          Result<int64_t> value = expr.evaluate(valueOf);
          if (!value)
            problem = value.error().text();
          return value ? Expr(*value) : expr;
        };
        Attrs attrs = e.op == OpId::Bind ? e.attrs : mapExprs(e.attrs, number);
        Result<std::vector<DenseTensor>> results = evaluate(*e.op, attrs, operands);
        if (!problem.empty() || !results)
          return problem.empty() ? results.error().text() : problem;
        for (size_t i = 0; i < results->size(); ++i)
          tensors[id + i] = (*results)[i];
      }
      for (size_t axis = 0; axis < tensors[id].dims().size(); ++axis)
        EXPECT_EQ(*e.type.shape[axis].evaluate(valueOf), tensors[id].dims()[axis]) << e.type.str();
      if (std::optional<Content> actual = pliant::contentOf(tensors[id]); actual && e.content)
        for (size_t i = 0; i < actual->size(); ++i)
          EXPECT_EQ(*(*e.content)[i].evaluate(valueOf), *(*actual)[i].constant()) << str(*e.content);
    }
    const DenseTensor &t = tensors[result.id];
    return std::string(name(t.dtype())) + str(t.dims()) + ": " + text(t);
  }

private:
  struct Entry {
    TensorType type;
    std::optional<Content> content;
    std::optional<OpId> op;
    Attrs attrs;
    std::vector<Value> operands;
    int result = 0;
    std::optional<DenseTensor> value;
  };
  Value record(Entry entry) {
    entries.push_back(std::move(entry));
    return {static_cast<uint32_t>(entries.size() - 1)};
  }
  Result<std::vector<Value>> insert(OpId op, Attrs attrs, std::span<const Value> operands,
                                    std::vector<TensorType> results) override {
    std::vector<TensorType> types;
    std::vector<const Content *> contents;
    for (Value operand : operands) {
      types.push_back(type(operand));
      contents.push_back(content(operand));
    }
    std::vector<Value> values;
    for (size_t i = 0; i < results.size(); ++i) {
      std::optional<Content> elements;
      if (results.size() == 1)
        elements = inferContent(op, attrs, types, contents, results[i], known_);
      values.push_back(record({results[i], elements, op, attrs, {operands.begin(), operands.end()}, int(i), {}}));
    }
    return values;
  }
  std::deque<Entry> entries;
  std::vector<Value> inputs;
  Facts known_;
  int fresh = 0;
  const TensorType none{};
};

} // namespace pliant::test

namespace pliant::onnx_import {
/// The node that tests hand to importer rows. An executable has either this or the importer's own.
struct NodeImport::State {
  std::string op;
  std::vector<Value> in;
  std::map<std::string, std::vector<int64_t>> ints;
  std::map<std::string, double> floats;
  std::map<std::string, std::string> strings;
  std::map<std::string, DenseTensor> tensors;
  size_t outputCount = 1;
  std::vector<Value> out;
};
} // namespace pliant::onnx_import
