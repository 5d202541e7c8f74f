// SPDX-License-Identifier: Apache-2.0
// A recursive model (TreeLSTM) over random trees. Each tree is another graph, made by an ordinary recursive function.
// After the first few trees nothing is compiled any more: equal nodes of any tree run together, as one more axis of a
// program that is known. Draws the last trees, each node in the colour that the model gives it.
//   trees [OUTPUT.svg]
#include <cmath>
#include <cstdio>
#include <fstream>
#include <pliant/pliant.h>
#include <sstream>

using namespace pliant;

namespace {

constexpr int64_t words = 50, embedding = 32, hidden = 24;

struct Tree {
  int64_t word = 0;           // of a leaf
  std::vector<Tree> children; // two, of an inner node
};

/// A binary one, with random weights: it shows how such a model runs, not what one has learnt.
class TreeLstm {
public:
  explicit TreeLstm(Generator &random)
      : vocabulary(random.normal({words, embedding})), leafWeights(weights(random, embedding, 3 * hidden)),
        nodeWeights(weights(random, 2 * hidden, 5 * hidden)), colourWeights(weights(random, hidden, 3) * 10.0) {}

  /// For each node, children first: red, green and blue, 0 to 1.
  Tensor colours(const Tree &tree) const {
    std::vector<Tensor> outputs;
    state(tree, outputs);
    return sigmoid(matmul(concat(outputs), colourWeights));
  }

private:
  struct State {
    Tensor output, memory; // (1, hidden)
  };
  Tensor vocabulary, leafWeights, nodeWeights, colourWeights;

  static Tensor weights(Generator &random, int64_t rows, int64_t columns) {
    return random.normal({rows, columns}) / std::sqrt(static_cast<double>(rows));
  }

  /// Of a tree's root; the outputs of all nodes go into `outputs`, children first.
  State state(const Tree &tree, std::vector<Tensor> &outputs) const {
    Tensor memory, give;
    if (tree.children.empty()) {
      const auto gates = split(matmul(vocabulary(slice(tree.word, tree.word + 1)), leafWeights), 3, 1);
      give = sigmoid(gates[1]);
      memory = sigmoid(gates[0]) * tanh(gates[2]);
    } else {
      const State left = state(tree.children[0], outputs), right = state(tree.children[1], outputs);
      const auto gates = split(matmul(concat({left.output, right.output}, 1), nodeWeights), 5, 1);
      give = sigmoid(gates[1]);
      memory = sigmoid(gates[0]) * tanh(gates[4]) + sigmoid(gates[2]) * left.memory + sigmoid(gates[3]) * right.memory;
    }
    outputs.push_back(give * tanh(memory));
    return {outputs.back(), memory};
  }
};

/// Numbers to draw trees with.
class Dice {
public:
  explicit Dice(Generator &random) : numbers(random.integers({10000}, 0, 1 << 30).values<int64_t>()) {}
  int64_t operator()(int64_t below) { return numbers.at(used++) % below; }

private:
  std::vector<int64_t> numbers;
  size_t used = 0;
};

Tree randomTree(Dice &dice, int64_t leaves) {
  if (leaves == 1)
    return {dice(words), {}};
  const int64_t left = 1 + dice(leaves - 1);
  Tree tree;
  tree.children.push_back(randomTree(dice, left));
  tree.children.push_back(randomTree(dice, leaves - left));
  return tree;
}

/// A tree as SVG, its root at the top and its leaves side by side.
class Drawing {
public:
  Drawing(const Tree &tree, const Tensor &colours, double left, double top)
      : colour(colours.values<float>()), next(left), top(top) {
    place(tree, 0);
  }
  std::string text() const { return lines.str() + circles.str(); }

private:
  std::vector<float> colour;
  size_t drawn = 0;
  double next, top;
  std::ostringstream lines, circles;

  double place(const Tree &tree, int depth) {
    const double y = top + 14 * depth;
    double x = 0;
    if (tree.children.empty()) {
      x = next += 9;
    } else {
      const double left = place(tree.children[0], depth + 1), right = place(tree.children[1], depth + 1);
      x = (left + right) / 2;
      for (double to : {left, right})
        lines << "<path d=\"M" << x << " " << y << " L" << to << " " << y + 14 << "\"/>\n";
    }
    circles << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"4\" fill=\"rgb(";
    for (int i = 0; i < 3; ++i)
      circles << (i ? "," : "") << std::lround(255 * colour[drawn++]);
    circles << ")\"/>\n";
    return x;
  }
};

int run(const char *path) {
  Generator random(7);
  const TreeLstm model(random);
  Dice dice(random);
  int64_t nodes = 0, forTheFirst = 0;
  double total = 0;
  std::string picture;
  for (int i = 0; i < 100; ++i) {
    const int64_t leaves = 3 + dice(38);
    const Tree tree = randomTree(dice, leaves);
    const Tensor colours = model.colours(tree);
    total += sum(colours).item<double>(); // runs the tree, and waits
    nodes += colours.dim(0);
    if (i < 3)
      forTheFirst = counters().made();
    if (const int at = i - 88; at >= 0)
      picture += Drawing(tree, colours, 20 + 390 * (at % 3), 30 + 190 * (at / 3)).text();
  }
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1190\" height=\"800\" style=\"background:white\" "
          "stroke=\"#555\" stroke-width=\"0.7\">\n"
       << picture << "</svg>\n";
  if (!file.flush())
    throw Exception(std::string(path) + " cannot be written", "");
  std::printf("100 trees, %lld nodes, mean %.4f; programs made: %lld for the first 3 trees, %lld for the others\n"
              "drawn in %s\n",
              static_cast<long long>(nodes), total / static_cast<double>(nodes) / 3,
              static_cast<long long>(forTheFirst), static_cast<long long>(counters().made() - forTheFirst), path);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "trees.svg");
  } catch (const std::exception &e) {
    return std::fprintf(stderr, "error: %s\n", e.what()), 2;
  }
}
