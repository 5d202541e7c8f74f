// SPDX-License-Identifier: Apache-2.0
// Facts as text and as questions.
#include "shape/fact_text.h"
#include <algorithm>
#include <charconv>

namespace pliant {
namespace {

using Fact = Facts::Fact;

/// Where `word` stands outside of quoted names, or npos.
size_t findOutside(std::string_view text, std::string_view word) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')
      quoted = !quoted; // a doubled quote inside a name closes and opens again
    else if (!quoted && text.substr(i).starts_with(word))
      return i;
  }
  return text.npos;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

std::optional<int64_t> integer(std::string_view text) {
  text = trimmed(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The range in words, as facts print it: "in [1, 8]", "at least 1", "at most 8", "7", "any value".
std::optional<Interval> interval(std::string_view text) {
  Interval range;
  text = trimmed(text);
  auto bound = [&](std::string_view words, int64_t &end) {
    auto value = text.starts_with(words) ? integer(text.substr(words.size())) : std::nullopt;
    end = value.value_or(end);
    return value.has_value();
  };
  if (text == "any value" || bound("at least ", range.lo) || bound("at most ", range.hi))
    return range;
  if (auto value = integer(text))
    return Interval{*value, *value};
  const size_t comma = text.find(',');
  if (!text.starts_with("in [") || !text.ends_with(']') || comma == text.npos)
    return std::nullopt;
  auto lo = integer(text.substr(4, comma - 4)), hi = integer(text.substr(comma + 1, text.size() - comma - 2));
  return lo && hi ? std::optional(Interval{*lo, *hi}) : std::nullopt;
}

/// The fact behind "a OP b" with OP one of those below, in an order in which none hides another.
Fact comparison(std::string_view op, const Expr &a, const Expr &b) {
  if (op == "==")
    return {Fact::Kind::Equal, a, b, {}, 0, {}};
  if (op == "<=")
    return {Fact::Kind::LessEqual, a, b, {}, 0, {}};
  if (op == ">=")
    return {Fact::Kind::LessEqual, b, a, {}, 0, {}};
  return op == "<" ? Fact{Fact::Kind::LessEqual, a + 1, b, {}, 0, {}}
                   : Fact{Fact::Kind::LessEqual, b + 1, a, {}, 0, {}};
}

} // namespace

Result<Fact> parseFact(std::string_view text) {
  auto wrong = [&](const std::string &why) {
    return userError("fact", "'" + std::string(text) + "' " + why, "",
                     "facts are written 'n <= 512', 'm == 2*n', '4 divides n' or 'n is in [1, 512]'");
  };
  for (std::string_view op : {"==", "<=", ">=", "<", ">"})
    if (size_t at = findOutside(text, op); at != text.npos) {
      auto a = Expr::parse(trimmed(text.substr(0, at))), b = Expr::parse(trimmed(text.substr(at + op.size())));
      if (!a || !b)
        return wrong("does not parse: " + (a ? b : a).error().message);
      return comparison(op, *a, *b);
    }
  if (size_t at = findOutside(text, " divides "); at != text.npos) {
    auto divisor = integer(text.substr(0, at));
    auto e = Expr::parse(trimmed(text.substr(at + 9)));
    if (!divisor || *divisor < 1 || !e)
      return wrong("does not parse: a positive number divides an expression");
    return Fact{Fact::Kind::Divides, *e, {}, {}, *divisor, {}};
  }
  if (size_t at = findOutside(text, " is "); at != text.npos) {
    auto symbol = Expr::parse(trimmed(text.substr(0, at)));
    auto range = interval(text.substr(at + 4));
    if (!symbol || !symbol->symbolName() || !range)
      return wrong("does not parse: a symbol is in a range");
    return Fact{Fact::Kind::Range, *symbol, {}, *range, 0, {}};
  }
  return wrong("is no fact");
}

std::string textOf(const Fact &fact) {
  Fact bare = fact;
  bare.source.clear();
  return bare.str();
}

std::vector<std::string> symbolsOf(const Fact &fact) {
  std::vector<std::string> names = fact.a.symbols(), more = fact.b.symbols();
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Status assume(Facts &facts, const Fact &fact) {
  switch (fact.kind) {
  case Fact::Kind::Range:
    return facts.assumeRange(*fact.a.symbolName(), fact.range, fact.source);
  case Fact::Kind::Equal:
    return facts.assumeEqual(fact.a, fact.b, fact.source);
  case Fact::Kind::LessEqual:
    return facts.assumeLessEqual(fact.a, fact.b, fact.source);
  case Fact::Kind::Divides:
    return facts.assumeDivides(fact.divisor, fact.a, fact.source);
  }
  return ok();
}

bool follows(const Facts &facts, const Fact &fact) {
  switch (fact.kind) {
  case Fact::Kind::Range: {
    const Interval known = facts.bounds(fact.a);
    return known.lo >= fact.range.lo && known.hi <= fact.range.hi;
  }
  case Fact::Kind::Equal:
    return facts.equal(fact.a, fact.b) == Proof::Yes;
  case Fact::Kind::LessEqual:
    return facts.lessEqual(fact.a, fact.b) == Proof::Yes;
  case Fact::Kind::Divides:
    return facts.divides(fact.divisor, fact.a);
  }
  return false;
}

std::vector<Expr> residuesOf(const Fact &fact) {
  constexpr Interval open;
  std::vector<Expr> list;
  switch (fact.kind) {
  case Fact::Kind::Range:
    if (fact.range.lo != open.lo)
      list.push_back(max(Expr(fact.range.lo) - fact.a, 0));
    if (fact.range.hi != open.hi)
      list.push_back(max(fact.a - fact.range.hi, 0));
    break;
  case Fact::Kind::Equal:
    list.push_back(fact.a - fact.b);
    break;
  case Fact::Kind::LessEqual:
    list.push_back(max(fact.a - fact.b, 0));
    break;
  case Fact::Kind::Divides:
    list.push_back(mod(fact.a, fact.divisor));
    break;
  }
  return list;
}

} // namespace pliant
