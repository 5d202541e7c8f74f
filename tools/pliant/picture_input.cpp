// SPDX-License-Identifier: Apache-2.0
// Pictures to model inputs.
#include "picture_input.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace pliant::tool {

const std::vector<Option> &pictureOptionList() {
  static const std::vector<Option> list{
      {"--mean", "M[,M,M]", "pictures: subtracted from each pixel, 0..255, per channel (default 0)"},
      {"--scale", "S[,S,S]", "pictures: then multiplied; \"1/255\" is understood (default 1)"},
      {"--bgr", nullptr, "pictures: blue first"},
      {"--resize", "HxW", "pictures: resized to H times W; \"48x\" and \"x320\" keep the proportions"},
  };
  return list;
}

/// "0.5" or "1/255".
static Result<double> parseFactor(std::string_view text, const char *option) {
  double parts[2] = {0, 1};
  std::vector<std::string> words = split(text, '/');
  bool good = words.size() <= 2;
  for (size_t i = 0; good && i < words.size(); ++i) {
    auto [end, failure] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), parts[i]);
    good = failure == std::errc() && end == words[i].data() + words[i].size();
  }
  if (!good || !std::isfinite(parts[0] / parts[1]))
    return userError("command line", std::string(option) + ": '" + std::string(text) + "' is no number");
  return parts[0] / parts[1];
}

Result<PictureOptions> pictureOptions(const Arguments &arguments) {
  PictureOptions out;
  for (auto [option, list] : {std::pair("--mean", &out.mean), std::pair("--scale", &out.scale)}) {
    if (!arguments.has(option))
      continue;
    list->clear();
    for (const std::string &word : split(arguments.get(option), ',')) {
      PLIANT_TRY(double value, parseFactor(word, option));
      list->push_back(value);
    }
    if (list->size() != 1 && list->size() != 3)
      return userError("command line", std::string(option) + " takes one value or three");
  }
  out.bgr = arguments.has("--bgr");
  if (arguments.has("--resize")) {
    std::vector<std::string> sides = split(arguments.get("--resize"), 'x');
    if (sides.size() != 2 || (sides[0].empty() && sides[1].empty()))
      return userError("command line", "--resize is '" + arguments.get("--resize") + "', not of the form HxW");
    for (auto [side, word] : {std::pair(&out.height, sides[0]), std::pair(&out.width, sides[1])}) {
      if (word.empty())
        continue;
      PLIANT_TRY(*side, parseInteger(word, "--resize"));
      if (*side < 1 || *side > 1 << 16)
        return userError("command line", "--resize: " + word + " is not in 1..65536");
    }
  }
  return out;
}

static bool hasChannels(const Expr &extent) { return extent.isConstant(3) || extent.isConstant(1); }

bool wantsPicture(const DenseTensor &tensor, const TensorType &type) {
  if (tensor.dtype() != DType::U8 || tensor.rank() != 3 || tensor.dims()[2] != 3)
    return false;
  return (type.rank() == 4 || type.rank() == 3) &&
         !(type.rank() == 3 && type.dtype == DType::U8 && !type.shape[0].isConstant(3));
}

/// Bilinear with half-pixel centres; averaging over the covered pixels where it shrinks.
static std::vector<float> resized(const std::vector<float> &from, int64_t h, int64_t w, int64_t toH, int64_t toW) {
  auto axis = [](const std::vector<float> &in, int64_t outer, int64_t n, int64_t inner, int64_t m) {
    std::vector<float> out(static_cast<size_t>(outer * m * inner));
    const double ratio = static_cast<double>(n) / static_cast<double>(m), support = std::max(1.0, ratio);
    for (int64_t i = 0; i < m; ++i) {
      const double centre = (static_cast<double>(i) + 0.5) * ratio;
      const auto low = std::max<int64_t>(0, static_cast<int64_t>(std::floor(centre - support)));
      const auto high = std::min<int64_t>(n, static_cast<int64_t>(std::ceil(centre + support)));
      double total = 0;
      std::vector<double> weights;
      for (int64_t j = low; j < high; ++j) {
        weights.push_back(std::max(0.0, 1 - std::fabs((static_cast<double>(j) + 0.5 - centre) / support)));
        total += weights.back();
      }
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < inner; ++k) {
          double sum = 0;
          for (int64_t j = low; j < high; ++j)
            sum += weights[static_cast<size_t>(j - low)] * in[static_cast<size_t>((o * n + j) * inner + k)];
          out[static_cast<size_t>((o * m + i) * inner + k)] = static_cast<float>(sum / total);
        }
    }
    return out;
  };
  return axis(axis(from, 1, h, w * 3, toH), toH, w, 3, toW);
}

Result<DenseTensor> pictureInput(const DenseTensor &picture, const Argument &argument, const PictureOptions &options) {
  const Extents &shape = argument.type.shape;
  const size_t first = shape.size() - 3;
  const bool last = !hasChannels(shape[first]) && hasChannels(shape[first + 2]);
  const bool grey = shape[last ? first + 2 : first].isConstant(1);
  int64_t h = picture.dims()[0], w = picture.dims()[1];
  if (h < 1 || w < 1)
    return userError("input", "the picture for '" + argument.name + "' is empty");
  std::vector<float> pixels(picture.as<uint8_t>(), picture.as<uint8_t>() + picture.size());
  if (options.height || options.width) {
    auto inProportion = [](int64_t side, int64_t to, int64_t from) {
      return std::max<int64_t>(
          1, std::llround(static_cast<double>(side) * static_cast<double>(to) / static_cast<double>(from)));
    };
    const int64_t toH = options.height ? options.height : inProportion(h, options.width, w);
    const int64_t toW = options.width ? options.width : inProportion(w, options.height, h);
    if (toW > 1 << 16 || toH > 1 << 16)
      return userError("input", "--resize gives a picture of " + std::to_string(toH) + " times " + std::to_string(toW));
    pixels = resized(pixels, h, w, toH, toW);
    h = toH;
    w = toW;
  }
  const int64_t channels = grey ? 1 : 3;
  std::vector<int64_t> dims = last ? std::vector<int64_t>{h, w, channels} : std::vector<int64_t>{channels, h, w};
  if (first == 1)
    dims.insert(dims.begin(), 1);
  PLIANT_TRY(DenseTensor out, DenseTensor::allocate(argument.type.dtype, dims));
  dispatch(argument.type.dtype, [&]<class T>(Type<T>) {
    constexpr bool whole = !isFloatStorage<T>;
    for (int64_t p = 0; p < h * w; ++p) {
      const float *rgb = pixels.data() + p * 3;
      for (int64_t c = 0; c < channels; ++c) {
        double v = grey ? 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] : rgb[options.bgr ? 2 - c : c];
        v = (v - options.mean[options.mean.size() == 3 ? c : 0]) * options.scale[options.scale.size() == 3 ? c : 0];
        out.as<T>()[last ? p * channels + c : c * h * w + p] = static_cast<T>(whole ? std::nearbyint(v) : v);
      }
    }
  });
  return out;
}

} // namespace pliant::tool
