// SPDX-License-Identifier: Apache-2.0
// Reads lines of text off pictures with a PP-OCR recognition model, and compares them with what they say. What
// surrounds the model (resampling, colours, the choice of characters) is ordinary code on tensors: like the model it is
// compiled once, for pictures of every height and width.
//   reader MODEL KEYS FOLDER      FOLDER as `scripts/render.py` makes it: pictures, and texts.tsv with their texts
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <pliant/pliant.h>
#include <png.h>

using namespace pliant;

namespace {

/// The matrix that makes `to` samples of `size`: linear between them, averaging where there become fewer.
Tensor resampling(int64_t size, int64_t to) {
  const double ratio = static_cast<double>(size) / static_cast<double>(to);
  const Tensor centre = (arange(to, DType::F32) + 0.5) * ratio;
  const Tensor distance = abs(arange(size, DType::F32) + 0.5 - centre(slice(), newAxis));
  const Tensor weight = maximum(1 - distance / std::max(1.0, ratio), 0);
  return weight / sum(weight, {1}, true);
}

/// u8 (height, width, 3) to what the model takes: 48 pixels high in proportion, blue first, -1 to 1, (1, 3, 48, width).
Tensor modelInput(const Tensor &picture) {
  const int64_t height = picture.dim(0), width = picture.dim(1);
  const int64_t to =
      std::max<int64_t>(1, std::llround(48.0 * static_cast<double>(width) / static_cast<double>(height)));
  const Tensor colours = cast(picture, DType::F32).transpose({2, 0, 1})(slice({}, {}, -1));
  const Tensor small = matmul(matmul(resampling(height, 48), colours), resampling(width, to).transpose());
  return (small / 127.5 - 1)(newAxis);
}

struct Reading {
  std::string text;
  double confidence;
};

/// From scores (1, places, classes): the likeliest class at each place, runs of one class merged, class 0 dropped.
Reading read(const Tensor &scores, const std::vector<std::string> &keys) {
  const Tensor best = argMax(scores(0)), before = concat({Tensor::of<int64_t>({0}), best(slice({}, -1))});
  const Tensor chosen = (best != 0) & (best != before);
  Reading out{"", mean(amax(scores(0), {1})(chosen)).item<double>()};
  for (int64_t key : best(chosen).values<int64_t>())
    out.text += keys.at(static_cast<size_t>(key));
  // The model likes to see a blank in the margin.
  out.text.erase(out.text.find_last_not_of(' ') + 1);
  out.text.erase(0, out.text.find_first_not_of(' '));
  return out;
}

/// Class 0 is no character, then come the lines of the file, then the blank.
std::vector<std::string> keysOf(const char *path) {
  std::ifstream file(path);
  std::vector<std::string> keys{""};
  for (std::string line; std::getline(file, line);)
    keys.push_back(line);
  keys.emplace_back(" ");
  return keys;
}

Tensor pictureOf(const std::string &path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw Exception(path + " is no PNG that can be read", "");
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr))
    throw Exception(path + " is damaged", "");
  return Tensor::of(std::span<const uint8_t>(bytes), {image.height, image.width, 3});
}

int run(const char *modelPath, const char *keysPath, const std::string &folder) {
  const Model model(modelPath);
  const std::vector<std::string> keys = keysOf(keysPath);
  std::ifstream table(folder + "/texts.tsv");
  int lines = 0, right = 0;
  int64_t forTheFirst = 0;
  for (std::string name, text; std::getline(table, name, '\t') && std::getline(table, text); ++lines) {
    const Tensor scores = model({modelInput(pictureOf(folder + "/" + name))})[0];
    const Reading reading = read(scores, keys);
    std::printf("%s  %5.1f %%  %s\n", name.c_str(), 100 * reading.confidence, reading.text.c_str());
    if (reading.text == text)
      ++right;
    else
      std::printf("      it says:  %s\n", text.c_str());
    if (lines == 0)
      forTheFirst = counters().made();
  }
  std::printf("%d of %d lines right; programs made: %lld for the first picture, %lld for the others\n", right, lines,
              static_cast<long long>(forTheFirst), static_cast<long long>(counters().made() - forTheFirst));
  return lines ? 0 : 2;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: reader MODEL KEYS FOLDER\n"), 2;
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception &e) {
    return std::fprintf(stderr, "error: %s\n", e.what()), 2;
  }
}
