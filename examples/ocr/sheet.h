// SPDX-License-Identifier: Apache-2.0
// The side-by-side picture: each input beside the text that was read off it.
#pragma once
#include "recognizer.h"

namespace ocr {

struct Row {
  std::string file;
  pliant::DenseTensor picture; ///< u8 (height, width, 3)
  Reading reading;
};

struct Summary {
  int64_t compiles = 0, widths = 0; ///< different widths among the pictures
  double compileMs = 0, medianMs = 0;
};

/// Writes a PNG. Of more than 200 rows it shows the first ones.
pliant::Status writeSheet(const std::string &path, const std::vector<Row> &rows, const Summary &summary);

/// "4.2 ms", "1.8 s"
std::string timeText(double ms);
/// "98.3 %"; never 100 % for what is less.
std::string percentText(double share);

} // namespace ocr
