// SPDX-License-Identifier: Apache-2.0
#include "support/digest.h"
#include <gtest/gtest.h>

using namespace pliant;

static std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// From `b2sum -l 256`, an implementation of others.
TEST(Digest, KnownValues) {
  EXPECT_EQ(hex(digestOf({})), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(hex(digestOf(bytes("abc"))), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(hex(digestOf(bytes(std::string(128, 'a')))),
            "ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450");
  EXPECT_EQ(hex(digestOf(bytes(std::string(1000, 'a')))),
            "e00b0ddbf1e2cdaf5c898e1a5e8826ea3a2c339bcf2a478da2e5fca9ff126672");
}

TEST(Digest, PiecesOfAnySizeGiveTheSame) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += static_cast<char>(i * 7);
  const DigestBytes whole = digestOf(bytes(text));
  for (size_t step : {1u, 3u, 127u, 128u, 129u, 255u, 256u, 257u, 999u}) {
    Digest digest;
    for (size_t at = 0; at < text.size(); at += step)
      digest.add(bytes(std::string_view(text).substr(at, step)));
    EXPECT_EQ(digest.finish(), whole) << step;
  }
}

TEST(Digest, TextsDoNotRunIntoEachOther) {
  EXPECT_NE(Digest().add("ab").add("c").finish(), Digest().add("a").add("bc").finish());
}
