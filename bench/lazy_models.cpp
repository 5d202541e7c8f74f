// SPDX-License-Identifier: Apache-2.0
#include "lazy_models.h"

namespace pliant::bench {

Tensor drawn(Shape shape, uint64_t seed) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<float> values(static_cast<size_t>(count));
  uint64_t state = seed * 0x9e3779b97f4a7c15;
  for (float &value : values) { // splitmix64
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    value = static_cast<float>(static_cast<int32_t>(bits >> 40) - (1 << 23)) * (0.2f / (1 << 23));
  }
  return Tensor::of(std::span<const float>(values), std::move(shape));
}

// scripts/bench_lazy_torch.py has the same sizes.
LazyModel::LazyModel(const std::string &name) : name(name) {
  if (name == "mlp") {
    weights = {drawn({64, 128}, 1), drawn({128}, 2),     drawn({128, 128}, 3),
               drawn({128}, 4),     drawn({128, 10}, 5), drawn({10}, 6)};
    for (int64_t i = 0; i < 60; ++i)
      sizes.push_back(1 + (37 * i + 11) % 128);
  } else if (name == "gru") {
    weights = {drawn({256, 768}, 1), drawn({768}, 2), drawn({256, 768}, 3), drawn({768}, 4)};
    for (int64_t i = 5; i <= 64; ++i)
      sizes.push_back(i);
  } else if (name == "block") {
    weights = {drawn({256}, 1),       drawn({256}, 2),   drawn({256, 768}, 3),   drawn({768}, 4),
               drawn({256, 256}, 5),  drawn({256}, 6),   drawn({256}, 7),        drawn({256}, 8),
               drawn({256, 1024}, 9), drawn({1024}, 10), drawn({1024, 256}, 11), drawn({256}, 12)};
    for (int64_t i = 0; i < 40; ++i)
      sizes.push_back(8 + (71 * i + 13) % 193);
  } else {
    throw std::invalid_argument("sections: cost, chains, compiles, kernels, mlp, gru, block, first, empty, tree");
  }
}

Tensor LazyModel::input(int64_t size) const {
  if (name == "mlp")
    return drawn({size, 64}, 20);
  return name == "gru" ? drawn({size, 8, 256}, 20) : drawn({4, size, 256}, 20);
}

Tensor LazyModel::forward(const Tensor &x) const {
  const auto &w = weights;
  if (name == "mlp") {
    const Tensor first = relu(matmul(x, w[0]) + w[1]), second = relu(matmul(first, w[2]) + w[3]);
    return matmul(second, w[4]) + w[5];
  }
  if (name == "gru") {
    Tensor hidden = zeros({8, 256});
    for (int64_t step = 0; step < x.dim(0); ++step) {
      const Tensor given = matmul(x(step), w[0]) + w[1], own = matmul(hidden, w[2]) + w[3];
      const auto a = split(given, 3, 1), b = split(own, 3, 1);
      const Tensor reset = sigmoid(a[0] + b[0]), update = sigmoid(a[1] + b[1]), next = tanh(a[2] + reset * b[2]);
      hidden = (1 - update) * next + update * hidden;
    }
    return hidden;
  }
  const int64_t batch = x.dim(0), length = x.dim(1);
  const Tensor normal = layerNorm(x, w[0], w[1]);
  const auto parts = split(matmul(normal, w[2]) + w[3], 3, 2);
  auto heads = [&](const Tensor &t) { return transpose(reshape(t, {batch, length, 4, 64}), {0, 2, 1, 3}); };
  const Tensor q = heads(parts[0]), k = heads(parts[1]), v = heads(parts[2]);
  const Tensor weight = softmax(matmul(q, transpose(k, {0, 1, 3, 2})) * 0.125);
  const Tensor mixed = reshape(transpose(matmul(weight, v), {0, 2, 1, 3}), {batch, length, 256});
  const Tensor middle = x + matmul(mixed, w[4]) + w[5];
  const Tensor wide = matmul(layerNorm(middle, w[6], w[7]), w[8]) + w[9];
  const Tensor active = wide * 0.5 * (1 + tanh(0.79788456 * (wide + 0.044715 * (wide * wide * wide))));
  return middle + matmul(active, w[10]) + w[11];
}

Tree Tree::drawn(int leaves, std::mt19937_64 &draw) {
  Tree tree;
  if (leaves == 1) {
    tree.word = static_cast<int64_t>(draw() % 1000);
    return tree;
  }
  const int left = 1 + static_cast<int>(draw() % static_cast<uint64_t>(leaves - 1));
  tree.children.push_back(drawn(left, draw));
  tree.children.push_back(drawn(leaves - left, draw));
  return tree;
}

int64_t Tree::nodes() const { return children.empty() ? 1 : 1 + children[0].nodes() + children[1].nodes(); }

TreeModel::TreeModel()
    : embedding(drawn({1000, 300}, 1)), leafWeight(drawn({300, 450}, 2)), leafBias(drawn({450}, 3)),
      nodeWeight(drawn({300, 750}, 4)), nodeBias(drawn({750}, 5)) {}

TreeModel::State TreeModel::state(const Tree &tree) const {
  if (tree.children.empty()) {
    const auto gates = split(matmul(embedding(slice(tree.word, tree.word + 1)), leafWeight) + leafBias, 3, 1);
    const Tensor cell = sigmoid(gates[0]) * tanh(gates[2]);
    return {sigmoid(gates[1]) * tanh(cell), cell};
  }
  const State left = state(tree.children[0]), right = state(tree.children[1]);
  const auto gates = split(matmul(concat({left.hidden, right.hidden}, 1), nodeWeight) + nodeBias, 5, 1);
  const Tensor cell =
      sigmoid(gates[0]) * tanh(gates[4]) + sigmoid(gates[1]) * left.cell + sigmoid(gates[2]) * right.cell;
  return {sigmoid(gates[3]) * tanh(cell), cell};
}

Tensor TreeModel::root(const Tree &tree) const { return state(tree).hidden; }

} // namespace pliant::bench
