// SPDX-License-Identifier: Apache-2.0
// What is folded and what is left out, on programs made by hand.
#include "view/graph.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::tool::view;

namespace {

/// A program of fallbacks on vectors of n elements.
class Hand {
public:
  Hand() {
    program->inputs.push_back({"x", type()});
    program->inputBuffers.push_back(buffer(Buffer::Storage::Input));
  }
  static TensorType type() { return {DType::F32, {Expr::symbol("n")}}; }
  int buffer(Buffer::Storage storage = Buffer::Storage::Arena) {
    program->buffers.push_back({type(), storage, 0});
    return static_cast<int>(program->buffers.size()) - 1;
  }
  int step(OpId op, std::vector<int> inputs, Buffer::Storage storage = Buffer::Storage::Arena) {
    Step made{Step::Kind::Evaluate};
    made.op = op;
    made.inputs = std::move(inputs);
    made.outputs = {buffer(storage)};
    program->steps.push_back(made);
    return made.outputs[0];
  }
  void output(int value) {
    program->outputs.push_back({"y" + std::to_string(value), type()});
    program->outputBuffers.push_back(value);
  }
  Region graph() {
    driver::Compiled compiled;
    compiled.program = program;
    TypeNames names;
    return buildGraph(compiled, names);
  }
  std::shared_ptr<Program> program = std::make_shared<Program>();
};

const Node *frame(const Region &region) {
  for (const Node &node : region.nodes)
    if (node.kind == Node::Kind::Frame)
      return &node;
  return nullptr;
}

TEST(Fold, LayersWithResidualsAndOutputsOfTheirOwn) {
  Hand hand;
  int x = 0;
  for (int layer = 0; layer < 4; ++layer) {
    int a = hand.step(OpId::Tanh, {x}), b = hand.step(OpId::Exp, {a});
    hand.output(hand.step(OpId::Abs, {b}, Buffer::Storage::Output));
    x = hand.step(OpId::Add, {b, x});
  }
  hand.output(x);
  Region graph = hand.graph();
  const Node *layers = frame(graph);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->badge, "x 4");
  ASSERT_EQ(layers->lanes.size(), 1u);
  EXPECT_EQ(layers->lanes[0].nodes.size(), 4u);
  EXPECT_EQ(layers->reads, std::vector<int>({0}));
  EXPECT_EQ(layers->carried.size(), 1u);
  EXPECT_EQ(layers->makes.size(), 2u); // the output of its own, and what goes on
  EXPECT_EQ(graph.nodes.size(), 4u);   // input, layers, their outputs as one, the last output
  EXPECT_EQ(graph.nodes[2].detail, "output and 3 more");
}

TEST(Fold, AStepOfItsOwnInTheFirstLayer) {
  Hand hand;
  int x = 0, mask = -1;
  for (int layer = 0; layer < 3; ++layer) {
    int a = hand.step(OpId::Tanh, {x});
    if (!layer)
      mask = hand.step(OpId::Neg, {0});
    x = hand.step(OpId::Add, {hand.step(OpId::Exp, {a}), mask});
  }
  hand.output(x);
  Region graph = hand.graph();
  ASSERT_TRUE(frame(graph));
  EXPECT_EQ(frame(graph)->badge, "x 3");
}

TEST(Fold, NotWhenALaterStepReadsAMiddleLayer) {
  Hand hand;
  std::vector<int> x{0};
  for (int layer = 0; layer < 4; ++layer)
    x.push_back(hand.step(OpId::Exp, {hand.step(OpId::Tanh, {hand.step(OpId::Abs, {x.back()})})}));
  hand.output(hand.step(OpId::Add, {x[2], x[4]}));
  Region graph = hand.graph();
  for (const Node &node : graph.nodes)
    if (node.kind == Node::Kind::Frame) {
      EXPECT_NE(node.badge, "x 4");
    }
  size_t made = 0; // the value that is read twice is still drawn, and by name
  for (const Node &node : graph.nodes)
    for (const Made &m : node.makes)
      made += m.buffer == x[2];
  EXPECT_GE(made, 1u);
}

TEST(Fold, NotWhenWiringDiffers) {
  Hand hand;
  int x = 0;
  for (int layer = 0; layer < 3; ++layer) {
    int a = hand.step(OpId::Tanh, {x}), b = hand.step(OpId::Exp, {a});
    x = hand.step(OpId::Add, {layer == 1 ? a : b, b});
  }
  hand.output(x);
  EXPECT_FALSE(frame(hand.graph()));
}

TEST(Graph, LeavesOutTheMiddleOfWhatIsTooLarge) {
  Hand hand;
  const OpId kinds[] = {OpId::Tanh, OpId::Exp, OpId::Abs, OpId::Neg};
  uint32_t state = 1; // no segment repeats for long
  int x = 0;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525 + 1013904223;
    x = hand.step(kinds[state >> 30], {x});
  }
  hand.output(x);
  Region graph = hand.graph();
  EXPECT_LE(graph.nodes.size(), 260u);
  size_t gaps = 0;
  for (const Node &node : graph.nodes)
    if (node.kind == Node::Kind::Gap) {
      ++gaps;
      EXPECT_EQ(node.reads.size(), 1u);
      EXPECT_EQ(node.makes.size(), 1u);
    }
  EXPECT_EQ(gaps, 1u);
}

TEST(Graph, ReadsAndValuesOfBranches) {
  Hand hand;
  Step branch{Step::Kind::If};
  const int result = hand.buffer();
  branch.inputs = {0};
  branch.outputs = {result};
  for (auto *lane : {&branch.thenSteps, &branch.elseSteps}) {
    Step inner{Step::Kind::Evaluate};
    inner.op = lane == &branch.thenSteps ? OpId::Tanh : OpId::Exp;
    inner.inputs = {0};
    inner.outputs = {result};
    lane->push_back(inner);
  }
  hand.program->steps.push_back(branch);
  hand.output(result);
  Region graph = hand.graph();
  const Node *node = frame(graph);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->lanes.size(), 2u);
  EXPECT_EQ(node->reads, std::vector<int>({0}));
  ASSERT_EQ(node->makes.size(), 1u);
  EXPECT_EQ(node->makes[0].buffer, result);
}

} // namespace
