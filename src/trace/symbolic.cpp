// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic.h"
#include "shape/facts.h"
#include <charconv>
#include <set>
#include <unordered_map>

namespace pliant::trace {
namespace {

class Generalizer {
public:
  /// Symbols in `fixed` are numbers.
  Generalizer(const Instance &instance, const std::set<std::string> &fixed)
      : instance(instance), fixed(fixed), observed(instance.values), leafExtents(instance.leafExtents) {}

  /// Where a rule refuses symbols whose numbers it took: those that it may have wanted to know.
  std::set<std::string> wanted;

  Result<Trace> run() {
    for (size_t i = 0; i < observed.size(); ++i)
      values.emplace(symbolName(i, leafExtents), observed[i]);
    out.integers = static_cast<uint32_t>(observed.size() - leafExtents);
    const uint64_t *at = instance.structure.words().data();
    for (const uint64_t *end = at + instance.structure.words().size(); at != end;) {
      PLIANT_TRY(at, op(at));
    }
    for (uint32_t index : instance.structure.results)
      out.outputs.push_back({false, index});
    return std::move(out);
  }

private:
  const Instance &instance;
  const std::set<std::string> &fixed;
  const std::vector<int64_t> &observed;
  const size_t leafExtents;
  size_t nextInteger = 0, nextExtent = 0;
  std::unordered_map<std::string, int64_t> values;
  std::vector<TensorType> types; ///< of the values so far
  Facts facts;
  Trace out;

  /// Reads one op from its first word; returns the word behind it.
  Result<const uint64_t *> op(const uint64_t *at) {
    const Header header = Header::of(*at++);
    Op made;
    made.id = header.op;
    const uint64_t *type = at + (header.operands + 1) / 2;
    std::vector<TensorType> operandTypes;
    for (size_t i = 0; i < header.operands; ++i) {
      const auto word = static_cast<uint32_t>(i % 2 ? *at++ >> 32 : *at);
      const Ref ref{(word & leafBit) != 0, word & ~leafBit};
      if (ref.leaf && ref.index == out.leaves.size())
        newLeaf(*type++);
      operandTypes.push_back(ref.leaf ? out.leaves[ref.index] : types[ref.index]);
      made.operands.push_back(ref);
    }
    at = type;
    auto [attrs, behind] = decode(made.id, at, [&] {
      const Expr symbol = symbolOrNumber(leafExtents + nextInteger++);
      return symbol.constant() ? symbol : integerAs(made.id, operandTypes, symbol);
    });
    made.attrs = std::move(attrs);
    made.place = str(instance.sites[out.ops.size()]) + "#" + std::to_string(out.ops.size());
    PLIANT_TRY(std::vector<TensorType> results, typed(made, operandTypes));
    made.results = static_cast<uint32_t>(results.size());
    for (TensorType &type : results)
      types.push_back(std::move(type));
    out.ops.push_back(std::move(made));
    return behind;
  }

  Expr symbolOrNumber(size_t number) {
    Expr symbol = Expr::symbol(symbolName(number, leafExtents));
    if (!fixed.contains(*symbol.symbolName()))
      return symbol;
    out.fixed.push_back({symbol, observed[number]});
    return observed[number];
  }

  void newLeaf(uint64_t word) {
    TensorType type{static_cast<DType>(word >> 8), {}};
    for (uint64_t rank = word & 0xff; rank; --rank)
      type.shape.push_back(symbolOrNumber(nextExtent++));
    out.leaves.push_back(std::move(type));
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

  /// One symbol with whose number the rule is content, or all that the op sees.
  void findWanted(const Op &op, const std::vector<TensorType> &operands) {
    auto add = [&](const Expr &e) {
      for (const std::string &symbol : facts.canonical(e).symbols())
        wanted.insert(symbol);
      return e;
    };
    for (const TensorType &type : operands)
      for (const Expr &extent : type.shape)
        add(extent);
    mapExprs(op.attrs, add);
    for (const std::string &symbol : wanted) {
      auto known = [&](const Expr &e) {
        return facts.canonical(e).substitute([&](const std::string &name) -> std::optional<Expr> {
          return name == symbol ? std::optional(Expr(values[name])) : std::nullopt;
        });
      };
      std::vector<TensorType> types = operands;
      for (TensorType &type : types)
        for (Expr &extent : type.shape)
          extent = known(extent);
      Facts trial = facts;
      std::vector<Requirement> open;
      if (inferTypes(op.id, mapExprs(op.attrs, known), types, trial, &open)) {
        wanted = {symbol};
        return;
      }
    }
  }

  /// Runs the rule until it leaves nothing undecided.
  Result<std::vector<TensorType>> typed(const Op &op, std::vector<TensorType> operands) {
    for (int attempt = 0; attempt < 16; ++attempt) {
      // What guards say of them is known: a rule may want a number.
      for (TensorType &type : operands)
        for (Expr &extent : type.shape)
          extent = facts.canonical(extent);
      std::vector<Requirement> open;
      auto inferred = inferTypes(op.id, op.attrs, operands, facts, &open);
      if (!inferred) {
        findWanted(op, operands);
        return inferred.takeError();
      }
      std::vector<TensorType> results = std::move(*inferred);
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

Instance::Instance(const Segment &segment) : structure(*segment.structure), sites(*segment.sites) {
  for (const Handle &leaf : segment.leaves)
    values.insert(values.end(), leaf->dims().begin(), leaf->dims().end());
  leafExtents = values.size();
  values.insert(values.end(), segment.integers.begin(), segment.integers.end());
}

std::string symbolName(size_t number, size_t leafExtents) {
  return number < leafExtents ? "s" + std::to_string(number) : "n" + std::to_string(number - leafExtents);
}

Result<Trace> generalize(const Instance &instance) {
  // An op may have to know a number: the last axis of scatter_nd's indices decides ranks.
  std::set<std::string> fixed;
  for (;;) {
    Generalizer generalizer(instance, fixed);
    auto trace = generalizer.run();
    const size_t before = fixed.size();
    fixed.insert(generalizer.wanted.begin(), generalizer.wanted.end());
    if (trace || fixed.size() == before)
      return trace;
  }
}

std::string placeIn(const std::string &place, std::span<const Site> sites) {
  const size_t mark = place.rfind('#');
  size_t number = 0;
  if (mark == std::string::npos ||
      std::from_chars(place.data() + mark + 1, place.data() + place.size(), number).ec != std::errc() ||
      number >= sites.size())
    return place;
  return str(sites[number]);
}

} // namespace pliant::trace
