// SPDX-License-Identifier: Apache-2.0
// Whatever goes wrong, and whatever is told of a call, names the user's line.
#include "pliant/dlpack.h"
#include "pliant/pliant.h"
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

namespace pliant {
namespace {

struct Case {
  const char *text;
  int line;
  std::function<void()> call;
};
#define CASE(expression)                                                                                               \
  Case {                                                                                                               \
    #expression, __LINE__, [&] { (void)(expression); }                                                                 \
  }

std::string at(int line) { return __FILE__ + std::string(":") + std::to_string(line); }

void expectTheirLine(const std::vector<Case> &cases) {
  for (const Case &each : cases)
    try {
      each.call();
      ADD_FAILURE() << each.text << " throws nothing";
    } catch (const Exception &error) {
      EXPECT_EQ(error.where(), at(each.line)) << each.text << ": " << error.what();
    }
}

TEST(Site, ErrorsOfCallsNameTheirLine) {
  Tensor x = zeros({2, 3}), y = zeros({4, 5}), ints = arange(6), real = ones({2}), undefined;
  const Tensor mask = Tensor::of({true, false, true, true});
  const std::vector<float> few(5);
  Generator dice(7);
  expectTheirLine({
      CASE(x.dim(9)),
      CASE(x.item<float>()),
      CASE(x.values<int64_t>()),
      CASE(x.reshape({7})),
      CASE(x.reshape({-1, -1})),
      CASE(x.transpose({0, 0})),
      CASE(x.broadcastTo({9})),
      CASE(x.broadcastTo({-1})),
      CASE(x(9)),
      CASE(x(0, 0, 0)),
      CASE(x(real)),
      CASE(x(mask)),
      CASE(x(slice(0, 1, 0))),
      CASE(x + y),
      CASE(x + undefined),
      CASE(x += y),
      CASE(ints += 0.5),
      CASE(x.assign(y)),
      CASE(x(0) = y),
      CASE(x(slice(), ints) = y),
      CASE(x.broadcastTo({2, 2, 3})(0) = 1),
      CASE(ints + INT64_MAX % x),
      CASE(x & y),
      CASE(x << 1),
      CASE(matmul(x, y)),
      CASE(matmul(x, 1)),
      CASE(sum(x, {2})),
      CASE(sum(x, {0, 0})),
      CASE(amax(zeros({0}))),
      CASE(argmax(zeros({0}))),
      CASE(concat({x, y})),
      CASE(concat({})),
      CASE(concat({x}, 2)),
      CASE(stack({x, y})),
      CASE(split(x, 2, 1)),
      CASE(split(x, 2, 2)),
      CASE(squeeze(x, {0})),
      CASE(expandDims(x, 5)),
      CASE(flip(x, {2})),
      CASE(roll(x, 1, 2)),
      CASE(reshape(x, {7})),
      CASE(transpose(x, {0})),
      CASE(softmax(x, 2)),
      CASE(conv(x, y)),
      CASE(topK(x, {9})),
      CASE(gather(x, real)),
      CASE(zeros({-1})),
      CASE(zeros({2}, DType::String)),
      CASE(full({-1}, 1)),
      CASE(full({1}, 1000, DType::I8)),
      CASE(arange(0, 9, 0)),
      CASE(arange(INT64_MAX)),
      CASE(eye(-1)),
      CASE(Tensor::of<float>(few, {6})),
      CASE(Tensor::of<float>(few, {-5})),
      CASE(Tensor::copied(Array{DType::F32, {int64_t(1) << 40, int64_t(1) << 40}, nullptr})),
      CASE(Tensor::of(Array{DType::F32, {3}, nullptr})),
      CASE(dice.uniform({2}, DType::I64)),
      CASE(dice.uniform({int64_t(1) << 40, int64_t(1) << 40})),
      CASE(dice.normal({-1})),
      CASE(dice.integers({2}, 5, 5)),
      CASE(dice.bernoulli({2}, 1.5)),
      CASE(dice.permutation(-2)),
      CASE(setThreads(0)),
      CASE(setProgramLimits(0, 1)),
  });
}

TEST(Site, ErrorsOfReadsNameTheirLine) {
  const Tensor x = arange(6) * 3, one = sum(x), mask = x > 2;
  const NoEvaluation none;
  Reading reading(x, Site(__FILE__, 7));
  EXPECT_THROW(reading.start(), Exception);
  expectTheirLine({
      CASE(x.array()),
      CASE(one.item<int64_t>()),
      CASE(x.values<int64_t>()),
      CASE(x.str()),
      CASE(toDlpack(x)),
      CASE(toDlpackVersioned(x)),
      CASE(nonZero(x)),
      CASE(Tensor(x(mask))),
      CASE(x(mask) + 1),
      CASE(Reading(x).array()),
      CASE(eval({x})),
  });
}

TEST(Site, ErrorsOfRunsNameTheLineThatRecorded) {
  const Tensor zero = Tensor::of<int64_t>({0}), seven = Tensor::of<int64_t>({7}), wrong = Tensor::of<int64_t>({5});
  expectTheirLine({
      CASE(floorDivide(seven, zero).array()),
      CASE((seven % zero).array()),
      CASE((seven / zero + floorDivide(seven, zero)).array()),
      CASE(gather(seven, wrong).array()),
      CASE(Tensor(seven(wrong)).array()),
  });
}

TEST(Site, CopiesOfViewsAreOfTheLineThatMadeTheView) {
  barrier();
  Tensor x = zeros({4, 4});
  x.array();
  const int line = __LINE__ + 1;
  Tensor row = x(2), picked = x(slice(0, 2), ellipsis);
  x += 1; // what the views have seen is old
  const std::string before = pending();
  EXPECT_EQ(row.shape(), Shape({4}));
  EXPECT_EQ(picked.dim(1), 4);
  EXPECT_EQ(pending(), before); // to ask for a shape records nothing
  const std::vector<Tensor> copies{row, picked};
  const std::string text = pending(), here = "  # " + at(line) + "\n";
  std::istringstream lines(text.substr(before.size()));
  int count = 0;
  for (std::string each; std::getline(lines, each); ++count)
    EXPECT_NE((each + "\n").find(here), std::string::npos) << text;
  EXPECT_GT(count, 1) << text;
  EXPECT_EQ(copies[0].values<float>(), std::vector<float>(4, 1));
}

TEST(Site, WarningsAndTheTimelineNameTheLineOfTheRead) {
  std::vector<std::string> told;
  onWarning([&](const std::string &text) { told.push_back(text); });
  startTimeline();
  Tensor x = zeros({3});
  const int line = __LINE__ + 2;
  for (int i = 0; i < 100; ++i)
    (void)(x = x + 1).str();
  const int waited = __LINE__ + 1;
  eval({x = x + 1});
  observe({x + 1}, [](const std::vector<Array> &) {});
  barrier();
  wait();
  onWarning({});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("100 times at " + at(line)), std::string::npos) << told[0];
  const std::string all = timeline();
  EXPECT_NE(all.find("read at " + at(line)), std::string::npos) << all;
  EXPECT_NE(all.find("barrier at " + at(waited)), std::string::npos) << all;
  EXPECT_NE(all.find("barrier at " + at(waited + 2)), std::string::npos) << all;
  EXPECT_EQ(all.find("src/api/run.cpp"), std::string::npos) << all;
  EXPECT_EQ(all.find("src/api/print.cpp"), std::string::npos) << all;
}

} // namespace
} // namespace pliant
