// SPDX-License-Identifier: Apache-2.0
// Branches and loops: extents that change from trip to trip, outputs that grow, early ends, nests, captured values.
#include "control.h"
#include "runtime/memory.h"

using namespace pliant;
using namespace pliant::test;

using Loop = Control;

TEST_F(Loop, CarriedValueGrows) {
  model(R"(
    in n:i64[] x:f32[B,2]
    out y sums
    t = Constant() value=bool[]{1}
    y, sums = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32
      out d b s
      d = Identity(c)
      b = Concat(a, x) axis=0
      s = ReduceSum(b) keepdims=0
    })");
  EXPECT_EQ(run({i64({}, {2}), ramp({1, 2})}), "f32(3, 2): 0 1 0 1 0 1; f32(2,): 2 3");
  EXPECT_EQ(run({i64({}, {0}), ramp({1, 2})}), "f32(1, 2): 0 1; f32(0,):") << "no trip: what was carried in";
  EXPECT_EQ(run({i64({}, {-3}), ramp({1, 2})}), "f32(1, 2): 0 1; f32(0,):");
  EXPECT_EQ(run({i64({}, {3}), ramp({0, 2})}), "f32(0, 2):; f32(3,): 0 0 0");
  EXPECT_EQ(run({i64({}, {1}), ramp({3, 2})}).substr(0, 40), "f32(6, 2): 0 1 2 3 4 5 0 1 2 3 4 5; f32(");
}

TEST_F(Loop, ConditionEndsIt) {
  model(R"(
    in limit:i64[]
    out a b all
    m = Constant() value=i64[]{9223372036854775807}
    t = Constant() value=bool[]{1}
    z = Constant() value=i64[]{0}
    o = Constant() value=i64[]{1}
    a, b, all = Loop(m, t, z, o) body={
      in i:i64[] c:bool[] p:i64[] q:i64[]
      out d q s s2
      s = Add(p, q)
      s2 = Identity(s)
      d = Less(s, limit)
    })");
  EXPECT_EQ(run({i64({}, {20})}), "i64(): 13; i64(): 21; i64(7,): 1 2 3 5 8 13 21");
  EXPECT_EQ(run({i64({}, {0})}), "i64(): 1; i64(): 1; i64(1,): 1") << "the condition is read after the first trip";
}

TEST_F(Loop, FirstConditionIsReadToo) {
  model(R"(
    in go:bool[] x:f32[N]
    out y n
    z = Constant() value=i64[]{0}
    o = Constant() value=i64[]{1}
    five = Constant() value=i64[]{5}
    y, n = Loop(_, go, x, z) body={
      in i:i64[] c:bool[] a:f32[N] k:i64[]
      out d b k2
      b = Add(a, a)
      k2 = Add(k, o)
      d = Less(k2, five)
    })");
  EXPECT_EQ(run({flag(false), ramp({2})}), "f32(2,): 0 1; i64(): 0");
  EXPECT_EQ(run({flag(true), ramp({2})}), "f32(2,): 0 32; i64(): 5");
  EXPECT_EQ(run({flag(true), ramp({0})}), "f32(0,):; i64(): 5");
}

TEST_F(Loop, ConditionIsWhatTheTripWasHanded) {
  // It is carried itself: what decides is the value that this trip had, not the next one's.
  model(R"(
    in limit:i64[]
    out f n
    m = Constant() value=i64[]{9223372036854775807}
    t = Constant() value=bool[]{1}
    z = Constant() value=i64[]{0}
    o = Constant() value=i64[]{1}
    f, n = Loop(m, t, t, z) body={
      in i:i64[] c:bool[] was:bool[] k:i64[]
      out d will k2
      d = Identity(was)
      k2 = Add(k, o)
      will = Less(k2, limit)
    })");
  EXPECT_EQ(run({i64({}, {3})}), "bool(): 0; i64(): 4");
  EXPECT_EQ(run({i64({}, {0})}), "bool(): 0; i64(): 2");
}

TEST_F(Loop, WithoutAConditionWhatTheBodyGivesIsIgnored) {
  model(R"(
    in n:i64[] x:f32[]
    out y
    no = Constant() value=bool[]{0}
    y = Loop(n, _, x) body={
      in i:i64[] c:bool[] a:f32[]
      out d b
      d = Identity(no)
      b = Add(a, a)
    })");
  EXPECT_EQ(run({i64({}, {3}), f32({}, {1})}), "f32(): 8");
}

TEST_F(Loop, TripNumberAndCapturedValuesOfTwoGraphs) {
  model(R"(
    in n:i64[] x:f32[N,2] w:f32[2]
    out y
    t = Constant() value=bool[]{1}
    z = Constant() value=f32[2]{0, 0}
    y = Loop(n, t, z) body={
      in i:i64[] c:bool[] a:f32[2]
      out c b
      row = Gather(x, i) axis=0
      b = Loop(n, t, a) body={
        in j:i64[] e:bool[] p:f32[2]
        out e q
        r = Mul(row, w)
        q = Add(p, r)
      }
    })");
  EXPECT_EQ(run({i64({}, {3}), ramp({3, 2}), f32({2}, {1, 10})}), "f32(2,): 18 270");
  EXPECT_EQ(run({i64({}, {0}), ramp({3, 2}), f32({2}, {1, 10})}), "f32(2,): 0 0");
  std::string error = run({i64({}, {4}), ramp({3, 2}), f32({2}, {1, 10})});
  EXPECT_NE(error.find("index 3 is out of range [-3, 3)"), error.npos) << error;
  EXPECT_NE(error.find("Gather_row"), error.npos) << error;
}

TEST_F(Loop, SwapsAndFixedValues) {
  model(R"(
    in n:i64[] x:f32[A] y:f32[B]
    out p q k s
    t = Constant() value=bool[]{1}
    p, q, k, s = Loop(n, t, x, y, x) body={
      in i:i64[] c:bool[] a:f32 b:f32 keep:f32
      out c b a y s
      s = ReduceSum(a) keepdims=0
    })");
  EXPECT_EQ(run({i64({}, {3}), ramp({1}, 5), ramp({2})}), "f32(2,): 0 1; f32(1,): 5; f32(2,): 0 1; f32(3,): 5 1 5");
  EXPECT_EQ(run({i64({}, {0}), ramp({1}, 5), ramp({2})}), "f32(1,): 5; f32(2,): 0 1; f32(1,): 5; f32(0,):")
      << "the results are the inputs";
}

TEST_F(Loop, ShrinkingAndExtentsReadInside) {
  model(R"(
    in x:f32[N]
    out y lengths
    big = Constant() value=i64[]{100}
    t = Constant() value=bool[]{1}
    one = Constant() value=i64[1]{1}
    last = Constant() value=i64[1]{100000}
    two = Constant() value=i64[]{2}
    y, lengths = Loop(big, t, x) body={
      in i:i64[] c:bool[] a:f32[M]
      out d b l
      b = Slice(a, one, last)
      l = Size(b)
      d = Greater(l, two)
    })");
  EXPECT_EQ(run({ramp({5})}), "f32(2,): 3 4; i64(3,): 4 3 2");
  EXPECT_EQ(run({ramp({1})}), "f32(0,):; i64(1,): 0");
  EXPECT_EQ(run({ramp({17})}).substr(0, 14), "f32(2,): 15 16");
}

TEST_F(Loop, ElementsOfOneShapeOnly) {
  model(R"(
    in n:i64[] x:f32[N]
    out y
    t = Constant() value=bool[]{1}
    z = Constant() value=i64[1]{0}
    one = Constant() value=i64[1]{1}
    y = Loop(n, t) body={
      in i:i64[] c:bool[]
      out c s
      e = Unsqueeze(i, z)
      k = Add(e, one)
      s = Slice(x, z, k)
    })");
  EXPECT_EQ(run({i64({}, {1}), ramp({3})}), "f32(1, 1): 0");
  std::string error = run({i64({}, {2}), ramp({3})});
  EXPECT_NE(error.find("trip 1 gives a scan output of shape (2,), the first one gave (1,)"), error.npos) << error;
  EXPECT_EQ(run({i64({}, {5}), ramp({0})}), "f32(5, 0):");
}

TEST_F(Loop, InABranch) {
  model(R"(
    in c:bool[] n:i64[] x:f32[N]
    out y
    t = Constant() value=bool[]{1}
    y = If(c) then_branch={
      out g
      g = Loop(n, t, x) body={
        in i:i64[] e:bool[] a:f32
        out e b
        b = Concat(a, a) axis=0
      }
    } else_branch={
      out h
      h = Neg(x)
    })");
  EXPECT_EQ(run({flag(true), i64({}, {2}), ramp({1}, 3)}), "f32(4,): 3 3 3 3");
  EXPECT_EQ(run({flag(false), i64({}, {2}), ramp({2}, 3)}), "f32(2,): -3 -4");
}

TEST_F(Loop, BranchesInsideChangeExtents) {
  model(R"(
    in n:i64[] x:f32[N]
    out y
    t = Constant() value=bool[]{1}
    two = Constant() value=i64[]{2}
    zero = Constant() value=i64[]{0}
    y = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32
      out c b
      r = Mod(i, two)
      even = Equal(r, zero)
      b = If(even) then_branch={
        out g
        g = Concat(a, x) axis=0
      } else_branch={
        out h
        h = Add(a, a)
      }
    })");
  EXPECT_EQ(run({i64({}, {1}), ramp({2})}), "f32(4,): 0 1 0 1");
  EXPECT_EQ(run({i64({}, {3}), ramp({2})}), "f32(6,): 0 2 0 2 0 1");
}

TEST_F(Loop, ScanAlongAnyAxisBothWays) {
  const char *text = R"(
    in s:f32[2] x:f32[2,T,3] w:f32[T]
    out last all rows
    last, all, rows = Scan(s, x, w) num_scan_inputs=2 scan_input_axes=[1, 0] scan_input_directions=[D, 0] scan_output_axes=[1, -1] scan_output_directions=[0, 1] body={
      in a:f32[2] e:f32[2,3] v:f32[]
      out b b2 r
      r = ReduceSum(e, last_axis) keepdims=0
      p = Mul(r, v)
      b = Add(a, p)
      b2 = Identity(b)
    }
    last_axis = Constant() value=i64[1]{1})";
  auto with = [&](const char *direction) {
    std::string changed = text;
    return changed.replace(changed.find("[D, 0]"), 6, std::string("[") + direction + ", 0]");
  };
  model(with("0"));
  // x[:, t, :] sums: t=0: 3, 21; t=1: 12, 30.
  EXPECT_EQ(run({f32({2}, {1, 2}), ramp({2, 2, 3}), f32({2}, {1, 10})}),
            "f32(2,): 124 323; f32(2, 2): 4 124 23 323; f32(2, 2): 12 3 30 21");
  EXPECT_EQ(run({f32({2}, {1, 2}), ramp({2, 0, 3}), f32({0}, {})}), "f32(2,): 1 2; f32(2, 0):; f32(2, 0):");
  model(with("1"));
  EXPECT_EQ(run({f32({2}, {1, 2}), ramp({2, 2, 3}), f32({2}, {1, 10})}),
            "f32(2,): 43 242; f32(2, 2): 13 43 32 242; f32(2, 2): 3 12 21 30");
  std::string none = with("1"); // an axis that the file says has nothing
  model(none.replace(none.find("x:f32[2,T,3] w:f32[T]"), 21, "x:f32[2,0,3] w:f32[0]"));
  EXPECT_EQ(run({f32({2}, {1, 2}), ramp({2, 0, 3}), f32({0}, {})}), "f32(2,): 1 2; f32(2, 0):; f32(2, 0):");
}

TEST_F(Loop, ScanInputsOfDifferentLengthsAreAnError) {
  model(R"(
    in x:f32[T] y:f32[U]
    out z
    z = Scan(x, y) num_scan_inputs=2 body={
      in a:f32[] b:f32[]
      out c
      c = Add(a, b)
    })");
  EXPECT_EQ(run({ramp({3}), ramp({3})}), "f32(3,): 0 2 4");
  const std::string error = run({ramp({3}), ramp({2})}); // in the words of the rule that demands it
  EXPECT_NE(error.find("shape (2) has 2 elements but (3) has 3"), error.npos) << error;
}

TEST_F(Loop, ManyTripsTakeNoMoreMemory) {
  model(R"(
    in n:i64[] x:f32[N]
    out y k
    t = Constant() value=bool[]{1}
    one = Constant() value=f32[]{1}
    y, k = Loop(n, t, x, x) body={
      in i:i64[] c:bool[] a:f32[N] b:f32[N]
      out c p q
      p = Add(b, one)
      q = Add(a, p)
    })");
  std::vector<RunValue> few{i64({}, {3}), ramp({1000})}, many{i64({}, {300}), ramp({1000})};
  Executable &executable = *ways[0].executable;
  ASSERT_TRUE(executable.runValues(few));
  resetPeakMemory();
  ASSERT_TRUE(executable.runValues(few));
  const size_t short_ = peakMemory();
  resetPeakMemory();
  ASSERT_TRUE(executable.runValues(many));
  EXPECT_LE(peakMemory(), short_ + 16384) << "two blocks for each carried value, however many trips";
}

TEST_F(Loop, ResultsAreTheCallersOwn) {
  model(R"(
    in n:i64[] x:f32[N]
    out y z
    t = Constant() value=bool[]{1}
    y, z = Loop(n, t, x, x) body={
      in i:i64[] c:bool[] a:f32[N] b:f32[N]
      out c s s2
      s = Add(a, b)
      s2 = Identity(s)
    })");
  for (int64_t trips : {0, 1, 4}) {
    std::vector<RunValue> inputs{i64({}, {trips}), ramp({5})};
    for (Way &way : ways) {
      auto first = way.executable->runValues(inputs);
      ASSERT_TRUE(first);
      DenseTensor y = (*first)[0].tensor, z = (*first)[1].tensor;
      EXPECT_NE(y.data(), inputs[1].tensor.data());
      EXPECT_NE(y.data(), z.data());
      const float before = z.as<float>()[4];
      y.as<float>()[4] = -1;
      EXPECT_EQ(inputs[1].tensor.as<float>()[4], 4);
      EXPECT_EQ(z.as<float>()[4], before);
      ASSERT_TRUE(way.executable->runValues(inputs));
      EXPECT_EQ(y.as<float>()[4], -1) << "a later run leaves the results of an earlier one alone";
    }
  }
}

TEST_F(Loop, TypesThatCannotBeCarried) {
  std::string error = compileError(R"(
    in n:i64[] x:f32[N]
    out y
    t = Constant() value=bool[]{1}
    z = Constant() value=i64[1]{0}
    y = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32
      out c b
      b = Unsqueeze(a, z)
    })");
  EXPECT_NE(error.find("the body takes 'a' as f32(N) and gives f32(1, N): element type and rank"), error.npos) << error;
  error = compileError(R"(
    in x:f32[N]
    out y
    y = Loop(_, _, x) body={
      in i:i64[] c:bool[] a:f32
      out c a
    })");
  EXPECT_NE(error.find("it would never end"), error.npos) << error;
}

TEST_F(Loop, ExtentsOfAnUnreadBranch) {
  // Only the shape of what the branch gives is read: the branch runs, and before its shape is used.
  model(R"(
    in c:bool[] x:f32[N]
    out s e
    y = If(c) then_branch={
      out g
      g = Concat(x, x) axis=0
    } else_branch={
      out h
      h = Neg(x)
    }
    s = Shape(y)
    n = Size(y)
    r = ReduceSum(x) keepdims=1
    e = Expand(r, s))");
  EXPECT_EQ(run({flag(true), ramp({2})}), "i64(1,): 4; f32(4,): 1 1 1 1");
  EXPECT_EQ(run({flag(false), ramp({2})}), "i64(1,): 2; f32(2,): 1 1");
}

TEST_F(Loop, WhatHoldsInABranchHoldsOnlyThere) {
  model(R"(
    in c:bool[] x:f32[N] y:f32[M]
    out z w
    z = If(c) then_branch={
      out g
      g0 = Add(x, y)
      g = ReduceSum(g0) keepdims=0
    } else_branch={
      out h
      h = ReduceSum(x) keepdims=0
    }
    w = Concat(x, y) axis=0)");
  EXPECT_EQ(run({flag(false), ramp({2}), ramp({3})}), "f32(): 1; f32(5,): 0 1 0 1 2");
  EXPECT_EQ(run({flag(true), ramp({2}), ramp({2})}), "f32(): 2; f32(4,): 0 1 0 1");
  EXPECT_NE(run({flag(true), ramp({2}), ramp({3})}).find("do not broadcast"), std::string::npos);
}
