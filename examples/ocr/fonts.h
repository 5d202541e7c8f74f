// SPDX-License-Identifier: Apache-2.0
// Text onto a canvas with Debian's fonts: DejaVu, and WenQuanYi for what DejaVu lacks.
#pragma once
#include "canvas.h"
#include <memory>
#include <string_view>
#include <vector>

namespace ocr {

struct Style {
  int size; ///< pixels per em
  Color color;
  bool bold = false;
};

class Fonts {
public:
  static pliant::Result<Fonts> open();
  Fonts(Fonts &&) noexcept;
  ~Fonts();

  double width(std::string_view text, const Style &style) const;
  /// Draws from x on, on a baseline; returns where the text ends.
  double draw(Canvas &canvas, double x, int64_t baseline, std::string_view text, const Style &style) const;
  /// Breaks text into lines of at most this width, at blanks where there are any.
  std::vector<std::string> wrap(std::string_view text, const Style &style, double width) const;

private:
  struct Faces;
  explicit Fonts(std::unique_ptr<Faces> faces);
  double walk(Canvas *canvas, double x, int64_t baseline, std::string_view text, const Style &style) const;
  std::unique_ptr<Faces> faces;
};

/// Takes the first code point off UTF-8 text; bytes that are none become U+FFFD one by one.
char32_t takeCodePoint(std::string_view &text);

} // namespace ocr
