// SPDX-License-Identifier: Apache-2.0
// Rows of docs/differential.md where ONNX Runtime is wrong. Each says which elements its cause touches and what is
// right there, so that nothing else hides behind it.
#include "case.h"
#include "compare.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::differential {

bool innerExtentOfNone(const Case &c) {
  const Dims &x = c.in(0).dims();
  if (c.is({"Gemm"}))
    return x.size() == 2 && x[c.integer("transA", 0) ? 0 : 1] == 0;
  return c.is({"MatMul", "MatMulInteger", "QLinearMatMul"}) && !x.empty() && x.back() == 0;
}

namespace {

constexpr double far = 2147483647; ///< exporters write it, or 2^63 - 1, for "to the end"

/// Zeros, plus bias. Where the product itself is not what differs, only that it is there.
bool unwrittenMemory(const Case &c) {
  if (c.kind() != Kind::Values || !innerExtentOfNone(c))
    return false;
  if (!c.found)
    return true;
  const DenseTensor &bias = c.in(2);
  return c.each([&](int64_t i) {
    double right = 0;
    if (c.is({"QLinearMatMul"}))
      right = c.list(7).empty() ? 0 : c.list(7)[0];
    else if (c.is({"Gemm"}) && bias)
      right = c.number("beta", 1) * c.list(2)[static_cast<size_t>(broadcastFrom(i, c.found->ours.dims(), bias.dims()))];
    return c.ours(i) == right;
  });
}

/// What a reduction gives of nothing (S2 of docs/semantics.md).
double ofNothing(const std::string &op, DType type) {
  const auto [low, high] = rangeOf(type);
  if (op == "ReduceProd")
    return 1;
  if (op == "ReduceMean")
    return NAN;
  if (op == "ReduceMax")
    return isFloat(type) ? -INFINITY : low;
  if (op == "ReduceMin")
    return isFloat(type) ? INFINITY : high;
  return op.starts_with("ReduceLog") ? -INFINITY : 0;
}
bool foldsNothing(const Case &c) { return (c.starts("Reduce") || c.starts("Arg")) && c.in(0) && c.in(0).size() == 0; }
Dims dimsOfFolded(const Case &c) {
  const std::set<int64_t> axes = c.reducedAxes();
  Dims right;
  for (int64_t axis = 0; axis < c.in(0).rank(); ++axis)
    if (!axes.contains(axis))
      right.push_back(c.in(0).dims()[static_cast<size_t>(axis)]);
    else if (c.integer("keepdims", 1))
      right.push_back(1);
  return right;
}
/// Ours is what S2 says, in shape and values.
bool reducesNothing(const Case &c) {
  if (!c.values() || !foldsNothing(c))
    return false;
  const std::vector<double> elements = numbersOf(c.found->ours);
  const double nothing = ofNothing(c.node.op_type(), c.in(0).dtype());
  return c.found->ours.dims() == dimsOfFolded(c) && std::all_of(elements.begin(), elements.end(), [&](double v) {
           return v == nothing || (std::isnan(v) && std::isnan(nothing));
         });
}

/// A node that is refused in the right extents of a reduction of nothing, and that they run in theirs.
bool readsReducedNothing(const Case &c) {
  if (c.kind() != Kind::WeRefuse)
    return false;
  for (const std::string &name : c.node.input())
    if (const onnx::NodeProto *maker = c.makerOf(name)) {
      const Case folding(c.finding, *maker, c.ort);
      const auto theirs = foldsNothing(folding) ? answered(*maker, folding.inputs, c.opset(), c.ort) : std::nullopt;
      if (theirs && theirs->front().dims() != dimsOfFolded(folding))
        return true;
    }
  return false;
}

/// The same node with explicit pads for its auto_pad, which ONNX Runtime computes rightly. `total` says how many an
/// axis needs, of its extent, the window with dilations and the stride.
std::optional<onnx::NodeProto> withPads(const Case &c, const std::function<int64_t(int64_t, int64_t, int64_t)> &total) {
  const bool conv = c.starts("Conv") || c.starts("QLinearConv");
  const Dims &dims = c.in(0).dims();
  Dims window = c.integers("kernel_shape"), strides = c.integers("strides"), dilations = c.integers("dilations");
  if (window.empty() && conv)
    window.assign(c.in(c.starts("Q") ? 3 : 1).dims().begin() + 2, c.in(c.starts("Q") ? 3 : 1).dims().end());
  const size_t axes = window.size();
  if (dims.size() != axes + 2)
    return std::nullopt;
  strides.resize(axes, 1);
  dilations.resize(axes, 1);
  onnx::NodeProto node = c.node;
  for (int i = node.attribute_size(); i-- > 0;)
    if (std::set<std::string>{"auto_pad", "pads", "ceil_mode", "output_padding"}.contains(node.attribute(i).name()))
      node.mutable_attribute()->DeleteSubrange(i, 1);
  auto &pads = *node.add_attribute();
  pads.set_name("pads");
  pads.set_type(onnx::AttributeProto::INTS);
  Dims ends, more;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t all = total(dims[i + 2], (window[i] - 1) * dilations[i] + 1, strides[i]),
                  some = std::max<int64_t>(all, 0);
    const int64_t front = c.text("auto_pad") == "SAME_LOWER" ? (some + 1) / 2 : some / 2;
    pads.add_ints(front);
    ends.push_back(some - front);
    more.push_back(std::max<int64_t>(-all, 0));
  }
  for (int64_t end : ends)
    pads.add_ints(end);
  if (c.is({"ConvTranspose"})) { // what is missing is added behind
    auto &padding = *node.add_attribute();
    padding.set_name("output_padding");
    padding.set_type(onnx::AttributeProto::INTS);
    padding.mutable_ints()->Add(more.begin(), more.end());
  }
  return node;
}
bool isTheSameWithPads(const Case &c, const std::function<int64_t(int64_t, int64_t, int64_t)> &total) {
  const auto node = withPads(c, total);
  return node && c.oursIs(answered(*node, c.inputs, c.opset(), c.ort));
}
int64_t samePads(int64_t extent, int64_t window, int64_t stride) {
  return std::max<int64_t>(0, ((extent + stride - 1) / stride - 1) * stride + window - extent);
}
bool pools(const Case &c) { return c.values() && c.is({"AveragePool", "MaxPool", "LpPool"}); }
bool somewhere(const Dims &list, bool (*holds)(int64_t)) { return std::any_of(list.begin(), list.end(), holds); }

/// The largest of the samples is that of a finer grid of means of one sample each.
bool largestSample(const Case &c) {
  const int64_t samples = c.integer("sampling_ratio", 0);
  if (!c.elements() || !c.is({"RoiAlign"}) || c.text("mode") != "max" || samples < 1)
    return false;
  onnx::NodeProto fine = c.node;
  for (auto &a : *fine.mutable_attribute()) {
    if (a.name() == "mode")
      a.set_s("avg");
    else if (a.name() == "sampling_ratio")
      a.set_i(1);
    else if (a.name().starts_with("output_") && a.has_i())
      a.set_i(a.i() * samples);
  }
  const auto means = answered(fine, c.inputs, c.opset(), c.ort);
  onnx::NodeProto largest;
  largest.set_op_type("MaxPool");
  largest.add_output("y");
  for (const char *name : {"kernel_shape", "strides"}) {
    auto &a = *largest.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INTS);
    a.add_ints(samples);
    a.add_ints(samples);
  }
  return means && c.oursIs(answered(largest, *means, c.opset(), c.ort));
}

/// An end behind every extent, of a negative step: nothing is left of that axis, and the others are as theirs.
bool slicesToNothing(const Case &c) {
  if (!c.shapes() || !c.is({"Slice"}) || c.found->ours.rank() != c.found->theirs.rank())
    return false;
  const std::vector<double> ends = c.list(2), axes = c.list(3), steps = c.list(4);
  std::set<int64_t> none;
  for (size_t i = 0; i < ends.size() && i < steps.size(); ++i)
    if (steps[i] < 0 && ends[i] >= far) {
      const auto axis = static_cast<int64_t>(i < axes.size() ? axes[i] : static_cast<double>(i));
      none.insert(axis < 0 ? axis + c.in(0).rank() : axis);
    }
  for (int64_t axis = 0; axis < c.found->ours.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (c.found->ours.dims()[i] != (none.contains(axis) ? 0 : c.found->theirs.dims()[i]))
      return false;
  }
  return !none.empty();
}
/// Whether a slice of the graph steps backwards from a start to an end behind every extent.
bool someSliceDoes(const Case &c) {
  return std::any_of(c.graph().node().begin(), c.graph().node().end(), [&](const onnx::NodeProto &node) {
    const Case each(c.finding, node, c.ort);
    const std::vector<double> ends = each.list(2), steps = each.list(4);
    bool any = false;
    for (size_t i = 0; node.op_type() == "Slice" && i < ends.size() && i < steps.size(); ++i)
      any |= steps[i] < 0 && ends[i] >= far;
    return any;
  });
}

/// Rows of a softmax that have no finite maximum or a NaN: all of them NaN.
bool rowsWithoutMaximum(const Case &c) {
  if (!c.elements() || !c.is({"Softmax", "LogSoftmax"}))
    return false;
  const int64_t rank = c.in(0).rank();
  int64_t axis = c.integer("axis", c.opset() < 13 ? 1 : -1);
  axis += axis < 0 ? rank : 0;
  std::set<int64_t> axes{axis};
  for (int64_t i = axis; c.opset() < 13 && i < rank; ++i)
    axes.insert(i);
  const std::vector<double> x = c.list(0);
  std::set<int64_t> touched;
  for (const auto &line : folded(c.in(0).dims(), axes)) {
    double largest = -INFINITY;
    bool nan = false;
    for (int64_t i : line) {
      largest = std::max(largest, x[static_cast<size_t>(i)]);
      nan |= std::isnan(x[static_cast<size_t>(i)]);
    }
    if (nan || !std::isfinite(largest))
      touched.insert(line.begin(), line.end());
  }
  return c.each([&](int64_t i) { return touched.contains(i) && std::isnan(c.ours(i)); });
}

/// A part of the picture: extents by scales are not those of that part, and along an axis whose extent stays it is not
/// taken at all. The same by sizes is right there, with twice the steps along such an axis, of which every second
/// counts.
bool resizesAPart(const Case &c) {
  const auto rank = static_cast<size_t>(c.in(0).rank());
  const std::vector<double> roi = c.list(1), scales = c.list(2);
  std::vector<double> sizes = c.list(3);
  if (!c.values() || !c.is({"Resize"}) || c.text("coordinate_transformation_mode") != "tf_crop_and_resize" ||
      roi.size() != 2 * rank || (scales.size() != rank && sizes.size() != rank))
    return false;
  const Dims &extents = c.in(0).dims();
  auto list = [&] { return *DenseTensor::allocate(DType::I64, {static_cast<int64_t>(rank)}); };
  DenseTensor asked = list(), starts = list(), ends = list(), axes = list(), steps = list();
  bool touched = sizes.empty();
  for (size_t i = 0; i < rank; ++i) {
    const double part = roi[rank + i] - roi[i];
    if (sizes.size() == i)
      sizes.push_back(std::floor(static_cast<double>(extents[i]) * part * scales[i]));
    const auto size = static_cast<int64_t>(sizes[i]);
    const bool stays = size == extents[i] && (part != 1 || roi[i] != 0);
    touched |= stays;
    asked.as<int64_t>()[i] = stays ? std::max<int64_t>(2 * size - 1, 0) : size;
    starts.as<int64_t>()[i] = 0;
    ends.as<int64_t>()[i] = INT32_MAX;
    axes.as<int64_t>()[i] = static_cast<int64_t>(i);
    steps.as<int64_t>()[i] = stays ? 2 : 1;
  }
  // Scales could not be left out before opset 13, only be empty.
  const DenseTensor none = c.opset() < 13 ? *DenseTensor::allocate(DType::F32, {0}) : DenseTensor();
  const auto finer = answered(c.node, {c.in(0), c.in(1), none, asked}, c.opset(), c.ort);
  onnx::NodeProto slice;
  slice.set_op_type("Slice");
  slice.add_output("y");
  return touched && finer && c.oursIs(answered(slice, {finer->front(), starts, ends, axes, steps}, c.opset(), c.ort));
}

/// The cell state is bounded too before the activation that makes the output of it: in one step, where it is beyond.
bool boundsTheCell(const Case &c) {
  const double bound = c.number("clip", 0);
  if (!c.elements() || !c.is({"LSTM"}) || bound <= 0 || c.output() > 1 || c.node.output_size() < 3)
    return false;
  const auto cell = c.finding.values.find(c.node.output(2));
  if (cell == c.finding.values.end() || c.integer("layout", 0) || c.in(0).dims()[0] != 1)
    return false;
  const std::vector<double> kept = numbersOf(cell->second); // of the same order as Y and Y_h of one step
  return c.each([&](int64_t i) { return std::abs(kept[static_cast<size_t>(i)]) > bound; });
}

/// Without a condition the standard ignores what the body gives for one; they go on as if it were not there when it is
/// always true.
bool ignoresTheBody(const Case &c) {
  const bool conditional = c.node.input_size() > 1 && !c.node.input(1).empty();
  if (!c.values() || !c.is({"Loop"}) || conditional || c.graph().node_size() != 1)
    return false;
  Model always = c.finding.model;
  for (auto &a : *always.proto.mutable_graph()->mutable_node(0)->mutable_attribute()) {
    if (a.name() != "body")
      continue;
    auto &body = *a.mutable_g();
    auto &yes = *body.add_node();
    yes.set_op_type("Identity");
    yes.add_input(body.input(1).name());
    yes.add_output("always");
    body.mutable_output(0)->set_name("always");
  }
  const auto answers = answersTo(always, c.finding.point, c.ort);
  const auto right = answers.find(c.found->output);
  return right != answers.end() && tool::compare(c.found->ours, right->second, tool::ortSlack).holds;
}

/// Texts that are gathered in blocks, of which theirs takes the first: ours are those at the places that it gathers of
/// numbers.
bool gathersTheFirst(const Case &c) {
  if (!c.elements() || !c.is({"Gather"}) || c.in(0).dtype() != DType::String)
    return false;
  DenseTensor places = *DenseTensor::allocate(DType::I64, c.in(0).dims());
  for (int64_t i = 0; i < places.size(); ++i)
    places.as<int64_t>()[i] = i;
  const auto from = answered(c.node, {places, c.in(1)}, c.opset(), c.ort);
  return from && from->front().dims() == c.found->ours.dims() && c.each([&](int64_t i) {
    return c.found->theirs.text(i).empty() && c.found->ours.text(i) == c.in(0).text(from->front().as<int64_t>()[i]);
  });
}

/// A sum of exponentials with NaN and infinity.
bool nanAndInfinity(const Case &c) {
  if (!c.elements() || !c.is({"ReduceLogSumExp"}))
    return false;
  const auto lines = c.reducedLines();
  return c.each([&](int64_t i) {
    const auto &line = lines[static_cast<size_t>(i)];
    return std::isnan(c.ours(i)) && std::isinf(c.theirs(i)) &&
           std::any_of(line.begin(), line.end(), [](double v) { return std::isnan(v); }) &&
           std::any_of(line.begin(), line.end(), [](double v) { return std::isinf(v); });
  });
}

const Row rows[] = {
    {"T1", unwrittenMemory, true},
    {"T2", reducesNothing},
    {"T2", readsReducedNothing, true},
    {"T3",
     [](const Case &c) {
       return c.shapes() && pools(c) && c.text("auto_pad") == "VALID" && c.integer("ceil_mode", 0) == 1 &&
              isTheSameWithPads(c, [](int64_t, int64_t, int64_t) { return int64_t(0); });
     }},
    {"T4", largestSample},
    {"T5", slicesToNothing},
    {"T5", [](const Case &c) { return c.kind() == Kind::WeRefuse && c.is({"SequenceAt"}) && someSliceDoes(c); }, true},
    {"T7",
     [](const Case &c) {
       return c.shapes() && c.is({"ConvTranspose"}) && c.text("auto_pad").starts_with("SAME") &&
              isTheSameWithPads(c, [](int64_t, int64_t window, int64_t stride) { return window - stride; });
     }},
    {"T8", rowsWithoutMaximum},
    {"T9",
     [](const Case &c) {
       return pools(c) && c.text("auto_pad").starts_with("SAME") &&
              somewhere(c.integers("dilations"), [](int64_t d) { return d > 1; }) && isTheSameWithPads(c, samePads);
     }},
    {"T9",
     [](const Case &c) {
       const Dims &x = c.in(0).dims(), window = c.integers("kernel_shape"), dilations = c.integers("dilations");
       bool fits = true;
       for (size_t i = 0; i < window.size() && i < dilations.size() && i + 2 < x.size(); ++i)
         fits &= (window[i] - 1) * dilations[i] < x[i + 2];
       return c.kind() == Kind::WeRefuse && c.says("negative extent") && c.is({"AveragePool", "MaxPool", "LpPool"}) &&
              c.text("auto_pad") == "VALID" && !fits;
     }},
    {"T10",
     [](const Case &c) {
       const std::vector<double> target = c.list(1);
       return c.kind() == Kind::WeRefuse && c.is({"Reshape"}) && c.says("beside a 0") &&
              c.integer("allowzero", 0) == 1 && std::find(target.begin(), target.end(), 0) != target.end() &&
              std::find(target.begin(), target.end(), -1) != target.end();
     }},
    {"T11", nanAndInfinity},
    {"T12", boundsTheCell},
    {"T13", resizesAPart},
    {"T14", ignoresTheBody},
    {"T15", gathersTheFirst},
    {"T16",
     [](const Case &c) {
       if (!c.elements() || !c.is({"Attention"}) || c.output() != 3 || c.in(3).dtype() != DType::Bool)
         return false;
       const DType type = c.found->ours.dtype();
       const double lowest = type == DType::F32 ? std::numeric_limits<float>::lowest() : rangeOf(type).first;
       return c.each([&](int64_t i) { return c.ours(i) == -INFINITY && c.theirs(i) == lowest; });
     }},
    {"S11", // beside the others of auto_pad
     [](const Case &c) {
       const Dims window = c.integers("kernel_shape"), strides = c.integers("strides");
       bool smaller = false;
       for (size_t i = 0; i < strides.size(); ++i)
         smaller |= i >= window.size() || window[i] < strides[i];
       return c.values() && !c.is({"ConvTranspose"}) && smaller && c.text("auto_pad").starts_with("SAME") &&
              isTheSameWithPads(c, samePads);
     }},
};

} // namespace

std::span<const Row> theirsIsWrong() { return rows; }

} // namespace pliant::differential
