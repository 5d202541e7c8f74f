// SPDX-License-Identifier: Apache-2.0
// SVG text and its style sheet.
#include "view/svg.h"
#include <cstdint>
#include <cstdio>
#include <vector>

namespace pliant::tool::view {
namespace {

/// The code point that starts at `at`, and its length; length 0 where the bytes are no UTF-8.
std::pair<uint32_t, size_t> decode(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80)
    return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (!length || first > 0xf4 || at + length > text.size())
    return {0, 0};
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xc0) != 0x80)
      return {0, 0};
    code = code << 6 | (next & 0x3f);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < least[length] || code > 0x10ffff ? std::pair<uint32_t, size_t>{0, 0} : std::pair{code, length};
}

bool allowed(uint32_t code) {
  return code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) && !(code >= 0xd800 && code < 0xe000) &&
         (code & 0xfffe) != 0xfffe && !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

double width(std::string_view text, double size, double ascii) {
  double em = 0;
  for (unsigned char c : text)
    em += c < 0x80 ? ascii : (c & 0xc0) != 0x80 ? 1.1 : 0;
  return em * size;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto [code, length] = decode(text, at);
    if (code == '\n')
      out += "&#10;";
    else if (!length || !allowed(code))
      out += '?';
    else if (code == '&')
      out += "&amp;";
    else if (code == '<')
      out += "&lt;";
    else if (code == '>')
      out += "&gt;";
    else if (code == '"')
      out += "&quot;";
    else
      out += text.substr(at, length);
    at += length ? length : 1;
  }
  return out;
}

// Tones colour the bar and, thinned, the face of a card. Every rule has plain colours first: viewers without media
// queries or variables show the light picture.
constexpr const char *style = R"(
text { font-family: system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #1d2733; }
.m { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; }
.s20 { font-size: 20px; font-weight: 600; } .s13 { font-size: 13px; font-weight: 600; } .s12 { font-size: 12px; }
.s11 { font-size: 11px; } .s10 { font-size: 10px; }
.soft { fill: #66727f; }
.page { fill: #fafbfc; } .panel { fill: #ffffff; stroke: #e1e6eb; }
.face { fill: #ffffff; stroke: #d3dae1; } .tint { fill-opacity: 0.09; } .dash { stroke-dasharray: 5 3; }
.chip { fill: #ffffff; stroke: #c5ced6; } .frame { fill: #5b6b7b; fill-opacity: 0.05; stroke: #b6c0ca; }
.lane { fill: none; stroke: #b6c0ca; stroke-dasharray: 2 4; }
.edge { fill: none; stroke: #8b98a5; stroke-width: 1.3; } .again { fill: none; stroke: #8b98a5; stroke-width: 1.3; stroke-dasharray: 5 4; }
.tip { fill: #8b98a5; } .port { fill: #ffffff; stroke: #8b98a5; stroke-width: 1.3; }
.io { fill: #33414f; } .on { fill: #ffffff; } .onsoft { fill: #c3ccd5; }
.badge { fill: #33414f; }
.axis { fill: none; stroke: #c5ced6; } .grid { fill: none; stroke: #eceff2; } .live { fill: none; stroke: #d02f4c; stroke-width: 1; }
.peak { fill: #d02f4c; } .buffer { fill-opacity: 0.55; stroke: #ffffff; stroke-width: 0.5; } .buffer:hover { fill-opacity: 0.95; }
.card:hover .face { stroke: #5b6b7b; }
.loops { fill: #3478f0; } .rows { fill: #12a06f; } .contraction { fill: #ee8a22; } .convolution { fill: #8a5cf0; }
.own { fill: #c8379a; } .fallback { fill: #d6322f; } .host { fill: #6b7a89; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e9ee; } .soft { fill: #93a1af; }
.page { fill: #10161d; } .panel { fill: #161e27; stroke: #27323d; }
.face { fill: #18212b; stroke: #33404d; } .tint { fill-opacity: 0.16; }
.chip { fill: #10161d; stroke: #43515f; } .frame { fill: #8fa0b0; fill-opacity: 0.06; stroke: #43515f; }
.lane { stroke: #43515f; } .edge, .again { stroke: #74828f; } .tip { fill: #74828f; } .port { fill: #10161d; stroke: #74828f; }
.io, .badge { fill: #cfd7df; } .on { fill: #131a22; } .onsoft { fill: #4a5764; }
.axis { stroke: #43515f; } .grid { stroke: #222c36; } .live { stroke: #ff6b81; } .peak { fill: #ff6b81; }
.buffer { stroke: #161e27; } .card:hover .face { stroke: #93a1af; }
.loops { fill: #5b9bff; } .rows { fill: #2cc48f; } .contraction { fill: #f7a24a; } .convolution { fill: #a985ff; }
.own { fill: #ea63bf; } .fallback { fill: #ff6a66; } .host { fill: #8b9aa9; }
}
)";

} // namespace

double monoWidth(std::string_view text, double size) { return width(text, size, 0.61); }
double sansWidth(std::string_view text, double size) { return width(text, size, 0.68); }

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto [code, length] = decode(text, at);
    if (length && allowed(code))
      out += text.substr(at, length);
    else
      out += '?';
    at += length ? length : 1;
  }
  return out;
}

std::string shortened(std::string_view text, size_t characters) {
  std::string whole = printable(text);
  std::vector<size_t> starts;
  for (size_t i = 0; i < whole.size(); ++i)
    if ((whole[i] & 0xc0) != 0x80)
      starts.push_back(i);
  if (starts.size() <= characters || characters < 8)
    return whole;
  const size_t left = (characters - 3) / 2, right = characters - 3 - left;
  return whole.substr(0, starts[left]) + "..." + whole.substr(starts[starts.size() - right]);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  if (out.ends_with(".0"))
    out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

static std::string attribute(const char *name, std::string_view value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}
static std::string attribute(const char *name, double value) { return attribute(name, number(value)); }

void Svg::beginGroup(std::string_view cls, std::string_view tooltip, std::string_view attributes) {
  body += "<g" + attribute("class", cls) + (attributes.empty() ? "" : " " + std::string(attributes)) + ">\n";
  if (!tooltip.empty())
    body += "<title>" + escaped(tooltip) + "</title>\n";
}
void Svg::endGroup() { body += "</g>\n"; }

void Svg::rect(double x, double y, double w, double h, double radius, std::string_view cls, std::string_view tooltip) {
  body += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", w) + attribute("height", h);
  if (radius > 0)
    body += attribute("rx", radius);
  body += attribute("class", cls);
  body += tooltip.empty() ? "/>\n" : "><title>" + escaped(tooltip) + "</title></rect>\n";
}

void Svg::text(double x, double y, std::string_view cls, std::string_view what, std::string_view anchor) {
  body += "<text" + attribute("x", x) + attribute("y", y) + attribute("class", cls);
  if (anchor != "start")
    body += attribute("text-anchor", anchor);
  body += ">" + escaped(what) + "</text>\n";
}

void Svg::path(std::string_view d, std::string_view cls, std::string_view marker) {
  body += "<path" + attribute("d", d) + attribute("class", cls);
  if (!marker.empty())
    body += attribute("marker-end", "url(#" + std::string(marker) + ")");
  body += "/>\n";
}

void Svg::circle(Point at, double radius, std::string_view cls) {
  body += "<circle" + attribute("cx", at.x) + attribute("cy", at.y) + attribute("r", radius) + attribute("class", cls) +
          "/>\n";
}

std::string Svg::finish(double width, double height, std::string_view title) const {
  const std::string w = number(width), h = number(height);
  return R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + w + R"(" height=")" + h + R"(" viewBox="0 0 )" + w +
         " " + h + "\">\n<title>" + escaped(title) + "</title>\n<style>" + style +
         "</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
         "markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 1 L8 4 L0 7 Z\"/></marker></defs>\n" +
         "<rect class=\"page\" width=\"" + w + "\" height=\"" + h + "\"/>\n" + body + "</svg>\n";
}

} // namespace pliant::tool::view
