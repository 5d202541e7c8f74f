// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes become formulas, facts and questions of the shape algebra, or a text that its parsers read. Every
// answer is compared with plain arithmetic on values.
#include "shape/random_round.h"
#include <cstdio>
#include <cstdlib>

using namespace pliant;
using namespace pliant::test;

namespace {

/// The value of a symbol of any name: small, and the same wherever it occurs.
std::optional<int64_t> valueOf(const std::string &name) {
  return static_cast<int64_t>(std::hash<std::string>()(name) % 7);
}

std::string brokenParse(std::string_view text) {
  auto parsed = Expr::parse(text);
  if (!parsed)
    return {};
  const Expr &e = *parsed;
  if (std::string broken = brokenText(e); !broken.empty())
    return broken;
  // With every symbol replaced by its value, the expression is that of its value.
  const auto value = e.evaluate(valueOf);
  const Expr constant = e.substitute([](const std::string &name) { return std::optional<Expr>(*valueOf(name)); });
  if (value && constant.constant() && *constant.constant() != *value)
    return e.str() + " is " + std::to_string(*value) + " but " + constant.str() + " by substitution";
  return {};
}

std::string brokenFactText(std::string_view text) {
  auto fact = parseFact(text);
  if (!fact)
    return {};
  const std::string printed = pliant::textOf(*fact);
  auto back = parseFact(printed);
  if (!back || pliant::textOf(*back) != printed)
    return "the fact '" + printed + "' does not read back";
  Facts facts;
  if (!assume(facts, *fact))
    return {};
  for (const Expr &residue : residuesOf(*fact))
    (void)facts.bounds(residue);
  (void)facts.canonical(fact->a);
  return {};
}

std::string brokenFormulas(TreeMaker &maker) {
  const RandomTree e = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 9)));
  const RandomTree by = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 3)));
  if (std::string broken = brokenText(e.expr); !broken.empty())
    return broken;
  for (int i = 0; i < 6; ++i) {
    const std::vector<int64_t> values{maker.pick(0, 9), maker.pick(0, 9), maker.pick(0, i % 2 ? 40 : 3)};
    for (const std::string &broken : {brokenValue(e, values), brokenSubstitution(e, by, values)})
      if (!broken.empty())
        return broken;
  }
  return {};
}

std::string broken(std::span<const uint8_t> bytes) {
  if (bytes.empty())
    return {};
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()) + 1, bytes.size() - 1);
  TreeMaker maker(bytes.subspan(1));
  Counts counts;
  switch (bytes.front() % 5) {
  case 0:
    return brokenParse(text);
  case 1:
    return brokenFactText(text);
  case 2:
    return brokenFormulas(maker);
  case 3:
    return brokenRound(maker, {6, 2, 5, false}, counts);
  default:
    return brokenRound(maker, {6, 2, 5, true}, counts);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (std::string what = broken({data, size}); !what.empty()) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  }
  return 0;
}
