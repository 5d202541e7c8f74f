// SPDX-License-Identifier: Apache-2.0
// Branches whose results have different ranks: what follows is built in both, or the only branch that fits is kept.
#include "control.h"

using namespace pliant;
using namespace pliant::test;

using Branch = Control;

/// r = x with one more axis, or `otherwise` of x, by c.
static std::string deeperOr(const std::string &otherwise) {
  return R"(
    z = Constant() value=i64[1]{0}
    r = If(c) then_branch={
      out g
      g = Unsqueeze(x, z)
    } else_branch={
      out h
      h = )" +
         otherwise + R"((x)
    }
)";
}

TEST_F(Branch, OneThatFitsNothingIsNotTaken) {
  // A squeeze as exporters write it: where the extent is not 1, what follows has no type.
  model(R"(
    in x:f32[B,2,T] w:f32[2,3]
    out y
    last = Constant() value=i64[1]{-1}
    two = Constant() value=i64[]{2}
    one = Constant() value=i64[]{1}
    s = Shape(x)
    t = Gather(s, two)
    e = Equal(t, one)
    q = If(e) then_branch={
      out g
      g = Squeeze(x, last)
    } else_branch={
      out h
      h = Identity(x)
    }
    z = Concat(q, q) axis=1
    y = Gemm(q, w, w) beta=0.0f
  )");
  EXPECT_EQ(run({ramp({2, 2, 1}), ramp({2, 3})}), "f32(2, 3): 3 4 5 9 14 19");
  EXPECT_EQ(run({ramp({0, 2, 1}), ramp({2, 3})}), "f32(0, 3):");
  const std::string error = run({ramp({1, 2, 2}), ramp({2, 3})});
  EXPECT_EQ(error.find("[if] the condition chooses the else branch, of which no program could be made"), 0u) << error;
  EXPECT_NE(error.find("Gemm"), error.npos) << error;
}

TEST_F(Branch, OneThatHasNoTypeItselfIsNotTaken) {
  model(R"(
    in c:bool[] x:f32[2,3]
    out y
    y = If(c) then_branch={
      out g
      g = MatMul(x, x)
    } else_branch={
      out h
      h = Neg(x)
    })");
  EXPECT_EQ(run({flag(false), ramp({2, 3})}), "f32(2, 3): -0 -1 -2 -3 -4 -5");
  const std::string error = run({flag(true), ramp({2, 3})});
  EXPECT_EQ(error.find("[if] the condition chooses the then branch"), 0u) << error;
  EXPECT_NE(error.find("(2, 3)"), error.npos) << error;
}

TEST_F(Branch, WhatFollowsIsBuiltInBoth) {
  model(R"(
    in c:bool[] x:f32[A,B]
    out y n
)" + deeperOr("Neg") +
        R"(
    s = Shape(r)
    n = Size(s)
    k = Constant() value=f32[]{2}
    m = Mul(r, k)
    f = Flatten(m) axis=0
    y = Add(f, k)
  )");
  EXPECT_EQ(run({flag(true), ramp({2, 2})}), "f32(1, 4): 2 4 6 8; i64(): 3");
  EXPECT_EQ(run({flag(false), ramp({2, 2})}), "f32(1, 4): 2 0 -2 -4; i64(): 2");
  EXPECT_EQ(run({flag(true), ramp({0, 2})}), "f32(1, 0):; i64(): 3");
}

TEST_F(Branch, ExtentsOfJoinedValuesMayDiffer) {
  model(R"(
    in c:bool[] x:f32[A,B]
    out y
    r = If(c) then_branch={
      out g
      z = Constant() value=i64[1]{0}
      g = Unsqueeze(x, z)
    } else_branch={
      out h
      h = Concat(x, x) axis=1
    }
    minus = Constant() value=i64[1]{-1}
    f = Reshape(r, minus)
    y = Abs(f)
  )");
  EXPECT_EQ(run({flag(true), ramp({1, 3}, -1)}), "f32(3,): 1 0 1");
  EXPECT_EQ(run({flag(false), ramp({1, 3}, -1)}), "f32(6,): 1 0 1 1 0 1");
}

TEST_F(Branch, LoopsReadValuesOfEitherRank) {
  model(R"(
    in c:bool[] n:i64[] x:f32[A]
    out y
    t = Constant() value=bool[]{1}
    o = Constant() value=f32[]{0}
    r = If(c) then_branch={
      out g
      z = Constant() value=i64[1]{0}
      g = Unsqueeze(x, z)
    } else_branch={
      out h
      h = Neg(x)
    }
    y = Loop(n, t, o) body={
      in i:i64[] k:bool[] a:f32[]
      out d b
      d = Identity(k)
      s = ReduceSum(r) keepdims=0
      b = Add(a, s)
    })");
  EXPECT_EQ(run({flag(true), i64({}, {3}), ramp({3})}), "f32(): 9");
  EXPECT_EQ(run({flag(false), i64({}, {2}), ramp({3})}), "f32(): -6");
  EXPECT_EQ(run({flag(false), i64({}, {0}), ramp({3})}), "f32(): 0");
}

TEST_F(Branch, TwoChoicesThatMeet) {
  model(R"(
    in c:bool[] d:bool[] x:f32[A]
    out y rank
    r = If(c) then_branch={
      out g
      z = Constant() value=i64[1]{0}
      g = Unsqueeze(x, z)
    } else_branch={
      out h
      h = Neg(x)
    }
    q = If(d) then_branch={
      out g
      z = Constant() value=i64[2]{0, 1}
      g = Unsqueeze(x, z)
    } else_branch={
      out h
      h = Abs(x)
    }
    a = Add(r, q)
    v = Shape(a)
    rank = Size(v)
    y = ReduceMax(a) keepdims=0
  )");
  EXPECT_EQ(run({flag(true), flag(true), ramp({3})}), "f32(): 4; i64(): 3");
  EXPECT_EQ(run({flag(true), flag(false), ramp({3})}), "f32(): 4; i64(): 2");
  EXPECT_EQ(run({flag(false), flag(true), ramp({3})}), "f32(): 0; i64(): 3");
  EXPECT_EQ(run({flag(false), flag(false), ramp({3})}), "f32(): 0; i64(): 1");
}

TEST_F(Branch, AChoiceInAChoiceInsideOfABranch) {
  // The inner one is decided by the rank that the outer one gives.
  model(R"(
    in c:bool[] e:bool[] x:f32[A,1]
    out y
    y = If(e) then_branch={
      out o
      last = Constant() value=i64[1]{-1}
      r = If(c) then_branch={
        out g
        g = Squeeze(x, last)
      } else_branch={
        out h
        h = Neg(x)
      }
      two = Constant() value=i64[]{2}
      s = Shape(r)
      n = Size(s)
      deep = Equal(n, two)
      f = If(deep) then_branch={
        out g2
        g2 = Squeeze(r, last)
      } else_branch={
        out h2
        h2 = Identity(r)
      }
      o = Add(f, f)
    } else_branch={
      out p
      flat = Constant() value=i64[1]{-1}
      p = Reshape(x, flat)
    })");
  EXPECT_EQ(run({flag(true), flag(true), ramp({3, 1})}), "f32(3,): 0 2 4");
  EXPECT_EQ(run({flag(false), flag(true), ramp({3, 1})}), "f32(3,): -0 -2 -4");
  EXPECT_EQ(run({flag(false), flag(false), ramp({3, 1})}), "f32(3,): 0 1 2");
}

TEST_F(Branch, AnOutputHasTheRankThatTheRunGives) {
  model(R"(
    in c:bool[] x:f32[N]
    out y rank r
)" + deeperOr("Identity") +
        R"(
    y = Neg(r)
    s = Shape(r)
    rank = Size(s)
  )");
  EXPECT_EQ(run({flag(true), ramp({2}, 1)}), "f32(1, 2): -1 -2; i64(): 2; f32(1, 2): 1 2");
  EXPECT_EQ(run({flag(false), ramp({3}, 1)}), "f32(3,): -1 -2 -3; i64(): 1; f32(3,): 1 2 3");
  EXPECT_EQ(run({flag(true), ramp({0})}), "f32(1, 0):; i64(): 2; f32(1, 0):");
  // A tensor for callers that know of tensors only, and their own: not the input's memory.
  const RunValue x = ramp({2}, 1);
  auto outputs = ways.at(0).executable->run(std::vector<DenseTensor>{flag(false).tensor, x.tensor});
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->at(0).dims(), (std::vector<int64_t>{2}));
  EXPECT_EQ(outputs->at(2).dims(), (std::vector<int64_t>{2}));
  EXPECT_NE(outputs->at(2).data(), x.tensor.data());
  EXPECT_EQ(ways.at(0).executable->program().outputs.at(0).list->str(), "f32 of any rank");
}

TEST_F(Branch, AnOutputOfTextsOfEitherRank) {
  model(R"(
    in c:bool[] x:f32[N]
    out y
    z = Constant() value=i64[1]{0}
    t = Cast(x) to=8
    y = If(c) then_branch={
      out g
      g = Unsqueeze(t, z)
    } else_branch={
      out h
      h = Identity(t)
    })");
  for (bool deep : {true, false}) {
    auto outputs = ways.at(0).executable->runValues(std::vector<RunValue>{flag(deep), ramp({2}, 1)});
    ASSERT_TRUE(outputs) << outputs.error().text();
    EXPECT_EQ(outputs->at(0).tensor.dims(), deep ? (std::vector<int64_t>{1, 2}) : (std::vector<int64_t>{2}));
    EXPECT_EQ(outputs->at(0).tensor.text(1), "2");
  }
}

/// Ranks 2, 1 and 3 from a choice in a choice; the rank, a sum and the values themselves are read behind both.
static const char *const nested = R"(
    r = If(e) then_branch={
      out o
      z = Constant() value=i64[1]{0}
      i = If(c) then_branch={
        out g
        g = Unsqueeze(x, z)
      } else_branch={
        out h
        h = Neg(x)
      }
      o = Abs(i)
    } else_branch={
      out p
      zz = Constant() value=i64[2]{0, 1}
      p = Unsqueeze(x, zz)
    }
    s = Shape(r)
    rank = Size(s)
    last = Constant() value=i64[1]{-1}
    flat = Reshape(r, last)
)";

TEST_F(Branch, AChoiceInAChoiceReadBehindBoth) {
  model("in c:bool[] e:bool[] x:f32[N]\nout rank flat" + std::string(nested));
  for (bool inner : {true, false}) {
    EXPECT_EQ(run({flag(inner), flag(true), ramp({3}, -1)}),
              "i64(): " + std::string(inner ? "2" : "1") + "; f32(3,): 1 0 1");
    EXPECT_EQ(run({flag(inner), flag(false), ramp({3}, -1)}), "i64(): 3; f32(3,): -1 0 1");
  }
  EXPECT_EQ(run({flag(true), flag(true), ramp({0})}), "i64(): 2; f32(0,):");
}

TEST_F(Branch, AChoiceInAChoiceAsAnOutput) {
  model("in c:bool[] e:bool[] x:f32[N]\nout r rank flat" + std::string(nested));
  EXPECT_EQ(run({flag(true), flag(true), ramp({2}, -1)}), "f32(1, 2): 1 0; i64(): 2; f32(2,): 1 0");
  EXPECT_EQ(run({flag(false), flag(true), ramp({2}, -1)}), "f32(2,): 1 0; i64(): 1; f32(2,): 1 0");
  EXPECT_EQ(run({flag(true), flag(false), ramp({2}, -1)}), "f32(1, 1, 2): -1 0; i64(): 3; f32(2,): -1 0");
  EXPECT_EQ(run({flag(false), flag(false), ramp({0})}), "f32(1, 1, 0):; i64(): 3; f32(0,):");
}

TEST_F(Branch, AChoiceThreeBranchesDeep) {
  // What follows at each level is built for each rank; what does not depend on it only once.
  model(R"(
    in a:bool[] b:bool[] c:bool[] x:f32[N]
    out y apart
    z = Constant() value=i64[1]{0}
    r = If(a) then_branch={
      out u
      t = If(b) then_branch={
        out v
        w = If(c) then_branch={
          out g
          g = Unsqueeze(x, z)
        } else_branch={
          out h
          h = Identity(x)
        }
        v = Neg(w)
      } else_branch={
        out k
        k = Abs(x)
      }
      n = Shape(t)
      m = Size(n)
      f = Cast(m) to=1
      u = Add(t, f)
    } else_branch={
      out l
      l = ReduceSum(x) keepdims=0
    }
    apart = Exp(x)
    y = ReduceSum(r) keepdims=0
  )");
  const RunValue x = ramp({3});
  const std::string apart = "; f32(3,): 1 2.71828 7.38906";
  EXPECT_EQ(run({flag(true), flag(true), flag(true), x}), "f32(): 3" + apart);  // -0 + 2, -1 + 2, -2 + 2
  EXPECT_EQ(run({flag(true), flag(true), flag(false), x}), "f32(): 0" + apart); // -0 + 1, -1 + 1, -2 + 1
  EXPECT_EQ(run({flag(true), flag(false), flag(true), x}), "f32(): 6" + apart); // 0 + 1, 1 + 1, 2 + 1
  EXPECT_EQ(run({flag(false), flag(true), flag(true), x}), "f32(): 3" + apart);
}

TEST_F(Branch, AChoiceInABranchThatShapesDecide) {
  model(R"(
    in c:bool[] x:f32[N]
    out y rank
    yes = Constant() value=bool[]{1}
    r = If(yes) then_branch={
      out g
      z = Constant() value=i64[1]{0}
      g = If(c) then_branch={
        out g2
        g2 = Unsqueeze(x, z)
      } else_branch={
        out h2
        h2 = Neg(x)
      }
    } else_branch={
      out h
      h = Identity(x)
    }
    s = Shape(r)
    rank = Size(s)
    y = ReduceMax(r) keepdims=0
  )");
  EXPECT_EQ(run({flag(true), ramp({3})}), "f32(): 2; i64(): 2");
  EXPECT_EQ(run({flag(false), ramp({3}, -1)}), "f32(): 1; i64(): 1");
}

TEST_F(Branch, WhatFollowsAChoiceInAChoiceMayHaveNoType) {
  // A row is multiplied by the matrix; the vector of rank 3 with it has no type, nor has the sum of nothing's axis 1.
  model(R"(
    in c:bool[] e:bool[] x:f32[N,2] w:f32[2,3]
    out y
    r = If(e) then_branch={
      out o
      o = If(c) then_branch={
        out g
        g = Identity(x)
      } else_branch={
        out h
        h = ReduceSum(x) keepdims=0
      }
    } else_branch={
      out p
      p = Neg(x)
    }
    y = Gemm(r, w)
  )");
  EXPECT_EQ(run({flag(true), flag(true), ramp({1, 2}), ramp({2, 3})}), "f32(1, 3): 3 4 5");
  EXPECT_EQ(run({flag(true), flag(false), ramp({1, 2}), ramp({2, 3})}), "f32(1, 3): -3 -4 -5");
  EXPECT_EQ(run({flag(false), flag(false), ramp({1, 2}), ramp({2, 3})}), "f32(1, 3): -3 -4 -5");
  const std::string error = run({flag(false), flag(true), ramp({1, 2}), ramp({2, 3})});
  EXPECT_NE(error.find("the condition chooses the else branch, of which no program could be made"), error.npos)
      << error;
  EXPECT_NE(error.find("Gemm"), error.npos) << error;
}

TEST_F(Branch, RanksThatNothingJoinsAreRefused) {
  std::string error = compileError(R"(
    in c:bool[] n:i64[] x:f32[N]
    out y
    t = Constant() value=bool[]{1}
    z = Constant() value=i64[1]{0}
    y = Loop(n, t, x) body={
      in i:i64[] k:bool[] a:f32[N]
      out d b
      d = Identity(k)
      b = If(c) then_branch={
        out g
        g = Unsqueeze(a, z)
      } else_branch={
        out h
        h = Neg(a)
      }
    })");
  EXPECT_NE(error.find("output 'b' of the graph is f32(1, N) or f32(N), by the condition: a rank is static"),
            error.npos)
      << error;
  EXPECT_NE(error.find("hint: give both branches one rank"), error.npos) << error;
  // By the rank, another element type.
  error = compileError(R"(
    in c:bool[] x:f32[N]
    out y
    two = Constant() value=i64[]{2}
)" + deeperOr("Neg") + R"(
    s = Shape(r)
    n = Size(s)
    deep = Equal(n, two)
    y = If(deep) then_branch={
      out g2
      g2 = Identity(r)
    } else_branch={
      out h2
      h2 = Cast(r) to=7
    })");
  EXPECT_NE(error.find("output 'y' of the graph is f32(1, N) or i64(N), by the condition: element types must agree"),
            error.npos)
      << error;
  error = compileError(R"(
    in c:bool[] x:f32[N]
    out y
    y = If(c) then_branch={
      out g
      g = Neg(x)
    } else_branch={
      out h
      h = Cast(x) to=7
    })");
  EXPECT_NE(error.find("the branches give f32(N) and i64(N): element types must agree"), error.npos) << error;
  error = compileError(R"(
    in c:bool[] x:f32[2,3]
    out y
    y = If(c) then_branch={
      out g
      g = MatMul(x, x)
    } else_branch={
      out h
      h = Concat(x, x) axis=7
    })");
  EXPECT_NE(error.find("(2, 3)"), error.npos) << error;
  EXPECT_NE(error.find("MatMul"), error.npos) << "the first of two that have no type: " << error;
}

TEST_F(Branch, AMatrixOrItsSum) {
  const std::string head = "in c:bool[] x:f32[A,B]\n", choice = R"(
    r = If(c) then_branch={
      out g
      g = Neg(x)
    } else_branch={
      out h
      h = ReduceSum(x) keepdims=0
    }
)";
  model(head + "out r" + choice);
  EXPECT_EQ(run({flag(true), ramp({1, 2}, 1)}), "f32(1, 2): -1 -2");
  EXPECT_EQ(run({flag(false), ramp({2, 2}, 1)}), "f32(): 10");
  EXPECT_EQ(run({flag(false), ramp({0, 2})}), "f32(): 0");
  model(head + "out flat shape most" + choice + R"(
    minus = Constant() value=i64[1]{-1}
    flat = Reshape(r, minus)
    shape = Shape(r)
    most = ReduceMax(r) keepdims=0
  )");
  EXPECT_EQ(run({flag(true), ramp({2, 2}, 1)}), "f32(4,): -1 -2 -3 -4; i64(2,): 2 2; f32(): -1");
  EXPECT_EQ(run({flag(false), ramp({2, 2}, 1)}), "f32(1,): 10; i64(0,):; f32(): 10");
  EXPECT_EQ(run({flag(false), ramp({0, 2})}), "f32(1,): 0; i64(0,):; f32(): 0");
}

/// A chain of choices, each on the last one's value.
static std::string chain(int length) {
  std::string text = "in c:bool[] x:f32[N]\nout y\nz = Constant() value=i64[1]{0}\n", last = "x";
  for (int i = 0; i < length; ++i) {
    const std::string k = std::to_string(i);
    text += "r" + k + " = If(c) then_branch={\nout g" + k + "\ng" + k + " = Unsqueeze(" + last +
            ", z)\n} else_branch={\nout h" + k + "\nh" + k + " = Neg(" + last + ")\n}\n";
    last = "r" + k;
  }
  return text + "y = ReduceSum(" + last + ") keepdims=0\n";
}

TEST_F(Branch, ChoicesOfAChoiceAreBounded) {
  model(chain(3));
  EXPECT_EQ(run({flag(true), ramp({4})}), "f32(): 6");
  EXPECT_EQ(run({flag(false), ramp({4})}), "f32(): -6");
  const std::string error = compileError(chain(200));
  EXPECT_NE(error.find("more than 8 choices of a rank depend on each other"), error.npos) << error;
}

TEST_F(Branch, CountedFromOnesIsNoDataDependentExtent) {
  // How exporters without a Range write one.
  model(R"(
    in x:f32[A,B]
    out places product none
    s = Shape(x)
    n = ReduceProd(s) keepdims=1
    ones = ConstantOfShape(n) value=i64[1]{1}
    f = NonZero(ones)
    t = Transpose(f) perm=[1, 0]
    last = Constant() value=i64[1]{1}
    places = Squeeze(t, last)
    table = ConstantOfShape(s) value=f32[1]{2}
    product = NonZero(table)
    zeros = ConstantOfShape(n)
    none = NonZero(zeros)
  )");
  std::string types;
  for (const Argument &output : ways.at(0).executable->program().outputs)
    types += output.type.str() + " ";
  EXPECT_EQ(types, "i64(A*B) i64(2, A*B) i64(1, 0) ");
  EXPECT_EQ(run({ramp({2, 2})}), "i64(4,): 0 1 2 3; i64(2, 4): 0 0 1 1 0 1 0 1; i64(1, 0):");
  EXPECT_EQ(run({ramp({0, 2})}), "i64(0,):; i64(2, 0):; i64(1, 0):");
}
