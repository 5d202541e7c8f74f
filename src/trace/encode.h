// SPDX-License-Identifier: Apache-2.0
// Attributes of an op as words of a trace's structure, and back. Extents travel by value: only how many they are, and
// their signs, is structure, so a slice at another place or a shape of other extents is the same structure.
#pragma once
#include "ops/op.h"
#include "support/fields.h"
#include <bit>

namespace pliant::trace {

using Words = std::vector<uint64_t>;
using Integers = std::vector<int64_t>;

namespace detail {
template <class A, class V> struct IndexIn;
template <class A, class... Rest> struct IndexIn<A, std::variant<A, Rest...>> {
  static constexpr size_t value = 0;
};
template <class A, class First, class... Rest> struct IndexIn<A, std::variant<First, Rest...>> {
  static constexpr size_t value = 1 + IndexIn<A, std::variant<Rest...>>::value;
};

/// FNV-like mixing of one word; order matters.
inline uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}
} // namespace detail

/// The op that a struct of attributes belongs to.
template <class A> inline constexpr OpId opOf = static_cast<OpId>(detail::IndexIn<A, Attrs>::value);

/// What the words cannot hold: a constant's tensor is a leaf of a trace.
template <class T>
concept Encodable = !std::is_same_v<T, DenseTensor>;

/// A word of a list of extents has, above their number in the first, the signs of so many of them.
inline constexpr uint64_t signsFrom = 16, signsEach = 48;
/// No number that travels by value is larger: symbols are below it.
inline constexpr int64_t largestInteger = (int64_t(1) << 47) - 1;

struct AttrWriter {
  Words &words;
  Integers &integers;

  template <class T> void put(const T &value) {
    if constexpr (std::is_same_v<T, double>) {
      words.push_back(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      words.push_back(static_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      words.push_back(value.size());
      for (char c : value)
        words.push_back(static_cast<unsigned char>(c));
    } else if constexpr (std::is_same_v<T, Extents>) {
      // Signs stay behind: symbols stand for numbers that are not negative.
      words.push_back(value.size() & (uint64_t(1) << signsFrom) - 1);
      for (size_t i = 0; i < value.size(); ++i) {
        if (i && i % signsEach == 0)
          words.push_back(0);
        const int64_t number = value[i].constant().value_or(0); // recorded extents are numbers
        words.back() |= uint64_t(number < 0) << (signsFrom + i % signsEach);
        integers.push_back(number == INT64_MIN ? INT64_MAX : number < 0 ? -number : number);
      }
    } else if constexpr (std::is_same_v<T, DenseTensor>) {
      static_assert(Encodable<T>, "a constant is recorded as a leaf");
    } else {
      words.push_back(value.size());
      for (const auto &item : value)
        put(item);
    }
  }
};

/// Reads back what AttrWriter wrote; `extent` gives the expressions that stand for its integers, in order.
struct AttrReader {
  const uint64_t *at;
  const std::function<Expr()> &extent;

  template <class T> void get(T &value) {
    if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(*at++);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      value = static_cast<T>(*at++);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.resize(*at++);
      for (char &c : value)
        c = static_cast<char>(*at++);
    } else if constexpr (std::is_same_v<T, Extents>) {
      uint64_t signs = *at++;
      const uint64_t count = signs & (uint64_t(1) << signsFrom) - 1;
      for (uint64_t i = 0; i < count; ++i) {
        if (i && i % signsEach == 0)
          signs = *at++;
        const Expr number = extent();
        value.push_back(signs >> (signsFrom + i % signsEach) & 1 ? Expr(0) - number : number);
      }
    } else if constexpr (!std::is_same_v<T, DenseTensor>) {
      value.resize(*at++);
      for (auto &item : value)
        get(item);
    }
  }
};

/// Appends what makes the attributes.
template <class A> void encode(const A &attrs, Words &words, Integers &integers) {
  AttrWriter writer{words, integers};
  withFields(attrs, [&](const auto &...field) { (writer.put(field), ...); });
}

/// The attributes of `op`, and behind them the first word that is not theirs.
std::pair<Attrs, const uint64_t *> decode(OpId op, const uint64_t *at, const std::function<Expr()> &extent);

} // namespace pliant::trace
