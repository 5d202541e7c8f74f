// SPDX-License-Identifier: Apache-2.0
// Models written as ordinary code on tensors, for pliant-bench-lazy; scripts/bench_lazy_torch.py has the same in
// PyTorch.
#pragma once
#include <pliant/pliant.h>
#include <random>
#include <stdexcept>

namespace pliant::bench {

/// Numbers in [-0.2, 0.2) from the host's memory: no op makes them, so nothing is compiled or run for them.
Tensor drawn(Shape shape, uint64_t seed);

/// A forward pass: `mlp` 64-128-128-10 by batch, `gru` 256 of batch 8 by length, `block` a transformer block of 256
/// with 4 heads, batch 4, by length.
struct LazyModel {
  std::string name;
  std::vector<Tensor> weights;
  std::vector<int64_t> sizes;

  explicit LazyModel(const std::string &name);
  Tensor input(int64_t size) const;
  Tensor forward(const Tensor &x) const;
};

struct Tree {
  std::vector<Tree> children; ///< none, or two
  int64_t word = 0;
  static Tree drawn(int leaves, std::mt19937_64 &draw);
  int64_t nodes() const;
};

/// A binary TreeLSTM of 150 units over embeddings of 300.
struct TreeModel {
  Tensor embedding, leafWeight, leafBias, nodeWeight, nodeBias;
  TreeModel();
  Tensor root(const Tree &tree) const;

private:
  struct State {
    Tensor hidden, cell;
  };
  State state(const Tree &tree) const;
};

} // namespace pliant::bench
