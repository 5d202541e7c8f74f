// SPDX-License-Identifier: Apache-2.0
// Drawers of matrix products, convolutions and their quantised relatives.
#include "drawing.h"

namespace pliant::differential {
namespace {

Results sums(const Value &x, const Value &y, double terms) {
  return {x.exact && y.exact && isFloat(x.type.dtype), x.bound * y.bound * terms};
}

bool matMul(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | I32 | I64, 1, 4);
  const Expr inner = x.type.shape.back();
  if (!d.known(x.type.shape))
    return false;
  Extents shape(x.type.shape.begin(), x.type.shape.end() - (x.rank() > 1 ? 2 : 1));
  if (d.chance(2))
    shape.clear();
  for (Expr &e : shape)
    if (d.chance(4))
      e = 1;
  shape.push_back(inner);
  if (x.rank() == 1 && d.chance(3))
    shape = {inner};
  else if (d.below(5) || shape.size() > 1)
    shape.push_back(d.extent());
  Value y = d.operand(x.type.dtype, shape);
  if (shape.size() == 2 && x.rank() == 2 && d.chance(6))
    return d.emit(Node(op, {d.operand(x.type.dtype, {d.extent(), x.dim(0)}), x}), sums(x, x, 64));
  return d.emit(Node(op, {x, y}), sums(x, y, 64));
}
bool gemm(Drawing &d, const char *op) {
  const DType dtype = d.type(F32 | F64);
  const Expr m = d.extent(), n = d.extent(), k = d.extent();
  const bool ta = d.chance(2), tb = d.chance(2);
  Value x = d.operand(dtype, ta ? Extents{k, m} : Extents{m, k}),
        y = d.operand(dtype, tb ? Extents{n, k} : Extents{k, n});
  Node node(op, {x, y});
  double bound = x.bound * y.bound * 64;
  if (d.chance(2)) {
    Value c = d.operand(dtype, d.one<Extents>({{m, n}, {n}, {1, n}, {m, 1}, {1}, {}}));
    node.in(c);
    bound += 8 * c.bound;
  }
  node.set("transA", static_cast<int64_t>(ta)).set("transB", static_cast<int64_t>(tb));
  if (d.chance(2))
    node.set("alpha", d.one<double>({0.5, 2, 0, -1}));
  if (d.chance(2))
    node.set("beta", d.one<double>({0.5, 2, 0, -1}));
  return d.emit(std::move(node), {x.exact && y.exact, bound});
}
bool einsum(Drawing &d, const char *op) {
  const Expr b = d.extent(), i = d.extent(), j = d.extent(), k = d.extent();
  struct Form {
    const char *equation;
    std::vector<Extents> shapes;
  };
  const std::vector<Form> forms = {{"bij,bjk->bik", {{b, i, j}, {b, j, k}}},
                                   {"ij,jk", {{i, j}, {j, k}}},
                                   {"ij->ji", {{i, j}}},
                                   {"ii->i", {{i, i}}},
                                   {"ij->", {{i, j}}},
                                   {"...ij,...jk->...ik", {{b, i, j}, {b, j, k}}},
                                   {"i,j->ij", {{i}, {j}}},
                                   {"ij,ij->i", {{i, j}, {i, j}}},
                                   {"bij,bkj->bik", {{b, i, j}, {b, k, j}}},
                                   {"bi,bj,bk->ijk", {{b, i}, {b, j}, {b, k}}},
                                   {"...i->...", {{b, k, i}}}};
  const Form &form = d.one(forms);
  const DType dtype = d.type(F32 | F64);
  Node node(op);
  double bound = 64;
  for (const Extents &shape : form.shapes) {
    Value x = d.operand(dtype, shape);
    node.in(x);
    bound *= x.bound;
  }
  return d.emit(std::move(node.set("equation", form.equation)), {true, bound * 64});
}

struct Filter {
  Value x, w;
  int axes;
  int64_t groups, outputs;
  Node window;
  std::vector<int64_t> strides{}; ///< 1 where the node has none
};
/// Operands and window attributes of a convolution; `w` has (outputs, channels / groups, taps...).
Filter filter(Drawing &d, const char *op, DType xType, DType wType, bool transposed) {
  const int axes = d.one<int>({1, 1, 2, 2, 2, 3});
  const int64_t groups = d.one<int64_t>({1, 1, 1, 2, 3}), channels = groups * d.between(1, 3),
                outputs = groups * d.between(1, 3);
  Extents in{d.one<Expr>({Expr::symbol("n"), 1, 2, 0}), channels};
  Extents taps{transposed ? channels : outputs, (transposed ? outputs : channels) / groups};
  std::vector<int64_t> kernel, strides, dilations, pads;
  for (int i = 0; i < axes; ++i) {
    kernel.push_back(d.between(1, 3));
    strides.push_back(d.one<int64_t>({1, 1, 2, 3}));
    dilations.push_back(d.one<int64_t>({1, 1, 1, 2}));
    taps.push_back(kernel.back());
    in.push_back(d.one<Expr>({Expr::symbol("m") + 4, Expr::symbol("k") + 5, 5, 6, 7, 1, 17}));
  }
  for (int i = 0; i < 2 * axes; ++i)
    pads.push_back(d.one<int64_t>({0, 0, 1, 1, 2}));
  Data low = xType == DType::F32 || xType == DType::F64 ? Data{} : Data{Data::Kind::Integers, -5, 9, {}};
  Filter f{d.input(xType, in, low), d.operand(wType, taps, low), axes, groups, outputs, Node(op)};
  if (d.below(3))
    f.window.set("kernel_shape", kernel);
  if (groups != 1)
    f.window.set("group", groups);
  if (d.chance(2))
    f.window.set("strides", strides);
  else
    strides.assign(strides.size(), 1);
  f.strides = strides;
  if (d.chance(3))
    f.window.set("dilations", dilations);
  if (d.chance(2))
    f.window.set("pads", pads);
  else if (d.chance(3))
    f.window.set("auto_pad", d.one<const char *>({"SAME_UPPER", "SAME_LOWER", "VALID"}));
  return f;
}
bool conv(Drawing &d, const char *op) {
  const bool transposed = std::string(op) == "ConvTranspose";
  const DType dtype = d.type(F32);
  Filter f = filter(d, op, dtype, dtype, transposed);
  f.window.in(f.x).in(f.w);
  if (d.chance(2))
    f.window.in(d.operand(dtype, {f.outputs}));
  if (transposed && d.chance(3)) {
    std::vector<int64_t> more;
    for (int64_t stride : f.strides)
      more.push_back(d.between(0, stride - 1));
    f.window.set("output_padding", more);
  }
  if (transposed && d.chance(6)) {
    std::vector<int64_t> extents;
    for (int64_t stride : f.strides)
      extents.push_back(d.between(4, 8) * stride);
    f.window.set("output_shape", extents);
  }
  return d.emit(std::move(f.window), sums(f.x, f.w, 64));
}

Data small() { return {Data::Kind::Integers, -5, 9, {}}; }
Value zeroPoint(Drawing &d, DType dtype, const std::vector<int64_t> &dims = {}) {
  return d.constant(dtype, dims, {Data::Kind::Integers, isSigned(dtype) ? -3.0 : 0.0, 5, {}});
}
Value scale(Drawing &d, const std::vector<int64_t> &dims = {}) {
  return d.constant(DType::F32, dims, {Data::Kind::Quarters, 0.25, 2, {}});
}
bool matMulInteger(Drawing &d, const char *op) {
  const DType a = d.type(U8 | I8), b = d.type(U8 | I8);
  const Expr inner = d.extent();
  Node node(op, {d.operand(a, {d.extent(), inner}, small()), d.operand(b, {inner, d.extent()}, small())});
  if (d.chance(2)) {
    node.in(zeroPoint(d, a));
    if (d.chance(2))
      node.in(zeroPoint(d, b));
  }
  return d.emit(std::move(node), {});
}
bool qLinearMatMul(Drawing &d, const char *op) {
  const DType a = d.type(U8 | I8), b = d.type(U8 | I8), y = a;
  const Expr inner = d.extent();
  Node node(op, {d.operand(a, {d.extent(), inner}, small()), scale(d), zeroPoint(d, a)});
  node.in(d.operand(b, {inner, d.extent()}, small())).in(scale(d)).in(zeroPoint(d, b)).in(scale(d)).in(zeroPoint(d, y));
  return d.emit(std::move(node), {});
}
bool convInteger(Drawing &d, const char *op) {
  const DType a = d.type(U8 | I8), b = d.type(U8 | I8);
  Filter f = filter(d, op, a, b, false);
  f.window.in(f.x).in(f.w);
  if (d.chance(2))
    f.window.in(zeroPoint(d, a));
  return d.emit(std::move(f.window), {});
}
bool qLinearConv(Drawing &d, const char *op) {
  const DType a = d.type(U8 | I8), b = d.type(U8 | I8);
  Filter f = filter(d, op, a, b, false);
  const bool perChannel = d.chance(3);
  const std::vector<int64_t> dims = perChannel ? std::vector<int64_t>{f.outputs} : std::vector<int64_t>{};
  Value zero = perChannel ? d.constant(b, dims, {Data::Kind::Integers, 0, 0, {}}) : zeroPoint(d, b);
  f.window.in(f.x)
      .in(scale(d))
      .in(zeroPoint(d, a))
      .in(f.w)
      .in(scale(d, dims))
      .in(zero)
      .in(scale(d))
      .in(zeroPoint(d, a));
  if (d.chance(2))
    f.window.in(d.constant(DType::I32, {f.outputs}, {Data::Kind::Integers, -20, 20, {}}));
  return d.emit(std::move(f.window), {});
}
bool quantize(Drawing &d, const char *op) {
  Value x = d.value(F32, 0, 4, true);
  const DType y = d.type(U8 | I8);
  const int axis = x.rank() ? d.below(x.rank()) : 0;
  auto extent = x.rank() ? x.dim(axis).constant() : std::nullopt;
  const bool perAxis = d.opset >= 13 && extent && *extent > 0 && d.chance(2);
  const std::vector<int64_t> dims = perAxis ? std::vector<int64_t>{*extent} : std::vector<int64_t>{};
  Node node(op, {x, d.constant(DType::F32, dims, {Data::Kind::Quarters, 0.25, 2, {}})});
  if (d.below(4))
    node.in(zeroPoint(d, y, dims));
  else if (d.opset >= 21 && d.chance(2))
    node.set("output_dtype", static_cast<int64_t>(onnxType(y)));
  if (perAxis)
    node.set("axis", static_cast<int64_t>(axis));
  return d.emit(std::move(node), {});
}
bool dequantize(Drawing &d, const char *op) {
  Value x = d.value(U8 | I8 | I32, 0, 4);
  const int axis = x.rank() ? d.below(x.rank()) : 0;
  auto extent = x.rank() ? x.dim(axis).constant() : std::nullopt;
  const bool perAxis = d.opset >= 13 && extent && *extent > 0 && d.chance(2);
  const std::vector<int64_t> dims = perAxis ? std::vector<int64_t>{*extent} : std::vector<int64_t>{};
  Node node(op, {x, d.constant(DType::F32, dims, {Data::Kind::Quarters, 0.25, 2, {}})});
  if (x.type.dtype != DType::I32 && d.below(4))
    node.in(zeroPoint(d, x.type.dtype, dims));
  if (perAxis)
    node.set("axis", static_cast<int64_t>(axis));
  return d.emit(std::move(node), {true, 512});
}
bool dynamicQuantize(Drawing &d, const char *op) { return d.emit(Node(op, {d.value(F32, 0, 4, true)}), {false, 0, 3}); }

const Drawer drawers[] = {
    {"MatMul", matMul, 3},
    {"Gemm", gemm, 2},
    {"Einsum", einsum},
    {"Conv", conv, 2},
    {"ConvTranspose", conv, 2},
    {"MatMulInteger", matMulInteger},
    {"QLinearMatMul", qLinearMatMul},
    {"ConvInteger", convInteger},
    {"QLinearConv", qLinearConv},
    {"QuantizeLinear", quantize},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", dynamicQuantize},
};

} // namespace

std::span<const Drawer> contractions() { return drawers; }

} // namespace pliant::differential
