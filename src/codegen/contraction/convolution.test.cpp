// SPDX-License-Identifier: Apache-2.0
// Convolution kernels against plain loops in double precision, over kernels, strides, dilations, padding and groups.
#include "codegen/contraction/emitter.h"
#include "codegen/contraction/testing.h"
#include "runtime/pack.h"
#include <map>

namespace pliant::codegen {
namespace {

struct Case {
  ConvShape shape;
  TargetDescription machine = machines().front();
  bool looped = true, depthwise = false;
  DType dtype = DType::F32;
  bool constant = false; ///< the geometry is in the code
};

// acc + 0.25 * row + column of the lane + batch.
Value testEpilogue(Emitter &e, const EpilogueSite &site) {
  namespace arith = mlir::arith;
  auto number = [&](Value index) {
    Value i = e.b.create<arith::IndexCastOp>(e.loc, e.b.getI64Type(), index);
    return e.splat(e.b.create<arith::SIToFPOp>(e.loc, e.element, i));
  };
  Value quarter = e.splat(e.b.create<arith::ConstantOp>(e.loc, e.b.getFloatAttr(e.element, 0.25)));
  Value x = e.b.create<arith::AddFOp>(e.loc, site.acc, e.b.create<arith::MulFOp>(e.loc, quarter, number(site.row)));
  x = e.b.create<arith::AddFOp>(e.loc, x, number(site.col));
  llvm::SmallVector<mlir::Attribute> lanes;
  for (int64_t i = 0; i < e.lanes; ++i)
    lanes.push_back(e.b.getFloatAttr(e.element, double(i)));
  Value lane = e.b.create<arith::ConstantOp>(e.loc, mlir::DenseElementsAttr::get(e.vectorType(), lanes));
  x = e.b.create<arith::AddFOp>(e.loc, x, lane);
  return e.b.create<arith::AddFOp>(e.loc, x, number(site.batch));
}

ConvSpec specOf(const Case &c) {
  ConvSpec spec;
  spec.dtype = c.dtype;
  spec.target.vectorBits = c.machine.vectorBits;
  spec.target.fma = c.machine.fma;
  spec.transposed = c.shape.transposed;
  spec.inputNCHW = c.shape.inputNCHW;
  spec.tile = chooseTile(c.dtype, spec.target, c.shape.outPerGroup());
  spec.loopedEpilogue = c.looped;
  return spec;
}

CompiledKernel compile(const Case &c) {
  const ConvSpec spec = specOf(c);
  return compileKernel(4, 17,
                       [&](mlir::OpBuilder &b, mlir::Location loc, const KernelArguments &args) {
                         const ConvOperands o = convOperands(args);
                         Emitter e(b, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
                         auto epilogue = [&](mlir::OpBuilder &, mlir::Location, const EpilogueSite &site) {
                           return testEpilogue(e, site);
                         };
                         if (c.depthwise)
                           return emitDepthwise(b, loc, depthwiseSpec(spec, c.shape), args.symbols[8], o, epilogue);
                         const ConvGeometry g = convGeometry(args, 8);
                         return emitConv(b, loc, spec, c.constant ? constantGeometry(b, loc, c.shape) : g, o, epilogue);
                       },
                       {c.machine.cpu, "", false});
}

struct Extents {
  int64_t images, inH, inW;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
};

template <class T> void check(const Case &c, KernelFunction kernel, const Extents &x, int pieces) {
  const ConvSpec spec = specOf(c);
  const ConvShape &s = c.shape;
  const int64_t spanH = (s.kernelH - 1) * s.dilationH + 1, spanW = (s.kernelW - 1) * s.dilationW + 1;
  auto outSize = [&](int64_t in, int64_t span, int64_t stride, int64_t pads) {
    if (s.transposed)
      return in == 0 ? 0 : std::max<int64_t>(0, (in - 1) * stride + span - pads);
    return in + pads < span ? 0 : (in + pads - span) / stride + 1;
  };
  const int64_t outH = outSize(x.inH, spanH, s.strideH, x.top + x.bottom);
  const int64_t outW = outSize(x.inW, spanW, s.strideW, x.left + x.right);
  const int64_t taps = s.kernelH * s.kernelW, outStride = s.outChannels + 3;
  Guarded<T> input(x.images * x.inH * x.inW * s.inChannels), output(x.images * outH * outW * outStride);
  Guarded<T> weights(s.inPerGroup() * s.outChannels * taps);
  input.fillRandom(1), weights.fillRandom(2);
  const ConvWeights layout = s.transposed ? ConvWeights::transposed(s.groups, s.inPerGroup(), s.outPerGroup(), taps)
                                          : ConvWeights::conv(s.groups, s.inPerGroup(), s.outPerGroup(), taps);
  Guarded<T> packed(c.depthwise ? taps * s.inChannels : layout.packedElements(spec.tile.columns()));
  if (c.depthwise)
    packWeights(c.dtype, weights.data(), taps, s.inChannels, 1, taps, s.inChannels, packed.data());
  else
    packConvWeights(c.dtype, weights.data(), layout, spec.tile.columns(), packed.data());
  const int64_t scratchBytes = c.depthwise ? depthwiseScratchBytes(c.dtype, s)
                                           : convScratchBytes(spec.tile, c.dtype, spec.target, s, outH, outW);
  GuardedScratch scratch(scratchBytes);
  const void *buffers[] = {input.data(), packed.data(), output.data(), scratch.base};
  const int64_t symbols[] = {x.images,  x.inH,     x.inW,        outH,          outW,       x.top,
                             x.left,    outStride, s.inChannels, s.outChannels, s.groups,   s.kernelH,
                             s.kernelW, s.strideH, s.strideW,    s.dilationH,   s.dilationW};
  const int64_t units =
      c.depthwise ? depthwiseUnits(x.images, outH, outW) : convUnits(spec.tile, s, x.images, outH, outW);
  for (int i = 0; i < pieces; ++i)
    kernel(buffers, symbols, units * i / pieces, units * (i + 1) / pieces, nullptr);

  // Scatter form for transposed, gather form otherwise; both through one list of (output, tap, input) triples.
  std::vector<double> want(outH * outW * s.outChannels);
  auto in = [&](int64_t n, int64_t y, int64_t xx, int64_t ch) {
    return double(s.inputNCHW ? input[((n * s.inChannels + ch) * x.inH + y) * x.inW + xx]
                              : input[((n * x.inH + y) * x.inW + xx) * s.inChannels + ch]);
  };
  auto weight = [&](int64_t g, int64_t oc, int64_t ic, int64_t tap) {
    return double(s.transposed ? weights[((g * s.inPerGroup() + ic) * s.outPerGroup() + oc) * taps + tap]
                               : weights[((g * s.outPerGroup() + oc) * s.inPerGroup() + ic) * taps + tap]);
  };
  auto describe = [&] {
    return ::testing::Message() << c.machine.name << " in " << s.inChannels << " out " << s.outChannels << " groups "
                                << s.groups << " kernel " << s.kernelH << "x" << s.kernelW << " stride " << s.strideH
                                << "x" << s.strideW << " dilation " << s.dilationH << "x" << s.dilationW << " image "
                                << x.images << "x" << x.inH << "x" << x.inW << " pads " << x.top << "," << x.left << ","
                                << x.bottom << "," << x.right << " pieces " << pieces;
  };
  for (int64_t n = 0; n < x.images; ++n) {
    std::fill(want.begin(), want.end(), 0.0);
    for (int64_t p = 0; p < (s.transposed ? x.inH * x.inW : outH * outW); ++p)
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t py = p / (s.transposed ? x.inW : outW), px = p % (s.transposed ? x.inW : outW);
        const int64_t qy = py * s.strideH + tap / s.kernelW * s.dilationH - x.top;
        const int64_t qx = px * s.strideW + tap % s.kernelW * s.dilationW - x.left;
        if (qy < 0 || qx < 0 || qy >= (s.transposed ? outH : x.inH) || qx >= (s.transposed ? outW : x.inW))
          continue;
        const int64_t iy = s.transposed ? py : qy, ix = s.transposed ? px : qx;
        const int64_t oy = s.transposed ? qy : py, ox = s.transposed ? qx : px;
        for (int64_t oc = 0; oc < s.outChannels; ++oc)
          for (int64_t ic = 0; ic < s.inPerGroup(); ++ic) {
            const int64_t g = oc / s.outPerGroup();
            want[(oy * outW + ox) * s.outChannels + oc] +=
                in(n, iy, ix, g * s.inPerGroup() + ic) * weight(g, oc % s.outPerGroup(), ic, tap);
          }
      }
    for (int64_t p = 0; p < outH * outW; ++p)
      for (int64_t j = 0; j < outStride; ++j) {
        const double got = output[(n * outH * outW + p) * outStride + j];
        if (j >= s.outChannels) {
          ASSERT_TRUE(std::isnan(got)) << describe() << " wrote between pixels";
          continue;
        }
        const double expected = want[p * s.outChannels + j] + 0.25 * double(p) + double(j) + double(n);
        const double tolerance =
            (sizeof(T) == 8 ? 1e-13 : 2e-6) * (10 + std::sqrt(double(taps * s.inPerGroup())) + std::abs(expected));
        ASSERT_LE(std::abs(got - expected), tolerance) << describe() << " image " << n << " pixel " << p << " channel "
                                                       << j << ": " << got << " instead of " << expected;
        ASSERT_FALSE(std::isnan(got)) << describe();
      }
  }
  EXPECT_TRUE(output.intact() && input.intact() && scratch.intact()) << describe();
}

void run(const Case &c, const std::vector<Extents> &extents) {
  // One kernel serves all layers with run-time geometry.
  static std::map<std::string, CompiledKernel> kernels;
  const ConvShape &s = c.shape;
  std::string key = c.machine.name + (c.looped ? "L" : "I") + std::string(name(c.dtype)) +
                    std::to_string(specOf(c).tile.vectors) + (s.transposed ? "T" : "") + (s.inputNCHW ? "N" : "");
  if (c.depthwise || c.constant)
    for (int64_t x :
         {s.inChannels, s.outChannels, s.groups, s.kernelH, s.kernelW, s.strideH, s.strideW, s.dilationH, s.dilationW})
      key += (c.depthwise ? "/" : ":") + std::to_string(x);
  if (!kernels.contains(key))
    kernels[key] = compile(c);
  const CompiledKernel &kernel = kernels[key];
  ASSERT_EQ(kernel.error, "");
  for (const Extents &x : extents)
    for (int pieces : {1, 3}) {
      if (c.dtype == DType::F64)
        check<double>(c, kernel.function, x, pieces);
      else
        check<float>(c, kernel.function, x, pieces);
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

std::vector<Extents> extentsFor(const ConvShape &s) {
  const int64_t ph = (s.kernelH - 1) * s.dilationH / 2, pw = (s.kernelW - 1) * s.dilationW / 2;
  return {{1, 9, 11, ph, pw, ph, pw}, {2, 7, 7, ph, pw, ph, pw},  {1, 1, 1, ph, pw, ph, pw},  {1, 16, 15},
          {1, 5, 40, 0, pw, ph, 0},   {0, 5, 5, ph, pw, ph, pw},  {1, 0, 5, ph, pw, ph, pw},  {1, 5, 0, ph, pw, ph, pw},
          {1, 2, 30, 1, 2, 3, 1},     {3, 13, 3, ph, pw, ph, pw}, {1, 20, 23, ph, pw, ph, pw}};
}

TEST(Conv, KernelsStridesAndDilations) {
  for (int64_t kernel : {1, 2, 3, 5})
    for (int64_t stride : {1, 2, 3})
      for (int64_t dilation : {1, 2}) {
        ConvShape s{5, 19, 1, kernel, kernel, stride, stride, dilation, dilation};
        run({s}, extentsFor(s));
      }
}
TEST(Conv, UnevenAndOneDimensional) {
  for (auto [kh, kw, sh, sw, dh, dw] : {std::array<int64_t, 6>{3, 1, 2, 1, 1, 1},
                                        {1, 7, 1, 2, 1, 1},
                                        {1, 3, 1, 1, 1, 4},
                                        {2, 5, 1, 3, 3, 1},
                                        {7, 7, 2, 2, 1, 1}}) {
    ConvShape s{6, 33, 1, kh, kw, sh, sw, dh, dw};
    run({s}, extentsFor(s));
    run({s}, {{1, 1, 1000, 0, 2, 0, 1}, {1, 9, 300, 0, 2, 0, 1}});
  }
}
TEST(Conv, ChannelsAndTiles) {
  for (int64_t in : {1, 3, 16, 64})
    for (int64_t out : {1, 8, 16, 17, 32, 48, 70}) {
      ConvShape s{in, out, 1, 3, 3, 1, 1, 1, 1};
      run({s}, {{2, 9, 10, 1, 1, 1, 1}, {1, 6, 7}});
    }
}
TEST(Conv, AliasingChannels) {
  for (int64_t stride : {1, 2})
    for (int64_t kernel : {1, 3}) {
      ConvShape s{512, 40, 1, kernel, kernel, stride, stride, 1, 1};
      run({s}, {{1, 7, 7, kernel / 2, kernel / 2, kernel / 2, kernel / 2}, {1, 8, 9}});
    }
}
TEST(Conv, SeveralBlocks) {
  ConvShape s{96, 20, 1, 3, 3, 1, 1, 1, 1};
  run({s}, {{2, 50, 61, 1, 1, 1, 1}, {1, 61, 50}});
}
TEST(Conv, ChannelsFirstInput) {
  for (int64_t stride : {1, 2})
    for (int64_t in : {1, 3, 4, 9}) {
      ConvShape s{in, 24, 1, 3, 3, stride, stride, 1, 1, true};
      run({s}, extentsFor(s));
    }
}
TEST(Conv, Groups) {
  for (auto [in, out, groups] : {std::array<int64_t, 3>{64, 64, 4}, {12, 18, 3}, {8, 8, 8}, {6, 12, 6}, {64, 96, 2}})
    for (int64_t stride : {1, 2}) {
      ConvShape s{in, out, groups, 3, 3, stride, stride, 1, 1};
      run({s}, extentsFor(s));
    }
}
TEST(Conv, OtherTargetsTypesAndEpilogues) {
  for (const TargetDescription &m : machines())
    for (bool looped : {false, true})
      for (DType dtype : {DType::F32, DType::F64}) {
        ConvShape s{7, 21, 1, 3, 3, 1, 1, 1, 1};
        run({s, m, looped, false, dtype}, extentsFor(s));
      }
}
TEST(Conv, ConstantGeometry) {
  ConvShape s{64, 40, 1, 3, 3, 2, 2, 1, 1}, grouped{64, 96, 2, 3, 3, 1, 1, 2, 2},
      first{3, 24, 1, 7, 7, 2, 2, 1, 1, true};
  ConvShape point{512, 40, 1, 1, 1, 2, 2, 1, 1}, transposed{6, 20, 1, 4, 4, 2, 2, 1, 1, false, true};
  for (const ConvShape &shape : {s, grouped, first, point, transposed})
    run({shape, machines().front(), true, false, DType::F32, true}, extentsFor(shape));
}
TEST(Conv, Transposed) {
  for (auto [kernel, stride, dilation] : {std::array<int64_t, 3>{2, 2, 1},
                                          {3, 1, 1},
                                          {3, 2, 1},
                                          {4, 2, 1},
                                          {3, 2, 2},
                                          {2, 3, 1},
                                          {1, 2, 1},
                                          {5, 3, 2},
                                          {1, 1, 1}})
    for (int64_t groups : {1, 2}) {
      ConvShape s{6, 20, groups, kernel, kernel, stride, stride, dilation, dilation, false, true};
      run({s}, {{1, 5, 6}, {2, 7, 3, 1, 1, 0, 1}, {1, 1, 1}, {1, 1, 1, 1, 0, 0, 0}, {1, 0, 3}, {1, 9, 40, 1, 2, 1, 2}});
    }
  ConvShape s{6, 20, 1, 1, 4, 1, 3, 1, 1, false, true};
  for (const TargetDescription &m : machines())
    run({s, m}, {{1, 1, 50, 0, 1, 0, 1}, {2, 3, 9}});
}
TEST(Depthwise, KernelsStridesAndDilations) {
  for (int64_t kernel : {1, 2, 3, 5, 7})
    for (int64_t stride : {1, 2})
      for (int64_t dilation : {1, 2, 3})
        for (int64_t channels : {1, 16, 19, 40}) {
          ConvShape s{channels, channels, channels, kernel, kernel, stride, stride, dilation, dilation};
          run({s, machines().front(), channels != 19, true}, extentsFor(s));
        }
}
TEST(Depthwise, OtherTargetsAndTypes) {
  for (const TargetDescription &m : machines())
    for (bool looped : {false, true})
      for (DType dtype : {DType::F32, DType::F64}) {
        ConvShape s{21, 21, 21, 3, 3, 1, 1, 1, 1};
        run({s, m, looped, true, dtype}, extentsFor(s));
      }
  ConvShape line{24, 24, 24, 1, 31, 1, 1, 1, 1};
  run({line, machines().front(), true, true}, {{1, 1, 200, 0, 15, 0, 15}, {2, 3, 9, 0, 15, 0, 15}});
}

} // namespace
} // namespace pliant::codegen
