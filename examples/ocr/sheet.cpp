// SPDX-License-Identifier: Apache-2.0
// Layout of the side-by-side picture.
#include "sheet.h"
#include "files/picture.h"
#include "fonts.h"
#include "picture_input.h"
#include <algorithm>
#include <cmath>

namespace ocr {

using namespace pliant;

namespace {

constexpr Color paper{243, 244, 247}, card{255, 255, 255}, edge{224, 227, 233}, well{233, 236, 242}, ink{24, 28, 36},
    grey{110, 118, 132}, accent{37, 99, 205}, good{22, 140, 84}, doubt{196, 120, 14};
constexpr Style title{30, ink, true}, subtitle{17, grey}, figure{26, accent, true}, label{15, grey}, read{23, ink},
    nothing{20, grey}, note{14, grey};
constexpr int64_t sheetWidth = 1360, margin = 44, header = 132, gap = 12, inset = 18, wellWidth = 640;
constexpr int64_t textLeft = margin + wellWidth + 2 * inset + 16, textWidth = sheetWidth - margin - inset - textLeft;
constexpr int64_t lineHeight = 30, noteHeight = 24, rowsShown = 200;

/// A row that knows its size.
struct Laid {
  const Row *row;
  DenseTensor picture;
  std::vector<std::string> lines;
  int64_t height;
};

/// All pictures are shown at one height, so that their widths compare; only what is wider than the well shrinks.
Result<DenseTensor> shown(const DenseTensor &picture) {
  static const Argument target{"picture", {DType::U8, {Expr::symbol("height"), Expr::symbol("width"), Expr(3)}}};
  const double h = static_cast<double>(picture.dims()[0]), w = static_cast<double>(picture.dims()[1]);
  const double factor = std::min(46 / h, static_cast<double>(wellWidth - 2 * inset) / w);
  tool::PictureOptions options;
  options.height = std::max<int64_t>(1, std::llround(h * factor));
  options.width = std::max<int64_t>(1, std::llround(w * factor));
  return tool::pictureInput(picture, target, options);
}

Result<Laid> layOut(const Row &row, const Fonts &fonts) {
  Laid out{&row, {}, fonts.wrap(row.reading.text, read, textWidth), 0};
  PLIANT_TRY(out.picture, shown(row.picture));
  const auto lines = static_cast<int64_t>(std::max<size_t>(1, out.lines.size()));
  out.height = 2 * inset + std::max(out.picture.dims()[0] + 2 * inset - 8, lines * lineHeight + noteHeight);
  return out;
}

void drawRow(Canvas &canvas, const Fonts &fonts, const Laid &laid, int64_t top) {
  const Reading &reading = laid.row->reading;
  canvas.box(margin, top, sheetWidth - 2 * margin, laid.height, 12, edge);
  canvas.box(margin + 1, top + 1, sheetWidth - 2 * margin - 2, laid.height - 2, 11, card);
  canvas.box(margin + inset, top + inset, wellWidth, laid.height - 2 * inset, 8, well);
  canvas.picture(margin + 2 * inset, top + (laid.height - laid.picture.dims()[0]) / 2, laid.picture);

  const auto lines = static_cast<int64_t>(std::max<size_t>(1, laid.lines.size()));
  int64_t baseline = top + (laid.height - lines * lineHeight - noteHeight) / 2 + 23;
  if (laid.lines.empty())
    fonts.draw(canvas, textLeft, baseline, "no text found", nothing);
  for (const std::string &line : laid.lines) {
    fonts.draw(canvas, textLeft, baseline, line, read);
    baseline += lineHeight;
  }
  baseline = top + (laid.height - lines * lineHeight - noteHeight) / 2 + lines * lineHeight + 18;
  double x = textLeft;
  if (!laid.lines.empty()) {
    const Style sure{note.size, reading.confidence >= 0.9 ? good : doubt, true};
    x = fonts.draw(canvas, x, baseline, percentText(reading.confidence), sure);
    x = fonts.draw(canvas, x, baseline, "  \u00b7  ", note);
  }
  const std::vector<int64_t> &dims = laid.row->picture.dims();
  fonts.draw(canvas, x, baseline,
             std::to_string(dims[1]) + " \u00d7 " + std::to_string(dims[0]) + "  \u00b7  " + timeText(reading.ms),
             note);
}

void drawHeader(Canvas &canvas, const Fonts &fonts, size_t pictures, const Summary &summary) {
  fonts.draw(canvas, margin, 66, "Text read by Pliant", title);
  fonts.draw(canvas, margin, 96, "left the picture, right what the model reads off it", subtitle);
  const std::pair<std::string, std::string> figures[] = {
      {timeText(summary.medianMs), "per picture"},
      {timeText(summary.compileMs), "to compile"},
      {std::to_string(summary.compiles), summary.compiles == 1 ? "compile" : "compiles"},
      {std::to_string(summary.widths), summary.widths == 1 ? "width" : "widths"},
      {std::to_string(pictures), pictures == 1 ? "picture" : "pictures"},
  };
  double right = sheetWidth - margin;
  for (const auto &[number, what] : figures) {
    const double wide = std::max(fonts.width(number, figure), fonts.width(what, label));
    fonts.draw(canvas, right - fonts.width(number, figure), 66, number, figure);
    fonts.draw(canvas, right - fonts.width(what, label), 94, what, label);
    right -= wide + 36;
  }
}

} // namespace

Status writeSheet(const std::string &path, const std::vector<Row> &rows, const Summary &summary) {
  PLIANT_TRY(Fonts fonts, Fonts::open());
  std::vector<Laid> laid;
  int64_t height = header;
  for (const Row &row : rows) {
    if (laid.size() == rowsShown)
      break;
    PLIANT_TRY(Laid one, layOut(row, fonts));
    height += one.height + gap;
    laid.push_back(std::move(one));
  }
  height += margin - gap + (rows.size() > laid.size() ? 40 : 0);
  PLIANT_TRY(Canvas canvas, Canvas::make(sheetWidth, height, paper));
  drawHeader(canvas, fonts, rows.size(), summary);
  int64_t top = header;
  for (const Laid &one : laid) {
    drawRow(canvas, fonts, one, top);
    top += one.height + gap;
  }
  if (rows.size() > laid.size())
    fonts.draw(canvas, margin, top + 24, "and " + std::to_string(rows.size() - laid.size()) + " more pictures",
               subtitle);
  return files::writePng(path, canvas.tensor());
}

std::string timeText(double ms) {
  char text[40];
  if (ms < 1000)
    std::snprintf(text, sizeof text, ms < 99.95 ? "%.1f ms" : "%.0f ms", ms);
  else
    std::snprintf(text, sizeof text, "%.2f s", ms / 1000);
  return text;
}

std::string percentText(double share) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", std::floor(share * 1000) / 10);
  return text;
}

} // namespace ocr
