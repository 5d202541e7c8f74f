// SPDX-License-Identifier: Apache-2.0
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "ops/onnx_util.h"

namespace pliant::ops::loss {
using namespace onnx_import;

static Value lossOf(NodeImport &n, Value logProbabilities) {
  std::vector<Value> operands{logProbabilities, n.in(1)};
  if (n.has(2))
    operands.push_back(n.in(2));
  std::vector<int64_t> ignore;
  if (n.hasAttr("ignore_index"))
    ignore.push_back(n.intAttr("ignore_index", 0));
  return n.b.nllLoss(operands, n.strAttr("reduction", "mean"), std::move(ignore));
}

static Status nll(NodeImport &n) {
  n.out(lossOf(n, n.in(0)));
  return n.b.status();
}

static Status crossEntropy(NodeImport &n) {
  Value scores = n.in(0);
  if (n.b.failed())
    return n.b.status();
  Value logProbabilities = n.b.logSoftmax(scores, 1);
  n.out(lossOf(n, logProbabilities));
  n.out(logProbabilities);
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"NegativeLogLikelihoodLoss", 12, nll}, {"SoftmaxCrossEntropyLoss", 12, crossEntropy}};
  return rows;
}

} // namespace pliant::ops::loss
