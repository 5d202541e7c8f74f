// SPDX-License-Identifier: Apache-2.0
// The JSON writer.
#include "files/json.h"
#include <cassert>
#include <charconv>
#include <cmath>

namespace pliant::files {
namespace {

/// The length of the UTF-8 sequence at the start of text, or 0 when it is malformed (overlong, surrogate, cut off).
size_t sequenceLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

template <class T> std::string numberText(T number) {
  if (std::isnan(number))
    return "\"NaN\"";
  if (std::isinf(number))
    return number < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  char text[64];
  auto [end, failure] = std::to_chars(text, text + sizeof text, number);
  return failure == std::errc() ? std::string(text, end) : std::string("null");
}

} // namespace

std::string JsonWriter::quoted(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = sequenceLength(text);
    auto c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      length = 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

void JsonWriter::newLine() {
  out += '\n';
  out.append(2 * scopes.size(), ' ');
}

void JsonWriter::element() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (scopes.empty())
    return;
  Scope &scope = scopes.back();
  if (!scope.empty)
    out += ',';
  if (scope.lines)
    newLine();
  else if (!scope.empty)
    out += ' ';
  scope.empty = false;
}

void JsonWriter::begin(char open, bool lines) {
  element();
  out += open;
  bool outer = scopes.empty() || scopes.back().lines;
  scopes.push_back({lines && outer && style == Style::Lines});
}

void JsonWriter::end(char close) {
  assert(!scopes.empty() && !afterKey && "an end without its begin, or a key without its value");
  Scope scope = scopes.back();
  scopes.pop_back();
  if (scope.lines && !scope.empty)
    newLine();
  out += close;
}

void JsonWriter::key(std::string_view name) {
  assert(!afterKey && "two keys in a row");
  element();
  out += quoted(name) + ": ";
  afterKey = true;
}

size_t JsonWriter::later(std::string_view name) {
  key(name);
  afterKey = false;
  return out.size();
}

void JsonWriter::plain(std::string_view text) {
  element();
  out += text;
}

void JsonWriter::value(std::string_view text) { plain(quoted(text)); }
void JsonWriter::value(double number) { plain(numberText(number)); }
void JsonWriter::value(float number) { plain(numberText(number)); }

void JsonWriter::value(const std::vector<int64_t> &numbers) {
  beginArray(true);
  for (int64_t number : numbers)
    value(number);
  endArray();
}

const std::string &JsonWriter::text() {
  assert(scopes.empty() && !afterKey && "an object or array is still open");
  if (out.empty() || out.back() != '\n')
    out += '\n';
  return out;
}

} // namespace pliant::files
