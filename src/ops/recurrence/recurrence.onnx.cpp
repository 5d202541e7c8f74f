// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU, RNN.
#include "ops/recurrence/recurrence.h"
#include "ops/onnx_util.h"

namespace pliant::ops::recurrence {
using namespace onnx_import;

/// Names and parameters of the activations of all directions: alphas and betas go in order to those that take them.
template <class A> static Status readActivations(NodeImport &n, const std::vector<const char *> &defaults, A &a) {
  std::vector<std::string> names;
  for (int direction = 0; direction < (a.direction == "bidirectional" ? 2 : 1); ++direction)
    names.insert(names.end(), defaults.begin(), defaults.end());
  if (auto given = n.stringsAttr("activations"))
    names = std::move(*given);
  const std::vector<double> alphas = n.floatsAttr("activation_alpha").value_or(std::vector<double>()),
                            betas = n.floatsAttr("activation_beta").value_or(std::vector<double>());
  size_t alpha = 0, beta = 0;
  for (const std::string &name : names) {
    const CellActivationInfo *known = cellActivation(name);
    if (!known)
      return n.error("the activation \"" + name + "\" does not exist");
    a.activations += (a.activations.empty() ? "" : " ") + std::string(known->name);
    a.alphas.push_back(known->takesAlpha && alpha < alphas.size() ? alphas[alpha++] : known->alpha);
    a.betas.push_back(known->takesBeta && beta < betas.size() ? betas[beta++] : known->beta);
  }
  return ok();
}

template <class A> static Status importLayer(NodeImport &n, OpId op, const std::vector<const char *> &defaults, A a) {
  a.direction = n.strAttr("direction", "forward");
  a.batchFirst = n.intAttr("layout", 0) != 0;
  a.units = n.intAttr("hidden_size", 0);
  a.clip = n.floatAttr("clip", 0);
  PLIANT_CHECK(readActivations(n, defaults, a));
  const bool lstm = op == OpId::Lstm;
  const std::pair<size_t, const char *> optional[] = {
      {3, "bias"}, {4, "lengths"}, {5, "hidden"}, {6, "cell"}, {7, "peepholes"}};
  std::vector<Value> operands{n.in(0), n.in(1), n.in(2)};
  for (auto [i, name] : optional)
    if (i < (lstm ? 8u : 6u) && n.has(i)) {
      a.given += (a.given.empty() ? "" : " ") + std::string(name);
      operands.push_back(n.in(i));
    }
  for (Value v : n.b.build(op, std::move(a), operands))
    n.out(v);
  return n.b.status();
}

static Status importLstm(NodeImport &n) {
  LstmAttrs a;
  a.coupled = n.intAttr("input_forget", 0) != 0;
  return importLayer(n, OpId::Lstm, {"Sigmoid", "Tanh", "Tanh"}, std::move(a));
}
static Status importGru(NodeImport &n) {
  GruAttrs a;
  a.resetAfter = n.intAttr("linear_before_reset", 0) != 0;
  return importLayer(n, OpId::Gru, {"Sigmoid", "Tanh"}, std::move(a));
}
static Status importRnn(NodeImport &n) { return importLayer(n, OpId::Rnn, {"Tanh"}, RnnAttrs{}); }

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"LSTM", 1, importLstm}, {"GRU", 1, importGru}, {"RNN", 1, importRnn}};
  return rows;
}

} // namespace pliant::ops::recurrence
