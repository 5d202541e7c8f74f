// SPDX-License-Identifier: Apache-2.0
// Matrix products with their batch axes, operand views and epilogues.
#include "codegen/contraction_kernel.h"
#include "codegen/contraction/factors.h"
#include "codegen/memory.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

using Kind = Instance::Kind;

/// Merged leading dimensions of the result: every access walks them with one stride.
struct Run {
  int last;
  Expr extent;
};

class MatmulKernel {
public:
  MatmulKernel(GroupEmitter &g, const Values &inputs, Value scratch, const TargetDescription &target)
      : g(g), e(g.e), plan(g.plan), node(g.group.node(g.plan.contraction)), inputs(inputs), scratch(scratch),
        target(target) {}

  Result<ContractionPlan> emit(Value begin, Value end) {
    PLIANT_CHECK(readOperands());
    mergeRows();
    ContractionPlan out;
    GemmSpec spec;
    spec.target = contractionTarget(target);
    spec.factors = factorsOf(g.group.inputs[a.input].dtype, g.group.inputs[b.input].dtype, spec.target);
    spec.dtype = sumType(spec.factors.lhs);
    PLIANT_CHECK(checkFactors(spec.dtype, spec.factors));
    const bool same = spec.factors.kind == Factor::Same;
    const int n = dims - 1, k = dims, m = rows.last;
    const Expr &columns = plan.domain[n];
    spec.tile = chooseTile(spec.dtype, spec.target, columns.constant().value_or(-1));
    spec.transposedA = same && !a.linear.coefficients[k].isConstant(1);
    if (spec.transposedA && !a.linear.coefficients[m].isConstant(1) && !rows.extent.isConstant(1))
      return internalError("codegen", "lhs of matmul has no contiguous axis");
    spec.b = b.linear.coefficients[n].isConstant(1)   ? BKind::RowMajor
             : b.linear.coefficients[k].isConstant(1) ? BKind::Transposed
                                                      : BKind::RowMajor;
    auto depth = depthExtent.constant(), width = columns.constant(), offset = b.linear.offset.constant();
    auto strideK = b.linear.coefficients[k].constant(), strideN = b.linear.coefficients[n].constant();
    bool batchFree = true;
    for (int d = 0; d < n; ++d)
      batchFree &= b.linear.coefficients[d].isConstant(0);
    if (g.group.weights[b.input] && depth && width && offset && strideK && strideN && batchFree) {
      spec.b = BKind::Packed;
      PackSpec pack;
      pack.k = *depth, pack.n = *width, pack.strideK = *strideK, pack.strideN = *strideN, pack.offset = *offset;
      pack.panel = spec.tile.columns();
      pack.words = wordPanels(spec.factors);
      out.packed.push_back({b.input, pack});
    } else if (spec.b == BKind::RowMajor && !b.linear.coefficients[n].isConstant(1) && !columns.isConstant(1)) {
      return internalError("codegen", "rhs of matmul has no contiguous axis");
    }
    spec.loopedEpilogue = epilogueCost(g) > 6;

    GemmOperands o;
    o.m = value(rows.extent);
    o.n = value(columns);
    o.k = value(depthExtent);
    o.batch = batches.empty() ? e.idx(1) : value(batches.back().extent);
    o.lda = value(a.linear.coefficients[spec.transposedA ? k : m]);
    o.ldb = spec.b == BKind::Transposed ? value(b.linear.coefficients[n]) : value(b.linear.coefficients[k]);
    o.ldc = e.idx(0); // the epilogue stores
    auto batchStride = [&](const Affine &linear) {
      return batches.empty() ? e.idx(0) : value(linear.coefficients[batches.back().last]);
    };
    o.batchStrideA = batchStride(a.linear);
    o.batchStrideB = spec.b == BKind::Packed ? e.idx(0) : batchStride(b.linear);
    o.batchStrideC = e.idx(0);
    o.scratch = scratch;
    if (!same)
      o.strideK = value(a.linear.coefficients[k]);
    if (node.op == OpId::MatmulInteger)
      o.zero = zeroPoint(e, inputs[node.operands[2]], spec.factors.lhs);
    const Expr words = ceilDiv(depthExtent, spec.factors.group());

    Expr inner = gemmUnits<Expr>(spec.tile, batches.empty() ? Expr(1) : batches.back().extent, rows.extent, columns);
    out.scratchBytes = gemmScratchBytes<Expr>(spec.tile, spec.dtype, spec.target, spec.b != BKind::Packed, words);
    out.work = contractionWork(product(plan.domain) * words, spec.dtype, target);
    out.units = inner;
    for (size_t r = 0; r + 1 < batches.size(); ++r)
      out.units = out.units * batches[r].extent;

    e.elementBytes = static_cast<int64_t>(byteSize(spec.dtype));
    Status status = ok();
    auto matrix = [&](Value outer, Value lo, Value hi) {
      site = Site();
      site.iv.resize(plan.domain.size());
      Value offsetA = value(a.linear.offset), offsetB = value(spec.b == BKind::Packed ? Expr(0) : b.linear.offset);
      Value rest = outer;
      for (size_t r = batches.size() - (batches.empty() ? 0 : 1); r-- > 0;) {
        Value extent = value(batches[r].extent);
        Value iv = r == 0 ? rest : e.rem(rest, extent);
        rest = e.div(rest, extent);
        site.iv[batches[r].last] = iv;
        offsetA = e.add(offsetA, e.mul(iv, value(a.linear.coefficients[batches[r].last])));
        if (spec.b != BKind::Packed)
          offsetB = e.add(offsetB, e.mul(iv, value(b.linear.coefficients[batches[r].last])));
      }
      o.a = e.atType(memoryType(e.b.getContext(), spec.factors.lhs), inputs[a.input], offsetA);
      o.b = e.atType(memoryType(e.b.getContext(), spec.factors.rhs), inputs[b.input], offsetB);
      o.c = inputs[a.input]; // never written
      o.begin = lo;
      o.end = hi;
      status =
          emitGemm(e.b, e.loc, spec, o, [&](OpBuilder &, Location, const EpilogueSite &at) { return epilogue(at); });
    };
    if (batches.size() <= 1) {
      matrix(e.idx(0), begin, end);
    } else {
      Value each = value(inner);
      Value one = e.max(each, e.idx(1));
      e.loop(e.div(begin, one), e.ceilDiv(end, one), e.idx(1), [&](Value outer) {
        Value base = e.mul(outer, one);
        matrix(outer, e.max(e.sub(begin, base), e.idx(0)), e.min(e.sub(end, base), each));
      });
    }
    PLIANT_CHECK(std::move(status));
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
  int dims = 0;
  OperandAccess a, b;
  Expr depthExtent;
  Run rows{-1, 1};
  std::vector<Run> batches;
  Site site;
  std::vector<bool> varies;
  std::vector<int> all;

  Value value(const Expr &expr) { return g.parameters.value(expr); }

  Status readOperands() {
    dims = static_cast<int>(plan.domain.size());
    const Extents &lhs = g.group.type(node.operands[0]).shape, &rhs = g.group.type(node.operands[1]).shape;
    depthExtent = lhs.back().constant() ? lhs.back() : rhs[rhs.size() - 2];
    Extents domain = plan.domain;
    domain.push_back(depthExtent);
    const size_t full = domain.size();
    IndexMap result = identityMap(full);
    auto mapOf = [&](const Extents &shape, int rowDim, int columnDim) {
      Extents batch(shape.begin(), shape.end() - 2), target(plan.domain.begin(), plan.domain.end() - 2);
      IndexMap lead(result.begin(), result.begin() + dims - 2);
      IndexMap map = broadcastMap(lead, batch, target, full);
      map.push_back(Affine::dimension(full, rowDim));
      map.push_back(Affine::dimension(full, columnDim));
      return map;
    };
    auto left = accessOf(g.group, node.operands[0], mapOf(lhs, dims - 2, dims), domain);
    auto right = accessOf(g.group, node.operands[1], mapOf(rhs, dims, dims - 1), domain);
    if (!left || !right)
      return internalError("codegen", "an operand of matmul is not a view of memory");
    a = *left;
    b = *right;
    varies = g.varying(dims - 1);
    for (size_t i = 0; i < plan.instances.size(); ++i)
      if (plan.instances[i].kind != Kind::Contraction)
        all.push_back(static_cast<int>(i));
    return ok();
  }

  /// Merges batch dimensions and rows where every access nests.
  void mergeRows() {
    std::vector<const Affine *> affines{&a.linear, &b.linear};
    for (const Instance &i : plan.instances) {
      if (!i.linear.coefficients.empty())
        affines.push_back(&i.linear);
      for (const auto &bound : i.predicate)
        affines.push_back(&bound.index);
    }
    for (const Schedule::Store &s : plan.stores)
      affines.push_back(&s.linear);
    rows = {dims - 2, plan.domain[dims - 2]};
    std::vector<Run> runs{rows};
    for (int d = dims - 2; d-- > 0;) {
      Run &run = runs.back();
      bool nests = true;
      for (const Affine *x : affines)
        nests &= x->coefficients[d] == x->coefficients[run.last] * run.extent;
      if (plan.domain[d].isConstant(1))
        continue;
      if (run.extent.isConstant(1) && runs.size() > 1)
        run = {d, plan.domain[d]};
      else if (nests)
        run.extent = run.extent * plan.domain[d];
      else
        runs.push_back({d, plan.domain[d]});
    }
    rows = runs.front();
    batches.assign(runs.rbegin(), runs.rend() - 1);
  }

  Value epilogue(const EpilogueSite &at) {
    Site here = site;
    here.iv[rows.last] = at.row;
    if (!batches.empty())
      here.iv[batches.back().last] = at.batch;
    here.iv[dims - 1] = at.col;
    here.laneDim = dims - 1;
    here.mask = at.mask;
    storeEpilogue(g, here, at.acc, all, varies);
    return {};
  }
};

} // namespace

Value zeroPoint(Emitter &e, Value pointer, DType type) {
  Value byte = e.b.create<LLVM::LoadOp>(e.loc, e.b.getI8Type(), pointer, 1);
  return type == DType::I8 ? Value(e.b.create<arith::ExtSIOp>(e.loc, e.b.getI32Type(), byte))
                           : Value(e.b.create<arith::ExtUIOp>(e.loc, e.b.getI32Type(), byte));
}

void storeEpilogue(GroupEmitter &g, Site &here, Value accumulator, const std::vector<int> &instances,
                   const std::vector<bool> &varies) {
  here.values.assign(g.plan.instances.size(), Value());
  accumulator = g.point(here, true).rounded(accumulator, g.group.type(g.plan.contraction).dtype);
  for (size_t i = 0; i < g.plan.instances.size(); ++i)
    if (g.plan.instances[i].kind == Kind::Contraction)
      here.values[i] = accumulator;
  g.emit(here, instances, varies);
  for (const Schedule::Store &store : g.plan.stores)
    g.store(here, store, varies);
}

Expr contractionWork(const Expr &products, DType dtype, const TargetDescription &target) {
  // Two vectors of products in a nanosecond: a third to half of the peak, as small contractions reach.
  const int64_t lanes = static_cast<int64_t>(target.vectorBits) / (8 * static_cast<int64_t>(byteSize(dtype)));
  return floorDiv(products, std::max<int64_t>(2 * lanes, 1));
}

int64_t epilogueCost(const GroupEmitter &g) {
  int64_t cost = 0;
  for (const Instance &i : g.plan.instances)
    if (i.kind == Instance::Kind::Point) {
      OpId op = g.group.node(i.value).op;
      bool heavy = op == OpId::Exp || op == OpId::Tanh || op == OpId::Erf || op == OpId::Sigmoid || op == OpId::Log ||
                   op == OpId::Pow || op == OpId::Sin || op == OpId::Cos;
      cost += heavy ? 20 : 1;
    }
  return cost;
}

Result<ContractionPlan> emitContraction(GroupEmitter &g, const Values &inputs, Value scratch, Value begin, Value end,
                                        const TargetDescription &target) {
  const GroupNode &node = g.group.node(g.plan.contraction);
  if (node.op == OpId::Matmul || node.op == OpId::MatmulInteger)
    return MatmulKernel(g, inputs, scratch, target).emit(begin, end);
  if (node.op == OpId::Conv || node.op == OpId::ConvInteger || node.op == OpId::ConvTranspose)
    return emitConvolution(g, inputs, scratch, begin, end, target);
  return internalError("codegen", std::string("no contraction kernel for ") + info(node.op).name);
}

} // namespace pliant::codegen
