// SPDX-License-Identifier: Apache-2.0
// Facts in the IR: their attribute, what follows from ops, and whether a pass has kept them.
#include "ir/facts.h"
#include "ir/convert.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pliant::ir {

constexpr const char *attributeName = "pliant.facts";

void writeFacts(Operation *function, std::span<const Facts::Fact> facts) {
  Builder b(function->getContext());
  SmallVector<Attribute> list;
  for (const Facts::Fact &fact : facts)
    list.push_back(b.getStrArrayAttr({textOf(fact), fact.source}));
  if (list.empty())
    function->removeAttr(attributeName);
  else
    function->setAttr(attributeName, b.getArrayAttr(list));
}

Result<std::vector<Facts::Fact>> outsideFacts(Operation *function) {
  std::vector<Facts::Fact> facts;
  Attribute attribute = function->getAttr(attributeName);
  if (!attribute)
    return facts;
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return userError("facts", "pliant.facts is not a list of pairs of text and source");
  Facts together;
  for (Attribute each : list) {
    auto pair = dyn_cast<ArrayAttr>(each);
    auto text = pair && pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    auto source = text ? dyn_cast<StringAttr>(pair[1]) : StringAttr();
    if (!source)
      return userError("facts", "an entry of pliant.facts is not a pair of text and source");
    PLIANT_TRY(Facts::Fact fact, parseFact(text.getValue()));
    fact.source = source.str();
    PLIANT_CHECK(assume(together, fact));
    facts.push_back(std::move(fact));
  }
  return facts;
}

Facts factsOf(Operation *function) {
  Facts facts;
  function->walk([&](BindOp bind) {
    for (const Expr &symbol : fromMlir(bind.getSymbols()))
      if (auto name = symbol.symbolName())
        (void)facts.assumeRange(*name, {static_cast<int64_t>(bind.getLow()), static_cast<int64_t>(bind.getHigh())},
                                readAtRunTime);
  });
  if (auto outside = outsideFacts(function)) // the verifier has seen to it that they parse
    for (const Facts::Fact &fact : *outside)
      (void)assume(facts, fact);
  return facts;
}

std::set<std::string> liveSymbols(Operation *function) {
  std::set<std::string> symbols;
  llvm::DenseSet<Attribute> seen; // attributes are unique: each list of extents is read once
  auto add = [&](Attribute attribute) {
    auto shape = dyn_cast_or_null<ShapeAttr>(attribute);
    if (!shape || !seen.insert(shape).second)
      return;
    for (const Expr &extent : fromMlir(shape))
      for (std::string &name : extent.symbols())
        symbols.insert(std::move(name));
  };
  auto addType = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      add(tensor.getEncoding());
  };
  for (Region &region : function->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        addType(type);
  function->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      addType(type);
    for (NamedAttribute attribute : op->getAttrs())
      add(attribute.getValue());
  });
  return symbols;
}

std::optional<Facts::Fact> lostFact(Operation *function, std::span<const Facts::Fact> facts) {
  if (facts.empty())
    return std::nullopt;
  const Facts now = factsOf(function);
  std::optional<std::set<std::string>> live;
  for (const Facts::Fact &fact : facts) {
    if (follows(now, fact))
      continue;
    if (!live)
      live = liveSymbols(function);
    const auto names = symbolsOf(fact);
    if (std::all_of(names.begin(), names.end(), [&](const std::string &name) { return live->contains(name); }))
      return fact;
  }
  return std::nullopt;
}

} // namespace pliant::ir
