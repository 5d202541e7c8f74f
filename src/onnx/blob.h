// SPDX-License-Identifier: Apache-2.0
// Where tensors' payloads lie in a model's files, without the protobuf library: what the wire scan finds, what a cached
// program needs of a model, and the bounds on hostile files.
#pragma once
#include "runtime/dense_tensor.h"
#include "support/digest.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pliant::onnx_file {

constexpr uint64_t blobThreshold = 256; ///< payloads of more bytes than this are blobs

/// How the bytes of a payload are written: Raw, Float and Double are little-endian arrays; the others are varints.
enum class Encoding : uint8_t { Raw, Float, Double, Int32, Int64, UInt64 };
constexpr bool isVarint(Encoding encoding) { return encoding >= Encoding::Int32; }

/// Where a payload lies. `location` and `number` hold for every model of the same structure.
struct BlobPlace {
  std::string location; ///< of external data, as the model spells it; empty: in the model's own file
  uint64_t number = 0;  ///< in the model's own file: of the blobs that the scan finds, counted from 0
  uint64_t offset = 0;  ///< in the file
  uint64_t length = 0;  ///< bytes in the file
  Encoding encoding = Encoding::Raw;
};

/// Where the bytes of one entry of the weight table come from.
struct WeightSource {
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  std::optional<BlobPlace> place;
  DenseTensor value; ///< without a place: written so that it is no blob
};

/// A payload that decided what was compiled, and what it held.
struct ReadBlob {
  BlobPlace place;
  DigestBytes digest;
};

/// Bounds on what a file can make us allocate: 1 to 2 GB at worst by the defaults, which are far above real models.
struct Limits {
  uint64_t fileBytes = uint64_t(1) << 40;
  uint64_t restBytes = uint64_t(128) << 20; ///< everything but blobs
  uint64_t items = uint64_t(4) << 20;       ///< messages and strings
  unsigned graphDepth = 64;                 ///< subgraphs in subgraphs
  unsigned callDepth = 64;                  ///< functions calling functions
  uint64_t inlinedNodes = uint64_t(1) << 20;
  uint64_t inlinedBytes = uint64_t(1) << 30; ///< of memory, estimated
  unsigned externalFiles = 16384;
};

/// A name from a file as shown to people: quoted, without control characters, shortened.
std::string quote(std::string_view name);

/// The tensor of a payload. Its memory is the payload itself, kept by `keep`, unless the elements must be converted.
/// An error starts with `label`.
Result<DenseTensor> tensorOfPayload(DType dtype, std::vector<int64_t> dims, Encoding encoding,
                                    std::span<const std::byte> bytes, std::shared_ptr<const void> keep,
                                    const std::string &label);
/// One number of a varint encoding as element `index` of an array; false when the value does not fit the type.
bool putVarint(DType dtype, std::byte *array, uint64_t index, uint64_t bits);

} // namespace pliant::onnx_file
