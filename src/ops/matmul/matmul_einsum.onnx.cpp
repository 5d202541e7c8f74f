// SPDX-License-Identifier: Apache-2.0
// Einsum: operands are contracted from left to right by transpose, reshape and matmul; labels that one operand holds
// alone are summed early, axes of extent 1 broadcast, repeated labels take the diagonal.
#include "onnx/node.h"
#include <algorithm>
#include <cctype>

namespace pliant::ops::matmul {
using namespace onnx_import;
namespace {

/// One axis name: a letter, or for the axes of an ellipsis -1 (the last), -2, ...
using Labels = std::vector<int>;
struct Term {
  Value value;
  Labels labels;
};

bool holds(const Labels &labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
int64_t position(const Labels &labels, int label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

struct Einsum {
  NodeImport &n;
  ValueBuilder &b = n.b;

  const Expr &extent(const Term &t, int label) { return b.shape(t.value)[position(t.labels, label)]; }

  /// Axes in the order of `labels`, all of which the term holds.
  Term ordered(const Term &t, const Labels &labels) {
    std::vector<int64_t> perm;
    for (int label : labels)
      perm.push_back(position(t.labels, label));
    if (b.failed() || std::is_sorted(perm.begin(), perm.end()))
      return {t.value, labels};
    return {b.transpose(t.value, std::move(perm)), labels};
  }
  Term summed(const Term &t, const Labels &labels) {
    std::vector<int64_t> axes;
    Term result{t.value, {}};
    for (size_t i = 0; i < t.labels.size(); ++i)
      if (holds(labels, t.labels[i]))
        axes.push_back(static_cast<int64_t>(i));
      else
        result.labels.push_back(t.labels[i]);
    if (!axes.empty())
      result.value = b.reduceSum(t.value, axes, false);
    return result;
  }
  /// "ii": keeps the elements where both indices agree and folds one axis away; works for unknown extents.
  Term diagonal(Term t) {
    for (size_t i = 0; !b.failed() && i < t.labels.size(); ++i)
      for (size_t j = t.labels.size(); --j > i;) {
        if (t.labels[j] != t.labels[i])
          continue;
        const Extents shape = b.shape(t.value);
        auto counter = [&](size_t axis) {
          Extents line(shape.size(), Expr(1));
          line[axis] = shape[axis];
          return b.reshape(b.iota({shape[axis]}, DType::I64), line);
        };
        Value kept = b.select(b.equal(counter(i), counter(j)), t.value, b.scalarLike(t.value, 0));
        t.value = b.reduceSum(kept, {static_cast<int64_t>(j)}, false);
        t.labels.erase(t.labels.begin() + static_cast<int64_t>(j));
        if (b.failed())
          return t;
      }
    return t;
  }
  /// The term with an axis for each of `labels`, of extent 1 where it lacks one.
  Value aligned(const Term &t, const Labels &labels) {
    Labels own;
    Extents shape;
    for (int label : labels)
      if (holds(t.labels, label)) {
        own.push_back(label);
        shape.push_back(extent(t, label));
      } else {
        shape.push_back(1);
      }
    Value value = ordered(t, own).value;
    return own.size() == labels.size() || b.failed() ? value : b.reshape(value, std::move(shape));
  }
  /// batch labels, then one axis for `rows` and one for `columns`; each group of labels becomes one axis.
  Value matrix(const Term &t, const Labels &batch, const Labels &rows, const Labels &columns) {
    Labels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    Value value = ordered(t, order).value;
    if (b.failed() || (rows.size() == 1 && columns.size() == 1))
      return value;
    const Extents own = b.shape(value);
    const auto split = own.begin() + static_cast<int64_t>(batch.size()),
               second = split + static_cast<int64_t>(rows.size());
    Extents shape(own.begin(), split);
    shape.push_back(product(Extents(split, second)));
    shape.push_back(product(Extents(second, own.end())));
    return b.reshape(value, std::move(shape));
  }

  /// Sums over the labels that only `x` has and nobody needs; an axis of extent 1 against a longer one in `y` is
  /// dropped, so that the longer one is summed alone.
  void simplify(Term &x, Term &y, const Labels &needed) {
    Labels drop;
    for (int label : x.labels)
      if (!holds(needed, label) && (!holds(y.labels, label) || extent(x, label).isConstant(1)))
        drop.push_back(label);
    x = summed(x, drop);
  }
  /// Where a run decides whether an axis that is summed over has extent 1 in one term only, both get the joint extent.
  void broadcastInner(Term &x, Term &y, const Labels &needed) {
    Extents ours = b.shape(x.value), theirs = b.shape(y.value);
    bool open = false;
    for (int label : x.labels) {
      if (holds(needed, label) || !holds(y.labels, label))
        continue;
      Expr &left = ours[position(x.labels, label)], &right = theirs[position(y.labels, label)];
      const Facts &facts = b.facts();
      if (facts.equal(left, right) == Proof::Yes ||
          (facts.equal(left, 1) == Proof::No && facts.equal(right, 1) == Proof::No))
        continue; // equal, or only good when they are
      left = right = broadcast(left, right);
      open = true;
    }
    if (!open)
      return;
    x.value = b.broadcastTo(x.value, std::move(ours));
    y.value = b.broadcastTo(y.value, std::move(theirs));
  }
  Term contract(Term x, Term y, const Labels &needed) {
    simplify(x, y, needed);
    simplify(y, x, needed);
    simplify(x, y, needed); // what y has just dropped is now x's alone
    if (!b.failed())
      broadcastInner(x, y, needed);
    if (b.failed())
      return x;
    Labels batch, inner, left, right;
    for (int label : x.labels)
      (!holds(y.labels, label) ? left : holds(needed, label) ? batch : inner).push_back(label);
    for (int label : y.labels)
      if (!holds(x.labels, label))
        right.push_back(label);
    Labels result = batch;
    result.insert(result.end(), left.begin(), left.end());
    result.insert(result.end(), right.begin(), right.end());
    if (inner.empty())
      return {b.mul(aligned(x, result), aligned(y, result)), result};
    Value z = b.matmul(matrix(x, batch, left, inner), matrix(y, batch, inner, right));
    if (b.failed() || (left.size() == 1 && right.size() == 1))
      return {z, result};
    const Extents own = b.shape(z);
    Extents shape(own.begin(), own.begin() + static_cast<int64_t>(batch.size()));
    for (int label : left)
      shape.push_back(extent(x, label));
    for (int label : right)
      shape.push_back(extent(y, label));
    return {b.reshape(z, std::move(shape)), result};
  }
};

/// "bij...": letters, and `dots` axes for an ellipsis. Nothing when malformed.
std::optional<Labels> parse(const std::string &text, int64_t dots) {
  Labels labels;
  bool ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "...") == 0 && !ellipsis) {
      for (int64_t k = dots; k > 0; --k)
        labels.push_back(static_cast<int>(-k));
      ellipsis = true;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      labels.push_back(text[i]);
    } else {
      return std::nullopt;
    }
  }
  return labels;
}
bool hasEllipsis(const std::string &text) { return text.find('.') != std::string::npos; }

} // namespace

Status importEinsum(NodeImport &n) {
  ValueBuilder &b = n.b;
  std::string equation = n.strAttr("equation", "");
  std::erase_if(equation, [](unsigned char c) { return std::isspace(c); });
  const auto malformed = [&] { return n.error("the equation \"" + equation + "\" is malformed"); };
  const size_t arrow = equation.find("->");
  const std::string inputs = equation.substr(0, arrow);
  std::vector<std::string> parts(1);
  for (char c : inputs)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() != n.inputs())
    return n.error("the equation \"" + equation + "\" names " + std::to_string(parts.size()) +
                   " operands but there are " + std::to_string(n.inputs()));

  Einsum e{n};
  std::vector<Term> terms;
  std::optional<int64_t> dots;
  for (size_t i = 0; i < parts.size(); ++i) {
    Value x = n.in(i);
    if (b.failed())
      return b.status();
    const int64_t letters = std::count_if(parts[i].begin(), parts[i].end(), [](char c) { return c != '.'; });
    const int64_t rest = b.rank(x) - letters;
    if (rest < 0 || (rest > 0 && !hasEllipsis(parts[i])))
      return n.error("operand " + std::to_string(i) + " of shape " + str(b.shape(x)) + " does not have the axes \"" +
                     parts[i] + "\"");
    if (hasEllipsis(parts[i]))
      dots = std::max(dots.value_or(0), rest); // of fewer axes it stands for the last ones
    std::optional<Labels> labels = parse(parts[i], rest);
    if (!labels)
      return malformed();
    terms.push_back(e.diagonal({x, std::move(*labels)}));
  }

  Labels output;
  if (arrow != std::string::npos) {
    const std::string text = equation.substr(arrow + 2);
    std::optional<Labels> labels = parse(text, dots.value_or(0));
    if (!labels)
      return malformed();
    output = std::move(*labels);
    if (dots.value_or(0) > 0 && !hasEllipsis(text))
      return n.error("the result of \"" + equation + "\" leaves out the axes of the ellipsis");
  } else { // the axes of the ellipsis, then the letters that occur once, in alphabetical order
    for (int64_t k = dots.value_or(0); k > 0; --k)
      output.push_back(static_cast<int>(-k));
    for (int letter = 'A'; letter <= 'z'; ++letter)
      if (std::count(inputs.begin(), inputs.end(), letter) == 1 && std::isalpha(letter))
        output.push_back(letter);
  }
  for (size_t i = 0; i < output.size(); ++i) {
    const bool known = std::any_of(terms.begin(), terms.end(), [&](auto &t) { return holds(t.labels, output[i]); });
    if (!known || position(output, output[i]) != static_cast<int64_t>(i))
      return n.error("the result of \"" + equation + "\" has an axis that occurs twice or in no operand");
  }

  Term result = terms[0];
  for (size_t i = 1; i < terms.size() && !b.failed(); ++i) {
    Labels needed = output;
    for (size_t later = i + 1; later < terms.size(); ++later)
      needed.insert(needed.end(), terms[later].labels.begin(), terms[later].labels.end());
    result = e.contract(result, terms[i], needed);
  }
  Labels rest;
  for (int label : result.labels)
    if (!holds(output, label))
      rest.push_back(label);
  if (!b.failed())
    result = e.ordered(e.summed(result, rest), output);
  n.out(result.value);
  return b.status();
}

} // namespace pliant::ops::matmul
