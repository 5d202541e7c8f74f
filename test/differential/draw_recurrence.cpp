// SPDX-License-Identifier: Apache-2.0
// Drawers of recurrent layers and of attention.
#include "drawing.h"

namespace pliant::differential {
namespace {

Data real(double low, double high) { return {Data::Kind::Real, low, high, {}}; }

/// Activations of a layer, and parameters for those that take some, in their order.
void activations(Drawing &d, Node &node, size_t count) {
  struct Activation {
    const char *name;
    bool alpha, beta;
  };
  static const std::vector<Activation> all = {
      {"Sigmoid", false, false},        {"Tanh", false, false},     {"Relu", false, false},
      {"Softsign", false, false},       {"Softplus", false, false}, {"LeakyRelu", true, false},
      {"ThresholdedRelu", true, false}, {"Elu", true, false},       {"HardSigmoid", true, true},
      {"ScaledTanh", true, true},       {"Affine", true, true}};
  std::vector<std::string> names;
  std::vector<double> alphas, betas;
  for (size_t i = 0; i < count; ++i) {
    const Activation &a = d.one(all);
    names.emplace_back(a.name);
    if (a.alpha)
      alphas.push_back(d.one<double>({0.25, 0.5, 1}));
    if (a.beta)
      betas.push_back(d.one<double>({0.25, 0.5}));
  }
  node.set("activations", names);
  if (!alphas.empty())
    node.set("activation_alpha", alphas);
  if (!betas.empty())
    node.set("activation_beta", betas);
}

bool recurrent(Drawing &d, const char *op) {
  const std::string name = op;
  const int64_t gates = name == "LSTM" ? 4 : name == "GRU" ? 3 : 1;
  const DType dtype = d.chance(6) ? d.type(F32 | F64 | F16) : DType::F32;
  const bool clips = d.chance(5), once = clips && name == "LSTM"; // theirs is wrong after the first step (T12)
  // Gates without a bound square the state at each step: it leaves f32 after ten, and then the order of a sum decides.
  const bool ownActivations = d.chance(3);
  const Expr steps = once             ? Expr(1)
                     : ownActivations ? d.one<Expr>({Expr::symbol("k"), 1, 3})
                     : d.chance(12)   ? d.one<Expr>({Expr::symbol("n"), 0})
                                      : d.one<Expr>({Expr::symbol("n") + 1, 1, 3, 7}),
             batch = d.chance(12) ? d.one<Expr>({Expr::symbol("n"), 0}) : d.one<Expr>({Expr::symbol("m"), 1, 2});
  const int64_t width = d.between(1, 4), hidden = d.one<int64_t>({1, 2, 5, 8});
  const std::string direction = d.one<const char *>({"forward", "forward", "reverse", "bidirectional"});
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  const bool batchFirst = d.opset >= 14 && d.chance(6);
  auto weight = [&](std::vector<int64_t> dims) { return d.constant(dtype, dims, real(-1, 1)); };
  auto state = [&] {
    return d.input(dtype, batchFirst ? Extents{batch, directions, hidden} : Extents{directions, batch, hidden},
                   real(-1, 1));
  };
  Node node(op, {d.input(dtype, batchFirst ? Extents{batch, steps, width} : Extents{steps, batch, width}, real(-1, 1)),
                 weight({directions, gates * hidden, width}), weight({directions, gates * hidden, hidden})});
  node.in(d.chance(2) ? weight({directions, 2 * gates * hidden}) : Drawing::none());
  node.in(d.chance(3) ? d.input(DType::I32, {batch}, {Data::Kind::Length, 0, 0, steps}) : Drawing::none());
  const bool initial = d.chance(2);
  node.in(initial ? state() : Drawing::none());
  if (name == "LSTM") {
    node.in(initial || d.chance(4) ? state() : Drawing::none());
    if (d.chance(4))
      node.in(weight({directions, 3 * hidden}));
    if (d.chance(6))
      node.set("input_forget", int64_t(1));
  }
  if (name == "GRU" && d.chance(2))
    node.set("linear_before_reset", int64_t(1));
  node.set("hidden_size", hidden).set("direction", direction.c_str());
  if (batchFirst)
    node.set("layout", int64_t(1));
  if (clips)
    node.set("clip", d.one<double>({0.25, 1, 3}));
  if (ownActivations)
    activations(d, node, static_cast<size_t>(directions) * (name == "LSTM" ? 3 : name == "GRU" ? 2 : 1));
  const int results = name == "LSTM" ? 3 : 2;
  if (clips)
    return d.emit(std::move(node), rounded(results));
  return d.emit(std::move(node), rounded(d.chance(4) ? 1 + d.below(results) : results));
}

bool attention(Drawing &d, const char *op) {
  const DType dtype = d.chance(5) ? d.type(F32 | F64 | F16) : DType::F32;
  const int64_t groups = d.between(1, 2), few = d.between(1, 2), many = few * groups, size = d.one<int64_t>({1, 4, 5}),
                valueSize = d.chance(3) ? 3 : size;
  const Expr batch = d.one<Expr>({Expr::symbol("m"), 1, 2}), queries = d.one<Expr>({Expr::symbol("n"), 1, 3, 5}),
             keys = d.chance(3) ? queries : d.one<Expr>({Expr::symbol("k"), 1, 4}),
             past = d.one<Expr>({Expr::symbol("n"), 2, 0});
  const bool flat = d.chance(2);
  auto part = [&](const Expr &length, int64_t heads, int64_t each) {
    return d.input(dtype, flat ? Extents{batch, length, heads * each} : Extents{batch, heads, length, each},
                   real(-2, 2));
  };
  Node node(op, {part(queries, many, size), part(keys, few, size), part(keys, few, valueSize)});
  const bool remembers = d.chance(3), hides = d.chance(2);
  const Expr all = remembers ? keys + past : keys;
  if (hides) {
    const Extents shape = d.one<Extents>({{queries, all}, {1, 1, queries, all}, {batch, 1, queries, all}, {1, all}});
    node.in(d.chance(2) ? d.input(DType::Bool, shape) : d.input(dtype, shape, real(-1, 1)));
  } else if (remembers) {
    node.in(Drawing::none());
  }
  if (remembers)
    node.in(d.input(dtype, {batch, few, past, size}, real(-2, 2)))
        .in(d.input(dtype, {batch, few, past, valueSize}, real(-2, 2)));
  else if (d.opset >= 24 && d.chance(3)) { // lengths of the rows
    if (!hides)
      node.in(Drawing::none());
    node.in(Drawing::none()).in(Drawing::none());
    node.in(d.input(DType::I64, {batch}, {Data::Kind::Length, 0, 0, keys}));
  }
  if (flat)
    node.set("q_num_heads", many).set("kv_num_heads", few);
  if (d.chance(3))
    node.set("is_causal", int64_t(1));
  if (d.chance(3))
    node.set("scale", d.one<double>({0.5, 0.25}));
  if (d.chance(4))
    node.set("softcap", 2.0);
  const int results = d.one<int>({1, 1, 3, 4});
  if (results == 4)
    node.set("qk_matmul_output_mode", d.between(0, 3));
  return d.emit(std::move(node), rounded(results));
}

const Drawer drawers[] = {
    {"LSTM", recurrent},
    {"GRU", recurrent},
    {"RNN", recurrent},
    {"Attention", attention, 3},
};

} // namespace

std::span<const Drawer> recurrence() { return drawers; }

} // namespace pliant::differential
