// SPDX-License-Identifier: Apache-2.0
// What every op owes without MLIR: its attributes, its shape rule, its reference and, for small integer tensors, its
// rule on known contents. The registry (generated from the contracts) joins them under one OpId.
#pragma once
#include "ops/attrs.h" // generated: OpId, one attribute struct per op, Attrs
#include "runtime/dense_tensor.h"
#include "runtime/strings.h"
#include "shape/facts.h"
#include "shape/type.h"
#include <span>

namespace pliant {

/// Known elements of a small integer or bool tensor, row-major, as expressions over the function's symbols.
using Content = std::vector<Expr>;

/// A condition that a rule could not decide: the extents must be equal, or for a broadcast equal or one of them 1. It
/// becomes a check when the program runs.
struct Requirement {
  Expr a, b;
  bool broadcast = false;
};

/// What a shape rule sees. It returns one type per result, or an error that cites a constraint of the contract.
struct ShapeContext {
  OpId op;
  const Attrs &attrs;
  std::span<const TensorType> operands;
  Facts &facts; ///< to prove with; a rule may also record what must hold for the op to be valid
  std::vector<Requirement> *open = nullptr; ///< collects what the rule leaves undecided, when asked for

  void require(const Expr &a, const Expr &b, bool broadcast) const {
    if (open)
      open->push_back({a, b, broadcast});
  }

  template <class A> const A &as() const { return std::get<A>(attrs); }
  const TensorType &operand(size_t i) const { return operands[i]; }
  Error error(std::string message, const char *constraint = "", std::string hint = {}) const;
};
using ShapeRule = Result<std::vector<TensorType>> (*)(ShapeContext &);

/// What a reference evaluator sees: concrete inputs, and outputs already allocated with the extents of the shape rule.
/// Expressions in the attributes are constants here.
struct RefContext {
  OpId op;
  const Attrs &attrs;
  std::span<const DenseTensor> inputs;
  std::span<const DenseTensor> outputs;
  StringPool *strings = nullptr; ///< keeps the texts that the outputs point to; never null for an op that makes some

  template <class A> const A &as() const { return std::get<A>(attrs); }
  Error error(std::string message, const char *constraint = "", std::string hint = {}) const;
};
using RefEvaluator = Status (*)(RefContext &);

/// What a content rule sees: the operands' types and, where known, their elements. It returns nothing when the result
/// does not follow. Called only when the result is an integer or bool tensor of at most `contentLimit` elements.
struct ContentContext {
  OpId op;
  const Attrs &attrs;
  std::span<const TensorType> operands;
  std::span<const Content *const> contents; ///< null where unknown
  const TensorType &result;
  const Facts &facts;

  template <class A> const A &as() const { return std::get<A>(attrs); }
};
using ContentRule = std::optional<Content> (*)(ContentContext &);
inline constexpr int64_t contentLimit = 1024;

class ValueBuilder;
struct Value {
  uint32_t id = ~0u;
  explicit operator bool() const { return id != ~0u; }
  bool operator==(const Value &) const = default;
};
/// The ops that a composite stands for; returns its results.
using Decompose = std::vector<Value> (*)(ValueBuilder &, const Attrs &, std::span<const Value>);

enum class Pattern : uint8_t { Pointwise, Map, Reduce, Contraction, Kernel, Composite, Host, Source };

struct OpInfo {
  OpId id;
  const char *name;   ///< mnemonic: "matmul"
  const char *folder; ///< below src/ops
  Pattern pattern;
  int operands; ///< -1: variadic
  int results;
  ShapeRule shape;     ///< null for composites: it follows from the decomposition
  RefEvaluator ref;    ///< null for composites, host ops and sources
  ContentRule content; ///< may be null
  Decompose decompose; ///< composites only
  bool emitted;        ///< has an emitter; otherwise it runs as its reference and counts as a fallback,
  bool hosted;         ///< unless the reference is how it runs: what it does is no loop over numbers
  bool texts;          ///< takes tensors of strings
};
const OpInfo &info(OpId op);
std::optional<OpId> opFromName(std::string_view name);
std::span<const OpInfo> allOps();

/// Runs the shape rule, or decomposes a composite to find its types.
Result<std::vector<TensorType>> inferTypes(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                           Facts &facts, std::vector<Requirement> *open = nullptr);
/// Known content of the single result of an op from its operands' contents, by the op's own rule or, for ops that only
/// move elements (Pattern::Map), by running the reference on handles of the expressions.
std::optional<Content> inferContent(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                    std::span<const Content *const> contents, const TensorType &result,
                                    const Facts &facts);
/// The error that an integer which a run reads (`what` it is) lies outside of its bounds.
Error outOfBounds(std::string_view what, int64_t value, Interval bounds);
/// Runs the reference (or the decomposition's references) on concrete tensors; allocates the outputs.
Result<std::vector<DenseTensor>> evaluate(OpId op, const Attrs &attrs, std::span<const DenseTensor> inputs);

} // namespace pliant
