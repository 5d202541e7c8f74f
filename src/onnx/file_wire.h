// SPDX-License-Identifier: Apache-2.0
// The bounded walk over the protobuf wire format that separates large tensor payloads from the rest of a model.
#pragma once
#include "onnx/blob.h"
#include "support/digest.h"
#include <vector>

namespace pliant::onnx_file {

struct ScannedBlob {
  uint64_t offset = 0, length = 0;
  Encoding encoding = Encoding::Raw;
};

/// `rest` is the file without the payloads over the threshold. A tensor that lost its payload has
/// `segment.begin` = the blob's index; files cannot forge it, since a segment in a file is an error.
struct Scan {
  std::string rest;
  std::vector<ScannedBlob> blobs;

  /// Of everything but the payloads' bytes: models with equal digests differ in their weights' values at most.
  DigestBytes digest() const;
};
constexpr unsigned maxTypeDepth = 16; ///< types of elements in types
enum class Root : uint8_t { Model, DenseTensor };
Result<Scan> scanWire(std::span<const std::byte> file, Root root, const Limits &limits);

/// A varint of at most ten bytes at `at`, which advances; false at the end or when it is longer.
bool readVarint(std::span<const std::byte> bytes, uint64_t &at, uint64_t &value);

} // namespace pliant::onnx_file
