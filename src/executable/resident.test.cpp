// SPDX-License-Identifier: Apache-2.0
// Memory over hundreds of shapes: what runs keep does not grow with their number, by our own account and by the
// system's, and all of it can be given back. An executable of its own, since it looks at the whole process.
#include "api/compiler.h"
#include "control/text_model.h"
#include "executable/executable.h"
#include "executable/idle.h"
#include "runtime/memory.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace pliant;

namespace {

constexpr int64_t megabyte = 1 << 20;

int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

/// Pieces of executable memory.
int executableMaps() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find(" r-xp ") != std::string::npos;
  return count;
}

/// A number in [low, high], the same at every start.
int64_t drawn(uint64_t &seed, int64_t low, int64_t high) {
  seed += 0x9e3779b97f4a7c15;
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return low + static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(high - low + 1));
}

class Resident : public testing::Test {
protected:
  driver::Compiled compiled;
  std::unique_ptr<Executable> executable;

  void load(const std::string &text) {
    auto api = compiler();
    ASSERT_TRUE(api) << api.error().text();
    driver::Options options;
    options.cache = false;
    auto made = (*api)->bytes(test::modelOf(text), options);
    ASSERT_TRUE(made) << made.error().text();
    compiled = std::move(*made);
    reload();
  }
  void reload() {
    auto loaded = Executable::load(compiled.program, compiled.image, {}, compiled.weights);
    ASSERT_TRUE(loaded) << loaded.error().text();
    executable = std::move(*loaded);
    executable->setThreads(2);
  }

  /// 400 runs of `inputs(batch, length)` with batch in [1, 4] and length in [1, longest].
  void check(const std::function<std::vector<DenseTensor>(int64_t, int64_t)> &inputs, int64_t longest) {
    std::vector<DenseTensor> outputs;
    {
      const std::vector<DenseTensor> largest = inputs(4, longest);
      ASSERT_TRUE(executable->run(largest, outputs));
    }
    outputs.clear();
    reload();
    const int64_t idle = static_cast<int64_t>(liveMemory()), idleResident = residentBytes();
    {
      const std::vector<DenseTensor> largest = inputs(4, longest);
      ASSERT_TRUE(executable->run(largest, outputs));
    }
    // What the largest shape needs; arenas and growing blocks take half as much again when they grow.
    const int64_t most = idle + (static_cast<int64_t>(liveMemory()) - idle) * 3 / 2;
    outputs.clear();
    reload();
    uint64_t seed = 7;
    int64_t live = 0, resident = 0, early = 0, earlyResident = 0;
    const int code = executableMaps();
    for (int i = 0; i < 400; ++i) {
      {
        const int64_t batch = drawn(seed, 1, 4), length = drawn(seed, 1, longest);
        const std::vector<DenseTensor> given = inputs(batch, length);
        Status status = executable->run(given, outputs);
        ASSERT_TRUE(status) << status.error().text();
      }
      live = std::max(live, static_cast<int64_t>(liveMemory()));
      resident = std::max(resident, residentBytes());
      if (i == 19)
        early = live, earlyResident = resident;
    }
    EXPECT_LE(live, most);
    EXPECT_GE(live, early);
    EXPECT_EQ(executableMaps(), code) << "no shape brings code of its own";
    // The C library keeps some of the small blocks that were freed.
    EXPECT_LE(resident, earlyResident + (most - early) + 8 * megabyte) << "no more than by our own account";
    outputs.clear();
    executable->trim();
    EXPECT_EQ(static_cast<int64_t>(liveMemory()), idle) << "as before the first run";
    EXPECT_LE(residentBytes(), idleResident + 2 * megabyte);
    const std::vector<DenseTensor> again = inputs(2, 3);
    EXPECT_TRUE(executable->run(again, outputs)) << "and runs go on";
  }
};

DenseTensor filled(std::vector<int64_t> dims) {
  DenseTensor tensor = *DenseTensor::allocate(DType::F32, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = std::sin(static_cast<float>(i));
  return tensor;
}

} // namespace

TEST_F(Resident, FlatOverShapesAndGivenBack) {
  load(R"(
    in x:f32[B,S,64]
    out y p
    t = Transpose(x) perm=[0,2,1]
    s = MatMul(x, t)
    p = Softmax(s) axis=-1
    a = MatMul(p, x)
    y = Tanh(a)
  )");
  check([](int64_t batch, int64_t length) { return std::vector<DenseTensor>{filled({batch, length, 64})}; }, 500);
}

TEST_F(Resident, LoopsThatGrow) {
  load(R"(
    in n:i64[] x:f32[B,P,64]
    out y sums
    t = Constant() value=bool[]{1}
    y, sums = Loop(n, t, x) body={
      in i:i64[] c:bool[] a:f32[B,Q,64]
      out d b s
      d = Identity(c)
      b = Concat(a, x) axis=1
      s = ReduceSum(b) keepdims=0
    })");
  check(
      [](int64_t batch, int64_t length) {
        DenseTensor trips = *DenseTensor::allocate(DType::I64, {});
        trips.as<int64_t>()[0] = 1 + length % 7;
        return std::vector<DenseTensor>{trips, filled({batch, length, 64})};
      },
      300);
}

TEST_F(Resident, GivenBackWhenIdle) {
  load(R"(
    in x:f32[B,S,64]
    out y
    t = Transpose(x) perm=[0,2,1]
    s = MatMul(x, t)
    y = MatMul(s, x)
  )");
  const std::vector<DenseTensor> given{filled({2, 500, 64})};
  const auto before = liveMemory();
  std::vector<DenseTensor> outputs;
  using std::chrono::milliseconds;
  for (const auto time : {milliseconds(20), milliseconds(0)}) {
    Idle::process().setTime(std::chrono::hours(1));
    ASSERT_TRUE(executable->run(given, outputs));
    outputs.clear();
    EXPECT_GT(liveMemory(), before) << "it keeps something";
    Idle::process().setTime(time);
    for (int i = 0; i < (time.count() ? 3000 : 20) && liveMemory() != before; ++i)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(liveMemory() == before, time.count() != 0) << "all of it, or with a time of 0 nothing";
  }
  Idle::process().trim();
  EXPECT_EQ(liveMemory(), before);
  ASSERT_TRUE(executable->run(given, outputs)) << "and runs go on";
  Idle::process().setTime(std::chrono::seconds(10));
}

TEST_F(Resident, PicturesOfManySizes) {
  load(R"(
    in x:f32[B,3,H,W]
    out y
    v = Constant() value=f32[8,3,3,3]{*0.1}
    w = Constant() value=f32[8,8,3,3]{*0.05}
    a = Conv(x, v) pads=[1,1,1,1] strides=[2,2]
    r = Relu(a)
    b = Conv(r, w) pads=[1,1,1,1]
    p = MaxPool(b) kernel_shape=[2,2] strides=[2,2]
    y = GlobalAveragePool(p)
  )");
  // Heights and widths of 80 to 100, each of them.
  check(
      [](int64_t batch, int64_t size) {
        return std::vector<DenseTensor>{filled({batch, 3, 80 + (size - 1) / 21, 80 + (size - 1) % 21})};
      },
      21 * 21);
}
