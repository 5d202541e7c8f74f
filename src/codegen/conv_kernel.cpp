// SPDX-License-Identifier: Apache-2.0
// Convolutions: picks the generator (dense, depthwise, transposed), hands it the extents, emits the rest of the group
// as its epilogue.
#include "codegen/contraction/factors.h"
#include "codegen/contraction_kernel.h"
#include "codegen/memory.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class ConvKernel {
public:
  ConvKernel(GroupEmitter &g, const Values &inputs, Value scratch, const TargetDescription &target)
      : g(g), e(g.e), plan(g.plan), node(g.group.node(g.plan.contraction)), inputs(inputs), scratch(scratch),
        target(target) {}

  Result<ContractionPlan> emit(Value begin, Value end) {
    PLIANT_CHECK(describe());
    ContractionPlan out;
    ConvOperands o;
    o.input = inputs[node.operands[0]];
    o.weights = inputs[node.operands[1]];
    o.output = o.input; // the epilogue stores
    o.images = value(x.front());
    o.inH = value(inH), o.inW = value(inW), o.outH = value(outH), o.outW = value(outW);
    o.padTop = value(padTop), o.padLeft = value(padLeft);
    o.outputStride = e.idx(0);
    o.scratch = scratch;
    o.begin = begin;
    o.end = end;
    varies = g.varying(channels);
    for (size_t i = 0; i < plan.instances.size(); ++i)
      if (plan.instances[i].kind != Instance::Kind::Contraction)
        all.push_back(static_cast<int>(i));
    rowsNest = pixelsNest();
    auto epilogueFn = [&](OpBuilder &, Location, const EpilogueSite &at) { return epilogue(at); };

    if (node.op == OpId::ConvInteger)
      o.zero = zeroPoint(e, inputs[node.operands[2]], spec.factors.lhs);
    const ConvShape &s = shape;
    bool depthwise = spec.factors.group() == 1 && !s.transposed && s.groups == s.inChannels &&
                     s.inChannels == s.outChannels && s.groups > 1;
    ConvShape words = s; // as the copy of the input counts its channels
    words.inChannels = s.groups * ceilDiv(s.inPerGroup(), spec.factors.group());
    PackSpec pack;
    const int64_t taps = s.kernelH * s.kernelW;
    // Of a transposed convolution each result sees a share of the taps only.
    out.work =
        contractionWork(product(plan.domain) * (ceilDiv(taps, s.phases()) * words.inPerGroup()), spec.dtype, target);
    if (depthwise) {
      pack.k = taps, pack.n = s.inChannels, pack.strideK = 1, pack.strideN = taps, pack.panel = s.inChannels;
      out.units = depthwiseUnits<Expr>(x.front(), outH, outW);
      out.scratchBytes = depthwiseScratchBytes(spec.dtype, s);
    } else {
      pack.isConv = true;
      pack.conv = s.transposed ? ConvWeights::transposed(s.groups, s.inPerGroup(), s.outPerGroup(), taps)
                               : ConvWeights::conv(s.groups, s.inPerGroup(), s.outPerGroup(), taps);
      pack.panel = spec.tile.columns();
      out.units = convUnits<Expr>(spec.tile, s, x.front(), outH, outW);
      pack.words = wordPanels(spec.factors);
      out.scratchBytes = convScratchBytes<Expr>(spec.tile, spec.dtype, spec.target, words, outH, outW);
    }
    if (g.group.weights[node.operands[1]]) {
      out.packed.push_back({node.operands[1], pack});
    } else { // filters computed at run time are packed by the kernel itself, behind its scratch
      Expr at = ceilDiv(out.scratchBytes, 64) * 64;
      Value packed = e.atType(e.b.getI8Type(), scratch, value(at));
      packAtRunTime(pack, depthwise, o.weights, packed);
      o.weights = packed;
      out.scratchBytes = at + pack.bytes(spec.factors.rhs);
    }
    e.elementBytes = static_cast<int64_t>(byteSize(spec.dtype));
    if (!depthwise) {
      PLIANT_CHECK(emitConv(e.b, e.loc, spec, constantGeometry(e.b, e.loc, s), o, epilogueFn));
      return out;
    }
    PLIANT_CHECK(emitDepthwise(e.b, e.loc, depthwiseSpec(spec, s), e.idx(s.inChannels), o, epilogueFn));
    return out;
  }

private:
  GroupEmitter &g;
  Emitter &e;
  const Schedule &plan;
  const GroupNode &node;
  const Values &inputs;
  Value scratch;
  const TargetDescription &target;
  ConvSpec spec;
  ConvShape shape;
  Extents x; // the input's extents
  Expr inH = 1, inW = 1, outH = 1, outW = 1, padTop = 0, padLeft = 0;
  int channels = 0; // the domain's last dimension
  bool rowsNest = false;
  std::vector<bool> varies;
  std::vector<int> all;

  Value value(const Expr &expr) { return g.parameters.value(expr); }

  Status describe() {
    spec.target = contractionTarget(target);
    spec.factors = factorsOf(g.group.type(node.operands[0]).dtype, g.group.type(node.operands[1]).dtype, spec.target);
    spec.dtype = sumType(spec.factors.lhs);
    PLIANT_CHECK(checkFactors(spec.dtype, spec.factors));
    x = g.group.type(node.operands[0]).shape;
    const Extents &w = g.group.type(node.operands[1]).shape, &result = node.type.shape;
    const size_t rank = x.size();
    channels = static_cast<int>(rank) - 1;
    if (rank != 3 && rank != 4)
      return internalError("codegen", "no convolution kernel for rank " + std::to_string(rank));
    if (!g.group.isInput(node.operands[0]) || !g.group.isInput(node.operands[1]))
      return internalError("codegen", "operands of a convolution must be buffers");
    auto fill = [&](const auto &a, bool transposed) -> Status {
      if (!a.channelsLast)
        return internalError("codegen", "a convolution that still has channels first");
      ConvShape &s = shape;
      auto first = w[0].constant(), second = w[1].constant();
      auto in = x.back().constant();
      if (!first || !second)
        return internalError("codegen", "a convolution with filters of unknown number");
      s.transposed = spec.transposed = transposed;
      s.groups = a.groups;
      s.inChannels = in ? *in : transposed ? *first : *second * a.groups;
      s.outChannels = transposed ? *second * a.groups : *first;
      const size_t spatial = rank - 2;
      auto tap = [&](size_t i) { return w[2 + i].constant().value_or(1); };
      s.kernelW = tap(spatial - 1), s.strideW = a.strides[spatial - 1], s.dilationW = a.dilations[spatial - 1];
      padLeft = a.pads[spatial - 1];
      inW = x[spatial], outW = result[spatial];
      if (spatial == 2) {
        s.kernelH = tap(0), s.strideH = a.strides[0], s.dilationH = a.dilations[0];
        padTop = a.pads[0];
        inH = x[1], outH = result[1];
      }
      for (size_t i = 0; i < spatial; ++i)
        if (!w[2 + i].constant())
          return internalError("codegen", "a convolution with filters of unknown extent");
      return ok();
    };
    if (node.op == OpId::Conv)
      PLIANT_CHECK(fill(std::get<ConvAttrs>(node.attrs), false));
    else if (node.op == OpId::ConvInteger)
      PLIANT_CHECK(fill(std::get<ConvIntegerAttrs>(node.attrs), false));
    else
      PLIANT_CHECK(fill(std::get<ConvTransposeAttrs>(node.attrs), true));
    spec.tile = chooseTile(spec.dtype, spec.target, shape.outPerGroup());
    spec.loopedEpilogue = epilogueCost(g) > 6;
    return ok();
  }

  void packAtRunTime(const PackSpec &pack, bool depthwise, Value from, Value to) {
    Value one = e.idx(1), zero = e.idx(0);
    Type element = memoryType(e.b.getContext(), spec.factors.rhs);
    const auto bytes = static_cast<unsigned>(byteSize(spec.factors.rhs));
    auto load = [&](Value source) -> Value {
      return e.b.create<LLVM::LoadOp>(e.loc, element, e.atType(element, from, source), bytes);
    };
    auto store = [&](Value value, Value target) {
      e.b.create<LLVM::StoreOp>(e.loc, value, e.atType(element, to, target), bytes);
    };
    if (depthwise) {
      e.loop(zero, e.idx(pack.k), one, [&](Value tap) {
        e.loop(zero, e.idx(pack.n), one, [&](Value channel) {
          store(load(e.add(tap, e.mul(channel, e.idx(pack.strideN)))), e.add(e.mul(tap, e.idx(pack.n)), channel));
        });
      });
      return;
    }
    const ConvWeights &w = pack.conv;
    const int64_t panels = ceilDiv(w.outPerGroup, pack.panel), group = pack.words.group;
    const int64_t head = pack.words.sums ? 4 * pack.panel : 0; // bytes, of column sums
    const int64_t words = pack.words.words(w.inPerGroup), panel = head + w.taps * words * group * pack.panel;
    Value nothing = e.b.create<arith::ConstantOp>(e.loc, e.b.getZeroAttr(element));
    Type sum = e.b.getI32Type();
    Value noSum = e.b.create<arith::ConstantOp>(e.loc, e.b.getI32IntegerAttr(0));
    e.loop(zero, e.idx(w.groups * panels), one, [&](Value at) {
      Value first = e.mul(e.rem(at, e.idx(panels)), e.idx(pack.panel)), start = e.mul(at, e.idx(panel));
      e.loop(zero, e.idx(pack.panel), one, [&](Value j) {
        Value inside = e.less(e.add(first, j), e.idx(w.outPerGroup));
        Value base = e.add(e.mul(e.div(at, e.idx(panels)), e.idx(w.strideGroup)),
                           e.mul(e.min(e.add(first, j), e.idx(w.outPerGroup - 1)), e.idx(w.strideOut)));
        Values total = e.loop(zero, e.idx(w.taps), one, ValueRange{noSum}, [&](Value tap, ValueRange outer) -> Values {
          return e.loop(zero, e.idx(words * group), one, outer, [&](Value in, ValueRange old) -> Values {
            Value valid = e.both(inside, e.less(in, e.idx(w.inPerGroup)));
            Value source = e.add(e.mul(e.min(in, e.idx(std::max<int64_t>(w.inPerGroup - 1, 0))), e.idx(w.strideIn)),
                                 e.mul(tap, e.idx(w.strideTap)));
            Value value = e.select(valid, load(e.add(base, source)), nothing);
            Value word = e.add(e.mul(tap, e.idx(words)), e.div(in, e.idx(group)));
            Value target =
                e.add(e.mul(e.add(e.mul(word, e.idx(pack.panel)), j), e.idx(group)), e.rem(in, e.idx(group)));
            store(value, e.add(e.add(start, e.idx(head)), target));
            if (!pack.words.sums)
              return {old[0]};
            Value wide = spec.factors.rhs == DType::I8 ? Value(e.b.create<arith::ExtSIOp>(e.loc, sum, value))
                                                       : Value(e.b.create<arith::ExtUIOp>(e.loc, sum, value));
            return {e.b.create<arith::AddIOp>(e.loc, old[0], wide)};
          });
        });
        if (pack.words.sums)
          e.b.create<LLVM::StoreOp>(e.loc, total[0], e.atType(sum, e.atType(e.b.getI8Type(), to, start), j), 4);
      });
    });
  }

  /// Whether every access walks the pixels of an image with one stride.
  bool pixelsNest() const {
    if (plan.domain.size() < 4)
      return true;
    auto nests = [&](const Affine &a) { return a.coefficients[1] == a.coefficients[2] * plan.domain[2]; };
    for (const Instance &i : plan.instances) {
      if (!i.linear.coefficients.empty() && !nests(i.linear))
        return false;
      for (const auto &bound : i.predicate)
        if (!nests(bound.index))
          return false;
    }
    for (const Schedule::Store &s : plan.stores)
      if (!nests(s.linear))
        return false;
    return true;
  }

  Value epilogue(const EpilogueSite &at) {
    Site here;
    here.iv.resize(plan.domain.size());
    here.iv[0] = at.batch;
    if (plan.domain.size() == 3) {
      here.iv[1] = at.row;
    } else if (rowsNest) {
      here.iv[2] = at.row;
    } else {
      Value width = value(outW);
      here.iv[1] = e.div(at.row, width);
      here.iv[2] = e.rem(at.row, width);
    }
    here.iv[channels] = at.col;
    here.laneDim = channels;
    here.mask = at.mask;
    storeEpilogue(g, here, at.acc, all, varies);
    return {};
  }
};

} // namespace

Result<ContractionPlan> emitConvolution(GroupEmitter &g, const Values &inputs, Value scratch, Value begin, Value end,
                                        const TargetDescription &target) {
  return ConvKernel(g, inputs, scratch, target).emit(begin, end);
}

} // namespace pliant::codegen
