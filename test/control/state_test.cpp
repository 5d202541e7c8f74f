// SPDX-License-Identifier: Apache-2.0
// States that grow in place: the bits of runs that copy, lengths from 0, growth over the capacity, what else reads the
// past, and programs whose appends must stay copies.
#include "control.h"
#include <cmath>

using namespace pliant;
using namespace pliant::test;

namespace {

bool equal(const DenseTensor &x, const DenseTensor &y) {
  return x.dtype() == y.dtype() && x.dims() == y.dims() &&
         (x.bytes() == 0 || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
}

class StateTest : public Control {
protected:
  /// Feeds each state's output back, once as plain tensors and once as states, for as many steps as there are lists of
  /// further inputs (those without the states' inputs are null). Every output and state has the same bits both ways.
  /// Returns the bytes of pasts that were copied.
  static int64_t compare(Executable &exe, std::vector<std::vector<DenseTensor>> steps) {
    const Program &program = exe.program();
    std::vector<DenseTensor> past(program.inputs.size());
    std::vector<GrowingTensor> states(program.states.size());
    for (size_t k = 0; k < states.size(); ++k) {
      const auto input = static_cast<size_t>(program.states[k].input);
      past[input] = steps[0][input];
      states[k] = *GrowingTensor::copyOf(past[input], static_cast<size_t>(program.states[k].axis));
    }
    const int64_t before = exe.pastCopied();
    std::vector<DenseTensor> outputs;
    for (std::vector<DenseTensor> &inputs : steps) {
      for (size_t i = 0; i < inputs.size(); ++i)
        if (past[i])
          inputs[i] = past[i];
      auto plain = exe.run(inputs);
      EXPECT_TRUE(plain) << plain.error().text();
      std::vector<int64_t> rooms;
      for (const GrowingTensor &state : states)
        rooms.push_back(state.capacity());
      for (const State &state : program.states)
        inputs[state.input] = DenseTensor(); // not looked at
      Status status = exe.run(inputs, states, outputs);
      EXPECT_TRUE(status) << status.error().text();
      if (!plain || !status)
        return -1;
      for (size_t k = 0; k < states.size(); ++k) {
        const State &state = program.states[k];
        EXPECT_FALSE(outputs[state.output]) << "it is the state";
        outputs[state.output] = *states[k].tensor();
        EXPECT_EQ(states[k].capacity() != rooms[k], states[k].dims()[states[k].axis()] > rooms[k]);
        past[state.input] = (*plain)[state.output];
      }
      for (size_t i = 0; i < outputs.size(); ++i)
        EXPECT_TRUE(equal(outputs[i], (*plain)[i])) << "output " << i << " " << str(outputs[i].dims());
      outputs.clear(); // what shares a state's block would make the next step copy it
    }
    return exe.pastCopied() - before;
  }

  static Status step(Executable &exe, std::vector<DenseTensor> inputs, std::vector<GrowingTensor> &states,
                     std::vector<DenseTensor> &outputs) {
    return exe.run(inputs, states, outputs);
  }

  Executable &compiled() { return *ways[0].executable; }
  Executable &verified() { return *ways[2].executable; }
  size_t stateCount() { return compiled().program().states.size(); }
};

DenseTensor values(std::vector<int64_t> dims, float from) {
  DenseTensor tensor = ramp(std::move(dims)).tensor;
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = std::sin(from + static_cast<float>(i) * 0.7f);
  return tensor;
}

constexpr const char *attention = R"(
  in x:f32[B,2,S,4] past:f32[B,2,P,4]
  out present y
  present = Concat(past, x) axis=2
  t = Transpose(present) perm=[0,1,3,2]
  s = MatMul(x, t)
  p = Softmax(s) axis=-1
  y = MatMul(p, present)
)";

} // namespace

TEST_F(StateTest, SameBitsFromNothingOverTheCapacity) {
  model(attention);
  ASSERT_EQ(stateCount(), 1u);
  EXPECT_EQ(compiled().program().states[0].axis, 2);
  for (int64_t batch : {1, 3})
    for (int64_t length : {0, 1, 5, 31}) {
      std::vector<std::vector<DenseTensor>> steps;
      for (int64_t i = 0; i < 40; ++i)
        steps.push_back({values({batch, 2,
                                 i % 9 == 8   ? 0
                                 : i % 5 == 4 ? 7
                                              : 1,
                                 4},
                                static_cast<float>(i)),
                         DenseTensor()});
      steps[0][1] = values({batch, 2, length, 4}, 100);
      for (Executable *exe : {&compiled(), &verified()}) {
        const int64_t copied = compare(*exe, steps);
        const int64_t row = batch * 2 * 4 * 4, last = length + 75;
        EXPECT_GE(copied, length * row);
        EXPECT_LE(copied, 3 * last * row) << "each block has room for half as much again";
      }
    }
}

TEST_F(StateTest, AStepWithRoomCopiesNothing) {
  model(attention);
  DenseTensor x = values({1, 2, 1, 4}, 1);
  std::vector<GrowingTensor> states{*GrowingTensor::copyOf(values({1, 2, 5, 4}, 2), 2, 64)};
  const void *block = states[0].data();
  std::vector<DenseTensor> outputs;
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(step(compiled(), {x, DenseTensor()}, states, outputs));
  EXPECT_EQ(states[0].data(), block);
  EXPECT_EQ(states[0].dims(), (std::vector<int64_t>{1, 2, 55, 4}));
  EXPECT_EQ(states[0].capacity(), 64);
  EXPECT_EQ(compiled().pastCopied(), 0);
}

TEST_F(StateTest, AnyAxis) {
  for (const char *text :
       {"in x:f32[S,3] past:f32[P,3]\n out y z\n y = Concat(past, x) axis=0\n z = ReduceSum(y) keepdims=0",
        "in x:f32[B,3,S] past:f32[B,3,P]\n out y z\n y = Concat(past, x) axis=-1\n z = Tanh(y)",
        "in x:f32[S] past:f32[P]\n out y z\n y = Concat(past, x) axis=0\n z = Neg(y)"}) {
    model(text);
    ASSERT_EQ(stateCount(), 1u) << text;
    const size_t rank = compiled().program().inputs[0].type.shape.size();
    std::vector<std::vector<DenseTensor>> steps;
    auto shape = [&](int64_t length) {
      std::vector<int64_t> dims = rank == 1   ? std::vector<int64_t>{length}
                                  : rank == 2 ? std::vector<int64_t>{length, 3}
                                              : std::vector<int64_t>{2, 3, length};
      return dims;
    };
    for (int i = 0; i < 30; ++i)
      steps.push_back({values(shape(1 + i % 3), static_cast<float>(i)), DenseTensor()});
    steps[0][1] = values(shape(4), 9);
    EXPECT_GE(compare(compiled(), steps), 0);
    EXPECT_GE(compare(verified(), steps), 0);
  }
}

TEST_F(StateTest, WhatElseReadsThePastAndTheResult) {
  model(R"(
    in x:f32[B,2,S,4] past:f32[B,2,P,4]
    out present again old sum later
    last = Constant() value=i64[1]{3}
    present = Concat(past, x) axis=2
    again = Identity(present)
    old = Identity(past)
    sum = ReduceSum(past, last) keepdims=0
    total = ReduceMax(x) keepdims=1
    later = Add(past, total)
  )");
  ASSERT_EQ(stateCount(), 1u);
  std::vector<std::vector<DenseTensor>> steps;
  for (int i = 0; i < 25; ++i)
    steps.push_back({values({2, 2, 1 + i % 2, 4}, static_cast<float>(i)), DenseTensor()});
  steps[0][1] = values({2, 2, 0, 4}, 9);
  EXPECT_GE(compare(compiled(), steps), 0);
  EXPECT_GE(compare(verified(), steps), 0);
}

TEST_F(StateTest, ThePastBehindItself) {
  model("in past:f32[P,2]\n out y\n y = Concat(past, past) axis=0");
  ASSERT_EQ(stateCount(), 1u);
  std::vector<std::vector<DenseTensor>> steps(6, {DenseTensor()});
  steps[0][0] = values({3, 2}, 1);
  EXPECT_GE(compare(compiled(), steps), 0);
}

TEST_F(StateTest, TwoStatesFromOneInput) {
  model(R"(
    in x:f32[B,2,S,4] z:f32[B,2,S,4] past:f32[B,2,P,4]
    out a b again old both
    a = Concat(past, x) axis=2
    b = Concat(past, z) axis=2
    again = Identity(a)
    old = Identity(past)
    both = Mul(a, b)
  )");
  ASSERT_EQ(stateCount(), 2u);
  auto &exe = compiled();
  for (size_t kept = 0; kept < 2; ++kept) {
    std::vector<GrowingTensor> states(2);
    DenseTensor past = values({2, 2, 3, 4}, 5);
    states[kept] = *GrowingTensor::copyOf(past, 2, 40);
    for (int i = 0; i < 12; ++i) {
      std::vector<DenseTensor> inputs{values({2, 2, 1, 4}, static_cast<float>(i)), values({2, 2, 1, 4}, 50), past},
          outputs;
      auto plain = exe.run(inputs);
      ASSERT_TRUE(plain);
      ASSERT_TRUE(exe.run(inputs, states, outputs));
      outputs[kept] = *states[kept].tensor();
      for (size_t k = 0; k < outputs.size(); ++k)
        EXPECT_TRUE(equal(outputs[k], (*plain)[k])) << i << " " << k;
      past = (*plain)[kept];
    }
    EXPECT_EQ(exe.pastCopied(), 0);
  }
  std::vector<GrowingTensor> states(2, *GrowingTensor::copyOf(values({2, 2, 3, 4}, 5), 2));
  std::vector<DenseTensor> outputs;
  DenseTensor x = values({2, 2, 1, 4}, 0);
  Status both = step(exe, {x, x, x}, states, outputs);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().text(), "[run] two states are given for input 'past'");
}

TEST_F(StateTest, BehindReshapesAndRepeats) {
  // Grouped queries: each head of keys serves two of queries.
  model(R"(
    in q:f32[B,4,S,8] x:f32[B,2,S,8] past:f32[B,2,P,8]
    out present y
    two = Constant() value=i64[1]{2}
    present = Concat(past, x) axis=2
    u = Unsqueeze(present, two)
    shape = Constant() value=i64[5]{1,1,2,1,1}
    e = Expand(u, shape)
    flat = Constant() value=i64[4]{0,4,-1,8}
    k = Reshape(e, flat)
    t = Transpose(k) perm=[0,1,3,2]
    y = MatMul(q, t)
  )");
  ASSERT_EQ(stateCount(), 1u);
  std::vector<std::vector<DenseTensor>> steps;
  for (int i = 0; i < 20; ++i)
    steps.push_back(
        {values({2, 4, 1, 8}, static_cast<float>(i)), values({2, 2, 1, 8}, static_cast<float>(2 * i)), DenseTensor()});
  steps[0][2] = values({2, 2, 0, 8}, 0);
  EXPECT_GE(compare(compiled(), steps), 0);
  EXPECT_GE(compare(verified(), steps), 0);
}

TEST_F(StateTest, ALoopAppendsInPlace) {
  model(R"(
    in n:i64[] x:f32[B,P,2]
    out y sums olds
    t = Constant() value=bool[]{1}
    one = Constant() value=i64[1]{1}
    y, sums, olds = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32[B,Q,2]
      out d b s o
      d = Identity(c)
      m = ReduceSum(a, one) keepdims=1
      k = Neg(m)
      b = Concat(a, k) axis=1
      s = ReduceSum(b) keepdims=0
      o = ReduceSum(a) keepdims=0
    })");
  ASSERT_EQ(compiled().program().carried.size(), 1u);
  for (int64_t batch : {1, 2})
    for (int64_t length : {0, 1, 5})
      for (int64_t trips : {0, 1, 2, 30}) {
        const int64_t before = compiled().pastCopied();
        run({i64({}, {trips}), ramp({batch, length, 2})}); // all ways agree
        const int64_t copied = compiled().pastCopied() - before;
        EXPECT_LE(copied, 3 * batch * (length + trips) * 2 * 4);
      }
  const int64_t before = compiled().pastCopied();
  run({i64({}, {1000}), ramp({2, 3, 2})});
  EXPECT_LE(compiled().pastCopied() - before, 3 * 1003 * 2 * 2 * 4);
}

TEST_F(StateTest, ALoopMayStartFromAnotherRank) {
  // The first state is the memory of an input without the axis that grows.
  model(R"(
    in n:i64[] x:f32[B]
    out y
    t = Constant() value=bool[]{1}
    one = Constant() value=i64[1]{1}
    u = Unsqueeze(x, one)
    y = Loop(n, t, u) body={
      in i:i64[] c:bool[] a:f32[B,Q]
      out d b
      d = Identity(c)
      m = ReduceSum(a, one) keepdims=1
      k = Neg(m)
      b = Concat(a, k) axis=1
    })");
  ASSERT_EQ(compiled().program().carried.size(), 1u);
  for (int64_t batch : {0, 1, 3, 17})
    for (int64_t trips : {0, 1, 2, 40})
      run({i64({}, {trips}), ramp({batch})});
}

TEST_F(StateTest, ALoopThatAlsoKeepsWhatItHad) {
  // The older value shares the block for a trip: what grows out of it must not lie there.
  model(R"(
    in n:i64[] x:f32[B,P] z:f32[B,1]
    out y old twice
    t = Constant() value=bool[]{1}
    y, old, twice = Loop(n, t, x, x, x) body={
      in i:i64[] c:bool[] a:f32[B,Q] before:f32[B,R] other:f32[B,T]
      out d b a2 c2
      d = Identity(c)
      b = Concat(a, z) axis=1
      a2 = Identity(a)
      c2 = Concat(before, z, z) axis=1
    })");
  for (int64_t trips : {0, 1, 2, 3, 7, 20})
    run({i64({}, {trips}), ramp({2, 3}), f32({2, 1}, {-1, -2})});
}

TEST_F(StateTest, TwoInnerLoopsGrowFromOneBlockWithRoom) {
  model(R"(
    in n:i64[] x:f32[B,P] z:f32[B,1]
    out y ps qs
    t = Constant() value=bool[]{1}
    three = Constant() value=i64[]{3}
    y, ps, qs = Loop(n, t, x) body={
      in i:i64[] c:bool[] v:f32[B,Q]
      out d v2 s r
      d = Identity(c)
      w = Neg(z)
      p, q = Loop(three, t, v, v) body={
        in j:i64[] e:bool[] a:f32[B,R] b:f32[B,T]
        out f a2 b2
        f = Identity(e)
        a2 = Concat(a, z) axis=1
        b2 = Concat(b, w) axis=1
      }
      v2 = Concat(v, z) axis=1
      s = ReduceSum(p) keepdims=0
      r = ReduceSum(q) keepdims=0
    })");
  ASSERT_EQ(compiled().program().carried.size(), 3u);
  for (int64_t trips : {0, 1, 2, 9})
    for (int64_t batch : {1, 2})
      run({i64({}, {trips}), ramp({batch, 3}), ramp({batch, 1}, 5)}); // all ways agree
}

TEST_F(StateTest, ReadersOfDenseMemoryKeepItDense) {
  for (const char *text : {"in x:f32[2,S] past:f32[2,P]\n out y z\n y = Concat(past, x) axis=1\n"
                           " a = Constant() value=i64[]{1}\n z = CumSum(y, a)",
                           "in x:f32[2,S] past:f32[2,P]\n out y z\n y = Concat(past, x) axis=1\n"
                           " a = Constant() value=i64[1]{-1}\n z = Reshape(y, a)",
                           "in x:f32[2,S] past:f32[2,P]\n out y\n n = Neg(x)\n y = Concat(n, past) axis=1"}) {
    model(text);
    EXPECT_EQ(stateCount(), 0u) << text;
    run({RunValue{values({2, 3}, 0), {}}, RunValue{values({2, 4}, 1), {}}}); // all ways agree
  }
}

TEST_F(StateTest, WhatOthersHoldIsNotWritten) {
  model(attention);
  DenseTensor x = values({1, 2, 1, 4}, 1);
  std::vector<GrowingTensor> states{*GrowingTensor::copyOf(values({1, 2, 5, 4}, 2), 2, 64)};
  GrowingTensor mine = states[0];
  std::vector<DenseTensor> outputs;
  ASSERT_TRUE(step(compiled(), {x, DenseTensor()}, states, outputs));
  EXPECT_NE(states[0].data(), mine.data());
  EXPECT_TRUE(equal(*mine.tensor(), values({1, 2, 5, 4}, 2)));
  EXPECT_EQ(compiled().pastCopied(), 5 * 2 * 4 * 4);
}

TEST_F(StateTest, AfterAnErrorAStateIsWhatItWas) {
  model(R"(
    in i:i64[] x:f32[S] past:f32[P]
    out present y
    present = Concat(past, x) axis=0
    y = Gather(present, i) axis=0
  )");
  ASSERT_EQ(stateCount(), 1u);
  std::vector<GrowingTensor> states{*GrowingTensor::copyOf(values({3}, 2), 0, 64)};
  std::vector<DenseTensor> outputs;
  Status status = step(compiled(), {i64({}, {9}).tensor, values({1}, 0), DenseTensor()}, states, outputs);
  ASSERT_FALSE(status);
  EXPECT_TRUE(equal(*states[0].tensor(), values({3}, 2)));
  ASSERT_TRUE(step(compiled(), {i64({}, {3}).tensor, values({1}, 7), DenseTensor()}, states, outputs));
  EXPECT_EQ(outputs[1].as<float>()[0], values({1}, 7).as<float>()[0]);
}

TEST_F(StateTest, Errors) {
  model(attention);
  std::vector<DenseTensor> outputs;
  DenseTensor x = values({1, 2, 1, 4}, 1);
  auto message = [&](std::vector<GrowingTensor> states) {
    Status status = step(compiled(), {x, DenseTensor()}, states, outputs);
    return status ? std::string() : status.error().text();
  };
  EXPECT_EQ(message({{}, {}}), "[run] the program has 1 states, 2 were given");
  EXPECT_EQ(message({*GrowingTensor::copyOf(x, 1)}),
            "[run] the state given for input 'past' grows along axis 1, the program's along axis 2");
  EXPECT_EQ(message({*GrowingTensor::copyOf(values({1, 2, 3}, 0), 2)}),
            "[run] input 'past' has shape (1, 2, 3) but the program takes rank 4, (B, 2, P, 4)");
  EXPECT_EQ(message({*GrowingTensor::copyOf(values({2, 2, 3, 4}, 0), 2)}),
            "[run] input 'past' has shape (2, 2, 3, 4) but the program takes (B, 2, P, 4): axis 0 is 2, not 1");
}
