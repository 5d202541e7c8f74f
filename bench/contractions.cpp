// SPDX-License-Identifier: Apache-2.0
// Times generated contraction kernels against the multiply-add peak: best of many short slices, interleaved with the
// peak loop in the same run. `pliant-bench-contractions [FILTER]`; with a second argument, the file to which
// the last kernel's assembly is written.
#include "codegen/contraction/harness.h"
#include "measure.h"
#include "runtime/pack.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <sys/mman.h>
#include <vector>

using namespace pliant;
using namespace pliant::codegen;
using pliant::bench::seconds;

namespace {

// 16 independent chains; returns operations per second of one slice.
__attribute__((target("avx512f"))) double peakSlice() {
  __m512 acc[16], x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
  for (auto &a : acc)
    a = x;
  const int count = 4000;
  const double start = seconds();
  for (int i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 16; ++j) {
      acc[j] = _mm512_fmadd_ps(acc[j], x, y);
      asm volatile("" : "+v"(acc[j]));
    }
  }
  return 2.0 * 16 * 16 * count / (seconds() - start);
}
double peakSlice256() {
  const int count = 4000;
  struct Run {
    __attribute__((target("avx2,fma"))) static double go() {
      __m256 acc[12], x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
      for (auto &a : acc)
        a = x;
      const double start = seconds();
      for (int i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
        for (int j = 0; j < 12; ++j) {
          acc[j] = _mm256_fmadd_ps(acc[j], x, y);
          asm volatile("" : "+v"(acc[j]));
        }
      }
      return 2.0 * 12 * 8 * count / (seconds() - start);
    }
  };
  return Run::go();
}

/// Zeroed memory in huge pages where the system gives them.
float *memory(int64_t elements) {
  const size_t bytes = (static_cast<size_t>(elements) * 4 + 256 + (2u << 20)) / (2u << 20) * (2u << 20);
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(p, bytes, MADV_HUGEPAGE);
  auto *f = static_cast<float *>(p);
  for (int64_t i = 0; i < elements; ++i)
    f[i] = static_cast<float>((i * 2654435761u >> 16 & 255) - 127) / 128;
  return f;
}

struct Timing {
  double best = 0, peak = 0; // operations per second
};

template <class F> Timing measure(double operations, F call) {
  Timing t;
  call();
  // Slices of at least a quarter of a millisecond.
  double once = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = seconds();
    call();
    once = std::min(once, seconds() - start);
  }
  const int inner = std::max(1, static_cast<int>(0.25e-3 / once));
  const double until = seconds() + 0.6;
  for (int slice = 0; slice < 30 || seconds() < until; ++slice) {
    if (slice % 8 == 0)
      t.peak = std::max(t.peak, peakSlice());
    const double start = seconds();
    for (int i = 0; i < inner; ++i)
      call();
    t.best = std::max(t.best, operations * inner / (seconds() - start));
  }
  return t;
}

double highestPeak = 0;
void report(const char *name, const Timing &t) {
  highestPeak = std::max(highestPeak, t.peak);
  std::printf("%-44s %7.1f GFLOP/s  %5.1f %% of %.1f\n", name, t.best * 1e-9, 100 * t.best / highestPeak,
              highestPeak * 1e-9);
  std::fflush(stdout);
}

CompiledKernel compileGemm(const GemmSpec &spec, bool assembly = false) {
  CompileOptions options;
  options.assembly = assembly;
  return compileKernel(
      4, 10,
      [&](mlir::OpBuilder &b, mlir::Location loc, const KernelArguments &args) {
        GemmOperands o;
        o.a = args.buffers[0], o.b = args.buffers[1], o.c = args.buffers[2], o.scratch = args.buffers[3];
        o.batch = args.symbols[0], o.m = args.symbols[1], o.n = args.symbols[2], o.k = args.symbols[3];
        o.lda = args.symbols[4], o.ldb = args.symbols[5], o.ldc = args.symbols[6];
        o.batchStrideA = args.symbols[7], o.batchStrideB = args.symbols[8], o.batchStrideC = args.symbols[9];
        o.begin = args.begin, o.end = args.end;
        return emitGemm(b, loc, spec, o, nullptr);
      },
      options);
}

void gemm(const char *what, const GemmSpec &spec, KernelFunction kernel, int64_t batch, int64_t m, int64_t n,
          int64_t k) {
  const bool packed = spec.b == BKind::Packed;
  const int64_t nr = spec.tile.columns(), sizeB = packed ? packedElements(k, n, nr) : k * n;
  float *a = memory(batch * m * k), *b = memory(batch * sizeB), *c = memory(batch * m * n);
  if (packed) {
    float *plain = memory(k * n);
    for (int64_t z = 0; z < batch; ++z)
      packWeights(DType::F32, plain, k, n, n, 1, nr, b + z * sizeB);
  }
  float *scratch = memory(gemmScratchBytes<int64_t>(spec.tile, spec.dtype, spec.target, !packed, k) / 4);
  const void *buffers[] = {a, b, c, scratch};
  const int64_t symbols[] = {batch, m, n, k, k, spec.b == BKind::Transposed ? k : n, n, m * k, sizeB, m * n};
  const int64_t units = gemmUnits<int64_t>(spec.tile, batch, m, n);
  char name[128];
  std::snprintf(name, sizeof name, "%s %ldx%ldx%ldx%ld", what, long(batch), long(m), long(n), long(k));
  report(name, measure(2.0 * double(batch * m) * double(n * k), [&] { kernel(buffers, symbols, 0, units, nullptr); }));
}

void times(const char *name, const CompiledKernel &k) {
  std::printf("%-30s emit %.1f lower %.1f optimize %.1f codegen %.1f ms, %zu bytes %s\n", name, k.emitMs, k.lowerMs,
              k.optimizeMs, k.codegenMs, k.objectBytes, k.error.c_str());
}

struct Layer {
  const char *name;
  ConvShape shape;
  int64_t size; ///< height and width of the input
  int64_t pad;
};

void convolution(const Layer &layer, bool assembly, const char *file) {
  ConvSpec spec;
  const ConvShape &s = layer.shape;
  const bool depthwise = s.groups > 1 && s.inPerGroup() == 1;
  spec.transposed = s.transposed;
  spec.inputNCHW = s.inputNCHW;
  spec.tile = chooseTile(DType::F32, spec.target, s.outPerGroup());
  CompileOptions options;
  options.assembly = assembly;
  CompiledKernel kernel = compileKernel(
      4, 16,
      [&](mlir::OpBuilder &b, mlir::Location loc, const KernelArguments &args) {
        ConvOperands o;
        o.input = args.buffers[0], o.weights = args.buffers[1], o.output = args.buffers[2];
        o.scratch = args.buffers[3];
        o.images = args.symbols[0], o.inH = args.symbols[1], o.inW = args.symbols[2], o.outH = args.symbols[3];
        o.outW = args.symbols[4], o.padTop = args.symbols[5], o.padLeft = args.symbols[6];
        o.begin = args.begin, o.end = args.end;
        if (depthwise) {
          DepthwiseSpec d{spec.dtype, spec.factors, spec.target, spec.tile,   s.kernelH,
                          s.kernelW,  s.strideH,    s.strideW,   s.dilationH, s.dilationW};
          return emitDepthwise(b, loc, d, args.symbols[7], o, nullptr);
        }
        ConvGeometry g{args.symbols[7],  args.symbols[8],  args.symbols[9],  args.symbols[10], args.symbols[11],
                       args.symbols[12], args.symbols[13], args.symbols[14], args.symbols[15]};
        return emitConv(b, loc, spec, g, o, nullptr);
      },
      options);
  times(layer.name, kernel);
  if (assembly)
    std::ofstream(file) << kernel.assembly;
  const int64_t in = layer.size, out = s.transposed
                                           ? (in - 1) * s.strideH + s.kernelH - 2 * layer.pad
                                           : (in + 2 * layer.pad - (s.kernelH - 1) * s.dilationH - 1) / s.strideH + 1;
  const int64_t taps = s.kernelH * s.kernelW;
  const int64_t packed =
      ConvWeights::conv(s.groups, s.inPerGroup(), s.outPerGroup(), taps).packedElements(spec.tile.columns());
  const int64_t scratchBytes = depthwise ? depthwiseScratchBytes(DType::F32, s)
                                         : convScratchBytes(spec.tile, DType::F32, spec.target, s, out, out);
  const void *buffers[] = {memory(in * in * s.inChannels), memory(packed), memory(out * out * s.outChannels),
                           memory(scratchBytes / 4 + 1)};
  const int64_t symbols[] = {
      1,        in,        in,        out,       out,       layer.pad,   layer.pad,  s.inChannels, s.outChannels,
      s.groups, s.kernelH, s.kernelW, s.strideH, s.strideW, s.dilationH, s.dilationW};
  const int64_t units =
      depthwise ? depthwiseUnits<int64_t>(1, out, out) : convUnits<int64_t>(spec.tile, s, 1, out, out);
  const double pixels = s.transposed ? double(in * in) : double(out * out);
  report(layer.name, measure(2.0 * pixels * double(s.outChannels * s.inPerGroup() * taps),
                             [&] { kernel.function(buffers, symbols, 0, units, nullptr); }));
}

const Layer layers[] = {
    {"conv 3x3 56x56 64-64", {64, 64, 1, 3, 3, 1, 1}, 56, 1},
    {"conv 3x3 28x28 128-128", {128, 128, 1, 3, 3, 1, 1}, 28, 1},
    {"conv 3x3 14x14 256-256", {256, 256, 1, 3, 3, 1, 1}, 14, 1},
    {"conv 3x3 7x7 512-512", {512, 512, 1, 3, 3, 1, 1}, 7, 1},
    {"conv 1x1 56x56 64-256", {64, 256, 1, 1, 1, 1, 1}, 56, 0},
    {"conv 1x1 56x56 256-64", {256, 64, 1, 1, 1, 1, 1}, 56, 0},
    {"conv 1x1 14x14 1024-256", {1024, 256, 1, 1, 1, 1, 1}, 14, 0},
    {"conv 1x1 s2 56x56 256-512", {256, 512, 1, 1, 1, 2, 2}, 56, 0},
    {"conv 3x3 s2 56x56 128-128", {128, 128, 1, 3, 3, 2, 2}, 56, 1},
    {"conv 7x7 s2 224x224 3-64", {3, 64, 1, 7, 7, 2, 2}, 224, 3},
    {"conv 7x7 s2 224x224 3-64 nchw", {3, 64, 1, 7, 7, 2, 2, 1, 1, true}, 224, 3},
    {"conv 3x3 s2 320x320 3-16 nchw", {3, 16, 1, 3, 3, 2, 2, 1, 1, true}, 320, 1},
    {"conv 3x3 g4 28x28 128-128", {128, 128, 4, 3, 3, 1, 1}, 28, 1},
    {"conv transposed 2x2 s2 28x28 64-64", {64, 64, 1, 2, 2, 2, 2, 1, 1, false, true}, 28, 0},
    {"conv transposed 4x4 s2 28x28 64-64", {64, 64, 1, 4, 4, 2, 2, 1, 1, false, true}, 28, 1},
    {"depthwise 3x3 56x56 64", {64, 64, 64, 3, 3, 1, 1}, 56, 1},
    {"depthwise 3x3 14x14 384", {384, 384, 384, 3, 3, 1, 1}, 14, 1},
    {"depthwise 3x3 s2 56x56 96", {96, 96, 96, 3, 3, 2, 2}, 56, 1},
    {"depthwise 5x5 14x14 240", {240, 240, 240, 5, 5, 1, 1}, 14, 2},
    {"depthwise 7x7 14x14 256", {256, 256, 256, 7, 7, 1, 1}, 14, 3},
};

} // namespace

int main(int argc, char **argv) {
  std::string filter = argc > 1 ? argv[1] : "";
  auto wanted = [&](const char *name) { return filter.empty() || std::strstr(name, filter.c_str()); };
  for (int i = 0; i < 200; ++i)
    highestPeak = std::max(highestPeak, peakSlice());
  double peak256 = 0;
  for (int i = 0; i < 200; ++i)
    peak256 = std::max(peak256, peakSlice256());
  std::printf("peak %.1f GFLOP/s, 256-bit %.1f\n", highestPeak * 1e-9, peak256 * 1e-9);

  for (const Layer &layer : layers)
    if (wanted(layer.name))
      convolution(layer, argc > 2, argc > 2 ? argv[2] : nullptr);

  struct Row {
    const char *name;
    BKind kind;
    bool narrow, looped;
    int64_t bits;
  };
  const Row rows[] = {
      {"packed", BKind::Packed, false, true, 512},     {"inline", BKind::Packed, false, false, 512},
      {"rowmajor", BKind::RowMajor, false, true, 512}, {"transposed", BKind::Transposed, false, true, 512},
      {"narrow", BKind::RowMajor, true, true, 512},    {"avx2", BKind::Packed, false, true, 256}};
  for (const Row &row : rows) {
    if (!wanted(row.name))
      continue;
    GemmSpec spec;
    spec.target.vectorBits = row.bits;
    spec.tile = chooseTile(DType::F32, spec.target, row.narrow ? 16 : -1);
    spec.b = row.kind;
    spec.loopedEpilogue = row.looped;
    CompiledKernel kernel = compileGemm(spec, argc > 2);
    times(row.name, kernel);
    if (argc > 2)
      std::ofstream(argv[2]) << kernel.assembly;
    if (!kernel.error.empty())
      return 1;
    auto run = [&](int64_t batch, int64_t m, int64_t n, int64_t k) {
      gemm(row.name, spec, kernel.function, batch, m, n, k);
    };
    if (row.kind == BKind::Packed) {
      for (int64_t s : {64, 128, 256, 512, 768, 1024})
        run(1, s, s, s);
      for (int64_t m : {1, 2, 3, 7, 32, 128, 384})
        run(1, m, 768, 768);
      for (int64_t m : {1, 7, 32, 384})
        run(1, m, 3072, 768), run(1, m, 768, 3072);
      run(1, 196, 256, 1024), run(1, 49, 512, 4608), run(1, 65, 65, 65);
    } else if (row.narrow) {
      run(12, 16, 16, 64), run(12, 64, 16, 64), run(1, 384, 16, 256);
    } else {
      run(1, 256, 256, 256), run(1, 1024, 1024, 1024), run(1, 384, 768, 768), run(12, 16, 64, 64);
      run(12, 64, 64, 64), run(12, 128, 128, 64), run(12, 128, 64, 128), run(12, 384, 384, 64), run(12, 384, 64, 384);
      run(1, 384, 384, 64), run(12, 1, 64, 512), run(12, 1, 512, 64);
    }
  }
}
