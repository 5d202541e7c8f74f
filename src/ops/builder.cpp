// SPDX-License-Identifier: Apache-2.0
// The part of the value builder that all implementers share: sticky errors, typing, small constants.
#include "ops/builder.h"
#include "ops/dispatch.h"
#include <limits>

namespace pliant {

std::vector<Value> ValueBuilder::build(OpId op, Attrs attrs, std::span<const Value> operands) {
  if (failed())
    return {};
  std::vector<TensorType> types;
  for (Value operand : operands) {
    if (!operand) {
      fail(internalError(info(op).name, "built with a value that does not exist"));
      return {};
    }
    types.push_back(type(operand));
  }
  Result<std::vector<TensorType>> results = inferTypes(op, attrs, types, facts());
  if (!results) {
    fail(results.takeError());
    return {};
  }
  Result<std::vector<Value>> values = insert(op, std::move(attrs), operands, std::move(*results));
  if (!values) {
    fail(values.takeError());
    return {};
  }
  return std::move(*values);
}

Value ValueBuilder::build1(OpId op, Attrs attrs, std::initializer_list<Value> operands) {
  return first(build(op, std::move(attrs), std::span(operands.begin(), operands.size())));
}

Value ValueBuilder::scalar(DType dtype, double value) {
  if (failed())
    return {};
  Result<DenseTensor> tensor = DenseTensor::zeros(dtype, {}); // of strings: the empty one, whatever the number
  if (!tensor) {
    fail(tensor.takeError());
    return {};
  }
  if (dtype == DType::String)
    return constant(*tensor);
  dispatch(dtype, [&]<class T>(Type<T>) {
    T &element = *tensor->template as<T>();
    if constexpr (std::is_integral_v<T>) { // as a cast would (I6): a count may be more than the type holds
      constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
      element = value >= static_cast<double>(most)    ? most
                : value <= static_cast<double>(least) ? least
                : value == value                      ? static_cast<T>(value)
                                                      : T(0);
    } else {
      element = static_cast<T>(value);
    }
  });
  return constant(*tensor);
}

Value ValueBuilder::ints(const std::vector<int64_t> &values) {
  if (failed())
    return {};
  Result<DenseTensor> tensor = DenseTensor::allocate(DType::I64, {static_cast<int64_t>(values.size())});
  if (!tensor) {
    fail(tensor.takeError());
    return {};
  }
  for (size_t i = 0; i < values.size(); ++i)
    tensor->as<int64_t>()[i] = values[i];
  return constant(*tensor);
}

} // namespace pliant
