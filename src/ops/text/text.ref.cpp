// SPDX-License-Identifier: Apache-2.0
// Ops on strings, as they run.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"
#include <charconv>
#include <cmath>
#include <limits>
#include <locale.h>
#include <stdlib.h>
#include <wctype.h>

namespace pliant::ops::text {

template <class F> static std::string plain(F value) {
  char digits[400]; // the smallest of f64 has 325 zeros and 17 digits
  auto [end, failure] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed);
  return failure == std::errc() ? std::string(digits, end) : std::string();
}

/// The shortest decimal of a 16-bit float: of few digits, tried one after the other.
template <class T> static std::string shortest(T value) {
  const float wide = value;
  for (int precision = 0; precision < 6; ++precision) {
    char digits[40];
    auto [end, failure] = std::to_chars(digits, digits + sizeof digits, wide, std::chars_format::scientific, precision);
    double back = 0;
    if (failure == std::errc() && std::from_chars(digits, end, back).ec == std::errc() &&
        static_cast<float>(T(back)) == wide)
      return plain(back);
  }
  return plain(wide);
}

/// The shortest plain decimal that reads back as the element; "NaN", "INF", "-INF".
template <class T> static std::string formatted(T value) {
  if constexpr (isFloatStorage<T>) {
    const ComputeOf<T> x = value;
    if (std::isnan(x))
      return "NaN";
    if (std::isinf(x))
      return x < 0 ? "-INF" : "INF";
    if constexpr (sizeof(T) == 2)
      return shortest(value);
    else
      return plain(value);
  } else {
    return std::to_string(value);
  }
}

/// The C library's reading of floats is the one that rounds right and takes any number of digits; by itself it would
/// take spaces, hexadecimals and the decimal point of the user's country.
static locale_t plainLocale() {
  static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
  return c;
}

enum class Kind : uint8_t { Integer, Float, None };
static Kind kindOf(std::string_view text) {
  auto digits = [&] {
    size_t count = 0;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; ++count)
      text.remove_prefix(1);
    return count;
  };
  auto take = [&](std::string_view any) {
    if (text.empty() || any.find(text[0]) == any.npos)
      return false;
    text.remove_prefix(1);
    return true;
  };
  take("+-");
  for (std::string_view word : {"inf", "infinity", "nan"}) {
    bool same = word.size() == text.size();
    for (size_t i = 0; same && i < word.size(); ++i)
      same = (text[i] | 0x20) == word[i];
    if (same)
      return Kind::Float;
  }
  size_t count = digits();
  if (count && text.empty())
    return Kind::Integer;
  if (take("."))
    count += digits();
  if (count && take("eE")) {
    take("+-");
    count = digits();
  }
  return count && text.empty() ? Kind::Float : Kind::None;
}

/// The element that a text stands for: digits with an optional fraction and exponent, "inf" and "nan" in any case.
template <class T> static std::optional<T> parsed(std::string_view text) {
  const Kind kind = kindOf(text);
  if (kind == Kind::None)
    return std::nullopt;
  if (text[0] == '+')
    text.remove_prefix(1);
  const std::string terminated(text);
  if constexpr (std::is_same_v<T, float>) {
    return strtof_l(terminated.c_str(), nullptr, plainLocale());
  } else {
    if constexpr (isIntegerStorage<T>)
      if (kind == Kind::Integer) {
        using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
        Wide value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() && std::in_range<T>(value))
          return static_cast<T>(value);
      }
    const double value = strtod_l(terminated.c_str(), nullptr, plainLocale());
    if constexpr (std::is_same_v<T, bool>) {
      return value != 0;
    } else if constexpr (isIntegerStorage<T>) { // as a cast of the float would (I6)
      using Limits = std::numeric_limits<T>;
      if (value != value)
        return T(0);
      if (value <= static_cast<double>(Limits::min()))
        return Limits::min();
      return value >= std::ldexp(1.0, Limits::digits) ? Limits::max() : static_cast<T>(value);
    } else {
      return static_cast<T>(value);
    }
  }
}

/// UTF-8 with each character mapped; bytes that are no UTF-8 stay.
static std::string inCase(std::string_view text, bool upper) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    uint32_t code = size < 2 ? lead : lead & (0x7fu >> size);
    bool whole = size > 0 && at + size <= text.size();
    for (size_t i = 1; whole && i < size; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      whole = byte >> 6 == 2;
      code = code << 6 | (byte & 63);
    }
    if (!whole || code > 0x10ffff) {
      out += text[at++];
      continue;
    }
    if (code < 0x80)
      code = upper && code >= 'a' && code <= 'z' ? code - 32 : !upper && code >= 'A' && code <= 'Z' ? code + 32 : code;
    else if (unicode)
      code = upper ? towupper_l(code, unicode) : towlower_l(code, unicode);
    at += size;
    if (code < 0x80) {
      out += static_cast<char>(code);
      continue;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out += static_cast<char>((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
    for (int i = more; i-- > 0;)
      out += static_cast<char>(0x80 | (code >> 6 * i & 63));
  }
  return out;
}

Status ref(RefContext &c) {
  const DenseTensor &x = c.inputs[0], &result = c.outputs[0];
  auto **texts = result.as<const std::string *>();
  switch (c.op) {
  case OpId::FormatText:
    dispatch(x.dtype(), [&]<class T>(Type<T>) {
      for (int64_t i = 0; i < x.size(); ++i)
        texts[i] = c.strings->add(formatted(x.as<T>()[i]));
    });
    return ok();
  case OpId::ParseText:
    return dispatch(result.dtype(), [&]<class T>(Type<T>) -> Status {
      for (int64_t i = 0; i < x.size(); ++i) {
        const std::optional<T> value = parsed<T>(x.text(i));
        if (!value)
          return c.error("\"" + std::string(x.text(i).substr(0, 80)) + "\" at element " + std::to_string(i) +
                             " is no number",
                         "C3");
        result.as<T>()[i] = *value;
      }
      return ok();
    });
  case OpId::TextCase:
    for (int64_t i = 0; i < x.size(); ++i)
      texts[i] = c.strings->add(inCase(x.text(i), c.as<TextCaseAttrs>().upper));
    return ok();
  default: {
    const DenseTensor &y = c.inputs[1];
    const std::array strides{broadcastStrides(x.dims(), result.dims()), broadcastStrides(y.dims(), result.dims())};
    walk<2>(result.dims(), strides, {}, [&](int64_t i, const std::array<int64_t, 2> &at) {
      if (c.op == OpId::TextEqual)
        result.as<bool>()[i] = x.text(at[0]) == y.text(at[1]);
      else
        texts[i] = c.strings->add(std::string(x.text(at[0])) += y.text(at[1]));
    });
    return ok();
  }
  }
}

} // namespace pliant::ops::text
