// SPDX-License-Identifier: Apache-2.0
// A recursive model: microseconds a node of a TreeLSTM's forward pass (embedding 300, hidden 150) over random trees of
// 5 to 60 leaves, each another graph, with recording and reading; and how many programs were compiled after the first
// tree.
#include "api/programs.h"
#include "measure.h"
#include "trace/log.h"
#include <algorithm>
#include <cstdio>

using namespace pliant;
using trace::Handle;

namespace {

constexpr Site here("trees.cpp", 1);
constexpr int64_t embedding = 300, hidden = 150;

struct Draw {
  uint64_t state = 1;
  uint64_t operator()(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  }
};

DenseTensor numbers(Draw &draw, std::vector<int64_t> dims) {
  DenseTensor out = *DenseTensor::allocate(DType::F32, std::move(dims));
  for (int64_t i = 0; i < out.size(); ++i)
    out.as<float>()[i] = static_cast<float>(draw(2000)) / 10000 - 0.1f;
  return out;
}

struct TreeLstm {
  trace::Log &log;
  Draw &draw;
  Handle w = weights({embedding, 3 * hidden}), wBias = weights({3 * hidden}), u = weights({2 * hidden, 5 * hidden}),
         uBias = weights({5 * hidden});
  std::vector<DenseTensor> words = std::vector<DenseTensor>();
  int64_t nodes = 0;
  struct State {
    Handle h, c;
  };

  Handle weights(std::vector<int64_t> dims) { return log.leaf(numbers(draw, std::move(dims))); }
  template <class A> Handle op(const A &attrs, std::initializer_list<Handle> operands) {
    std::array<trace::Node *, 2> nodes{};
    size_t count = 0;
    for (const Handle &each : operands)
      nodes[count++] = each.get();
    return *log.record(attrs, std::span<trace::Node *const>(nodes.data(), count), here);
  }
  Handle part(const Handle &all, int64_t i) {
    return op(SliceAttrs{{Expr(0), Expr(i * hidden)}, {1, 1}, {Expr(1), Expr(hidden)}}, {all});
  }
  Handle sigmoid(const Handle &x) { return op(SigmoidAttrs{}, {x}); }
  Handle tanh(const Handle &x) { return op(TanhAttrs{}, {x}); }
  Handle mul(const Handle &a, const Handle &b) { return op(MulAttrs{}, {a, b}); }
  Handle add(const Handle &a, const Handle &b) { return op(AddAttrs{}, {a, b}); }

  State word(const Handle &x) {
    Handle all = add(op(MatmulAttrs{}, {x, w}), wBias), c = mul(sigmoid(part(all, 0)), tanh(part(all, 2)));
    return {mul(sigmoid(part(all, 1)), tanh(c)), c};
  }
  State node(const State &left, const State &right) {
    Handle all = add(op(MatmulAttrs{}, {op(ConcatAttrs{1}, {left.h, right.h}), u}), uBias);
    Handle c = add(mul(sigmoid(part(all, 0)), tanh(part(all, 4))),
                   add(mul(sigmoid(part(all, 1)), left.c), mul(sigmoid(part(all, 2)), right.c)));
    return {mul(sigmoid(part(all, 3)), tanh(c)), c};
  }
  State tree(uint64_t leaves) {
    ++nodes;
    if (leaves == 1)
      return word(log.leaf(words[draw(words.size())]));
    const uint64_t left = 1 + draw(leaves - 1);
    State first = tree(left), second = tree(leaves - left);
    return node(first, second);
  }
};

} // namespace

int main() {
  Draw draw;
  trace::Log log;
  api::Programs programs;
  TreeLstm model{log, draw};
  for (int i = 0; i < 100; ++i)
    model.words.push_back(numbers(draw, {1, embedding}));
  for (int together : {1, 25}) {
    int64_t compiled = 0;
    std::vector<double> each;
    for (int round = 0; round < 200 / together + 1; ++round) {
      model.nodes = 0;
      const double start = bench::seconds();
      std::vector<Handle> roots;
      for (int i = 0; i < together; ++i)
        roots.push_back(model.tree(5 + draw(56)).h);
      const double recorded = bench::seconds();
      programs.run(log.cut());
      for (const Handle &root : roots)
        if (root->stored()->get().error)
          return std::fprintf(stderr, "%s\n", root->stored()->get().error->text().c_str()), 1;
      const double taken = bench::seconds() - start;
      if (round == 0) {
        compiled = programs.counts().compiles;
        std::printf("%d trees at once: first %.1f ms, %lld programs\n", together, taken * 1e3,
                    static_cast<long long>(compiled));
        continue;
      }
      each.push_back(taken * 1e6 / static_cast<double>(model.nodes));
      if (round == 1)
        std::printf("recording %.2f us a node\n", (recorded - start) * 1e6 / static_cast<double>(model.nodes));
    }
    std::sort(each.begin(), each.end());
    std::printf("then %.2f us a node (median; slowest tenth %.2f), %lld programs compiled\n", each[each.size() / 2],
                each[each.size() * 9 / 10], static_cast<long long>(programs.counts().compiles - compiled));
  }
  return 0;
}
