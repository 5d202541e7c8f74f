// SPDX-License-Identifier: Apache-2.0
// Plain data to bytes and back, for the disk cache: every aggregate is all of its fields, so that a field added
// anywhere is written and read without a word here. There is no version: keys name the build that wrote the bytes.
#pragma once
#include "ops/op.h"
#include "support/fields.h"
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace pliant::cache {

namespace detail {
template <class T, template <class...> class Of> inline constexpr bool isA = false;
template <template <class...> class Of, class... A> inline constexpr bool isA<Of<A...>, Of> = true;
template <class C> struct ItemOf {
  using type = typename C::value_type;
};
template <class K, class V> struct ItemOf<std::map<K, V>> {
  using type = std::pair<K, V>; // not const, to be read into
};
template <class T> inline constexpr bool isBytes = false;
template <size_t n> inline constexpr bool isBytes<std::array<std::byte, n>> = true;
} // namespace detail

/// Expressions are written once each, as text, in a table before the rest.
class Writer {
public:
  template <class T> void put(const T &value) {
    using detail::isA;
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || detail::isBytes<T>) {
      raw(&value, sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(uint64_t(value.size()));
      raw(value.data(), value.size());
    } else if constexpr (std::is_same_v<T, Expr>) {
      auto [at, isNew] = numbers.try_emplace(value, static_cast<uint32_t>(numbers.size()));
      if (isNew)
        texts.push_back(value.str());
      put(at->second);
    } else if constexpr (std::is_same_v<T, DenseTensor>) {
      put(static_cast<bool>(value));
      if (!value)
        return;
      put(value.dtype());
      put(value.dims());
      if (value.dtype() != DType::String)
        return raw(value.data(), value.bytes());
      for (int64_t i = 0; i < value.size(); ++i)
        put(std::string(value.text(i)));
    } else if constexpr (isA<T, std::shared_ptr> || isA<T, std::optional>) {
      put(static_cast<bool>(value));
      if (value)
        put(*value);
    } else if constexpr (isA<T, std::variant>) {
      put(uint16_t(value.index()));
      std::visit([&](const auto &held) { put(held); }, value);
    } else if constexpr (isA<T, std::vector> || isA<T, std::map> || isA<T, std::set>) {
      put(uint64_t(value.size()));
      for (const auto &item : value)
        put<std::remove_cvref_t<typename T::value_type>>(item);
    } else if constexpr (isA<T, std::pair>) {
      put<std::remove_const_t<typename T::first_type>>(value.first);
      put(value.second);
    } else {
      withFields(value, [&](const auto &...field) { (put(field), ...); });
    }
  }
  /// The table of expressions and what was put.
  std::string finish() {
    Writer whole;
    whole.put(texts);
    return whole.out + out;
  }

private:
  std::string out;
  std::vector<std::string> texts;
  std::unordered_map<Expr, uint32_t> numbers;
  void raw(const void *from, size_t size) { out.append(static_cast<const char *>(from), size); }
};

/// Reads what a Writer wrote. Any other bytes give false, in bounded time, memory and stack.
class Reader {
public:
  explicit Reader(std::string_view bytes) : left(bytes) {
    std::vector<std::string> texts;
    if (!get(texts))
      return;
    for (const std::string &text : texts) {
      auto expr = Expr::parse(text);
      if (!expr) {
        left = {};
        return;
      }
      exprs.push_back(std::move(*expr));
    }
    good = true;
  }

  template <class T> bool read(T &value) { return good && get(value); }
  /// Nothing went wrong and nothing is left.
  bool finished() const { return good && left.empty(); }

private:
  std::string_view left;
  std::vector<Expr> exprs;
  int depth = 0;
  bool good = false;
  static constexpr int deepest = 300;

  bool raw(void *to, size_t size) {
    if (size > left.size())
      return false;
    std::memcpy(to, left.data(), size);
    left.remove_prefix(size);
    return true;
  }

  template <class T> bool get(T &value) {
    using detail::isA;
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      bool fine = raw(&byte, 1) && byte <= 1;
      value = byte == 1;
      return fine;
    } else if constexpr (std::is_same_v<T, DType>) {
      return raw(&value, sizeof value) && value <= lastDType;
    } else if constexpr (std::is_same_v<T, OpId>) {
      return raw(&value, sizeof value) && static_cast<size_t>(value) < opCount;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || detail::isBytes<T>) {
      return raw(&value, sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      uint64_t size = 0;
      if (!get(size) || size > left.size())
        return false;
      value.assign(left.substr(0, size));
      left.remove_prefix(size);
      return true;
    } else if constexpr (std::is_same_v<T, Expr>) {
      uint32_t number = 0;
      if (!get(number) || number >= exprs.size())
        return false;
      value = exprs[number];
      return true;
    } else if constexpr (std::is_same_v<T, DenseTensor>) {
      return getTensor(value);
    } else if constexpr (isA<T, std::shared_ptr>) {
      bool some = false;
      auto made = std::make_shared<std::remove_const_t<typename T::element_type>>();
      if (!get(some) || (some && !get(*made)))
        return false;
      if (some)
        value = std::move(made);
      return true;
    } else if constexpr (isA<T, std::optional>) {
      bool some = false;
      return get(some) && (!some || get(value.emplace()));
    } else if constexpr (isA<T, std::variant>) {
      uint16_t index = 0;
      return get(index) && getAlternative(value, index, std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (isA<T, std::vector> || isA<T, std::map> || isA<T, std::set>) {
      return getItems(value);
    } else if constexpr (isA<T, std::pair>) {
      return get(value.first) && get(value.second);
    } else {
      if (++depth > deepest)
        return false;
      bool fine = withFields(value, [&](auto &...field) { return (get(field) && ...); });
      --depth;
      return fine;
    }
  }

  template <class C> bool getItems(C &items) {
    using Item = typename detail::ItemOf<C>::type;
    uint64_t count = 0;
    if (!get(count) || count > left.size()) // an item takes a byte at least
      return false;
    for (uint64_t i = 0; i < count; ++i) {
      Item item{};
      if (!get(item))
        return false;
      items.insert(items.end(), std::move(item));
    }
    return true;
  }

  template <class V, size_t... I> bool getAlternative(V &value, size_t index, std::index_sequence<I...>) {
    bool fine = false;
    ((I == index && (fine = get(value.template emplace<I>()))), ...);
    return fine;
  }

  bool getTensor(DenseTensor &value) {
    bool some = false;
    DType dtype{};
    std::vector<int64_t> dims;
    if (!get(some))
      return false;
    if (!some)
      return true;
    if (!get(dtype) || !get(dims))
      return false;
    auto count = elementCount(dims);
    if (!count || static_cast<uint64_t>(*count) * byteSize(dtype) > left.size())
      return false;
    if (dtype == DType::String) { // each takes as many bytes at least: that of its length
      std::vector<std::string> texts(static_cast<size_t>(*count));
      for (std::string &text : texts)
        if (!get(text))
          return false;
      auto made = DenseTensor::ofStrings(std::move(dims), std::move(texts));
      value = made ? std::move(*made) : DenseTensor();
      return bool(made);
    }
    auto made = DenseTensor::allocate(dtype, std::move(dims));
    if (!made || !raw(made->data(), made->bytes()))
      return false;
    value = std::move(*made);
    return true;
  }
};

} // namespace pliant::cache
