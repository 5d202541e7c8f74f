// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: known ones vanish, the others live in the host flow.
#include "control.h"

using namespace pliant;
using namespace pliant::test;

using List = Control;

TEST_F(List, KnownSequencesAreOnlyNames) {
  model(R"(
    in x:f32[N,4]
    out y n first
    parts = SplitToSequence(x, size) axis=1
    size = Constant() value=i64[]{2}
    one = Constant() value=i64[]{1}
    first = SequenceAt(parts, one)
    more = SequenceInsert(parts, first)
    less = SequenceErase(more, zero)
    zero = Constant() value=i64[]{0}
    y = ConcatFromSequence(less) axis=0 new_axis=1
    n = SequenceLength(more))");
  EXPECT_EQ(run({ramp({1, 4})}), "f32(2, 1, 2): 2 3 2 3; i64(): 3; f32(1, 2): 2 3");
  EXPECT_EQ(run({ramp({0, 4})}), "f32(2, 0, 2):; i64(): 3; f32(0, 2):");
  for (const Step *step : numberedSteps(ways[0].executable->program()))
    EXPECT_NE(step->kind, Step::Kind::List);
}

TEST_F(List, PositionsReadAtRunTime) {
  model(R"(
    in s:seq(f32[?,2]) p:i64[] x:f32[N,2]
    out more less at n
    more = SequenceInsert(s, x, p)
    less = SequenceErase(s, p)
    at = SequenceAt(s, p)
    n = SequenceLength(s))");
  auto s = list({ramp({1, 2}), ramp({0, 2}), ramp({2, 2}, 7)});
  EXPECT_EQ(run({s, i64({}, {-1}), ramp({1, 2}, 50)}),
            "[f32(1, 2): 0 1, f32(0, 2):, f32(1, 2): 50 51, f32(2, 2): 7 8 9 10]; [f32(1, 2): 0 1, f32(0, 2):]; "
            "f32(2, 2): 7 8 9 10; i64(): 3");
  EXPECT_EQ(run({s, i64({}, {1}), ramp({0, 2})}),
            "[f32(1, 2): 0 1, f32(0, 2):, f32(0, 2):, f32(2, 2): 7 8 9 10]; [f32(1, 2): 0 1, f32(2, 2): 7 8 9 10]; "
            "f32(0, 2):; i64(): 3");
  std::string error = run({s, i64({}, {3}), ramp({1, 2})});
  EXPECT_NE(error.find("position 3 is out of range for 3 places"), error.npos) << error;
  error = run({list({ramp({3})}), i64({}, {0}), ramp({1, 2})});
  EXPECT_NE(error.find("holds a tensor f32(3,) but the program takes a sequence of f32(?, 2)"), error.npos) << error;
}

TEST_F(List, CarriedThroughALoop) {
  model(R"(
    in n:i64[] x:f32[N]
    out s y
    t = Constant() value=bool[]{1}
    e = SequenceEmpty()
    s = Loop(n, t, e) body={
      in i:i64[] c:bool[] a:seq(f32)
      out c b
      k = Unsqueeze(i, z)
      m = Add(k, one)
      part = Slice(x, z, m)
      b = SequenceInsert(a, part)
    }
    z = Constant() value=i64[1]{0}
    one = Constant() value=i64[1]{1}
    y = ConcatFromSequence(s) axis=0)");
  EXPECT_EQ(run({i64({}, {3}), ramp({5})}), "[f32(1,): 0, f32(2,): 0 1, f32(3,): 0 1 2]; f32(6,): 0 0 1 0 1 2");
  EXPECT_EQ(run({i64({}, {0}), ramp({5})}), "[]; f32(0,):");
}

TEST_F(List, ElementsReadInALoop) {
  model(R"(
    in s:seq(f32[?]) x:f32[]
    out sums all
    n = SequenceLength(s)
    t = Constant() value=bool[]{1}
    all, sums = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32[]
      out c b r
      e = SequenceAt(s, i)
      r = ReduceSum(e) keepdims=0
      b = Add(a, r)
    })");
  EXPECT_EQ(run({list({ramp({3}), ramp({0}), ramp({1}, 7)}), f32({}, {100})}), "f32(3,): 3 0 7; f32(): 110");
  EXPECT_EQ(run({list({}), f32({}, {100})}), "f32(0,):; f32(): 100");
}

TEST_F(List, SplitsOfUnknownNumber) {
  model(R"(
    in x:f32[N,2] sizes:i64[K]
    out ones parts back
    ones = SplitToSequence(x) axis=0 keepdims=0
    parts = SplitToSequence(x, sizes) axis=0
    back = ConcatFromSequence(ones) axis=1 new_axis=1)");
  EXPECT_EQ(run({ramp({2, 2}), i64({2}, {2, 0})}),
            "[f32(2,): 0 1, f32(2,): 2 3]; [f32(2, 2): 0 1 2 3, f32(0, 2):]; f32(2, 2): 0 2 1 3");
  EXPECT_EQ(run({ramp({0, 2}), i64({0}, {})}), "[]; []; f32(2, 0):");
  std::string error = run({ramp({2, 2}), i64({1}, {1})});
  EXPECT_NE(error.find("(1,) do not add up to the extent 2"), error.npos) << error;
  error = run({ramp({2, 2}), i64({2}, {3, -1})});
  EXPECT_NE(error.find("do not add up"), error.npos) << error;
}

TEST_F(List, Optionals) {
  model(R"(
    in o:opt(f32[?]) x:f32[N]
    out has y back
    has = OptionalHasElement(o)
    y = If(has) then_branch={
      out g
      g = OptionalGetElement(o)
    } else_branch={
      out h
      h = Neg(x)
    }
    back = Identity(o))");
  EXPECT_EQ(run({list({ramp({3})}), ramp({1}, 4)}), "bool(): 1; f32(3,): 0 1 2; [f32(3,): 0 1 2]");
  EXPECT_EQ(run({absent(), ramp({1}, 4)}), "bool(): 0; f32(1,): -4; absent");
  model(R"(
    in o:opt(seq(f32[?]))
    out s
    s = OptionalGetElement(o))");
  EXPECT_EQ(run({list({ramp({1})})}), "[f32(1,): 0]");
  EXPECT_NE(run({absent()}).find("the optional is empty"), std::string::npos);
}

TEST_F(List, BranchesGiveLists) {
  model(R"(
    in c:bool[] x:f32[N]
    out s e
    s, e = If(c) then_branch={
      out g k
      g = SequenceConstruct(x, x)
      k = Optional(x)
    } else_branch={
      out h l
      y = Neg(x)
      h = SequenceConstruct(y)
      l = Optional() type=type:f32[?]
    })");
  EXPECT_EQ(run({flag(true), ramp({1}, 2)}), "[f32(1,): 2, f32(1,): 2]; [f32(1,): 2]");
  EXPECT_EQ(run({flag(false), ramp({1}, 2)}), "[f32(1,): -2]; absent");
}

TEST_F(List, MapIsALoop) {
  model(R"(
    in s:seq(f32[?]) t:seq(f32[?]) x:f32[N]
    out y z
    y, z = SequenceMap(s, t, x) body={
      in a:f32[?] b:f32[?] w:f32[N]
      out p:f32 q:i64
      p = Concat(a, b, w) axis=0
      q = Size(a)
    })");
  EXPECT_EQ(run({list({ramp({1}), ramp({0})}), list({ramp({0}), ramp({2}, 5)}), ramp({1}, 9)}),
            "[f32(2,): 0 9, f32(3,): 5 6 9]; [i64(): 1, i64(): 0]");
  EXPECT_EQ(run({list({}), list({}), ramp({1}, 9)}), "[]; []");
}

TEST_F(List, RankMustBeKnownWhereItIsUsed) {
  std::string error = compileError(R"(
    in s:seq(f32) p:i64[]
    out y
    y = SequenceAt(s, p))");
  EXPECT_NE(error.find("the rank of the element is not known"), error.npos) << error;
  model(R"(
    in s:seq(f32)
    out s2
    s2 = Identity(s))");
  EXPECT_EQ(run({list({ramp({1}), ramp({}, 4)})}), "[f32(1,): 0, f32(): 4]") << "passed on, ranks may differ";
}
