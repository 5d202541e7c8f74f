// SPDX-License-Identifier: Apache-2.0
// ONNX Cast and CastLike.
#include "ops/onnx_util.h"
#include <cctype>

namespace pliant::ops::cast {
using namespace onnx_import;

static Value castTo(NodeImport &n, Value x, DType type) {
  if (n.b.failed() || n.b.dtype(x) == type)
    return x;
  if (type == DType::String)
    return n.b.formatText(x);
  return n.b.dtype(x) == DType::String ? n.b.parseText(x, type) : n.b.cast(x, type);
}

static Status castByCode(NodeImport &n) {
  Value x = n.in(0);
  const int64_t code = n.intAttr("to", 0);
  const std::optional<DType> type = dtypeOf(code);
  if (!type)
    return n.unsupported("conversion to ONNX element type " + std::to_string(code));
  n.out(castTo(n, x, *type));
  return n.b.status();
}

/// Before version 6 the type is a name: "FLOAT", "INT64", ...
static Status castByName(NodeImport &n) {
  static constexpr std::pair<std::string_view, DType> names[] = {
      {"FLOAT", DType::F32},     {"DOUBLE", DType::F64}, {"FLOAT16", DType::F16}, {"INT64", DType::I64},
      {"INT32", DType::I32},     {"INT16", DType::I16},  {"INT8", DType::I8},     {"UINT64", DType::U64},
      {"UINT32", DType::U32},    {"UINT16", DType::U16}, {"UINT8", DType::U8},    {"BOOL", DType::Bool},
      {"STRING", DType::String},
  };
  std::string to = n.strAttr("to", "");
  for (char &c : to)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (auto &[text, type] : names)
    if (text == to) {
      n.out(castTo(n, n.in(0), type));
      return n.b.status();
    }
  return n.unsupported("conversion to \"" + to + "\"");
}

static Status castLike(NodeImport &n) {
  Value x = n.in(0), like = n.in(1);
  if (!n.b.failed())
    n.out(castTo(n, x, n.b.dtype(like)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Cast", 1, castByName}, {"Cast", 6, castByCode}, {"CastLike", 15, castLike}};
  return rows;
}

} // namespace pliant::ops::cast
