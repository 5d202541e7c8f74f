// SPDX-License-Identifier: Apache-2.0
// Printing and reading of symbolic extents.
#include "shape/expr.h"
#include "shape/expr_node.h"
#include <array>

namespace pliant {
using namespace shape;

namespace {
struct CallName {
  std::string_view text;
  Kind kind;
};
constexpr std::array<CallName, 6> callNames{{{"floordiv", Kind::FloorDiv},
                                             {"mod", Kind::Mod},
                                             {"min", Kind::Min},
                                             {"max", Kind::Max},
                                             {"broadcast", Kind::Broadcast},
                                             {"overflow", Kind::Overflow}}};

// Not the ones of <cctype>, which follow the locale.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '?'; }
bool inName(char c) { return startsName(c) || isDigit(c) || c == '.' || c == ':'; }

bool isBare(std::string_view name) {
  if (name.empty() || !startsName(name[0]))
    return false;
  for (char c : name)
    if (!inName(c))
      return false;
  for (const CallName &call : callNames)
    if (call.text == name)
      return false;
  return true;
}

struct Printer {
  std::string out;

  void symbol(const std::string &name) {
    if (isBare(name)) {
      out += name;
      return;
    }
    out += '\'';
    for (char c : name) {
      out += c;
      if (c == '\'')
        out += c;
    }
    out += '\'';
  }

  void list(const std::vector<Expr> &operands) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i)
        out += ", ";
      expr(operands[i]);
    }
  }

  void base(const Expr &e) {
    if (kind(e) == Kind::Product) {
      bool first = true;
      for (const Term &t : node(e).terms)
        for (int64_t i = 0; i < t.count; ++i) {
          if (!first)
            out += '*';
          first = false;
          base(t.base);
        }
      return;
    }
    if (kind(e) == Kind::Symbol)
      return symbol(node(e).name);
    for (const CallName &call : callNames)
      if (call.kind == kind(e)) {
        out += call.text;
        out += '(';
        list(node(e).operands);
        out += ')';
      }
  }

  void expr(const Expr &e) {
    if (auto c = e.constant()) {
      out += std::to_string(*c);
      return;
    }
    if (kind(e) != Kind::Sum)
      return base(e);
    bool first = true;
    for (const Term &t : node(e).terms) {
      if (!first && t.count > 0)
        out += '+';
      first = false;
      if (t.count == -1)
        out += '-';
      else if (t.count != 1)
        out += std::to_string(t.count) + "*";
      base(t.base);
    }
    if (int64_t c = node(e).value) {
      if (c > 0)
        out += '+';
      out += std::to_string(c);
    }
  }
};

/// Recursive descent with a bound on the nesting. A failed step sets `expected` once and returns zero.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<Expr> run() {
    Expr e = sum();
    skipSpace();
    if (expected.empty() && at < text.size())
      fail("an operator");
    if (expected.empty())
      return e;
    std::string shown(text.substr(0, 80));
    if (text.size() > 80)
      shown += "...";
    return userError("shape", "cannot read \"" + shown + "\" as an extent: expected " + expected + " at column " +
                                  std::to_string(failedAt + 1));
  }

private:
  std::string_view text;
  size_t at = 0, failedAt = 0;
  std::string expected;
  int depth = 0;

  Expr fail(std::string what) {
    if (expected.empty()) {
      expected = std::move(what);
      failedAt = at;
    }
    return 0;
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
      ++at;
  }
  bool accept(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  Expr sum() {
    if (++depth > 2 * maxDepth) // a canonical form is never nested deeper; this is for written ones
      return fail("less nesting");
    std::vector<Expr> parts;
    bool negative = accept('-');
    if (!negative)
      accept('+');
    for (;;) {
      parts.push_back(product(negative));
      if (!expected.empty())
        return 0;
      if (accept('-'))
        negative = true;
      else if (accept('+'))
        negative = false;
      else
        break;
    }
    --depth;
    return parts.size() == 1 ? parts[0] : addAll(parts);
  }

  Expr product(bool negative) {
    // The sign belongs to the first number, because -9223372036854775808 has no positive counterpart.
    skipSpace();
    bool numberFirst = at < text.size() && isDigit(text[at]);
    Expr e = factor(numberFirst && negative);
    while (expected.empty() && accept('*'))
      e = e * signedFactor();
    return negative && !numberFirst ? 0 - e : e;
  }

  Expr signedFactor() {
    bool negative = accept('-');
    skipSpace();
    bool number = at < text.size() && isDigit(text[at]);
    Expr e = factor(negative && number);
    return negative && !number ? 0 - e : e;
  }

  Expr factor(bool negativeNumber) {
    skipSpace();
    if (at == text.size())
      return fail("a number, a symbol or a call");
    char c = text[at];
    if (isDigit(c))
      return number(negativeNumber);
    if (accept('(')) {
      Expr e = sum();
      if (expected.empty() && !accept(')'))
        fail("')'");
      return e;
    }
    if (c == '\'')
      return quoted();
    if (!startsName(c))
      return fail("a number, a symbol or a call");
    size_t begin = at;
    while (at < text.size() && inName(text[at]))
      ++at;
    std::string_view name = text.substr(begin, at - begin);
    for (const CallName &callName : callNames)
      if (callName.text == name)
        return call(callName);
    return Expr::symbol(name);
  }

  Expr number(bool negative) {
    int64_t value = 0;
    for (; at < text.size() && isDigit(text[at]); ++at) {
      int64_t digit = text[at] - '0';
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, negative ? -digit : digit, &value))
        return fail("a number of at most 64 bits");
    }
    return value;
  }

  Expr quoted() {
    std::string name;
    for (++at; at < text.size(); ++at) {
      if (text[at] == '\'') {
        if (at + 1 == text.size() || text[at + 1] != '\'') {
          ++at;
          return Expr::symbol(name);
        }
        ++at;
      }
      name += text[at];
    }
    return fail("a closing quote");
  }

  Expr call(const CallName &callName) {
    if (!accept('('))
      return fail("'(' (a symbol of this name is written in single quotes)");
    if (callName.kind == Kind::Overflow)
      return accept(')') ? overflow() : fail("')'");
    std::vector<Expr> operands;
    do {
      operands.push_back(sum());
      if (!expected.empty())
        return 0;
    } while (accept(','));
    if (!accept(')'))
      return fail("',' or ')'");
    bool binary = callName.kind == Kind::FloorDiv || callName.kind == Kind::Mod;
    if (operands.size() < 2 || (binary && operands.size() > 2))
      return fail(binary ? "two operands" : "at least two operands");
    return rebuildCall(callName.kind, operands);
  }
};
} // namespace

std::string Expr::str() const {
  Printer p;
  p.expr(*this);
  return std::move(p.out);
}

Result<Expr> Expr::parse(std::string_view text) { return Parser(text).run(); }

std::string str(const Extents &extents) {
  std::string out = "(";
  for (size_t i = 0; i < extents.size(); ++i)
    out += (i ? ", " : "") + extents[i].str();
  return out + ")";
}

} // namespace pliant
