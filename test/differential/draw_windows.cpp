// SPDX-License-Identifier: Apache-2.0
// Drawers of ops over spatial axes: pooling, resizing, sampling.
#include "drawing.h"

namespace pliant::differential {
namespace {

Extents image(Drawing &d, int axes) {
  Extents shape{d.one<Expr>({Expr::symbol("n"), 1, 2, 0}), Expr(d.between(1, 3))};
  for (int i = 0; i < axes; ++i)
    shape.push_back(d.one<Expr>({Expr::symbol("m") + 4, Expr::symbol("k") + 5, 5, 6, 7, 4, 17}));
  return shape;
}

bool pool(Drawing &d, const char *op) {
  const std::string name = op;
  const int axes = d.one<int>({1, 2, 2, 2, 3});
  Value x = d.input(d.type(name == "MaxPool" ? F32 | F64 | I8 | U8 : F32), image(d, axes));
  std::vector<int64_t> kernel, strides, pads, dilations;
  for (int i = 0; i < axes; ++i) {
    kernel.push_back(d.between(1, 4));
    strides.push_back(d.between(1, 3));
    dilations.push_back(d.one<int64_t>({1, 1, 2}));
  }
  for (int i = 0; i < 2 * axes; ++i)
    pads.push_back(d.chance(2) ? 0 : d.below(static_cast<int>(kernel[static_cast<size_t>(i % axes)])));
  Node node(op, {x});
  node.set("kernel_shape", kernel);
  if (d.below(3))
    node.set("strides", strides);
  if (d.chance(2))
    node.set("pads", pads);
  else if (d.chance(3))
    node.set("auto_pad", d.one<const char *>({"SAME_UPPER", "SAME_LOWER", "VALID"}));
  if (d.chance(3) && (name != "LpPool" || d.opset >= 18))
    node.set("ceil_mode", int64_t(1));
  if (d.chance(4) &&
      (name == "MaxPool" || (name == "AveragePool" && d.opset >= 19) || (name == "LpPool" && d.opset >= 18)))
    node.set("dilations", dilations);
  if (name == "AveragePool" && d.chance(2))
    node.set("count_include_pad", int64_t(1));
  if (name == "LpPool")
    node.set("p", d.between(1, 3));
  if (name != "MaxPool")
    return d.emit(std::move(node), rounded());
  const int results = d.chance(3) ? 2 : 1;
  if (results == 2 && d.chance(4))
    node.set("storage_order", int64_t(1));
  return d.move(std::move(node), {x}, results);
}
bool globalPool(Drawing &d, const char *op) {
  Value x = d.input(d.type(F32), image(d, 1 + d.below(3)));
  Node node(op, {x});
  if (std::string(op) == "GlobalLpPool")
    node.set("p", d.between(1, 3));
  return std::string(op) == "GlobalMaxPool" ? d.move(std::move(node), {x}) : d.emit(std::move(node), rounded());
}
bool maxUnpool(Drawing &d, const char *op) {
  Value x = d.input(DType::F32, {d.one<Expr>({Expr::symbol("n"), 1}), 2, 6, 4});
  const std::vector<int64_t> two{2, 2};
  const auto pooled = d.part(Node("MaxPool", {x}).set("kernel_shape", two).set("strides", two), 2);
  return d.move(Node(op, {{pooled[0], {}}, {pooled[1], {}}}).set("kernel_shape", two).set("strides", two), {x});
}

bool resize(Drawing &d, const char *op) {
  const int axes = d.one<int>({1, 2, 2});
  Value x = d.input(d.type(F32 | I32 | U8), image(d, axes));
  std::vector<std::string> modes = {"nearest", "linear"};
  if (axes == 2)
    modes.push_back("cubic");
  const std::string mode = d.one(modes);
  if (mode != "nearest" && x.type.dtype != DType::F32)
    return false;
  DenseTensor scales = *DenseTensor::allocate(DType::F32, {axes + 2});
  for (int i = 0; i < axes + 2; ++i)
    scales.as<float>()[i] = i < 2 ? 1.0f : d.one<float>({1, 2, 3, 1.5f, 0.5f});
  if (d.opset < 11)
    return d.emit(Node(op, {x, d.constant(scales)}).set("mode", mode == "nearest" ? "nearest" : "linear"), rounded());
  const bool crop = mode == "linear" && d.chance(4); // theirs does not extrapolate in the mode nearest
  Node node(op, {x});
  if (crop) {
    const auto rank = static_cast<int64_t>(axes + 2);
    DenseTensor part = *DenseTensor::allocate(DType::F32, {2 * rank});
    for (int64_t i = 0; i < 2 * rank; ++i)
      part.as<float>()[i] = i % rank < 2 ? static_cast<float>(i >= rank)
                            : i < rank   ? d.one<float>({0, 0.25f, -0.25f})
                                         : d.one<float>({1, 0.75f, 1.25f});
    node.in(d.constant(part));
  } else {
    node.in(d.opset >= 13 ? Drawing::none() : d.constant(DType::F32, {0}));
  }
  bool bySizes = d.chance(3);
  for (const Expr &e : x.type.shape)
    bySizes &= e.constant().has_value();
  const bool someAxes = d.opset >= 18 && !crop && d.chance(4); // the spatial ones
  if (someAxes) {
    std::vector<int64_t> list;
    DenseTensor own = *DenseTensor::allocate(DType::F32, {axes});
    for (int i = 0; i < axes; ++i) {
      list.push_back(i + 2 - (d.chance(3) ? axes + 2 : 0));
      own.as<float>()[i] = scales.as<float>()[i + 2];
    }
    node.set("axes", list);
    scales = own;
  }
  if (bySizes) {
    std::vector<int64_t> sizes;
    if (!someAxes)
      sizes = {*x.dim(0).constant(), *x.dim(1).constant()};
    for (int i = 0; i < axes; ++i)
      sizes.push_back(d.between(1, 12));
    node.in(d.opset >= 13 ? Drawing::none() : d.constant(DType::F32, {0})).in(d.intsOrInput(sizes));
  } else {
    node.in(d.constant(scales));
  }
  node.set("mode", mode.c_str());
  node.set("coordinate_transformation_mode",
           crop ? "tf_crop_and_resize"
                : d.one<const char *>({"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}));
  if (crop && d.chance(2))
    node.set("extrapolation_value", 7.0);
  if (mode == "nearest")
    node.set("nearest_mode", d.one<const char *>({"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  if (mode == "cubic" && d.chance(2)) {
    node.set("cubic_coeff_a", d.one<double>({-0.5, -0.75}));
    node.set("exclude_outside", d.between(0, 1));
  }
  if (d.opset >= 18 && mode != "nearest" && d.chance(3))
    node.set("antialias", int64_t(1));
  return mode == "nearest" ? d.move(std::move(node), {x}) : d.emit(std::move(node), rounded());
}
bool gridSample(Drawing &d, const char *op) {
  const Expr batch = d.one<Expr>({Expr::symbol("n"), 1, 2});
  Value x = d.input(DType::F32, {batch, Expr(d.between(1, 3)), Expr::symbol("m") + 2, 5});
  Value grid = d.input(DType::F32, {batch, d.extent(), 3, 2}, {Data::Kind::Real, -1.2, 1.2, {}});
  Node node(op, {x, grid});
  node.set("align_corners", d.between(0, 1))
      .set("padding_mode", d.one<const char *>({"zeros", "border", "reflection"}));
  node.set("mode", d.one<const char *>(d.opset >= 20 ? std::vector<const char *>{"linear", "nearest", "cubic"}
                                                     : std::vector<const char *>{"bilinear", "nearest", "bicubic"}));
  return d.emit(std::move(node), rounded());
}
bool roiAlign(Drawing &d, const char *op) {
  Value x = d.input(DType::F32, {2, 2, Expr::symbol("m") + 4, 7});
  const Expr count = d.extent();
  Value boxes = d.input(DType::F32, {count, 4}, {Data::Kind::Real, 0, 6, {}});
  Value which = d.input(DType::I64, {count}, {Data::Kind::Integers, 0, 1, {}});
  Node node(op, {x, boxes, which});
  node.set("output_height", d.between(1, 3))
      .set("output_width", d.between(1, 3))
      .set("spatial_scale", d.one<double>({1, 0.5}));
  const bool largest = d.chance(4); // theirs is told from a grid of as many samples everywhere (T4)
  node.set("mode", largest ? "max" : "avg").set("sampling_ratio", d.between(largest ? 1 : 0, 2));
  if (d.opset >= 16 && d.chance(2))
    node.set("coordinate_transformation_mode", d.chance(2) ? "half_pixel" : "output_half_pixel");
  return d.emit(std::move(node), rounded());
}

const Drawer drawers[] = {
    {"MaxPool", pool, 2},
    {"AveragePool", pool, 2},
    {"LpPool", pool},
    {"GlobalMaxPool", globalPool},
    {"GlobalAveragePool", globalPool},
    {"GlobalLpPool", globalPool},
    {"MaxUnpool", maxUnpool},
    {"Resize", resize, 3},
    {"GridSample", gridSample},
    {"RoiAlign", roiAlign},
};

} // namespace

std::span<const Drawer> windows() { return drawers; }

} // namespace pliant::differential
