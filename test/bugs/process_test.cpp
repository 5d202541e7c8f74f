// SPDX-License-Identifier: Apache-2.0
// Part G: what a compiler does to the process that it lives in. Each test runs in a child that has opened no compiler
// and started no thread, as a user's process does.
#include "api/compiler.h"
#include "control/text_model.h"
#include "executable/executable.h"
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <immintrin.h>
#include <pthread.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pliant;

namespace {

void child(const std::function<void()> &body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure());
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in a child process, status " << status;
}

Result<std::unique_ptr<Executable>> compiled(const std::string &model) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  driver::Options options;
  options.cache = false;
  PLIANT_TRY(driver::Compiled made, api->bytes(model, options));
  return Executable::load(made.program, made.image, {}, std::move(made.weights));
}

const std::string halves = test::modelOf(R"(
  in x:f32[N]
  out y
  h = Constant() value=f32[]{0.5}
  y = Mul(x, h)
)");

/// Half of `value` at all of `count` elements.
void expectHalf(Executable &executable, float value, int64_t count, float half) {
  DenseTensor x = *DenseTensor::allocate(DType::F32, {count});
  std::fill_n(x.as<float>(), count, value);
  auto y = executable.run({&x, 1});
  ASSERT_TRUE(y) << y.error().text();
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ((*y)[0].as<float>()[i], half) << "element " << i;
}
void compileAndRun() {
  auto executable = compiled(halves);
  ASSERT_TRUE(executable) << executable.error().text();
  expectHalf(**executable, 3, 100, 1.5f);
}

/// Another LLVM of this machine, in use: opened for everybody, with a context and its command line's options.
bool useOtherLlvm(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return false;
  auto create = reinterpret_cast<void *(*)()>(dlsym(library, "LLVMContextCreate"));
  auto dispose = reinterpret_cast<void (*)(void *)>(dlsym(library, "LLVMContextDispose"));
  auto parse =
      reinterpret_cast<void (*)(int, const char *const *, const char *)>(dlsym(library, "LLVMParseCommandLineOptions"));
  EXPECT_TRUE(create && dispose && parse) << name;
  if (!create || !dispose || !parse)
    return true;
  const char *words[] = {"test", "-vectorize-loops"};
  parse(2, words, nullptr);
  dispose(create());
  return true;
}

std::string contentOf(const std::filesystem::path &file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}
/// State and CPU time of each thread of the pool.
std::vector<std::pair<char, std::string>> poolThreads() {
  std::vector<std::pair<char, std::string>> threads;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = contentOf(task.path() / "comm"); // "pliant-2", not that of this program
    if (!name.starts_with("pliant-") || !std::isdigit(static_cast<unsigned char>(name[7])))
      continue;
    std::istringstream stat(contentOf(task.path() / "stat"));
    std::string word, user, system;
    stat >> word >> word >> word;
    const char state = word[0];
    for (int field = 4; field <= 13; ++field)
      stat >> word;
    stat >> user >> system; // fields 14 and 15
    threads.emplace_back(state, user + " " + system);
  }
  return threads;
}

/// Those of common names that the system's loader finds.
std::vector<const char *> otherLlvms() {
  std::vector<const char *> found;
  for (const char *name : {"libLLVM-19.so", "libLLVM.so.19.1", "libLLVM-15.so.1", "libLLVM-14.so.1"}) {
    const pid_t pid = fork();
    if (pid == 0)
      _exit(dlopen(name, RTLD_LAZY) ? 0 : 1);
    int status = 1;
    if (waitpid(pid, &status, 0) == pid && status == 0)
      found.push_back(name);
  }
  return found;
}

} // namespace

// tvm#9362, tvm#18316, tvm#18655, llvm/llvm-project#101874: two LLVMs in a process shared symbols and options.
TEST(Process, AnotherLlvm) {
  const std::vector<const char *> others = otherLlvms();
  if (others.empty())
    GTEST_SKIP() << "no other LLVM on this machine";
  for (const char *name : others) {
    SCOPED_TRACE(name);
    child([&] {
      EXPECT_TRUE(useOtherLlvm(name));
      compileAndRun();
    });
    child([&] {
      compileAndRun();
      EXPECT_TRUE(useOtherLlvm(name));
      compileAndRun();
    });
  }
}

// ORT#5117, ORT#7448, ORT#17011: denormals were flushed on some threads only, or for the caller's good.
TEST(Process, DenormalsAreTheRunsOwn) {
  child([] {
    constexpr float tiny = 1e-39f, halfTiny = 5e-40f;
    constexpr unsigned flush = 0x8040;
    auto executable = compiled(halves);
    ASSERT_TRUE(executable) << executable.error().text();
    for (int threads : {1, 4}) {
      (*executable)->setThreads(threads, 0);
      for (unsigned before : {0x1f80u, 0x1f80u | flush, 0x1f80u | flush | 0x6000u}) { // the last one rounds to zero
        SCOPED_TRACE(std::to_string(threads) + " threads, control " + std::to_string(before));
        for (bool flushes : {true, false}) {
          (*executable)->flushDenormals(flushes);
          DenseTensor x = *DenseTensor::allocate(DType::F32, {100003});
          std::fill_n(x.as<float>(), x.size(), tiny);
          _mm_setcsr(before);
          auto y = (*executable)->run({&x, 1});
          const unsigned after = _mm_getcsr();
          _mm_setcsr(0x1f80);
          ASSERT_TRUE(y) << y.error().text();
          EXPECT_EQ(after, before);
          for (int64_t i = 0; i < x.size(); ++i)
            ASSERT_EQ((*y)[0].as<float>()[i], flushes ? 0.0f : halfTiny) << "element " << i;
        }
      }
    }
  });
}

// The same of what is computed when a model is compiled.
TEST(Process, ConstantsKeepDenormals) {
  child([] {
    const std::string model = test::modelOf(R"(
      in x:f32[N]
      out y
      t = Constant() value=f32[2]{1e-39, 3}
      h = Constant() value=f32[]{0.5}
      c = Mul(t, h)
      y = Concat(c, x) axis=0
    )");
    _mm_setcsr(0x1f80 | 0x8040);
    auto executable = compiled(model);
    ASSERT_TRUE(executable) << executable.error().text();
    DenseTensor x = *DenseTensor::allocate(DType::F32, {0});
    auto y = (*executable)->run({&x, 1});
    _mm_setcsr(0x1f80);
    ASSERT_TRUE(y) << y.error().text();
    EXPECT_EQ((*y)[0].as<float>()[0], 5e-40f);
    EXPECT_EQ((*y)[0].as<float>()[1], 1.5f);
  });
}

// ORT#13808, commaai/openpilot#22736: a pool that looks for work all the time starves its neighbours.
TEST(Process, AnIdlePoolSleeps) {
  child([] {
    auto executable = compiled(halves);
    ASSERT_TRUE(executable) << executable.error().text();
    (*executable)->setThreads(4, 0);
    expectHalf(**executable, 3, 100003, 1.5f);
    auto asleep = [] {
      const auto threads = poolThreads();
      return threads.size() == 3 &&
             std::all_of(threads.begin(), threads.end(), [](const auto &each) { return each.first == 'S'; });
    };
    for (int i = 0; i < 1000 && !asleep(); ++i) // however busy the machine is
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(asleep()) << poolThreads().size() << " threads";
    const auto before = poolThreads();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(poolThreads(), before) << "threads used the processor while there was nothing to do";
  });
}

// uwplasma/vmex#142: a linker recursed over a module's objects, on a thread with a small stack.
TEST(Process, ManyKernelsOnASmallStack) {
  child([] {
    constexpr int count = 2100;
    std::string inputs = "in", outputs = "out", nodes; // one kernel for each constant, and no two extents are equal
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      inputs += " x" + n + ":f32[N" + n + "]";
      outputs += " y" + n;
      nodes += "c" + n + " = Constant() value=f32[]{" + n + "}\ny" + n + " = Mul(x" + n + ", c" + n + ")\n";
    }
    struct Work {
      std::string model;
      Result<std::unique_ptr<Executable>> made = userError("", "not compiled");
    } work{test::modelOf(inputs + "\n" + outputs + "\n" + nodes)};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_t thread;
    auto body = [](void *raw) -> void * {
      auto &work = *static_cast<Work *>(raw);
      work.made = compiled(work.model);
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, &work), 0);
    pthread_join(thread, nullptr);
    ASSERT_TRUE(work.made) << work.made.error().text();
    EXPECT_EQ((*work.made)->launches(), count);
    std::vector<DenseTensor> list;
    for (int i = 0; i < count; ++i) {
      list.push_back(*DenseTensor::allocate(DType::F32, {1}));
      list.back().as<float>()[0] = 2;
    }
    auto results = (*work.made)->run(list);
    ASSERT_TRUE(results) << results.error().text();
    for (int i = 0; i < count; ++i)
      ASSERT_EQ((*results)[static_cast<size_t>(i)].as<float>()[0], static_cast<float>(2 * i));
  });
}
