// SPDX-License-Identifier: Apache-2.0
// Attention of opset 23 and 24 as the products and the softmax that it stands for. Softmax and what it is taken of are
// f32 for half precision.
#include "ops/compose.h"
#include "ops/extent_math.h"
#include "ops/onnx_util.h"
#include <cmath>

namespace pliant::ops::softmax {
using namespace onnx_import;

/// (batch, length, heads * size) to (batch, heads, length, size); of rank 4 it is that already.
static Result<Value> headsOf(NodeImport &n, size_t input, const char *attribute) {
  ValueBuilder &b = n.b;
  Value x = n.in(input);
  if (b.failed())
    return b.status().takeError();
  const Extents shape = b.shape(x);
  if (shape.size() == 4)
    return x;
  const int64_t heads = n.intAttr(attribute, 0);
  if (shape.size() != 3 || heads < 1)
    return n.error("input " + std::to_string(input) + " has shape " + str(shape) + " and " + attribute + " is " +
                       std::to_string(heads),
                   "give rank 4, or rank 3 and the number of heads");
  return b.transpose(b.reshape(x, {shape[0], shape[1], heads, quotient(b.facts(), shape[2], heads)}), {0, 2, 1, 3});
}

/// As many heads as the queries have: each one stands for several of them.
static Result<Value> shared(NodeImport &n, Value x, const Expr &heads) {
  ValueBuilder &b = n.b;
  const Extents s = b.shape(x);
  if (b.facts().equal(s[1], heads) == Proof::Yes)
    return x;
  const Expr times = quotient(b.facts(), heads, s[1]);
  Value wide = b.broadcastTo(b.reshape(x, {s[0], s[1], 1, s[2], s[3]}), {s[0], s[1], times, s[2], s[3]});
  return b.reshape(wide, {s[0], heads, s[2], s[3]});
}

/// What is added to the scores, or nothing: the mask, filled up with minus infinity where it is shorter than the keys,
/// keys behind a query, keys behind a row's own length.
static Value biasOf(NodeImport &n, DType dtype, const Expr &queries, const Expr &keys, const Expr &past) {
  ValueBuilder &b = n.b;
  const Value none = b.scalar(dtype, -INFINITY), zero = b.scalar(dtype, 0);
  Value bias;
  auto add = [&](Value more) { bias = bias ? b.add(bias, more) : more; };
  auto hide = [&](Value seen) { add(b.select(seen, zero, none)); };
  if (n.has(3)) {
    Value mask = n.in(3);
    if (b.failed())
      return {};
    mask = b.dtype(mask) == DType::Bool ? b.select(mask, zero, none) : compose::castTo(b, mask, dtype);
    const Extents shape = b.shape(mask);
    const Expr missing = shape.empty() || shape.back().isConstant(1) ? Expr(0) : keys - shape.back();
    if (b.facts().equal(missing, 0) != Proof::Yes) {
      Extents low(shape.size(), Expr(0)), high = low;
      high.back() = missing;
      mask = b.pad(mask, none, low, high, "constant");
    }
    add(mask);
  }
  const Value key = b.iota({keys}, DType::I64);
  Value last; // the key that a query sees last
  if (n.intAttr("is_causal", 0) != 0) {
    const Value query = b.reshape(b.iota({queries}, DType::I64), {queries, 1});
    last = b.add(query, b.reshape(b.extents({past}), {}));
  }
  if (n.has(6)) {
    const Value lengths = compose::castTo(b, n.in(6), DType::I64);
    if (b.failed())
      return {};
    const Value row = b.reshape(lengths, {b.shape(lengths)[0], 1, 1, 1});
    hide(b.less(key, row));
    if (last && !n.has(4)) // the queries are the last ones of each row
      last = b.add(last, b.sub(row, b.reshape(b.extents({queries}), {})));
  }
  if (last)
    hide(b.lessEqual(key, last));
  return bias;
}

Status attention(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(Value q, headsOf(n, 0, "q_num_heads"));
  PLIANT_TRY(Value k, headsOf(n, 1, "kv_num_heads"));
  PLIANT_TRY(Value v, headsOf(n, 2, "kv_num_heads"));
  if (n.has(4) != n.has(5))
    return n.error("past_key and past_value must be given together");
  Expr past = 0;
  if (n.has(4)) {
    Value pastKey = n.in(4), pastValue = n.in(5);
    if (b.failed())
      return b.status();
    if (b.rank(pastKey) != 4 || b.rank(pastValue) != 4)
      return n.error("past_key has shape " + str(b.shape(pastKey)) + " and past_value " + str(b.shape(pastValue)) +
                     ": rank 4 is needed");
    past = b.shape(pastKey)[2];
    k = b.concat(std::array{pastKey, k}, 2);
    v = b.concat(std::array{pastValue, v}, 2);
  }
  const Value presentKey = k, presentValue = v;
  if (b.failed())
    return b.status();
  const Extents queries = b.shape(q), keys = b.shape(k);
  const DType dtype = b.dtype(q), inside = compose::wide(dtype);
  double scale = n.floatAttr("scale", 0);
  if (scale == 0) {
    const std::optional<int64_t> size = queries[3].constant();
    if (!size)
      return n.unsupported("a size of heads that is known only at run time, without the attribute scale,");
    scale = 1 / std::sqrt(static_cast<double>(*size));
  }
  PLIANT_TRY(k, shared(n, k, queries[1]));
  PLIANT_TRY(v, shared(n, v, queries[1]));
  const Value factor = b.scalar(inside, scale);
  Value scores = b.mul(b.matmul(compose::widen(b, q), compose::widen(b, b.transpose(k, {0, 1, 3, 2}))), factor);
  std::array<Value, 4> stages; // by qk_matmul_output_mode
  stages[0] = scores;
  if (const double cap = n.floatAttr("softcap", 0); cap > 0) // before the mask: what is hidden stays so
    scores = b.mul(b.tanh(b.div(scores, b.scalar(inside, cap))), b.scalar(inside, cap));
  stages[1] = scores;
  if (Value bias = biasOf(n, inside, queries[2], keys[2], past))
    scores = b.add(scores, bias);
  stages[2] = scores;
  Value weights = b.softmax(scores, 3);
  stages[3] = weights;
  Value y = compose::castTo(b, b.matmul(weights, compose::widen(b, v)), dtype);
  if (n.b.failed())
    return b.status();
  if (b.rank(n.in(0)) == 3) {
    const Extents s = b.shape(y);
    y = b.reshape(b.transpose(y, {0, 2, 1, 3}), {s[0], s[2], s[1] * s[3]});
  }
  const int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return n.error("qk_matmul_output_mode is " + std::to_string(mode) + " but must lie between 0 and 3");
  n.out(y);
  n.out(presentKey);
  n.out(presentValue);
  n.out(compose::castTo(b, stages[static_cast<size_t>(mode)], dtype));
  return b.status();
}

} // namespace pliant::ops::softmax
