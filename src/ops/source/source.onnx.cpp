// SPDX-License-Identifier: Apache-2.0
// ONNX ops that give constants or extents, or pass their input on.
#include "ops/onnx_util.h"
#include <algorithm>

namespace pliant::ops::source {
using namespace onnx_import;

static Status shapeOf(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents &extents = n.b.shape(x);
  const int64_t rank = n.b.rank(x);
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = clamp(n.intAttr("start", 0)), end = std::max(start, clamp(n.intAttr("end", rank)));
  n.out(n.b.extents(Extents(extents.begin() + start, extents.begin() + end)));
  return n.b.status();
}

static Status size(NodeImport &n) {
  Value x = n.in(0);
  if (!n.b.failed())
    n.out(n.b.extents({product(n.b.shape(x))}, true));
  return n.b.status();
}

static Status identity(NodeImport &n) {
  n.out(n.in(0));
  return n.b.status();
}

/// Inference: the input itself; the mask keeps everything. (Version 12 has a training mode: src/ops/philox.)
static Status dropout(NodeImport &n) {
  Value x = n.in(0);
  n.out(x);
  if (n.outputs() > 1 && n.wants(1) && !n.b.failed())
    n.out(n.b.broadcastTo(n.b.scalar(n.opset < 10 ? n.b.dtype(x) : DType::Bool, 1), n.b.shape(x)));
  return n.b.status();
}

template <class T, class From>
static Value listOf(NodeImport &n, DType dtype, const std::vector<From> &values, bool scalar) {
  std::vector<int64_t> dims;
  if (!scalar)
    dims.push_back(static_cast<int64_t>(values.size()));
  Result<DenseTensor> tensor = DenseTensor::allocate(dtype, dims);
  if (!tensor) {
    n.b.fail(tensor.takeError());
    return {};
  }
  for (size_t i = 0; i < values.size(); ++i)
    tensor->template as<T>()[i] = static_cast<T>(values[i]);
  return n.b.constant(*tensor);
}

static Status constant(NodeImport &n) {
  if (n.hasAttr("value")) {
    PLIANT_TRY(DenseTensor value, n.tensorAttr("value"));
    n.out(n.b.constant(value));
  } else if (n.hasAttr("value_float")) {
    n.out(listOf<float, double>(n, DType::F32, {n.floatAttr("value_float", 0)}, true));
  } else if (n.hasAttr("value_floats")) {
    n.out(listOf<float, double>(n, DType::F32, n.floatsAttr("value_floats").value_or(std::vector<double>{}), false));
  } else if (n.hasAttr("value_int")) {
    n.out(listOf<int64_t, int64_t>(n, DType::I64, {n.intAttr("value_int", 0)}, true));
  } else if (n.hasAttr("value_ints")) {
    n.out(n.b.ints(n.intsAttr("value_ints").value_or(std::vector<int64_t>{})));
  } else if (n.hasAttr("value_string") || n.hasAttr("value_strings")) {
    const bool one = n.hasAttr("value_string");
    std::vector<std::string> texts = n.stringsAttr("value_strings").value_or(std::vector<std::string>());
    if (one)
      texts = {n.strAttr("value_string", "")};
    const auto count = static_cast<int64_t>(texts.size());
    PLIANT_TRY(DenseTensor value, DenseTensor::ofStrings(one ? std::vector<int64_t>() : std::vector{count}, texts));
    n.out(n.b.constant(value));
  } else {
    return n.unsupported("a Constant of a sparse tensor");
  }
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Shape", 1, shapeOf},   {"Size", 1, size},         {"Identity", 1, identity},
      {"Dropout", 1, dropout}, {"Constant", 1, constant},
  };
  return rows;
}

} // namespace pliant::ops::source
