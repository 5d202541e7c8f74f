// SPDX-License-Identifier: Apache-2.0
// Allocation and counting of concrete tensors.
#include "runtime/tensor.h"
#include "runtime/memory.h"
#include "runtime/pages.h"
#include <atomic>
#include <cstdlib>

namespace pliant {
namespace {
constexpr size_t alignment = 64;
constexpr int64_t widestElement = 8;
/// From here on the C library maps fresh pages for every allocation: better then huge ones.
constexpr size_t mapped = size_t(32) << 20;

/// Mappings start at equal low bits of the address. Tensors that are walked side by side would then meet in the sets of
/// the caches and be taken for one another by what guesses from a part of the address (measured: a third of the speed),
/// so each starts some pages and lines further on than the last.
size_t stagger() {
  static std::atomic<size_t> turn{0};
  return turn.fetch_add(1, std::memory_order_relaxed) % 16 * (4096 + alignment);
}
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

Result<Tensor> Tensor::allocate(DType dtype, std::vector<int64_t> dims) {
  PLIANT_TRY(int64_t count, elementCount(dims));
  size_t bytes = static_cast<size_t>(count) * byteSize(dtype);
  auto what = [&] { return std::string(name(dtype)) + " tensor of shape " + str(dims); };
  // An empty tensor has memory too: kernels are never handed a null pointer.
  size_t padded = bytes ? (bytes + alignment - 1) / alignment * alignment : alignment;
  Tensor tensor;
  tensor.type = dtype;
  tensor.count = count;
  // The words are made only for an error: this is the path of every output.
  if (padded >= mapped) {
    const size_t start = stagger();
    auto pages = Pages::map(padded + start, "a tensor");
    if (!pages)
      return userError("", pages.error().message + " (" + what() + ")", "", pages.error().hint);
    auto owner = std::make_shared<Pages>(std::move(*pages));
    tensor.memory = std::shared_ptr<void>(owner, owner->data() + start);
    tensor.extents = std::move(dims);
    return tensor;
  }
  if (Status charged = chargeMemory(padded, "a tensor"); !charged)
    return userError("", charged.error().message + " (" + what() + ")", "", charged.error().hint);
  void *memory = std::aligned_alloc(alignment, padded);
  if (!memory) {
    releaseMemory(padded);
    return userError("", "out of memory: the system has no " + byteCountText(padded) + " for a " + what());
  }
  tensor.extents = std::move(dims);
  tensor.memory = std::shared_ptr<void>(memory, [padded](void *data) {
    std::free(data);
    releaseMemory(padded);
  });
  return tensor;
}

Result<Tensor> Tensor::zeros(DType dtype, std::vector<int64_t> dims) {
  PLIANT_TRY(Tensor tensor, allocate(dtype, std::move(dims)));
  std::memset(tensor.data(), 0, tensor.bytes());
  return tensor;
}

Tensor Tensor::borrow(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<void> keep) {
  auto count = elementCount(dims);
  assert(count && "the extents of borrowed memory must be countable");
  Tensor tensor;
  if (!count)
    return tensor;
  tensor.type = dtype;
  tensor.count = *count;
  tensor.extents = std::move(dims);
  tensor.memory = std::shared_ptr<void>(std::move(keep), data);
  return tensor;
}

Status Tensor::assign(DType dtype, std::span<const int64_t> dims, std::shared_ptr<void> shared) {
  PLIANT_TRY(count, elementCount(dims.data(), dims.size()));
  type = dtype;
  extents.assign(dims.begin(), dims.end());
  memory = std::move(shared);
  return ok();
}

} // namespace pliant
