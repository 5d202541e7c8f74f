// SPDX-License-Identifier: Apache-2.0
// Heat on a square plate with a round hole that is kept cold: relaxed until nothing moves any more, on finer and finer
// grids. The loop, its condition and the growing sizes are ordinary C++; each kind of step is compiled once.
//   plate [OUTPUT.png]
#include <cstdio>
#include <pliant/pliant.h>
#include <png.h>
#include <vector>

using namespace pliant;

namespace {

/// 1 inside of the hole of a grid with n points a side.
Tensor hole(int64_t n) {
  const Tensor at = (arange(n, DType::F32) + 0.5) / static_cast<double>(n) - 0.5;
  const Tensor x = at(newAxis, slice()), y = at(slice(), newAxis);
  return x * x + y * y < 0.04;
}

/// One sweep: every inner point becomes the mean of its neighbours; borders and hole stay.
void relax(Tensor &heat, const Tensor &cold) {
  const Tensor up = heat(slice({}, -2), slice(1, -1)), down = heat(slice(2), slice(1, -1));
  const Tensor left = heat(slice(1, -1), slice({}, -2)), right = heat(slice(1, -1), slice(2));
  heat(slice(1, -1), slice(1, -1)) = (up + down + left + right) * 0.25;
  heat = where(cold, 0, heat);
}

/// To twice as many points a side.
Tensor finer(const Tensor &heat) {
  const int64_t n = heat.dim(0);
  return heat(slice(), newAxis, slice(), newAxis).broadcastTo({n, 2, n, 2}).reshape({2 * n, 2 * n});
}

void setBorders(Tensor &heat) {
  heat(0) = 1;                                                                            // the upper edge is hot,
  heat(-1) = 0;                                                                           // the lower one cold,
  heat(ellipsis, 0) = arange(heat.dim(0), DType::F32) / static_cast<double>(heat.dim(0)); // one side from cold to hot
}

bool draw(const Tensor &heat, const char *path) {
  // From blue over white to red, as bytes.
  const Tensor warm = clip(heat * 2 - 1, 0, 1), cool = clip(1 - heat * 2, 0, 1);
  const Tensor picture = cast(round(stack({1 - cool, 1 - warm - cool * 0.6, 1 - warm}, 2) * 255), DType::U8);
  const Array bytes = picture.array();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(bytes.shape[1]);
  image.height = static_cast<png_uint_32>(bytes.shape[0]);
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path, 0, bytes.data.get(), 0, nullptr) != 0;
}

int run(const char *path) {
  Tensor heat = zeros({16, 16});
  for (int64_t n = 16; n <= 256; n *= 2) {
    if (n > 16)
      heat = finer(heat);
    setBorders(heat);
    const Tensor cold = hole(n);
    int sweeps = 0;
    double moved = 1;
    while (moved > 1e-4 && sweeps < 4000) {
      const Tensor before = heat;
      for (int i = 0; i < 50; ++i, ++sweeps)
        relax(heat, cold);
      moved = amax(abs(heat - before)).item<double>(); // the only wait of 50 sweeps
    }
    std::printf("%4lld x %-4lld %5d sweeps, mean %.5f, largest move %.1e\n", static_cast<long long>(n),
                static_cast<long long>(n), sweeps, mean(heat).item<double>(), moved);
  }
  std::printf("%s", counters().text().c_str());
  if (!draw(heat, path)) {
    std::fprintf(stderr, "error: %s cannot be written\n", path);
    return 2;
  }
  std::printf("drawn in %s\n", path);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "plate.png");
  } catch (const Exception &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
  }
}
