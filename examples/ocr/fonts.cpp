// SPDX-License-Identifier: Apache-2.0
// Glyphs through FreeType, one at a time: no shaping, which the scripts that the model reads do without.
#include "fonts.h"
#include <filesystem>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

namespace ocr {

using namespace pliant;

static const char *const folder = "/usr/share/fonts/truetype/";

struct Fonts::Faces {
  FT_Library library = nullptr;
  std::vector<FT_Face> regular, bold;     ///< in order of preference; bold ones are among their own only
  ~Faces() { FT_Done_FreeType(library); } // the faces go with it
};

Fonts::Fonts(std::unique_ptr<Faces> faces) : faces(std::move(faces)) {}
Fonts::Fonts(Fonts &&) noexcept = default;
Fonts::~Fonts() = default;

Result<Fonts> Fonts::open() {
  auto faces = std::make_unique<Faces>();
  if (FT_Init_FreeType(&faces->library))
    return internalError("fonts", "FreeType does not start");
  auto load = [&](const char *name) -> FT_Face {
    FT_Face face = nullptr;
    return FT_New_Face(faces->library, (std::string(folder) + name).c_str(), 0, &face) ? nullptr : face;
  };
  FT_Face regular = load("dejavu/DejaVuSans.ttf"), bold = load("dejavu/DejaVuSans-Bold.ttf");
  FT_Face chinese = load("wqy/wqy-microhei.ttc");
  if (!regular)
    return userError("fonts", std::string("there is no ") + folder + "dejavu/DejaVuSans.ttf", "",
                     "install fonts-dejavu-core and fonts-wqy-microhei");
  for (FT_Face face : {regular, chinese})
    if (face)
      faces->regular.push_back(face);
  for (FT_Face face : {bold, regular, chinese})
    if (face)
      faces->bold.push_back(face);
  return Fonts(std::move(faces));
}

double Fonts::walk(Canvas *canvas, double x, int64_t baseline, std::string_view text, const Style &style) const {
  const std::vector<FT_Face> &chain = style.bold ? faces->bold : faces->regular;
  FT_Face before = nullptr;
  FT_UInt glyphBefore = 0;
  while (!text.empty()) {
    const char32_t code = takeCodePoint(text);
    FT_Face face = chain[0];
    for (FT_Face candidate : chain)
      if (FT_Get_Char_Index(candidate, code)) {
        face = candidate;
        break;
      }
    FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(style.size));
    const FT_UInt glyph = FT_Get_Char_Index(face, code);
    FT_Vector kerning{};
    if (face == before && FT_HAS_KERNING(face))
      FT_Get_Kerning(face, glyphBefore, glyph, FT_KERNING_UNFITTED, &kerning);
    before = face;
    glyphBefore = glyph;
    if (FT_Load_Glyph(face, glyph, FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP))
      continue;
    x += static_cast<double>(kerning.x) / 64;
    if (canvas) {
      // Glyphs stand at fractions of a pixel, or their gaps would look uneven.
      const auto whole = static_cast<int64_t>(x);
      FT_Outline_Translate(&face->glyph->outline, static_cast<FT_Pos>((x - static_cast<double>(whole)) * 64), 0);
      if (!FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL)) {
        const FT_Bitmap &bitmap = face->glyph->bitmap;
        for (unsigned row = 0; row < bitmap.rows; ++row)
          for (unsigned column = 0; column < bitmap.width; ++column)
            canvas->blend(whole + face->glyph->bitmap_left + column, baseline - face->glyph->bitmap_top + row,
                          style.color,
                          bitmap.buffer[static_cast<int>(row) * bitmap.pitch + static_cast<int>(column)] / 255.0);
      }
    }
    x += static_cast<double>(face->glyph->linearHoriAdvance) / 65536;
  }
  return x;
}

double Fonts::width(std::string_view text, const Style &style) const { return walk(nullptr, 0, 0, text, style); }

double Fonts::draw(Canvas &canvas, double x, int64_t baseline, std::string_view text, const Style &style) const {
  return walk(&canvas, x, baseline, text, style);
}

std::vector<std::string> Fonts::wrap(std::string_view text, const Style &style, double width) const {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = 0, blank = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const char32_t code = takeCodePoint(rest);
      const size_t next = text.size() - rest.size();
      if (end && this->width(text.substr(0, next), style) > width && code != ' ')
        break;
      if (code == ' ')
        blank = next;
      end = next;
    }
    if (end < text.size() && blank)
      end = blank;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

char32_t takeCodePoint(std::string_view &text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  char32_t code = length == 1 ? first : first & (0xffu >> (length + 1));
  bool good = length > 0 && length <= text.size();
  for (size_t i = 1; good && i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    good = next >> 6 == 2;
    code = code << 6 | (next & 0x3f);
  }
  text.remove_prefix(good ? length : 1);
  return good ? code : U'\ufffd';
}

} // namespace ocr
