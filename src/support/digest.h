// SPDX-License-Identifier: Apache-2.0
// BLAKE2b with 256 bits: names what is in the disk cache by its content, and finds damage. A cryptographic digest, so
// that equal digests can be taken for equal contents, also of files that someone made to collide.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pliant {

using DigestBytes = std::array<std::byte, 32>;

class Digest {
public:
  Digest();
  Digest &add(std::span<const std::byte> bytes);
  /// With its length before it, so that what follows cannot be mistaken for a part of it.
  Digest &add(std::string_view text);
  Digest &add(uint64_t number);
  DigestBytes finish(); ///< once

private:
  uint64_t state[8];
  uint64_t count = 0;
  std::byte block[128];
  size_t filled = 0;
  void compress(const std::byte *from, bool last);
};

DigestBytes digestOf(std::span<const std::byte> bytes);
std::string hex(std::span<const std::byte> bytes);

} // namespace pliant
