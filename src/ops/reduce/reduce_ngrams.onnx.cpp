// SPDX-License-Identifier: Apache-2.0
// TfIdfVectorizer over integers: every n-gram of the pool is compared with every window of the sequence, and what
// matches is summed.
#include "ops/onnx_util.h"
#include <algorithm>

namespace pliant::ops::reduce {
using namespace onnx_import;

namespace {
/// The n-grams of one length: a list of n elements each, and their numbers in the pool.
struct Grams {
  int64_t length;
  std::vector<int64_t> elements;
  int64_t count() const { return static_cast<int64_t>(elements.size()) / length; }
};
} // namespace

static Result<std::vector<Grams>> poolOf(const NodeImport &n) {
  const std::vector<int64_t> pool = n.intsAttr("pool_int64s").value_or(std::vector<int64_t>());
  const std::vector<int64_t> starts = n.intsAttr("ngram_counts").value_or(std::vector<int64_t>());
  if (n.hasAttr("pool_strings"))
    return n.unsupported("a pool of strings");
  std::vector<Grams> grams;
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto end = i + 1 < starts.size() ? starts[i + 1] : static_cast<int64_t>(pool.size());
    const auto length = static_cast<int64_t>(i) + 1;
    if (starts[i] < 0 || end < starts[i] || end > static_cast<int64_t>(pool.size()) || (end - starts[i]) % length != 0)
      return n.error("ngram_counts does not divide the pool of " + std::to_string(pool.size()) + " elements");
    grams.push_back({length, {pool.begin() + starts[i], pool.begin() + end}});
  }
  return grams;
}

/// (N, grams) of f32: how often each gram occurs in the rows of x with `skip` elements between its own.
static Value occurrences(ValueBuilder &b, Value x, const Grams &grams, int64_t skip) {
  if (b.failed())
    return {};
  const Expr rows = b.shape(x)[0], columns = b.shape(x)[1], none = 0;
  const Expr windows = max(columns - (grams.length - 1) * (skip + 1), none);
  Value all;
  for (int64_t j = 0; j < grams.length; ++j) {
    std::vector<int64_t> wanted;
    for (int64_t g = 0; g < grams.count(); ++g)
      wanted.push_back(grams.elements[static_cast<size_t>(g * grams.length + j)]);
    Value window = b.slice(x, {0, j * (skip + 1)}, {1, 1}, {rows, windows});
    Value same = b.equal(b.reshape(window, {rows, windows, 1}), b.ints(wanted));
    all = all ? b.logicalAnd(all, same) : same;
  }
  return b.reduceSum(b.cast(all, DType::F32), {1}, false);
}

Status importTfIdf(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  PLIANT_TRY(std::vector<Grams> pool, poolOf(n));
  const int64_t shortest = n.intAttr("min_gram_length", 1), longest = n.intAttr("max_gram_length", 1);
  const int64_t skips = n.intAttr("max_skip_count", 0);
  const std::string mode = n.strAttr("mode", "TF");
  const std::vector<int64_t> places = n.intsAttr("ngram_indexes").value_or(std::vector<int64_t>());
  const std::vector<double> weights = n.floatsAttr("weights").value_or(std::vector<double>());
  const bool flat = b.rank(x) == 1;
  if ((!flat && b.rank(x) != 2) || !isInteger(b.dtype(x)))
    return n.error("X is " + b.type(x).str() + " but must be integers of rank 1 or 2");
  if (skips < 0 || skips > 1024 || (mode != "TF" && mode != "IDF" && mode != "TFIDF"))
    return n.error("max_skip_count is " + std::to_string(skips) + " and mode \"" + mode + "\"");
  x = b.dtype(x) == DType::I64 ? x : b.cast(x, DType::I64);
  if (flat && !b.failed())
    x = b.reshape(x, {1, b.shape(x)[0]});
  if (b.failed())
    return b.status();

  const Expr rows = b.shape(x)[0];
  Value zero = b.scalar(DType::F32, 0);
  std::vector<Value> counts;
  int64_t grams = 0;
  for (const Grams &each : pool) {
    if (each.count() == 0)
      continue;
    grams += each.count();
    Value sum;
    for (int64_t skip = 0; skip <= (each.length == 1 ? 0 : skips); ++skip) {
      if (each.length < shortest || each.length > longest)
        break;
      Value part = occurrences(b, x, each, skip);
      sum = sum ? b.add(sum, part) : part;
    }
    counts.push_back(sum ? sum : b.broadcastTo(zero, {rows, each.count()}));
  }
  if (static_cast<int64_t>(places.size()) != grams || (!weights.empty() && weights.size() != places.size()))
    return n.error(std::to_string(grams) + " n-grams but " + std::to_string(places.size()) + " indexes and " +
                   std::to_string(weights.size()) + " weights");
  counts.push_back(b.broadcastTo(zero, {rows, 1})); // for places that no n-gram has
  Value all = b.concat(counts, 1);
  if (mode != "TF") {
    PLIANT_TRY(DenseTensor factors, DenseTensor::zeros(DType::F32, {grams + 1}));
    for (int64_t i = 0; i < grams; ++i)
      factors.as<float>()[i] = weights.empty() ? 1 : static_cast<float>(weights[static_cast<size_t>(i)]);
    Value factor = b.constant(factors);
    all = mode == "IDF" ? b.select(b.greater(all, zero), factor, zero) : b.mul(all, factor);
  }
  const int64_t width = places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1;
  if (width > 1 << 24 || std::any_of(places.begin(), places.end(), [](int64_t p) { return p < 0; }))
    return n.error("ngram_indexes are out of range");
  std::vector<int64_t> sources(static_cast<size_t>(width), grams);
  for (size_t i = 0; i < places.size(); ++i)
    sources[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  Value y = b.gather(all, b.ints(sources), 1);
  n.out(flat ? b.reshape(y, {width}) : y);
  return b.status();
}

} // namespace pliant::ops::reduce
