// SPDX-License-Identifier: Apache-2.0
// The JSON writer of every --json output: members come in the order they are written, numbers in the shortest form that
// reads back the same, so equal results give equal bytes.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::files {

/// `json.beginObject(); json.field("name", name); json.key("runs"); json.beginArray(); ...; json.text()`.
/// JSON has no NaN and no infinity: they are written as the strings "NaN", "Infinity" and "-Infinity", which Python's
/// float() and JavaScript's Number() read, and which null would lose. Bytes that are no UTF-8 (names in hostile files)
/// become U+FFFD.
class JsonWriter {
public:
  enum class Style { Lines, Compact }; ///< a member a line, indented by two; or all in one line
  explicit JsonWriter(Style style = Style::Lines) : style(style) {}

  void beginObject() { begin('{', true); }
  void endObject() { end('}'); }
  void beginArray(bool inOneLine = false) { begin('[', !inOneLine); }
  void endArray() { end(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(bool flag) { plain(flag ? "true" : "false"); }
  void value(double number);
  void value(float number);
  template <std::integral T> void value(T number) { plain(std::to_string(number)); }
  void value(const std::vector<int64_t> &numbers); ///< in one line
  void null() { plain("null"); }
  /// JSON that something else wrote, such as TargetDescription::json().
  void raw(std::string_view json) { plain(json); }

  template <class T> void field(std::string_view name, const T &what) {
    key(name);
    value(what);
  }

  /// A member whose number is known only when what follows is written: `fill` puts it at the place that this gives.
  size_t later(std::string_view name);
  void fill(size_t place, int64_t number) { out.insert(place, std::to_string(number)); }

  /// The whole document with a final line feed; every begin must have its end.
  const std::string &text();

  static std::string quoted(std::string_view text);

private:
  struct Scope {
    bool lines; ///< every element on its own line
    bool empty = true;
  };
  void begin(char open, bool lines);
  void end(char close);
  void plain(std::string_view text);
  void element(); ///< comma and line before an element
  void newLine();

  Style style;
  bool afterKey = false;
  std::vector<Scope> scopes;
  std::string out;
};

} // namespace pliant::files
