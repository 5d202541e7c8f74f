// SPDX-License-Identifier: Apache-2.0
// Pieces that importer rows of reductions, convolutions and pooling share: axes, windows, automatic padding.
#pragma once
#include "ops/onnx_util.h"

namespace pliant::onnx_import {

/// The axes a reduction folds: an attribute, later an input; all when absent, unless told otherwise.
inline Result<std::vector<int64_t>> reducedAxes(const NodeImport &n, int64_t rank) {
  PLIANT_TRY(std::optional<std::vector<int64_t>> axes, constList(n, "axes", 1));
  if (!axes)
    axes.emplace();
  if (axes->empty() && n.intAttr("noop_with_empty_axes", 0) == 0)
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  for (int64_t &axis : *axes) {
    PLIANT_TRY(axis, axisOf(n, axis, rank));
  }
  return std::move(*axes);
}

/// The node's first input and its axis; without the attribute the input flattened, and its only axis.
inline Result<std::pair<Value, int64_t>> axisOrFlattened(const NodeImport &n) {
  const Value x = n.in(0);
  if (n.b.failed())
    return n.b.status().takeError();
  if (!n.hasAttr("axis"))
    return std::pair(n.b.reshape(x, {product(n.b.shape(x))}), int64_t(0));
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", 0), n.b.rank(x)));
  return std::pair(x, axis);
}

/// A per-channel parameter (C) shaped to broadcast against axis 1 of a tensor of the rank.
inline Value perChannel(ValueBuilder &b, Value parameter, int64_t rank) {
  if (b.failed() || rank <= 2 || b.rank(parameter) != 1)
    return parameter;
  Extents shape(static_cast<size_t>(rank - 1), Expr(1));
  shape[0] = b.shape(parameter)[0];
  return b.reshape(parameter, std::move(shape));
}

/// The spatial axes of x; an error below rank 3.
inline Result<size_t> spatialAxes(const NodeImport &n, Value x) {
  const int64_t rank = n.b.rank(x);
  if (rank < 3)
    return n.error("the input has shape " + str(n.b.shape(x)) + " but needs a batch, channels and spatial axes");
  return static_cast<size_t>(rank - 2);
}

/// Data and weights of a convolution node.
struct ConvOperands {
  Value x, w;
  size_t axes = 0; ///< spatial ones
  Extents taps;
};

inline Result<ConvOperands> convOperands(const NodeImport &n) {
  ConvOperands out{n.in(0), n.in(1), 0, {}};
  if (n.b.failed())
    return n.b.status().takeError();
  PLIANT_TRY(out.axes, spatialAxes(n, out.x));
  const Extents x = n.b.shape(out.x), w = n.b.shape(out.w);
  if (w.size() != x.size())
    return n.error("X has shape " + str(x) + " but W has shape " + str(w) + ": the ranks differ");
  out.taps.assign(w.begin() + 2, w.end());
  return out;
}

/// y with the bias of its channels, the node's third input, where there is one.
inline Value withBias(const NodeImport &n, Value y, size_t axes) {
  return n.has(2) ? n.b.add(y, perChannel(n.b, n.in(2), static_cast<int64_t>(axes + 2))) : y;
}

/// Strides, dilations and pads of a convolution or pooling node, one entry per spatial axis (pads: two).
struct Window {
  std::vector<int64_t> strides, dilations;
  Extents pads;
  bool automatic = false; ///< pads come from auto_pad
};

inline Result<std::vector<int64_t>> perAxis(const NodeImport &n, const char *attr, size_t axes, int64_t otherwise) {
  std::vector<int64_t> values = n.intsAttr(attr).value_or(std::vector<int64_t>(axes, otherwise));
  if (values.size() != axes)
    return n.error(std::string(attr) + " has " + std::to_string(values.size()) + " entries for " +
                   std::to_string(axes) + " spatial axes");
  for (int64_t value : values)
    if (value < 1 && otherwise == 1)
      return n.error(std::string(attr) + " has the entry " + std::to_string(value) + " but must be positive");
  return values;
}

/// Low and high counts for a result of ceil(in / stride) windows of `span` cells; the odd one goes to the high side
/// when `upper`. Where the span covers the stride the total cannot be negative, and no maximum is written.
inline std::pair<Expr, Expr> samePads(const Facts &facts, const Expr &in, int64_t stride, const Expr &span,
                                      bool upper) {
  if (facts.lessEqual(span, 1) == Proof::Yes)
    return {0, 0};
  Expr total = (ceilDiv(in, stride) - 1) * stride + span - in;
  if (facts.lessEqual(stride, span) != Proof::Yes)
    total = max(total, Expr(0));
  Expr half = floorDiv(total, 2);
  return upper ? std::pair(half, total - half) : std::pair(total - half, half);
}

/// Reads the window of `n` over x (batch, channels, spatial...) with the given kernel extents.
inline Result<Window> readWindow(NodeImport &n, Value x, const Extents &kernel) {
  const size_t axes = kernel.size();
  Window window;
  PLIANT_TRY(window.strides, perAxis(n, "strides", axes, 1));
  PLIANT_TRY(window.dilations, perAxis(n, "dilations", axes, 1));
  const std::string mode = n.strAttr("auto_pad", "NOTSET");
  window.automatic = mode != "NOTSET" && !mode.empty();
  window.pads.assign(2 * axes, Expr(0));
  if (!window.automatic) {
    std::vector<int64_t> pads = n.intsAttr("pads").value_or(std::vector<int64_t>(2 * axes, 0));
    if (pads.size() != 2 * axes)
      return n.error("pads has " + std::to_string(pads.size()) + " entries for " + std::to_string(axes) +
                     " spatial axes");
    window.pads.assign(pads.begin(), pads.end());
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    const Extents shape = n.b.shape(x);
    for (size_t i = 0; i < axes; ++i)
      std::tie(window.pads[i], window.pads[axes + i]) =
          samePads(n.b.facts(), shape[2 + i], window.strides[i], (kernel[i] - 1) * window.dilations[i] + 1,
                   mode == "SAME_UPPER");
  } else if (mode != "VALID") {
    return n.error("auto_pad is \"" + mode + "\"", "use NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  }
  return window;
}

} // namespace pliant::onnx_import
