// SPDX-License-Identifier: Apache-2.0
#include "cache/codec.h"
#include "plan/program.h"
#include <gtest/gtest.h>
#include <random>

using namespace pliant;
using cache::Reader;
using cache::Writer;

namespace {

struct Inner {
  std::optional<int32_t> number;
  std::vector<bool> flags;
};
struct Outer {
  std::string text;
  double value = 0;
  std::map<std::string, Inner> inners;
  std::set<std::string> names;
  std::pair<uint8_t, Expr> pair;
  std::vector<Outer> children;
};
static_assert(fieldCount<Inner>() == 2 && fieldCount<Outer>() == 6 && fieldCount<AddAttrs>() == 0);

template <class T> std::string bytesOf(const T &value) {
  Writer writer;
  writer.put(value);
  return writer.finish();
}

template <class T> std::optional<T> readBack(std::string_view bytes) {
  T value{};
  Reader reader(bytes);
  return reader.read(value) && reader.finished() ? std::optional(std::move(value)) : std::nullopt;
}

Outer sample() {
  Outer outer{
      "line\n\0end", -0.5, {{"a", {7, {true, false}}}, {"b", {}}}, {"x", "y"}, {3, Expr::symbol("it's") + 1}, {}};
  outer.children.push_back(outer);
  return outer;
}

/// A step and a group with everything set.
Program program() {
  Expr n = Expr::symbol("n"), m = Expr::symbol("a-b");
  auto tensor = DenseTensor::allocate(DType::I32, {2});
  tensor->as<int32_t>()[0] = 5;
  tensor->as<int32_t>()[1] = -6;
  Program p;
  TensorType type{DType::F16, {n, floorDiv(m - 1, 2) + 1, 3}};
  p.inputs = {{"x", type}};
  p.outputs = {{"y", {DType::Bool, {}}}};
  p.inputBuffers = {0};
  p.buffers = {{type, Buffer::Storage::Input, 0}, {type, Buffer::Storage::Arena, -1}};
  p.constants = {*tensor, DenseTensor()};
  p.weights = {{"w", DType::F32, {2, 3}, 0, {}, {}, {}, {}},
               {"c", DType::I32, {2}, -1, OpId::Reshape, {}, {0}, *tensor}};
  p.groups.resize(1);
  p.groups[0].inputs = {type};
  p.groups[0].weights = {true};
  p.groups[0].nodes = {
      {OpId::Resize, ResizeAttrs{{n}, {1.5}, "linear", "half", "", -0.75, true, 0, {}}, {0}, type, "node"}};
  p.groups[0].outputs = {{1, {n, m}, max(n, m), 1}};
  Step step{Step::Kind::Launch};
  step.attrs = ConstantAttrs{*tensor};
  step.values = {n * n, mod(m, 4)};
  step.symbols = {"n", "a-b"};
  step.high = INT64_MAX;
  step.operands = {type};
  Step branch{Step::Kind::If};
  branch.thenSteps = {step, step};
  p.steps = {branch, step};
  p.packed = {{0, {}}};
  p.arena = {{1, n * 64, 0, 2}};
  return p;
}

} // namespace

TEST(Codec, RoundTrip) {
  for (const std::string &bytes : {bytesOf(sample()), bytesOf(Outer())}) {
    auto again = readBack<Outer>(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(bytesOf(*again), bytes);
  }
  auto outer = readBack<Outer>(bytesOf(sample()));
  ASSERT_TRUE(outer);
  EXPECT_EQ(outer->pair.second, Expr::symbol("it's") + 1);
  EXPECT_EQ(outer->inners["a"].number, 7);
  EXPECT_EQ(outer->children.at(0).names.size(), 2u);
}

TEST(Codec, Programs) {
  const Program p = program();
  auto again = readBack<Program>(bytesOf(p));
  ASSERT_TRUE(again);
  EXPECT_EQ(bytesOf(*again), bytesOf(p));
  EXPECT_EQ(again->groups[0].text(), p.groups[0].text());
  EXPECT_EQ(again->groups[0].outputs[0].offset, p.groups[0].outputs[0].offset);
  EXPECT_EQ(again->steps[0].thenSteps.size(), 2u);
  EXPECT_EQ(again->constants[0].as<int32_t>()[1], -6);
  EXPECT_FALSE(again->constants[1]);
}

TEST(Codec, ShortAndLongBytesAreRefused) {
  const std::string bytes = bytesOf(program());
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(readBack<Program>(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(readBack<Program>(bytes + "x"));
}

TEST(Codec, DamagedBytesNeverCrash) {
  const std::string bytes = bytesOf(program());
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (uint64_t i = 0; i < 1 + random() % 4; ++i) {
      size_t at = random() % damaged.size();
      if (random() % 2)
        damaged[at] = static_cast<char>(random());
      else
        damaged.replace(at, 8, std::string(std::min<size_t>(8, damaged.size() - at), '\xff'));
    }
    if (auto read = readBack<Program>(damaged)) // a value changed, in form it is a program
      EXPECT_EQ(readBack<Program>(bytesOf(*read)).has_value(), true);
  }
}

TEST(Codec, DepthIsBounded) {
  Step step{Step::Kind::If};
  for (int i = 0; i < 2000; ++i) {
    Step outer{Step::Kind::If};
    outer.thenSteps.push_back(std::move(step));
    step = std::move(outer);
  }
  EXPECT_FALSE(readBack<Step>(bytesOf(step)));
}
