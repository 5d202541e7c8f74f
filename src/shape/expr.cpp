// SPDX-License-Identifier: Apache-2.0
// Canonical integer polynomials: nodes, order, sums and products. Calls are in expr_calls.cpp.
#include "shape/expr.h"
#include "shape/expr_node.h"
#include <algorithm>

namespace pliant {
using namespace shape;

namespace {
size_t mix(size_t h, size_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}
size_t hashText(std::string_view text) {
  size_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : text)
    h = (h ^ c) * 0x100000001b3ull;
  return h;
}
int sign(bool less) { return less ? -1 : 1; }
} // namespace

Expr Expr::Node::seal(Node &&n) {
  uint64_t size = 1;
  size_t h = mix(static_cast<size_t>(n.kind) + 1, static_cast<size_t>(n.value));
  unsigned depth = 0;
  uint64_t degree = 0;
  if (n.kind == Kind::Symbol)
    h = mix(h, hashText(n.name));
  for (const Term &t : n.terms) {
    const Node &base = of(t.base);
    h = mix(mix(h, base.hash), static_cast<size_t>(t.count));
    size += base.size;
    depth = std::max<unsigned>(depth, base.depth);
    n.hasCalls |= base.hasCalls;
    if (n.kind == Kind::Product)
      degree += static_cast<uint64_t>(t.count);
  }
  for (const Expr &e : n.operands) {
    const Node &operand = of(e);
    h = mix(h, operand.hash);
    size += operand.size;
    depth = std::max<unsigned>(depth, operand.depth + 1u);
    n.hasCalls = true;
  }
  if (n.kind != Kind::Product)
    degree = n.kind >= Kind::Symbol && n.kind <= Kind::Broadcast;
  if (size > maxSize || depth > maxDepth || degree > maxDegree)
    return overflow();
  n.size = static_cast<uint32_t>(size);
  n.depth = static_cast<uint16_t>(depth);
  n.degree = static_cast<uint32_t>(degree);
  n.hash = h;
  return Expr(std::make_shared<const Node>(std::move(n)));
}

Expr::Expr() : Expr(int64_t(0)) {}

Expr::Expr(int64_t value) {
  auto make = [](int64_t v) {
    Node n;
    n.value = v;
    return Node::seal(std::move(n)).node;
  };
  // The usual constants are shared; the table is never destroyed, so that static objects may still use it, and nobody
  // who has one need count it.
  constexpr int64_t low = -1, high = 1024;
  static const auto &small = *[make] {
    auto *table = new std::vector<std::shared_ptr<const Node>>;
    for (int64_t v = low; v <= high; ++v)
      table->push_back(make(v));
    return table;
  }();
  node = value < low || value > high ? make(value)
                                     : std::shared_ptr<const Node>(std::shared_ptr<const Node>(),
                                                                   small[static_cast<size_t>(value - low)].get());
}

Expr Expr::symbol(std::string_view name) {
  Node n;
  n.kind = Kind::Symbol;
  n.name = name;
  return Node::seal(std::move(n));
}

std::optional<int64_t> Expr::constant() const {
  if (node->kind == Kind::Constant)
    return node->value;
  return std::nullopt;
}
std::optional<std::string> Expr::symbolName() const {
  if (node->kind == Kind::Symbol)
    return node->name;
  return std::nullopt;
}
size_t Expr::hash() const { return node->hash; }
bool Expr::operator==(const Expr &other) const {
  return node == other.node || (node->hash == other.node->hash && compare(*this, other) == 0);
}
bool Expr::operator<(const Expr &other) const { return compare(*this, other) < 0; }

namespace shape {

Expr overflow() {
  static const Expr &shared = *[] {
    Expr::Node n;
    n.kind = Kind::Overflow;
    return new Expr(Expr::Node::seal(std::move(n)));
  }();
  return shared;
}

int compare(const Expr &a, const Expr &b) {
  if (Expr::Node::same(a, b))
    return 0;
  const Expr::Node &x = node(a), &y = node(b);
  if (x.kind != y.kind)
    return sign(x.kind < y.kind);
  if (x.kind == Kind::Product)
    return compareBases(a, b);
  if (x.kind == Kind::Symbol)
    return x.name.compare(y.name);
  for (size_t i = 0; i < x.terms.size() && i < y.terms.size(); ++i) {
    if (int c = compareBases(x.terms[i].base, y.terms[i].base))
      return c;
    if (x.terms[i].count != y.terms[i].count)
      return sign(x.terms[i].count < y.terms[i].count);
  }
  for (size_t i = 0; i < x.operands.size() && i < y.operands.size(); ++i)
    if (int c = compare(x.operands[i], y.operands[i]))
      return c;
  if (x.terms.size() != y.terms.size())
    return sign(x.terms.size() < y.terms.size());
  if (x.operands.size() != y.operands.size())
    return sign(x.operands.size() < y.operands.size());
  return x.value == y.value ? 0 : sign(x.value < y.value);
}

int compareBases(const Expr &a, const Expr &b) {
  if (Expr::Node::same(a, b))
    return 0;
  const Expr::Node &x = node(a), &y = node(b);
  if (x.degree != y.degree)
    return sign(x.degree > y.degree);
  if (x.kind != Kind::Product) // equal degrees: both are atoms, as a product has at least degree 2
    return compare(a, b);
  for (size_t i = 0; i < x.terms.size() && i < y.terms.size(); ++i) {
    if (int c = compare(x.terms[i].base, y.terms[i].base))
      return c;
    if (x.terms[i].count != y.terms[i].count)
      return sign(x.terms[i].count > y.terms[i].count);
  }
  return 0;
}

SumView::SumView(const Expr &e) : expr(e) {
  if (isBase(e))
    single = Term{e, 1};
}
std::span<const Term> SumView::terms() const {
  if (single)
    return {&*single, 1};
  return node(expr).terms; // empty for constants
}
int64_t SumView::constant() const { return single ? 0 : node(expr).value; }

std::vector<Term> factorsOf(const Expr &base) {
  if (kind(base) == Kind::Product)
    return node(base).terms;
  return {Term{base, 1}};
}

Expr makeProduct(std::vector<Term> &&factors) {
  if (factors.empty())
    return 1;
  if (factors.size() == 1 && factors[0].count == 1)
    return factors[0].base;
  Expr::Node n;
  n.kind = Kind::Product;
  n.terms = std::move(factors);
  return Expr::Node::seal(std::move(n));
}

Expr makeSum(std::vector<Term> &&terms, int64_t constant) {
  if (terms.empty())
    return constant;
  if (terms.size() == 1 && terms[0].count == 1 && constant == 0)
    return terms[0].base;
  Expr::Node n;
  n.kind = Kind::Sum;
  n.terms = std::move(terms);
  n.value = constant;
  return Expr::Node::seal(std::move(n));
}

Expr makeSumUnsorted(std::vector<Term> &&terms, int64_t constant) {
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) { return compareBases(a.base, b.base) < 0; });
  // Coefficients of one base are added in 128 bits, so that large ones may cancel.
  std::vector<Term> merged;
  for (size_t i = 0; i < terms.size();) {
    Int128 sum = 0;
    size_t first = i;
    for (; i < terms.size() && compareBases(terms[first].base, terms[i].base) == 0; ++i)
      sum += terms[i].count;
    if (sum != static_cast<int64_t>(sum))
      return overflow();
    if (sum != 0)
      merged.push_back({terms[first].base, static_cast<int64_t>(sum)});
  }
  return makeSum(std::move(merged), constant);
}

Expr addAll(const std::vector<Expr> &summands) {
  std::vector<Term> all;
  Int128 constant = 0;
  for (const Expr &e : summands) {
    if (isOverflow(e))
      return e;
    SumView view(e);
    all.insert(all.end(), view.terms().begin(), view.terms().end());
    constant += view.constant();
  }
  if (constant != static_cast<int64_t>(constant))
    return overflow();
  return makeSumUnsorted(std::move(all), static_cast<int64_t>(constant));
}

/// a + factor*b
static Expr addScaled(const Expr &a, const Expr &b, int64_t factor) {
  if (isOverflow(a) || isOverflow(b))
    return overflow();
  SumView va(a), vb(b);
  int64_t constant;
  if (__builtin_mul_overflow(vb.constant(), factor, &constant) ||
      __builtin_add_overflow(va.constant(), constant, &constant))
    return overflow();
  auto x = va.terms(), y = vb.terms();
  std::vector<Term> out;
  out.reserve(x.size() + y.size());
  for (size_t i = 0, j = 0; i < x.size() || j < y.size();) {
    int c = i == x.size() ? 1 : j == y.size() ? -1 : compareBases(x[i].base, y[j].base);
    if (c < 0) {
      out.push_back(x[i++]);
      continue;
    }
    int64_t count;
    if (__builtin_mul_overflow(y[j].count, factor, &count))
      return overflow();
    if (c == 0 && __builtin_add_overflow(x[i++].count, count, &count))
      return overflow();
    if (count != 0)
      out.push_back({y[j].base, count});
    ++j;
  }
  return makeSum(std::move(out), constant);
}

static Expr multiplyBases(const Expr &a, const Expr &b) {
  std::vector<Term> out, x = factorsOf(a), y = factorsOf(b);
  out.reserve(x.size() + y.size());
  for (size_t i = 0, j = 0; i < x.size() || j < y.size();) {
    int c = i == x.size() ? 1 : j == y.size() ? -1 : compare(x[i].base, y[j].base);
    out.push_back(c <= 0 ? x[i] : y[j]);
    if (c == 0)
      out.back().count += y[j].count;
    i += c <= 0;
    j += c >= 0;
  }
  return makeProduct(std::move(out));
}

std::optional<Expr> divideBases(const Expr &base, const Expr &divisor) {
  if (node(divisor).degree > node(base).degree)
    return std::nullopt;
  std::vector<Term> out, x = factorsOf(base), y = factorsOf(divisor);
  size_t j = 0;
  for (Term &t : x) {
    int c = j == y.size() ? -1 : compare(t.base, y[j].base);
    if (c > 0)
      return std::nullopt;
    if (c == 0 && (t.count -= y[j++].count) < 0)
      return std::nullopt;
    if (t.count > 0)
      out.push_back(t);
  }
  if (j != y.size())
    return std::nullopt;
  return makeProduct(std::move(out));
}

std::optional<Expr> dividePolynomials(const Expr &a, const Expr &b) {
  if (isOverflow(a) || isOverflow(b) || b.isConstant(0))
    return std::nullopt;
  if (auto c = b.constant()) {
    SumView view(a);
    std::vector<Term> terms(view.terms().begin(), view.terms().end());
    auto divide = [&](int64_t &value) {
      if ((*c == -1 && value == INT64_MIN) || value % *c != 0)
        return false;
      value /= *c;
      return true;
    };
    int64_t constant = view.constant();
    for (Term &t : terms)
      if (!divide(t.count))
        return std::nullopt;
    return divide(constant) ? std::optional(makeSum(std::move(terms), constant)) : std::nullopt;
  }
  SumView divisor(b);
  const Term &by = divisor.terms()[0];
  std::vector<Expr> quotient;
  Expr rest = a;
  for (int steps = 0; !rest.isConstant(0); ++steps) {
    SumView view(rest);
    if (steps > 256 || view.terms().empty())
      return std::nullopt;
    const Term &lead = view.terms()[0];
    auto base = divideBases(lead.base, by.base);
    if (!base || (by.count == -1 && lead.count == INT64_MIN) || lead.count % by.count != 0)
      return std::nullopt;
    quotient.push_back(*base * Expr(lead.count / by.count));
    rest = rest - quotient.back() * b;
    if (isOverflow(rest))
      return std::nullopt;
  }
  Expr q = addAll(quotient);
  return isOverflow(q) ? std::nullopt : std::optional(q);
}

} // namespace shape

Expr operator+(const Expr &a, const Expr &b) {
  if (a.isConstant(0))
    return b;
  if (b.isConstant(0))
    return a;
  return addScaled(a, b, 1);
}
Expr operator-(const Expr &a, const Expr &b) { return b.isConstant(0) ? a : addScaled(a, b, -1); }

Expr operator*(const Expr &a, const Expr &b) {
  if (isOverflow(a) || isOverflow(b))
    return overflow();
  if (a.isConstant(1))
    return b;
  if (b.isConstant(1))
    return a;
  if (auto c = a.constant())
    return *c == 0 ? a : addScaled(0, b, *c);
  if (auto c = b.constant())
    return *c == 0 ? b : addScaled(0, a, *c);
  if (isBase(a) && isBase(b))
    return multiplyBases(a, b);
  SumView va(a), vb(b);
  if ((va.terms().size() + 1) * (vb.terms().size() + 1) > 2 * size_t(maxSize))
    return overflow();
  std::vector<Term> out;
  int64_t constant, count;
  if (__builtin_mul_overflow(va.constant(), vb.constant(), &constant))
    return overflow();
  auto emit = [&](const Expr &base, int64_t x, int64_t y) {
    if (__builtin_mul_overflow(x, y, &count) || isOverflow(base))
      return false;
    if (count != 0)
      out.push_back({base, count});
    return true;
  };
  for (const Term &x : va.terms())
    for (const Term &y : vb.terms())
      if (!emit(multiplyBases(x.base, y.base), x.count, y.count))
        return overflow();
  for (const Term &x : va.terms())
    if (!emit(x.base, x.count, vb.constant()))
      return overflow();
  for (const Term &y : vb.terms())
    if (!emit(y.base, y.count, va.constant()))
      return overflow();
  return makeSumUnsorted(std::move(out), constant);
}

Expr product(const Extents &extents) {
  Expr result = 1;
  for (const Expr &e : extents)
    result = result * e;
  return result;
}

} // namespace pliant
