// SPDX-License-Identifier: Apache-2.0
// Parsing of --shapes.
#include "shapes.h"
#include "arguments.h"
#include <algorithm>

namespace pliant::tool {

constexpr size_t combinationLimit = 10000;

std::vector<std::string> modelSymbols(const std::vector<Argument> &inputs) {
  std::vector<std::string> list;
  for (const Argument &input : inputs)
    for (const Expr &extent : input.type.shape)
      for (const std::string &symbol : extent.symbols())
        if (std::find(list.begin(), list.end(), symbol) == list.end())
          list.push_back(symbol);
  return list;
}

static std::string joined(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// "40", "40..640" or "40..640/25".
static Result<std::vector<int64_t>> parseRange(std::string_view text, const std::string &symbol) {
  int64_t step = 1;
  std::string what = "the extent of '" + symbol + "'";
  size_t dots = text.find("..");
  if (size_t slash = text.find('/'); slash != text.npos) {
    PLIANT_TRY(step, parseInteger(text.substr(slash + 1), "the step of '" + symbol + "'"));
    if (step < 1 || dots == text.npos)
      return userError("command line", "--shapes: '" + std::string(text) + "' is not of the form A..B/STEP");
    text = text.substr(0, slash);
  }
  PLIANT_TRY(int64_t low, parseInteger(text.substr(0, dots), what));
  int64_t high = low;
  if (dots != text.npos) {
    PLIANT_TRY(high, parseInteger(text.substr(dots + 2), what));
  }
  if (low < 0)
    return userError("command line", what + " is " + std::to_string(low) + ", which is negative");
  if (high < low)
    return userError("command line", "--shapes: the range of '" + symbol + "' ends before it begins");
  if (static_cast<uint64_t>(high - low) / static_cast<uint64_t>(step) >= combinationLimit)
    return userError("command line", "--shapes: the range of '" + symbol + "' has too many values");
  std::vector<int64_t> values;
  for (int64_t v = low;; v += step) {
    values.push_back(v);
    if (high - v < step)
      return values;
  }
}

Result<std::vector<SymbolValues>> parseShapes(const std::string &text, const std::vector<std::string> &symbols,
                                              const SymbolValues &known) {
  std::vector<SymbolValues> all;
  for (const std::string &list : split(text, ';')) {
    std::map<std::string, std::vector<int64_t>> ranges;
    std::vector<std::string> items = list.empty() ? std::vector<std::string>() : split(list, ',');
    size_t named = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      std::string symbol, range = items[i];
      if (size_t equals = items[i].rfind('='); equals != std::string::npos) {
        symbol = items[i].substr(0, equals);
        range = items[i].substr(equals + 1);
        ++named;
        if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
          std::string near = nearest(symbol, symbols);
          return userError("command line", "--shapes: the model has no symbol '" + symbol + "'", "",
                           near.empty() ? "its symbols are: " + joined(symbols) : "did you mean '" + near + "'?");
        }
      } else if (i < symbols.size()) {
        symbol = symbols[i];
      } else {
        return userError("command line", "--shapes gives " + std::to_string(items.size()) + " values to " +
                                             std::to_string(symbols.size()) + " symbols (" + joined(symbols) + ")");
      }
      PLIANT_TRY(std::vector<int64_t> values, parseRange(range, symbol));
      if (!ranges.emplace(symbol, std::move(values)).second)
        return userError("command line", "--shapes gives '" + symbol + "' twice");
    }
    if (named && named < items.size())
      return userError("command line", "--shapes: give all values by name or all by position");
    std::vector<SymbolValues> combinations{{}};
    for (const std::string &symbol : symbols) {
      auto range = ranges.find(symbol);
      if (range == ranges.end()) {
        auto value = known.find(symbol);
        if (value == known.end())
          return userError("command line", "--shapes gives no value to '" + symbol + "'", "",
                           "the model's symbols, in order: " + joined(symbols));
        range = ranges.emplace(symbol, std::vector<int64_t>{value->second}).first;
      }
      std::vector<SymbolValues> wider;
      if (combinations.size() * range->second.size() + all.size() > combinationLimit)
        return userError("command line",
                         "--shapes has more than " + std::to_string(combinationLimit) + " combinations");
      for (const SymbolValues &combination : combinations)
        for (int64_t value : range->second) {
          wider.push_back(combination);
          wider.back()[symbol] = value;
        }
      combinations = std::move(wider);
    }
    all.insert(all.end(), combinations.begin(), combinations.end());
  }
  return all;
}

std::string str(const SymbolValues &values, const std::vector<std::string> &order) {
  std::string out;
  for (const std::string &symbol : order)
    if (auto value = values.find(symbol); value != values.end())
      out += (out.empty() ? "" : ", ") + symbol + "=" + std::to_string(value->second);
  return out;
}

Result<int64_t> valueOf(const Expr &expr, const SymbolValues &values) {
  return expr.evaluate([&](const std::string &symbol) -> std::optional<int64_t> {
    auto value = values.find(symbol);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
}

} // namespace pliant::tool
