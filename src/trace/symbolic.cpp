// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic.h"
#include "shape/facts.h"
#include <unordered_map>

namespace pliant::trace {
namespace {

constexpr uint32_t leafBit = 1u << 31;

class Generalizer {
public:
  explicit Generalizer(const Segment &segment) : segment(segment), observed(symbolValues(segment)) {}

  Result<Trace> run() {
    for (const Handle &leaf : segment.leaves)
      leafExtents += leaf->dims().size();
    for (size_t i = 0; i < observed.size(); ++i)
      values.emplace(symbolName(i, leafExtents), observed[i]);
    size_t number = 0;
    for (const Handle &leaf : segment.leaves) {
      TensorType type{leaf->dtype, {}};
      for (size_t i = 0; i < leaf->dims().size(); ++i)
        type.shape.push_back(Expr::symbol(symbolName(number++, leafExtents)));
      out.leaves.push_back(std::move(type));
    }
    out.integers = static_cast<uint32_t>(segment.integers.size());
    const uint64_t *at = segment.words.data();
    for (const uint64_t *end = at + segment.words.size(); at != end;) {
      PLIANT_TRY(at, op(at));
    }
    for (uint32_t index : segment.resultIndices)
      out.outputs.push_back({false, index});
    return std::move(out);
  }

private:
  const Segment &segment;
  const std::vector<int64_t> observed;
  size_t leafExtents = 0, nextInteger = 0, knownLeaves = 0, describedLeaves = 0;
  std::unordered_map<std::string, int64_t> values;
  std::vector<TensorType> types; ///< of the values so far
  Facts facts;
  Trace out;

  /// Reads one op from its first word; returns the word behind it.
  Result<const uint64_t *> op(const uint64_t *at) {
    const uint64_t header = *at++;
    Op made;
    made.id = static_cast<OpId>(header & 0xffff);
    const auto operands = static_cast<size_t>(header >> 16 & 0xffffff);
    std::vector<TensorType> operandTypes;
    for (size_t i = 0; i < operands; ++i) {
      const auto word = static_cast<uint32_t>(i % 2 ? *at++ >> 32 : *at);
      const Ref ref{(word & leafBit) != 0, word & ~leafBit};
      if (ref.leaf && ref.index == knownLeaves)
        ++knownLeaves;
      operandTypes.push_back(ref.leaf ? out.leaves[ref.index] : types[ref.index]);
      made.operands.push_back(ref);
    }
    at += operands % 2 + (knownLeaves - describedLeaves);
    describedLeaves = knownLeaves;
    auto [attrs, behind] = decode(made.id, at, [&] {
      const Expr symbol = Expr::symbol(symbolName(leafExtents + nextInteger++, leafExtents));
      return integerAs(made.id, operandTypes, symbol);
    });
    made.attrs = std::move(attrs);
    made.place = str(segment.sites[out.ops.size()]);
    PLIANT_TRY(std::vector<TensorType> results, typed(made, operandTypes));
    made.results = static_cast<uint32_t>(results.size());
    for (TensorType &type : results)
      types.push_back(std::move(type));
    out.ops.push_back(std::move(made));
    return behind;
  }

  Result<int64_t> valueOf(const Expr &expr) const {
    return expr.evaluate([&](const std::string &name) -> std::optional<int64_t> {
      auto found = values.find(name);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Status guard(const Expr &a, const Expr &b) {
    if (facts.equal(a, b) == Proof::Yes)
      return ok();
    PLIANT_CHECK(facts.assumeEqual(a, b, "trace"));
    out.guards.push_back({a, b});
    return ok();
  }

  /// Numbers that name a shape are mostly extents that the program read from a tensor: one that equals an extent of the
  /// operand is taken for it, so that kernels see one extent in place of two.
  Expr integerAs(OpId op, const std::vector<TensorType> &operands, const Expr &symbol) {
    if (op != OpId::Reshape && op != OpId::BroadcastTo)
      return symbol;
    const int64_t value = values[*symbol.symbolName()];
    for (const TensorType &type : operands)
      for (const Expr &extent : type.shape)
        if (auto seen = valueOf(extent); value > 1 && seen && *seen == value && guard(symbol, extent))
          return symbol;
    return symbol;
  }

  /// Runs the rule until it leaves nothing undecided.
  Result<std::vector<TensorType>> typed(const Op &op, const std::vector<TensorType> &operands) {
    for (int attempt = 0; attempt < 16; ++attempt) {
      std::vector<Requirement> open;
      PLIANT_TRY(std::vector<TensorType> results, inferTypes(op.id, op.attrs, operands, facts, &open));
      bool news = false;
      for (const Requirement &each : open) {
        PLIANT_TRY(int64_t a, valueOf(each.a));
        PLIANT_TRY(int64_t b, valueOf(each.b));
        const size_t before = out.guards.size();
        if (a == b)
          PLIANT_CHECK(guard(each.a, each.b));
        else if (each.broadcast && (a == 1 || b == 1))
          PLIANT_CHECK(guard(a == 1 ? each.a : each.b, 1));
        else
          return internalError("trace", "recorded extents " + each.a.str() + " and " + each.b.str() + " do not agree");
        news |= out.guards.size() != before;
      }
      if (!news)
        return results;
    }
    return internalError("trace", "the types of " + std::string(info(op.id).name) + " do not settle");
  }
};

} // namespace

std::vector<int64_t> symbolValues(const Segment &segment) {
  std::vector<int64_t> values;
  for (const Handle &leaf : segment.leaves)
    values.insert(values.end(), leaf->dims().begin(), leaf->dims().end());
  values.insert(values.end(), segment.integers.begin(), segment.integers.end());
  return values;
}

std::string symbolName(size_t number, size_t leafExtents) {
  return number < leafExtents ? "s" + std::to_string(number) : "n" + std::to_string(number - leafExtents);
}

Result<Trace> generalize(const Segment &segment) { return Generalizer(segment).run(); }

} // namespace pliant::trace
