// SPDX-License-Identifier: Apache-2.0
// What importer rows share: element type codes, axes, plain unary and binary rows, ops of attributes or inputs.
#pragma once
#include "onnx/node.h"

namespace pliant::onnx_import {

/// TensorProto.DataType; nothing for types that tensors here do not have (complex, 4 bits, ...).
inline std::optional<DType> dtypeOf(int64_t code) {
  switch (code) {
  case 1:
    return DType::F32;
  case 2:
    return DType::U8;
  case 3:
    return DType::I8;
  case 4:
    return DType::U16;
  case 5:
    return DType::I16;
  case 6:
    return DType::I32;
  case 7:
    return DType::I64;
  case 8:
    return DType::String;
  case 9:
    return DType::Bool;
  case 10:
    return DType::F16;
  case 11:
    return DType::F64;
  case 12:
    return DType::U32;
  case 13:
    return DType::U64;
  case 16:
    return DType::BF16;
  default:
    return std::nullopt;
  }
}

/// Symbols of extents read at run time.
inline constexpr Interval extentBounds{0, int64_t(1) << 47};

inline Result<int64_t> axisOf(const NodeImport &n, int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return n.error("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
}
/// One flag per axis of `rank`.
inline Result<std::vector<bool>> axisSet(const NodeImport &n, const std::vector<int64_t> &axes, int64_t rank) {
  std::vector<bool> set(static_cast<size_t>(rank));
  for (int64_t each : axes) {
    PLIANT_TRY(int64_t axis, axisOf(n, each, rank));
    if (set[static_cast<size_t>(axis)])
      return n.error("axis " + std::to_string(axis) + " is named twice");
    set[static_cast<size_t>(axis)] = true;
  }
  return set;
}
/// A list that older versions have as an attribute and newer ones as input `i`; nothing when neither is given.
inline Result<std::optional<std::vector<int64_t>>> constList(const NodeImport &n, const char *attr, size_t i) {
  if (!n.has(i))
    return n.intsAttr(attr);
  std::optional<std::vector<int64_t>> list = n.constInts(i);
  if (!list)
    return n.unsupported(std::string("input ") + attr + " that is not a constant");
  return list;
}

/// The right operand of the old broadcasting (before version 7): `axis` says where its first axis lines up.
inline Value legacyRhs(NodeImport &n) {
  Value rhs = n.in(1);
  if (n.opset >= 7 || !n.hasAttr("axis") || n.intAttr("broadcast", 0) == 0 || n.b.failed())
    return rhs;
  const int64_t rank = n.rank(0), axis = n.intAttr("axis", -1), at = axis < 0 ? axis + rank : axis;
  Extents extents = n.b.shape(rhs);
  for (int64_t end = at + n.b.rank(rhs); end < rank; ++end)
    extents.emplace_back(1);
  return n.b.reshape(rhs, std::move(extents));
}

template <auto method> Status unaryRow(NodeImport &n) {
  n.out((n.b.*method)(n.in(0)));
  return n.b.status();
}
template <auto method> Status binaryRow(NodeImport &n) {
  Value lhs = n.in(0);
  n.out((n.b.*method)(lhs, legacyRhs(n)));
  return n.b.status();
}
/// Any number of inputs, folded from the left.
template <auto method> Status foldRow(NodeImport &n) {
  Value all = n.in(0);
  for (size_t i = 1; i < n.inputs(); ++i)
    all = (n.b.*method)(all, n.in(i));
  n.out(all);
  return n.b.status();
}
/// A one-element tensor as a scalar.
inline Value asScalar(NodeImport &n, Value v) { return n.b.failed() || n.b.rank(v) == 0 ? v : n.b.reshape(v, {}); }

} // namespace pliant::onnx_import
