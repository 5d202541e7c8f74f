// SPDX-License-Identifier: Apache-2.0
// From a picture of one line of text to its text, with a PP-OCR recognition model that is compiled once.
#pragma once
#include "executable/executable.h"
#include <string>
#include <vector>

namespace ocr {

/// What the model's classes mean: class 0 is the blank, then the lines of the key file, then the space.
pliant::Result<std::vector<std::string>> readKeys(const std::string &path);

/// u8 (height, width, 3) to the model's input: 48 pixels high in proportion, blue first, -1 to 1, (1, 3, 48, width).
pliant::Result<pliant::DenseTensor> modelInput(const pliant::DenseTensor &picture);

struct Reading {
  std::string text;
  double confidence = 0; ///< mean probability of the characters; 0 without any
  double ms = 0;         ///< from pixels to text
};

/// The likeliest class at each place, runs of one class merged, blanks dropped. `scores` is (1, places, classes).
pliant::Result<Reading> decode(const pliant::DenseTensor &scores, const std::vector<std::string> &keys);

class Recognizer {
public:
  static pliant::Result<Recognizer> open(const std::string &model, const std::string &keys);
  pliant::Result<Reading> read(const pliant::DenseTensor &picture);

  int64_t compiles() const; ///< by the compiler since it was opened, up to now
  double compileMs = 0, loadMs = 0;
  int64_t launches() const { return executable->launches(); }
  int64_t fallbacks() const { return executable->fallbacks(); }

private:
  std::vector<std::string> keys;
  int64_t compilesBefore = 0;
  std::unique_ptr<pliant::Executable> executable;
};

} // namespace ocr
