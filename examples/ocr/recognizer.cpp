// SPDX-License-Identifier: Apache-2.0
// The model's input and output: what PaddleOCR does around its recognition model.
#include "recognizer.h"
#include "api/compile.h"
#include "api/compiler.h"
#include "files/bytes.h"
#include "picture_input.h"
#include "session.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace ocr {

using namespace pliant;

Result<std::vector<std::string>> readKeys(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return files::cannotRead(path, std::strerror(errno));
  std::vector<std::string> keys{""};
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r'))
      line.pop_back();
    keys.push_back(line);
  }
  if (file.bad())
    return files::cannotRead(path, "reading fails");
  keys.emplace_back(" ");
  return keys;
}

Result<DenseTensor> modelInput(const DenseTensor &picture) {
  static const Argument input{"picture", {DType::F32, {Expr(1), Expr(3), Expr(48), Expr::symbol("width")}}};
  const int64_t height = picture.dims()[0], width = picture.dims()[1];
  if (width > 200 * height)
    return userError("ocr",
                     "the picture is " + std::to_string(width) + " times " + std::to_string(height) +
                         " pixels: too wide for a line of text",
                     "", "at most 200 times its height is read; cut it into parts");
  tool::PictureOptions options;
  options.mean = {127.5};
  options.scale = {1 / 127.5};
  options.bgr = true;
  options.height = 48;
  return tool::pictureInput(picture, input, options);
}

Result<Reading> decode(const DenseTensor &scores, const std::vector<std::string> &keys) {
  const auto classes = static_cast<int64_t>(keys.size());
  if (scores.dtype() != DType::F32 || scores.rank() != 3 || scores.dims()[0] != 1 || scores.dims()[2] != classes)
    return userError("ocr",
                     "the model gives scores of shape " + str(scores.dims()) + ", but the keys are for (1, places, " +
                         std::to_string(classes) + ")",
                     "", "the key file must be the one of the model");
  Reading out;
  int64_t before = 0, count = 0;
  for (int64_t place = 0; place < scores.dims()[1]; ++place) {
    const float *row = scores.as<float>() + place * classes;
    const float *best = std::max_element(row, row + classes);
    const int64_t index = best - row;
    if (index != 0 && index != before) {
      out.text += keys[static_cast<size_t>(index)];
      out.confidence += *best;
      ++count;
    }
    before = index;
  }
  if (count)
    out.confidence /= static_cast<double>(count);
  // The model likes to see a blank in the margin; a line of text has none at its ends.
  out.text.erase(std::min(out.text.find_last_not_of(' ') + 1, out.text.size()));
  out.text.erase(0, out.text.find_first_not_of(' '));
  return out;
}

Result<Recognizer> Recognizer::open(const std::string &model, const std::string &keys) {
  Recognizer out;
  PLIANT_TRY(out.keys, readKeys(keys));
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  out.compilesBefore = programsMade().compiled;
  double start = tool::nowMs();
  driver::Options options;
  options.cache = false; // the demo is there to show what a compile takes
  PLIANT_TRY(driver::Compiled compiled, api->file(model, options));
  out.compileMs = tool::nowMs() - start;
  if (compiled.program->inputs.size() != 1 || compiled.program->outputs.size() != 1)
    return userError("ocr", "'" + model + "' has " + std::to_string(compiled.program->inputs.size()) + " inputs and " +
                                std::to_string(compiled.program->outputs.size()) +
                                " outputs, but a recognition model has one of each");
  start = tool::nowMs();
  PLIANT_TRY(out.executable,
             Executable::load(compiled.program, compiled.image, compiled.hostOnlyImage, std::move(compiled.weights)));
  out.loadMs = tool::nowMs() - start;
  return out;
}

int64_t Recognizer::compiles() const { return programsMade().compiled - compilesBefore; }

Result<Reading> Recognizer::read(const DenseTensor &picture) {
  const double start = tool::nowMs();
  PLIANT_TRY(DenseTensor input, modelInput(picture));
  PLIANT_TRY(std::vector<DenseTensor> outputs, executable->run({&input, 1}));
  PLIANT_TRY(Reading reading, decode(outputs[0], keys));
  reading.ms = tool::nowMs() - start;
  return reading;
}

} // namespace ocr
