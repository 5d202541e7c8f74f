// SPDX-License-Identifier: Apache-2.0
// Writes SVG: shapes with classes of one style sheet (light and dark), texts that are safe in XML, widths of texts.
#pragma once
#include <string>
#include <string_view>

namespace pliant::tool::view {

struct Point {
  double x = 0, y = 0;
};

/// Readers choose the font, so widths are upper bounds: of the monospaced fonts in use none is wider than 0.61 em, of
/// the others the widest (Verdana) stays below 0.68 em on average.
double monoWidth(std::string_view text, double size);
double sansWidth(std::string_view text, double size);

/// Names come from files: what is no UTF-8, or no character of XML, becomes '?'.
std::string printable(std::string_view text);
/// At most `characters` code points: the middle gives way to "...".
std::string shortened(std::string_view text, size_t characters);

class Svg {
public:
  void beginGroup(std::string_view cls, std::string_view tooltip = {}, std::string_view attributes = {});
  void endGroup();
  void rect(double x, double y, double w, double h, double radius, std::string_view cls, std::string_view tooltip = {});
  /// `cls` carries size and font; anchors are "start", "middle" and "end".
  void text(double x, double y, std::string_view cls, std::string_view what, std::string_view anchor = "start");
  void path(std::string_view d, std::string_view cls, std::string_view marker = {});
  void circle(Point at, double radius, std::string_view cls);
  std::string finish(double width, double height, std::string_view title) const;

private:
  std::string body;
};

std::string number(double value); ///< one decimal at most

} // namespace pliant::tool::view
