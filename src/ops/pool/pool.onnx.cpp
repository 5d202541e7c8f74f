// SPDX-License-Identifier: Apache-2.0
// MaxPool, AveragePool, LpPool and their global forms, which are reductions.
#include "ops/compose.h"
#include "ops/onnx_axes.h"

namespace pliant::ops::pool {
using namespace onnx_import;

namespace {
struct PoolNode {
  Value x;
  std::vector<int64_t> kernel;
  Window window;
  bool ceilMode = false;
};
} // namespace

static Result<PoolNode> readPool(NodeImport &n) {
  PoolNode node;
  node.x = n.in(0);
  if (n.b.failed())
    return n.b.status().takeError();
  PLIANT_TRY(size_t axes, spatialAxes(n, node.x));
  if (!n.hasAttr("kernel_shape"))
    return n.error("kernel_shape is missing");
  PLIANT_TRY(node.kernel, perAxis(n, "kernel_shape", axes, 1));
  PLIANT_TRY(node.window, readWindow(n, node.x, Extents(node.kernel.begin(), node.kernel.end())));
  node.ceilMode = n.intAttr("ceil_mode", 0) != 0 && !node.window.automatic; // auto_pad says the extents itself
  return node;
}

static Status importMaxPool(NodeImport &n) {
  PLIANT_TRY(PoolNode p, readPool(n));
  const Window &w = p.window;
  n.out(n.b.maxPool(p.x, p.kernel, w.strides, w.dilations, w.pads, p.ceilMode, false));
  if (n.wants(1))
    n.out(n.b.maxPoolIndices(p.x, p.kernel, w.strides, w.dilations, w.pads, p.ceilMode, false,
                             n.intAttr("storage_order", 0) != 0));
  return n.b.status();
}

static Status importAveragePool(NodeImport &n) {
  PLIANT_TRY(PoolNode p, readPool(n));
  const Window &w = p.window;
  n.out(n.b.avgPool(p.x, p.kernel, w.strides, w.dilations, w.pads, p.ceilMode, false,
                    n.intAttr("count_include_pad", 0) != 0));
  return n.b.status();
}

/// |x|^p and the p-th root.
static Value power(ValueBuilder &b, Value x, int64_t p) {
  if (p == 1)
    return b.abs(x);
  return p == 2 ? b.mul(x, x) : b.pow(b.abs(x), b.scalarLike(x, static_cast<double>(p)));
}
static Value root(ValueBuilder &b, Value x, int64_t p) {
  if (p == 1)
    return x;
  return p == 2 ? b.sqrt(x) : b.pow(x, b.scalarLike(x, 1 / static_cast<double>(p)));
}

static Status importLpPool(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(PoolNode p, readPool(n));
  const Window &w = p.window;
  const int64_t order = n.intAttr("p", 2);
  const DType dtype = b.dtype(p.x);
  Value x = power(b, compose::widen(b, p.x), order);
  Value sum = b.sumPool(x, p.kernel, w.strides, w.dilations, w.pads, p.ceilMode, false);
  n.out(compose::castTo(b, root(b, sum, order), dtype));
  return b.status();
}

/// The axes behind the channels.
static Result<std::vector<int64_t>> globalAxes(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status().takeError();
  PLIANT_TRY(size_t axes, spatialAxes(n, x));
  std::vector<int64_t> all;
  for (size_t i = 0; i < axes; ++i)
    all.push_back(static_cast<int64_t>(2 + i));
  return all;
}

static Status importGlobalMaxPool(NodeImport &n) {
  PLIANT_TRY(std::vector<int64_t> axes, globalAxes(n));
  n.out(n.b.reduceMax(n.in(0), axes, true));
  return n.b.status();
}
static Status importGlobalAveragePool(NodeImport &n) {
  PLIANT_TRY(std::vector<int64_t> axes, globalAxes(n));
  n.out(n.b.reduceMean(n.in(0), axes, true));
  return n.b.status();
}
static Status importGlobalLpPool(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(std::vector<int64_t> axes, globalAxes(n));
  const int64_t order = n.intAttr("p", 2);
  Value x = power(b, compose::widen(b, n.in(0)), order);
  n.out(compose::castTo(b, root(b, b.reduceSum(x, axes, true), order), n.dtype(0)));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"MaxPool", 1, importMaxPool},
      {"AveragePool", 1, importAveragePool},
      {"LpPool", 2, importLpPool},
      {"GlobalMaxPool", 1, importGlobalMaxPool},
      {"GlobalAveragePool", 1, importGlobalAveragePool},
      {"GlobalLpPool", 2, importGlobalLpPool},
  };
  return rows;
}

} // namespace pliant::ops::pool
