// SPDX-License-Identifier: Apache-2.0
// ONNX ops on strings: StringConcat, StringNormalizer. (Cast and Equal are rows of their own families.)
#include "ops/onnx_util.h"

namespace pliant::ops::text {
using namespace onnx_import;

/// What is no stop word, in the case asked for; one empty text where nothing is left.
static Status stringNormalizer(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  const std::string action = n.strAttr("case_change_action", "NONE");
  if (action != "NONE" && action != "LOWER" && action != "UPPER")
    return n.error("case_change_action is \"" + action + "\"", "NONE, LOWER and UPPER are known");
  const Extents shape = b.shape(x);
  if (b.dtype(x) != DType::String || shape.empty() || shape.size() > 2 ||
      (shape.size() == 2 && b.facts().equal(shape[0], 1) == Proof::No))
    return n.error("X is " + b.type(x).str() + " but must be strings of shape (C) or (1, C)");
  const Extents line{shape.back()};
  if (shape.size() == 2)
    x = b.reshape(b.broadcastTo(x, {1, line[0]}), line); // a number of rows that only a run tells is checked there
  const bool sensitive = n.intAttr("is_case_sensitive", 0) != 0;
  const std::vector<std::string> words = n.stringsAttr("stopwords").value_or(std::vector<std::string>());
  Value kept = b.broadcastTo(b.scalar(DType::Bool, 1), line);
  if (!words.empty()) {
    const auto count = static_cast<int64_t>(words.size());
    PLIANT_TRY(DenseTensor list, DenseTensor::ofStrings({1, count}, words));
    Value stops = b.constant(list), own = x;
    if (!sensitive) {
      stops = b.textCase(stops, false);
      own = b.textCase(own, false);
    }
    Value same = b.cast(b.textEqual(b.reshape(own, {line[0], 1}), stops), DType::I64);
    kept = b.equal(b.reduceSum(same, {1}, false), b.scalar(DType::I64, 0));
  }
  auto countOf = [&](Value flags) { return b.reduceSum(b.cast(flags, DType::I64), {0}, true); };
  Value nothing = b.equal(countOf(kept), b.scalar(DType::I64, 0));
  const Value flags[] = {kept, nothing};
  const Value texts[] = {action == "NONE" ? x : b.textCase(x, action == "UPPER"),
                         b.broadcastTo(b.scalar(DType::String, 0), {1})};
  Value mask = b.concat(flags, 0);
  if (b.failed())
    return b.status();
  const Extents count = b.bind(countOf(mask), {1, extentBounds.hi}, "texts");
  if (b.failed())
    return b.status();
  Value y = b.gather(b.concat(texts, 0), b.reshape(b.nonZero(mask, count), count), 0);
  n.out(shape.size() == 2 && !b.failed() ? b.reshape(y, {1, count[0]}) : y);
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"StringConcat", 20, binaryRow<&ValueBuilder::textConcat>},
                             {"StringNormalizer", 10, stringNormalizer}};
  return rows;
}

} // namespace pliant::ops::text
