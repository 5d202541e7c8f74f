// SPDX-License-Identifier: Apache-2.0
// Known contents: conversions to and from tensors, elementwise application, and inference for whole ops.
#include "ops/content.h"
#include "ops/dispatch.h"
#include "ops/walk.h"
#include <limits>

namespace pliant {

std::optional<std::vector<int64_t>> constantDims(const Extents &shape) {
  std::vector<int64_t> dims;
  for (const Expr &extent : shape) {
    std::optional<int64_t> value = extent.constant();
    if (!value || *value < 0)
      return std::nullopt;
    dims.push_back(*value);
  }
  return dims;
}

static bool hasContent(DType dtype) { return isInteger(dtype) || dtype == DType::Bool; }

std::optional<Content> contentOf(const DenseTensor &tensor) {
  if (!hasContent(tensor.dtype()) || tensor.size() > contentLimit || (!tensor.data() && tensor.size() > 0))
    return std::nullopt;
  return dispatch(tensor.dtype(), [&]<class T>(Type<T>) -> std::optional<Content> {
    Content content;
    if constexpr (!isFloatStorage<T>)
      for (int64_t i = 0; i < tensor.size(); ++i) {
        const T element = tensor.as<T>()[i];
        if (std::is_same_v<T, uint64_t> && static_cast<int64_t>(element) < 0)
          return std::nullopt; // above the range of expressions
        content.emplace_back(static_cast<int64_t>(element));
      }
    return content;
  });
}

std::optional<DenseTensor> tensorOf(const Content &content, DType dtype, const std::vector<int64_t> &dims) {
  Result<DenseTensor> tensor = DenseTensor::allocate(dtype, dims);
  if (!tensor || !hasContent(dtype) || tensor->size() != static_cast<int64_t>(content.size()))
    return std::nullopt;
  const bool fits = dispatch(dtype, [&]<class T>(Type<T>) {
    if constexpr (!isFloatStorage<T>)
      for (size_t i = 0; i < content.size(); ++i) {
        std::optional<int64_t> value = content[i].constant();
        if (!value || static_cast<int64_t>(static_cast<T>(*value)) != *value || (*value < 0 && !std::is_signed_v<T>))
          return false;
        tensor->as<T>()[i] = static_cast<T>(*value);
      }
    return true;
  });
  return fits ? std::optional(*tensor) : std::nullopt;
}

std::optional<Content> elementwise(ContentContext &c,
                                   const std::function<std::optional<Expr>(std::span<const Expr>)> &fn) {
  std::optional<Dims> dims = constantDims(c.result.shape);
  if (!dims)
    return std::nullopt;
  std::array<Dims, 3> strides{Dims(dims->size()), Dims(dims->size()), Dims(dims->size())};
  for (size_t i = 0; i < c.operands.size(); ++i) {
    std::optional<Dims> own = constantDims(c.operands[i].shape);
    if (i >= strides.size() || !c.contents[i] || !own)
      return std::nullopt;
    strides[i] = broadcastStrides(*own, *dims);
  }
  Content result;
  bool known = true;
  walk<3>(*dims, strides, {}, [&](int64_t, const std::array<int64_t, 3> &at) {
    std::array<Expr, 3> elements;
    for (size_t i = 0; known && i < c.operands.size(); ++i)
      elements[i] = (*c.contents[i])[static_cast<size_t>(at[i])];
    std::optional<Expr> element;
    if (known)
      element = fn(std::span(elements).first(c.operands.size()));
    known = known && element.has_value();
    if (known)
      result.push_back(std::move(*element));
  });
  return known ? std::optional(std::move(result)) : std::nullopt;
}

/// Whether operand `i` holds indices rather than the elements that the op moves.
static bool isIndexOperand(OpId op, size_t i) {
  return i == 1 && (op == OpId::Gather || op == OpId::GatherElements || op == OpId::GatherNd);
}

/// Runs the reference on handles: element k of the pool stands for an expression, index operands stay as they are.
static std::optional<Content> moveHandles(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                          std::span<const Content *const> contents, const Dims &dims) {
  Content pool;
  std::vector<DenseTensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::optional<Dims> own = constantDims(operands[i].shape);
    if (!own || !contents[i])
      return std::nullopt;
    std::optional<DenseTensor> input;
    if (isIndexOperand(op, i)) {
      input = tensorOf(*contents[i], operands[i].dtype, *own);
    } else {
      Content handles;
      for (const Expr &element : *contents[i]) {
        handles.emplace_back(static_cast<int64_t>(pool.size()));
        pool.push_back(element);
      }
      input = tensorOf(handles, DType::I64, *own);
    }
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  Result<DenseTensor> output = DenseTensor::allocate(DType::I64, dims);
  if (!output)
    return std::nullopt;
  RefContext context{op, attrs, inputs, std::span(&*output, 1)};
  if (!info(op).ref(context))
    return std::nullopt;
  Content result;
  for (int64_t i = 0; i < output->size(); ++i)
    result.push_back(pool[static_cast<size_t>(output->as<int64_t>()[i])]);
  return result;
}

/// The reference itself, when everything is constant: exact in every type.
static std::optional<Content> evaluateConstants(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                                std::span<const Content *const> contents) {
  std::vector<DenseTensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::optional<Dims> dims = constantDims(operands[i].shape);
    std::optional<DenseTensor> input =
        dims && contents[i] ? tensorOf(*contents[i], operands[i].dtype, *dims) : std::nullopt;
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  Result<std::vector<DenseTensor>> outputs = evaluate(op, attrs, inputs);
  return outputs && outputs->size() == 1 ? contentOf(outputs->front()) : std::nullopt;
}

std::optional<Content> inferContent(OpId op, const Attrs &attrs, std::span<const TensorType> operands,
                                    std::span<const Content *const> contents, const TensorType &result,
                                    const Facts &facts) {
  const OpInfo &entry = info(op);
  std::optional<Dims> dims = constantDims(result.shape);
  Result<int64_t> count = dims ? elementCount(*dims) : Result<int64_t>(int64_t(-1));
  if (!hasContent(result.dtype) || !count || *count < 0 || *count > contentLimit || operands.size() != contents.size())
    return std::nullopt;
  if (op == OpId::Constant)
    return contentOf(std::get<ConstantAttrs>(attrs).value);
  if (op == OpId::Extents)
    return std::get<ExtentsAttrs>(attrs).values;
  if (op == OpId::Bind)
    return std::get<BindAttrs>(attrs).symbols;
  bool constantAttrs = true;
  mapExprs(attrs, [&](const Expr &e) {
    constantAttrs = constantAttrs && e.constant();
    return e;
  });
  if (constantAttrs && !operands.empty() && (entry.ref || entry.decompose))
    if (std::optional<Content> exact = evaluateConstants(op, attrs, operands, contents))
      return exact;
  if (entry.content) {
    ContentContext context{op, attrs, operands, contents, result, facts};
    return entry.content(context);
  }
  if (entry.pattern == Pattern::Map && constantAttrs && entry.ref)
    return moveHandles(op, attrs, operands, contents, *dims);
  return std::nullopt;
}

} // namespace pliant
