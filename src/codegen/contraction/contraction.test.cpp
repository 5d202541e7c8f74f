// SPDX-License-Identifier: Apache-2.0
// GEMM kernels against a loop in double precision, over tiles, layouts, extents around every boundary and sub-ranges.
#include "codegen/contraction/emitter.h"
#include "codegen/contraction/testing.h"
#include "runtime/pack.h"
#include <map>

namespace pliant::codegen {
namespace {

struct Shape {
  int64_t batch, m, n, k;
  int64_t padA = 0, padB = 0, padC = 0; // added to the row strides
  bool sharedB = false;
};

struct Variant {
  std::string name;
  DType dtype = DType::F32;
  int64_t bits = 512;
  bool fma = true, narrow = false, transposedA = false, looped = true;
  BKind b = BKind::Packed;
  std::string cpu, features; // empty: the host's

  GemmSpec spec() const {
    GemmSpec s;
    s.dtype = dtype;
    s.target.vectorBits = bits;
    s.target.fma = fma;
    s.tile = chooseTile(dtype, s.target, narrow ? 16 * bits / 512 / (dtype == DType::F64 ? 2 : 1) : -1);
    s.b = b;
    s.transposedA = transposedA;
    s.loopedEpilogue = looped;
    return s;
  }
};

// relu(acc + bias[col]) + 0.5 * row + batch, which uses every field of the site.
mlir::Value testEpilogue(Emitter &e, mlir::Value bias, const EpilogueSite &site) {
  namespace arith = mlir::arith;
  auto number = [&](Value index) {
    Value i = e.b.create<arith::IndexCastOp>(e.loc, e.b.getI64Type(), index);
    return e.splat(e.b.create<arith::SIToFPOp>(e.loc, e.element, i));
  };
  Value at = e.at(bias, site.col);
  Value x = e.b.create<arith::AddFOp>(e.loc, site.acc, site.mask ? e.loadMasked(at, site.mask) : e.loadVector(at));
  Value positive = e.b.create<arith::CmpFOp>(e.loc, arith::CmpFPredicate::OGT, x, e.zeroVector());
  x = e.b.create<arith::SelectOp>(e.loc, positive, x, e.zeroVector());
  Value half = e.splat(e.b.create<arith::ConstantOp>(e.loc, e.b.getFloatAttr(e.element, 0.5)));
  x = e.b.create<arith::AddFOp>(e.loc, x, e.b.create<arith::MulFOp>(e.loc, half, number(site.row)));
  return e.b.create<arith::AddFOp>(e.loc, x, number(site.batch));
}

CompiledKernel compileGemm(const GemmSpec &spec, const CompileOptions &options) {
  return compileKernel(
      5, 10,
      [&](mlir::OpBuilder &b, mlir::Location loc, const KernelArguments &args) {
        GemmOperands o = gemmOperands(args);
        o.scratch = args.buffers[4];
        Emitter e(b, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
        return emitGemm(b, loc, spec, o, [&](mlir::OpBuilder &, mlir::Location, const EpilogueSite &site) {
          return testEpilogue(e, args.buffers[3], site);
        });
      },
      options);
}

template <class T> void check(const Variant &v, KernelFunction kernel, const Shape &s, int pieces) {
  const GemmSpec spec = v.spec();
  const int64_t nr = spec.tile.columns();
  const bool packed = v.b == BKind::Packed;
  const int64_t lda = (v.transposedA ? s.m : s.k) + s.padA, ldb = (v.b == BKind::Transposed ? s.k : s.n) + s.padB;
  const int64_t ldc = s.n + s.padC;
  const int64_t sizeA = (v.transposedA ? s.k : s.m) * lda, sizeB = (v.b == BKind::Transposed ? s.n : s.k) * ldb;
  const int64_t batchB = packed || s.sharedB ? 1 : s.batch;
  // The last row ends with its last element, so that a read beyond it would leave the array.
  Guarded<T> a(std::max<int64_t>(0, s.batch * sizeA - s.padA)), b(std::max<int64_t>(0, batchB * sizeB - s.padB));
  Guarded<T> bias(s.n), c(s.batch * s.m * ldc);
  a.fillRandom(1), b.fillRandom(2), bias.fillRandom(3);
  Guarded<T> panels(packed ? packedElements(s.k, s.n, nr) : 0);
  if (packed) {
    packWeights(spec.dtype, b.data(), s.k, s.n, ldb, 1, nr, panels.data());
  }
  GuardedScratch scratch(gemmScratchBytes<int64_t>(spec.tile, spec.dtype, spec.target, !packed, s.k));
  const void *buffers[] = {a.data(), packed ? panels.data() : b.data(), c.data(), bias.data(), scratch.base};
  const int64_t symbols[] = {s.batch, s.m, s.n, s.k, lda, ldb, ldc, sizeA, batchB == 1 ? 0 : sizeB, s.m * ldc};
  const int64_t units = gemmUnits<int64_t>(spec.tile, s.batch, s.m, s.n);
  for (int i = 0; i < pieces; ++i)
    kernel(buffers, symbols, units * i / pieces, units * (i + 1) / pieces, nullptr);

  double largest = 0;
  int64_t wrong = -1;
  auto at = [&](int64_t z, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < s.k; ++k)
      sum += double(a[z * sizeA + (v.transposedA ? k * lda + i : i * lda + k)]) *
             double(b[(batchB == 1 ? 0 : z) * sizeB + (v.b == BKind::Transposed ? j * ldb + k : k * ldb + j)]);
    return std::max(0.0, sum + double(bias[j])) + 0.5 * double(i) + double(z);
  };
  const double tolerance = sizeof(T) == 8 ? 1e-13 : 3e-6;
  for (int64_t z = 0; z < s.batch; ++z)
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < ldc; ++j) {
        const double got = c[(z * s.m + i) * ldc + j];
        if (j >= s.n) {
          if (!std::isnan(got))
            wrong = (z * s.m + i) * ldc + j; // padding must stay untouched
          continue;
        }
        const double want = at(z, i, j);
        largest = std::max(largest, std::abs(want));
        if (!(std::abs(got - want) <= tolerance * (10 + std::sqrt(double(s.k)) + std::abs(want))))
          wrong = (z * s.m + i) * ldc + j;
      }
  EXPECT_EQ(wrong, -1) << v.name << " batch " << s.batch << " m " << s.m << " n " << s.n << " k " << s.k << " pieces "
                       << pieces;
  EXPECT_TRUE(c.intact() && a.intact() && b.intact() && scratch.intact())
      << v.name << " m " << s.m << " n " << s.n << " k " << s.k;
}

class Gemm : public ::testing::TestWithParam<Variant> {};

TEST_P(Gemm, AgreesWithPlainLoops) {
  const Variant &v = GetParam();
  CompiledKernel kernel = compileGemm(v.spec(), {v.cpu, v.features, false});
  ASSERT_EQ(kernel.error, "");
  auto run = [&](const Shape &s, int pieces) {
    v.dtype == DType::F64 ? check<double>(v, kernel.function, s, pieces) : check<float>(v, kernel.function, s, pieces);
  };
  const int64_t extents[] = {0, 1, 2, 3, 7, 13, 14, 15, 16, 17, 29, 31, 32, 33, 63, 64, 65};
  const int64_t depths[] = {0, 1, 2, 3, 5, 16, 17, 33, 64};
  int turn = 0;
  for (int64_t m : extents)
    for (int64_t n : extents)
      for (int64_t k : depths)
        // All of them for the widest vectors, a sample for the others.
        if (++turn; v.bits == 512 && !v.narrow && v.dtype == DType::F32 ? true : turn % 4 == 0)
          run({1, m, n, k, turn % 3, turn % 2 * 5, turn / 3 % 4}, 1 + turn % 5 % 3);
  for (int pieces = 1; pieces <= 7; ++pieces)
    for (int64_t batch : {0, 1, 2, 3}) {
      run({batch, 17, 65, 9, 1, 2, 3}, pieces);
      run({batch, 65, 33, 19, 0, 0, 0, true}, pieces);
      run({batch, 1, 300, 12}, pieces);
      run({batch, 3, 260, 12}, pieces);
    }
  run({1, 130, 200, 256}, 1); // rows of A that share cache sets
  run({1, 130, 200, 512, 0, 0, 7}, 3);
  run({1, 130, 1024, 64}, 1); // rows of B on different pages
  run({1, 120, 2000, 30, 0, 48}, 2);
  run({1, 130, 128, 70}, 1); // in the same sets of the cache
  run({2, 131, 200, 65, 0, 56}, 3);
  run({1, 700, 70, 1500}, 1); // several row blocks
  run({2, 300, 40, 3000}, 3);
}

std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (const TargetDescription &m : machines()) {
    Variant v;
    v.bits = m.vectorBits, v.fma = m.fma, v.cpu = m.cpu;
    auto push = [&](const char *name) {
      v.name = "bits" + std::to_string(m.vectorBits) + "_" + name;
      result.push_back(v);
    };
    push("packed");
    v.b = BKind::RowMajor, push("rowMajor");
    v.transposedA = true, push("rowMajor_transposedA");
    v.transposedA = false, v.b = BKind::Transposed, push("transposed");
    v.b = BKind::Packed, v.looped = false, push("packed_inline");
    v.narrow = true, push("packed_narrow_inline");
    v.looped = true, v.b = BKind::RowMajor, push("rowMajor_narrow");
    v.narrow = false, v.dtype = DType::F64, v.b = BKind::Packed, push("f64_packed");
    v.b = BKind::Transposed, push("f64_transposed");
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Gemm, ::testing::ValuesIn(variants()),
                         [](const auto &info) { return info.param.name; });

TEST(Gemm, BitsDoNotDependOnOtherExtentsOrRanges) {
  const TargetDescription machine = machines().front();
  Variant v;
  v.bits = machine.vectorBits, v.fma = machine.fma;
  const GemmSpec spec = v.spec();
  CompiledKernel kernel = compileGemm(spec, {});
  ASSERT_EQ(kernel.error, "");
  const int64_t m = 61, n = 200, k = 333, nr = spec.tile.columns();
  Guarded<float> a(m * k), b(k * n), bias(n), whole(m * n), parts(m * n);
  a.fillRandom(1), b.fillRandom(2), bias.fillRandom(3);
  std::vector<float> panels(packedElements(k, n, nr));
  packWeights(DType::F32, b.data(), k, n, n, 1, nr, panels.data());
  GuardedScratch scratch(gemmScratchBytes<int64_t>(spec.tile, spec.dtype, spec.target, false, k));
  const void *buffers[] = {a.data(), panels.data(), whole.data(), bias.data(), scratch.base};
  int64_t symbols[] = {1, m, n, k, k, n, n, 0, 0, 0};
  kernel.function(buffers, symbols, 0, gemmUnits<int64_t>(spec.tile, 1, m, n), nullptr);
  // The same rows, some at a time; the epilogue adds half the row number, which starts at 0 again.
  for (int64_t rows : {1, 2, 3, 5, 9, 20}) {
    for (int64_t i = 0; i < m; i += rows) {
      symbols[1] = std::min(rows, m - i);
      const void *some[] = {a.data() + i * k, panels.data(), parts.data() + i * n, bias.data(), scratch.base};
      kernel.function(some, symbols, 0, gemmUnits<int64_t>(spec.tile, 1, symbols[1], n), nullptr);
      if (i == 0)
        for (int64_t j = 0; j < symbols[1] * n; ++j)
          ASSERT_EQ(parts[j], whole[j]) << "rows " << rows << " element " << j;
    }
  }
}

// Scores of attention: heads interleaved in [batch][sequence][head][size].
TEST(Gemm, InnerBatch) {
  GemmSpec spec;
  spec.target = contractionTarget(machines().front());
  spec.tile = chooseTile(DType::F32, spec.target);
  spec.b = BKind::Transposed;
  CompiledKernel kernel = compileKernel(4, 6, [&](mlir::OpBuilder &b, mlir::Location loc, const KernelArguments &args) {
    Emitter e(b, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
    Value batch = args.symbols[0], heads = args.symbols[1], m = args.symbols[2], n = args.symbols[3];
    Value k = args.symbols[4], row = e.mul(heads, k);
    GemmOperands o;
    o.a = args.buffers[0], o.b = args.buffers[1], o.c = args.buffers[2], o.scratch = args.buffers[3];
    o.batch = e.mul(batch, heads), o.m = m, o.n = n, o.k = k, o.lda = row, o.ldb = row, o.ldc = n;
    o.inner = heads, o.innerStrideA = k, o.innerStrideB = k, o.innerStrideC = e.mul(m, n);
    o.batchStrideA = e.mul(m, row), o.batchStrideB = e.mul(n, row), o.batchStrideC = e.mul(heads, e.mul(m, n));
    o.begin = args.begin, o.end = args.end;
    return emitGemm(b, loc, spec, o, nullptr);
  });
  ASSERT_EQ(kernel.error, "");
  const int64_t batch = 2, heads = 3, m = 19, n = 40, k = 24;
  Guarded<float> q(batch * m * heads * k), keys(batch * n * heads * k), c(batch * heads * m * n);
  q.fillRandom(1), keys.fillRandom(2);
  GuardedScratch scratch(gemmScratchBytes<int64_t>(spec.tile, spec.dtype, spec.target, true, k));
  const void *buffers[] = {q.data(), keys.data(), c.data(), scratch.base};
  const int64_t symbols[] = {batch, heads, m, n, k, 0};
  kernel.function(buffers, symbols, 0, gemmUnits<int64_t>(spec.tile, batch * heads, m, n), nullptr);
  for (int64_t z = 0; z < batch * heads; ++z)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double want = 0;
        for (int64_t t = 0; t < k; ++t)
          want += double(q[((z / heads * m + i) * heads + z % heads) * k + t]) *
                  double(keys[((z / heads * n + j) * heads + z % heads) * k + t]);
        ASSERT_NEAR(c[(z * m + i) * n + j], want, 1e-5) << z << " " << i << " " << j;
      }
  EXPECT_TRUE(c.intact() && scratch.intact());
}

TEST(Gemm, RefusesOtherElementTypes) {
  GemmSpec spec;
  spec.dtype = DType::I8;
  EXPECT_NE(compileGemm(spec, {}).error, "");
}

} // namespace
} // namespace pliant::codegen
