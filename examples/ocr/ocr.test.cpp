// SPDX-License-Identifier: Apache-2.0
// What surrounds the model, without the model: its input, the decoding of its scores, text on a canvas.
#include "fonts.h"
#include "recognizer.h"
#include "sheet.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace ocr;
using namespace pliant;

namespace {

const std::vector<std::string> keys{"", "a", "b", " "};

/// Scores in which the given classes are the likeliest, with probability 0.8.
DenseTensor scores(const std::vector<int> &classes) {
  auto out = DenseTensor::allocate(DType::F32, {1, static_cast<int64_t>(classes.size()), 4});
  std::fill_n(out->as<float>(), out->size(), 0.05f);
  for (size_t i = 0; i < classes.size(); ++i)
    out->as<float>()[i * 4 + static_cast<size_t>(classes[i])] = 0.8f;
  return *out;
}

std::string decoded(const std::vector<int> &classes) { return decode(scores(classes), keys)->text; }

TEST(Ocr, DecodeMergesRunsAndDropsBlanks) {
  EXPECT_EQ(decoded({0, 1, 1, 0, 1, 2, 2, 0}), "aab");
  EXPECT_EQ(decoded({1, 3, 2}), "a b");
  EXPECT_EQ(decoded({3, 0, 3, 1, 3}), "a"); // a line has no blanks at its ends
  EXPECT_EQ(decoded({0, 0}), "");
  EXPECT_EQ(decoded({0, 3}), "");
  EXPECT_EQ(decoded({}), "");
  EXPECT_NEAR(decode(scores({1, 0, 2}), keys)->confidence, 0.8, 1e-6);
  EXPECT_EQ(decode(scores({0}), keys)->confidence, 0);
}

TEST(Ocr, DecodeRefusesKeysOfAnotherModel) {
  auto wrong = decode(scores({1}), {"", "a", " "});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("(1, 1, 4)"), std::string::npos) << wrong.error().text();
}

TEST(Ocr, InputIs48HighBlueFirstAndCentred) {
  auto picture = DenseTensor::zeros(DType::U8, {24, 10, 3});
  for (int64_t i = 0; i < 240; ++i)
    picture->as<uint8_t>()[i * 3] = 255;
  auto input = modelInput(*picture);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->dims(), (std::vector<int64_t>{1, 3, 48, 20}));
  EXPECT_FLOAT_EQ(input->as<float>()[0], -1);          // blue
  EXPECT_FLOAT_EQ(input->as<float>()[2 * 48 * 20], 1); // red
  EXPECT_FALSE(modelInput(*DenseTensor::zeros(DType::U8, {1, 201, 3})));
}

TEST(Ocr, CodePointsOfBrokenText) {
  std::string_view text = "a\u6b22\xff\xe6\xac";
  EXPECT_EQ(takeCodePoint(text), U'a');
  EXPECT_EQ(takeCodePoint(text), U'\u6b22');
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(takeCodePoint(text), U'\ufffd');
  EXPECT_TRUE(text.empty());
}

TEST(Ocr, WrappedLinesFitAndLoseNothing) {
  auto fonts = Fonts::open();
  if (!fonts)
    GTEST_SKIP() << fonts.error().text();
  const Style style{20, {0, 0, 0}};
  for (std::string text : {"several words that need some lines", "onewordthatisfartoolongforaline", "", "a"}) {
    std::string all;
    for (const std::string &line : fonts->wrap(text, style, 90)) {
      all += line;
      EXPECT_LE(fonts->width(line.substr(0, line.find_last_not_of(' ') + 1), style), 90) << line;
    }
    EXPECT_EQ(all, text);
  }
  EXPECT_EQ(fonts->wrap("abc", style, 1), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Ocr, TextReachesTheCanvas) {
  auto fonts = Fonts::open();
  if (!fonts)
    GTEST_SKIP() << fonts.error().text();
  auto canvas = Canvas::make(60, 30, {255, 255, 255});
  ASSERT_TRUE(canvas);
  const double end = fonts->draw(*canvas, -5, 22, "Hi, partly outside", {20, {0, 0, 0}});
  EXPECT_GT(end, 60);
  const auto *pixels = canvas->tensor().as<uint8_t>();
  EXPECT_LT(*std::min_element(pixels, pixels + canvas->tensor().size()), 40);
}

TEST(Ocr, NumbersAsText) {
  EXPECT_EQ(timeText(4.24), "4.2 ms");
  EXPECT_EQ(timeText(213.6), "214 ms");
  EXPECT_EQ(timeText(3214), "3.21 s");
  EXPECT_EQ(percentText(0.9999), "99.9 %");
  EXPECT_EQ(percentText(1), "100.0 %");
}

} // namespace
