// SPDX-License-Identifier: Apache-2.0
// Canonical text of attributes, used by the generated `str(Attrs)`. Doubles print so that they read back exactly;
// tensors by type, extents and a hash of their bytes.
#pragma once
#include "runtime/dense_tensor.h"
#include "shape/type.h"
#include <charconv>
#include <initializer_list>
#include <string>
#include <vector>

namespace pliant::attr_text {

inline std::string value(int64_t v) { return std::to_string(v); }
inline std::string value(bool v) { return v ? "true" : "false"; }
inline std::string value(DType v) { return std::string(name(v)); }
inline std::string value(const Expr &v) { return '"' + v.str() + '"'; }
inline std::string value(double v) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}
inline std::string value(const std::string &v) {
  std::string text = "\"";
  for (char c : v) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}
template <class T> std::string value(const std::vector<T> &list) {
  std::string text = "[";
  for (const T &element : list)
    text += (text.size() > 1 ? ", " : "") + value(element);
  return text + ']';
}
/// 128 bits, two FNV-like streams: equal text is taken for equal bytes.
inline std::string value(const DenseTensor &tensor) {
  uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;
  auto mix = [&](std::string_view bytes) {
    for (char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      a = (a ^ byte) * 0x100000001b3u;
      b = (b + byte) * 0xff51afd7ed558ccdu;
      b ^= b >> 29;
    }
  };
  if (tensor.dtype() != DType::String)
    mix({tensor.as<const char>(), tensor.bytes()});
  else
    for (int64_t i = 0; i < tensor.size(); ++i) {
      mix(std::to_string(tensor.text(i).size()) + ':');
      mix(tensor.text(i));
    }
  std::string text = std::string(name(tensor.dtype())) + pliant::str(tensor.dims()) + '#';
  for (uint64_t word : {a, b})
    for (int shift = 60; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

template <class T> std::string item(const char *label, const T &v) { return std::string(label) + " = " + value(v); }
inline std::string join(std::initializer_list<std::string> items) {
  std::string text = "{";
  for (const std::string &each : items)
    text += (text.size() > 1 ? ", " : "") + each;
  return text + '}';
}

} // namespace pliant::attr_text
