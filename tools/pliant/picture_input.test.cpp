// SPDX-License-Identifier: Apache-2.0
// Pictures as inputs: layouts, channel order, grey, mean and scale, resizing.
#include "picture_input.h"
#include "compare.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::tool;

namespace {

/// One row of two pixels: red-ish and blue-ish.
DenseTensor picture() {
  DenseTensor t = *DenseTensor::allocate(DType::U8, {1, 2, 3});
  const uint8_t pixels[] = {10, 20, 30, 40, 50, 60};
  std::copy(std::begin(pixels), std::end(pixels), t.as<uint8_t>());
  return t;
}
Argument argument(DType dtype, Extents shape) { return {"x", {dtype, std::move(shape)}}; }
const Expr n = Expr::symbol("N"), h = Expr::symbol("H"), w = Expr::symbol("W");

std::string made(const Argument &a, const PictureOptions &options = {}) {
  auto t = pictureInput(picture(), a, options);
  if (!t)
    return t.error().text();
  std::string out = pliant::str(t->dims()) + ":";
  for (int64_t i = 0; i < t->size(); ++i)
    out += " " + std::to_string(static_cast<int>(elementAsDouble(*t, i) * 10) / 10);
  return out;
}

TEST(PictureInput, Layouts) {
  EXPECT_EQ(made(argument(DType::F32, {n, 3, h, w})), "(1, 3, 1, 2): 10 40 20 50 30 60");
  EXPECT_EQ(made(argument(DType::F32, {n, h, w, 3})), "(1, 1, 2, 3): 10 20 30 40 50 60");
  EXPECT_EQ(made(argument(DType::F32, {n, Expr::symbol("C"), h, w})), "(1, 3, 1, 2): 10 40 20 50 30 60");
  EXPECT_EQ(made(argument(DType::U8, {3, h, w})), "(3, 1, 2): 10 40 20 50 30 60");
  EXPECT_EQ(made(argument(DType::F32, {n, 1, h, w})), "(1, 1, 1, 2): 18 48");
}

TEST(PictureInput, Values) {
  PictureOptions options;
  options.bgr = true;
  EXPECT_EQ(made(argument(DType::F32, {n, 3, h, w}), options), "(1, 3, 1, 2): 30 60 20 50 10 40");
  options = {};
  options.mean = {10, 20, 30};
  options.scale = {2};
  EXPECT_EQ(made(argument(DType::F32, {n, 3, h, w}), options), "(1, 3, 1, 2): 0 60 0 60 0 60");
  options = {};
  options.height = 2;
  EXPECT_EQ(made(argument(DType::F32, {n, h, w, 3}), options).substr(0, 13), "(1, 2, 4, 3):");
}

TEST(PictureInput, WhenWanted) {
  EXPECT_TRUE(wantsPicture(picture(), {DType::F32, {n, 3, h, w}}));
  EXPECT_TRUE(wantsPicture(picture(), {DType::F32, {h, w, 3}}));
  EXPECT_FALSE(wantsPicture(picture(), {DType::U8, {h, w, 3}})); // as it is
  EXPECT_FALSE(wantsPicture(picture(), {DType::F32, {n, h}}));
}

TEST(PictureInput, Options) {
  auto parse = [](std::vector<std::string> words) {
    auto arguments = Arguments::parse("run", pictureOptionList(), words);
    return pictureOptions(*arguments);
  };
  auto good = parse({"--scale=1/255", "--mean=1,2,3", "--resize=48x", "--bgr"});
  ASSERT_TRUE(good);
  EXPECT_NEAR(good->scale[0], 1.0 / 255, 1e-12);
  EXPECT_EQ(good->mean[2], 3);
  EXPECT_EQ(good->height, 48);
  EXPECT_EQ(good->width, 0);
  for (const char *bad :
       {"--scale=1/0", "--scale=x", "--scale=1,2", "--resize=x", "--resize=48", "--resize=0x4", "--resize=1x99999999"})
    EXPECT_FALSE(parse({bad})) << bad;
}

} // namespace
