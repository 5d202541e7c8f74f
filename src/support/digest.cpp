// SPDX-License-Identifier: Apache-2.0
// BLAKE2b as in RFC 7693, unkeyed, 32 bytes of result.
#include "support/digest.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace pliant {
namespace {

constexpr uint64_t start[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                               0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

inline void mix(uint64_t &a, uint64_t &b, uint64_t &c, uint64_t &d, uint64_t x, uint64_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

} // namespace

Digest::Digest() {
  std::copy(std::begin(start), std::end(start), state);
  state[0] ^= 0x01010000 ^ sizeof(DigestBytes);
}

void Digest::compress(const std::byte *from, bool last) {
  uint64_t m[16], v[16];
  std::memcpy(m, from, sizeof m);
  std::copy(state, state + 8, v);
  std::copy(std::begin(start), std::end(start), v + 8);
  v[12] ^= count;
  if (last)
    v[14] = ~v[14];
#pragma clang loop unroll(full)
  for (int round = 0; round < 12; ++round) {
    const uint8_t *s = order[round % 10];
    mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
    mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
    mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
    mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
    mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
    mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
    mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
    mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
  }
  for (int i = 0; i < 8; ++i)
    state[i] ^= v[i] ^ v[i + 8];
}

Digest &Digest::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (filled == sizeof block) { // not the last block: more follows
      count += sizeof block;
      compress(block, false);
      filled = 0;
    }
    for (; filled == 0 && bytes.size() > sizeof block; bytes = bytes.subspan(sizeof block)) {
      count += sizeof block;
      compress(bytes.data(), false);
    }
    size_t take = std::min(bytes.size(), sizeof block - filled);
    std::memcpy(block + filled, bytes.data(), take);
    filled += take;
    bytes = bytes.subspan(take);
  }
  return *this;
}

Digest &Digest::add(std::string_view text) {
  add(uint64_t(text.size()));
  return add(std::as_bytes(std::span(text.data(), text.size())));
}

Digest &Digest::add(uint64_t number) { return add(std::as_bytes(std::span(&number, 1))); }

DigestBytes Digest::finish() {
  count += filled;
  std::memset(block + filled, 0, sizeof block - filled);
  compress(block, true);
  DigestBytes out;
  std::memcpy(out.data(), state, out.size());
  return out;
}

DigestBytes digestOf(std::span<const std::byte> bytes) { return Digest().add(bytes).finish(); }

std::string hex(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::byte b : bytes) {
    out += digits[std::to_integer<unsigned>(b) >> 4];
    out += digits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

} // namespace pliant
