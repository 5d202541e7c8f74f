// SPDX-License-Identifier: Apache-2.0
// For tests of ops: tensors from lists, short calls of rules and references.
#pragma once
#include "ops/content.h"
#include "ops/dispatch.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pliant::test {

constexpr double NaN = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

inline DenseTensor tensor(DType dtype, const std::vector<int64_t> &dims, const std::vector<double> &values) {
  DenseTensor result = *DenseTensor::zeros(dtype, dims);
  EXPECT_EQ(result.size(), static_cast<int64_t>(values.size()));
  dispatch(dtype, [&]<class T>(Type<T>) {
    for (size_t i = 0; i < values.size(); ++i)
      result.as<T>()[i] = static_cast<T>(values[i]);
  });
  return result;
}
inline DenseTensor f32(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::F32, dims, v);
}
inline DenseTensor i64(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::I64, dims, v);
}

inline DenseTensor strings(const std::vector<int64_t> &dims, const std::vector<std::string> &v) {
  return *DenseTensor::ofStrings(dims, v);
}

/// Elements as text, so that NaN, -0 and lengths compare simply: "nan -0 1.5".
inline std::string text(const DenseTensor &t) {
  std::string all;
  if (t.dtype() == DType::String) {
    for (int64_t i = 0; i < t.size(); ++i)
      all += (i ? " " : "") + std::string(t.text(i));
    return all;
  }
  dispatch(t.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < t.size(); ++i) {
      const ComputeOf<T> element = t.as<T>()[i];
      char buffer[40];
      if constexpr (isFloatStorage<T>)
        std::snprintf(buffer, sizeof buffer, "%.6g",
                      std::isnan(element) ? std::fabs(double(element)) : double(element));
      else
        std::snprintf(buffer, sizeof buffer, "%s", std::to_string(element).c_str());
      all += (i ? " " : "") + std::string(buffer);
    }
  });
  return all;
}
/// "f32(2, 3): 1 2 3 4 5 6", or the error's text.
inline std::string run(OpId op, const Attrs &attrs, const std::vector<DenseTensor> &inputs) {
  Result<std::vector<DenseTensor>> results = evaluate(op, attrs, inputs);
  if (!results)
    return results.error().text();
  const DenseTensor &t = results->front();
  return std::string(name(t.dtype())) + pliant::str(t.dims()) + ": " + text(t);
}

/// "f32(B, 2*S+1)" or "(1, 2) x"; extents by their text.
inline TensorType type(DType dtype, const std::vector<std::string> &extents) {
  TensorType result{dtype, {}};
  for (const std::string &extent : extents)
    result.shape.push_back(*Expr::parse(extent));
  return result;
}
inline std::string infer(OpId op, const Attrs &attrs, const std::vector<TensorType> &operands, Facts facts = {}) {
  Result<std::vector<TensorType>> results = inferTypes(op, attrs, operands, facts);
  return results ? results->front().str() : results.error().text();
}

/// A known content by its expressions, under a type of rank 1 (or as given).
struct Known {
  Content content;
  TensorType type;
  Known(DType dtype, const std::vector<std::string> &elements)
      : type{dtype, {Expr(static_cast<int64_t>(elements.size()))}} {
    for (const std::string &element : elements)
      content.push_back(*Expr::parse(element));
  }
};
/// "(B, S-1)" or "unknown".
inline std::string contentOf(OpId op, const Attrs &attrs, const std::vector<Known> &operands, Facts facts = {}) {
  std::vector<TensorType> types;
  std::vector<const Content *> contents;
  for (const Known &operand : operands) {
    types.push_back(operand.type);
    contents.push_back(&operand.content);
  }
  Result<std::vector<TensorType>> results = inferTypes(op, attrs, types, facts);
  if (!results)
    return results.error().text();
  std::optional<Content> content = inferContent(op, attrs, types, contents, results->front(), facts);
  return content ? str(*content) : "unknown";
}

} // namespace pliant::test
