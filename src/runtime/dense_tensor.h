// SPDX-License-Identifier: Apache-2.0
// Concrete tensors: dense, row-major, contiguous memory with an element type and extents.
#pragma once
#include "pliant/dtype.h"
#include "support/result.h"
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace pliant {

/// The number of elements of concrete extents; an error when it or its bytes overflow 63 bits or an extent is negative.
Result<int64_t> elementCount(const std::vector<int64_t> &dims);
Result<int64_t> elementCount(const int64_t *dims, size_t rank);
std::string str(const std::vector<int64_t> &dims); ///< "(2, 3)"

/// A tensor that owns or shares its memory (64-byte aligned when allocated here). Copies share the bytes.
class DenseTensor {
public:
  DenseTensor() = default;
  static Result<DenseTensor> allocate(DType dtype, std::vector<int64_t> dims); ///< uninitialised
  static Result<DenseTensor> zeros(DType dtype, std::vector<int64_t> dims);
  /// A tensor of texts, which it keeps. An error when there are more or fewer than elements.
  static Result<DenseTensor> ofStrings(std::vector<int64_t> dims, std::vector<std::string> texts);
  static DenseTensor borrow(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<void> keep = {});

  /// Makes this the tensor of `dims` in memory that is shared with its other holders. Allocates nothing once `this` had
  /// as many extents. An error as in elementCount.
  Status assign(DType dtype, std::span<const int64_t> dims, std::shared_ptr<void> memory);
  /// Gives up the share of the memory; the tensor is not to be read before it is assigned again.
  void release() { memory.reset(); }

  DType dtype() const { return type; }
  const std::vector<int64_t> &dims() const { return extents; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  int64_t size() const { return count; } ///< elements
  size_t bytes() const { return static_cast<size_t>(count) * byteSize(type); }
  void *data() const { return memory.get(); }
  const std::shared_ptr<void> &owner() const { return memory; }
  template <class T> T *as() const { return static_cast<T *>(memory.get()); }
  /// An element of a tensor of strings, valid while their keeper is.
  std::string_view text(int64_t i) const {
    const std::string *at = as<const std::string *>()[i];
    return at ? std::string_view(*at) : std::string_view();
  }
  /// The same tensor of strings with texts of its own: what leaves the run or the call that keeps them.
  Result<DenseTensor> withOwnStrings() const;
  explicit operator bool() const { return memory != nullptr || !extents.empty(); }

private:
  DType type = DType::F32;
  int64_t count = 0;
  std::vector<int64_t> extents;
  std::shared_ptr<void> memory;
};

} // namespace pliant
