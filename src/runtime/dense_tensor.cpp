// SPDX-License-Identifier: Apache-2.0
// Allocation and counting of concrete tensors.
#include "runtime/dense_tensor.h"
#include "runtime/block_pool.h"

namespace pliant {
namespace {
constexpr int64_t widestElement = 8;
} // namespace

std::string str(const std::vector<int64_t> &dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i)
      text += ", ";
    text += std::to_string(dims[i]);
  }
  // As in Python, a single extent has a comma, so that (3,) reads as a shape and not as a number.
  return text + (dims.size() == 1 ? ",)" : ")");
}

Result<int64_t> elementCount(const std::vector<int64_t> &dims) { return elementCount(dims.data(), dims.size()); }

Result<int64_t> elementCount(const int64_t *dims, size_t rank) {
  // The extents other than zero are multiplied even when one is zero: generated code forms strides from them.
  int64_t product = 1;
  bool empty = false;
  auto shape = [&] { return "shape " + str(std::vector<int64_t>(dims, dims + rank)); };
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0)
      return userError("", shape() + " has the negative extent " + std::to_string(dims[i]));
    if (dims[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, dims[i], &product) || product > INT64_MAX / widestElement)
      return userError("", shape() + " is too large: its bytes overflow 63 bits");
  }
  return empty ? int64_t(0) : product;
}

Result<DenseTensor> DenseTensor::allocate(DType dtype, std::vector<int64_t> dims) {
  PLIANT_TRY(int64_t count, elementCount(dims));
  // An empty tensor has memory too: kernels are never handed a null pointer.
  auto memory = newBlock(static_cast<size_t>(count) * byteSize(dtype), "a tensor");
  if (!memory)
    return userError("",
                     memory.error().message + " (" + std::string(name(dtype)) + " tensor of shape " + str(dims) + ")",
                     "", memory.error().hint);
  DenseTensor tensor;
  tensor.type = dtype;
  tensor.count = count;
  tensor.extents = std::move(dims);
  tensor.memory = std::move(*memory);
  return tensor;
}

Result<DenseTensor> DenseTensor::zeros(DType dtype, std::vector<int64_t> dims) {
  PLIANT_TRY(DenseTensor tensor, allocate(dtype, std::move(dims)));
  std::memset(tensor.data(), 0, tensor.bytes());
  return tensor;
}

Result<DenseTensor> DenseTensor::ofStrings(std::vector<int64_t> dims, std::vector<std::string> texts) {
  PLIANT_TRY(int64_t count, elementCount(dims));
  if (count != static_cast<int64_t>(texts.size()))
    return userError("", std::to_string(texts.size()) + " texts are given for a string tensor of shape " + str(dims));
  struct Keeper {
    std::vector<std::string> texts;
    std::vector<const std::string *> elements;
  };
  auto keeper = std::make_shared<Keeper>();
  keeper->texts = std::move(texts);
  keeper->elements.reserve(keeper->texts.size() + 1); // memory also where there is no element
  for (const std::string &text : keeper->texts)
    keeper->elements.push_back(&text);
  void *data = keeper->elements.data();
  return borrow(DType::String, std::move(dims), data, std::move(keeper));
}

Result<DenseTensor> DenseTensor::withOwnStrings() const {
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    texts.emplace_back(text(i));
  return ofStrings(extents, std::move(texts));
}

DenseTensor DenseTensor::borrow(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<void> keep) {
  auto count = elementCount(dims);
  assert(count && "the extents of borrowed memory must be countable");
  DenseTensor tensor;
  if (!count)
    return tensor;
  tensor.type = dtype;
  tensor.count = *count;
  tensor.extents = std::move(dims);
  tensor.memory = std::shared_ptr<void>(std::move(keep), data);
  return tensor;
}

Status DenseTensor::assign(DType dtype, std::span<const int64_t> dims, std::shared_ptr<void> shared) {
  PLIANT_TRY(count, elementCount(dims.data(), dims.size()));
  type = dtype;
  extents.assign(dims.begin(), dims.end());
  memory = std::move(shared);
  return ok();
}

} // namespace pliant
