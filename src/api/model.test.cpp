// SPDX-License-Identifier: Apache-2.0
// Models as functions of tensors, called and begun. Sinh.onnx takes and gives one number.
#include "pliant/model.h"
#include "api/tensor.test.h"
#include <cmath>
#include <sys/wait.h>
#include <unistd.h>

using namespace pliant;

namespace {

const Model &hyperbolic() {
  static const Model model(PLIANT_SOURCE_DIR "/test/fuzz/corpus/import/Sinh.onnx");
  return model;
}

Tensor sumOfWork() {
  Tensor x = full({256, 256}, 1.0 / 256);
  const Tensor weight = x;
  for (int i = 0; i < 50; ++i)
    x = matmul(x, weight);
  return sum(x) / 256;
}

TEST(Model, ACallThatWasBegunSeesTheValuesOfThen) {
  Tensor x = sumOfWork();
  const Model::Call call = hyperbolic().start(std::span<const Tensor>(&x, 1));
  x += 1;
  EXPECT_NEAR(call.results()[0].item<float>(), std::sinh(1.f), 1e-5);
  EXPECT_TRUE(call.ready());
  EXPECT_NEAR(call.results()[0].item<float>(), std::sinh(1.f), 1e-5) << "asked again";
  EXPECT_NEAR(hyperbolic()({x})[0].item<float>(), std::sinh(2.f), 1e-5);
}

TEST(Model, ManyAtOnce) {
  std::vector<Model::Call> calls;
  for (int i = 0; i < 32; ++i) {
    const Tensor x = full({}, i / 16.0);
    calls.push_back(hyperbolic().start(std::span<const Tensor>(&x, 1)));
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_NEAR(calls[static_cast<size_t>(i)].results()[0].item<float>(), std::sinh(i / 16.0), 1e-5);
}

TEST(Model, WhatGoesWrongIsThrownByWhoAsksForTheResults) {
  const Tensor wrong = ones({2, 3});
  const Model::Call call = hyperbolic().start(std::span<const Tensor>(&wrong, 1));
  EXPECT_SAYS(call.results(), "rank");
  EXPECT_SAYS(call.results(), "model.test.cpp");
  EXPECT_SAYS(hyperbolic()({wrong}), "rank");
  const Tensor failing = floorDivide(Tensor::of<int64_t>({1}), Tensor::of<int64_t>({0})); // an error when it runs
  const Tensor scalar = cast(sum(failing), DType::F32);
  EXPECT_SAYS(hyperbolic().start(std::span<const Tensor>(&scalar, 1)).results(), "zero");
}

TEST(Model, NothingBeginsWhereNothingMayBeEvaluated) {
  const Tensor pending = sumOfWork();
  const NoEvaluation none;
  EXPECT_SAYS(hyperbolic().start(std::span<const Tensor>(&pending, 1)), "model.test.cpp");
}

TEST(Model, AForkedChildIsTold) {
  const Tensor x = full({}, 1.0);
  (void)x.array();
  const Model::Call call = hyperbolic().start(std::span<const Tensor>(&x, 1));
  const pid_t child = fork();
  if (child == 0) {
    const bool told = thrown([&] { (void)call.results(); }).find("fork") != std::string::npos;
    const bool goesOn =
        std::abs(hyperbolic().start(std::span<const Tensor>(&x, 1)).results()[0].item<float>() - 1.1752f) < 1e-3;
    wait();
    _exit(told && goesOn ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_NEAR(call.results()[0].item<float>(), std::sinh(1.f), 1e-5);
}

} // namespace
