// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, without a list that someone could forget to extend: what is written to and read from the
// disk cache is always all of a struct.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

namespace pliant {
namespace fields {

/// Stands for a value of any type while fields are counted; never evaluated.
struct Any {
  template <class T> operator T() const;
};

template <class T, size_t... I> constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Any())...}; };
}
inline constexpr size_t most = 28;

template <class T, size_t n = most> constexpr size_t countFrom() {
  if constexpr (takes<T>(std::make_index_sequence<n>()))
    return n;
  else if constexpr (n > 0)
    return countFrom<T, n - 1>();
  else
    return 0;
}

} // namespace fields

/// The number of fields of an aggregate without base classes and arrays.
template <class T> constexpr size_t fieldCount() {
  static_assert(std::is_aggregate_v<T>);
  static_assert(!fields::takes<T>(std::make_index_sequence<fields::most + 1>()), "too many fields: extend withFields");
  return fields::countFrom<T>();
}

/// f(first, second, ...) on references to all fields of `object`, in order.
template <class T, class F> constexpr decltype(auto) withFields(T &object, F &&f) {
  constexpr size_t n = fieldCount<std::remove_const_t<T>>();
#define PLIANT_FIELDS(count, ...)                                                                                      \
  if constexpr (n == count) {                                                                                          \
    auto &[__VA_ARGS__] = object;                                                                                      \
    return f(__VA_ARGS__);                                                                                             \
  }
  if constexpr (n == 0)
    return f();
  PLIANT_FIELDS(1, a)
  PLIANT_FIELDS(2, a, b)
  PLIANT_FIELDS(3, a, b, c)
  PLIANT_FIELDS(4, a, b, c, d)
  PLIANT_FIELDS(5, a, b, c, d, e)
  PLIANT_FIELDS(6, a, b, c, d, e, g)
  PLIANT_FIELDS(7, a, b, c, d, e, g, h)
  PLIANT_FIELDS(8, a, b, c, d, e, g, h, i)
  PLIANT_FIELDS(9, a, b, c, d, e, g, h, i, j)
  PLIANT_FIELDS(10, a, b, c, d, e, g, h, i, j, k)
  PLIANT_FIELDS(11, a, b, c, d, e, g, h, i, j, k, l)
  PLIANT_FIELDS(12, a, b, c, d, e, g, h, i, j, k, l, m)
  PLIANT_FIELDS(13, a, b, c, d, e, g, h, i, j, k, l, m, o)
  PLIANT_FIELDS(14, a, b, c, d, e, g, h, i, j, k, l, m, o, p)
  PLIANT_FIELDS(15, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q)
  PLIANT_FIELDS(16, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r)
  PLIANT_FIELDS(17, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s)
  PLIANT_FIELDS(18, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t)
  PLIANT_FIELDS(19, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u)
  PLIANT_FIELDS(20, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v)
  PLIANT_FIELDS(21, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w)
  PLIANT_FIELDS(22, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x)
  PLIANT_FIELDS(23, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y)
  PLIANT_FIELDS(24, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z)
  PLIANT_FIELDS(25, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, aa)
  PLIANT_FIELDS(26, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, aa, bb)
  PLIANT_FIELDS(27, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc)
  PLIANT_FIELDS(28, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd)
#undef PLIANT_FIELDS
}

} // namespace pliant
