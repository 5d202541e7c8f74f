// SPDX-License-Identifier: Apache-2.0
// What goes wrong around recorded code, through the public surface: nothing hangs, nothing is lost that the fault does
// not concern, and the message says where.
#include "pliant/pliant.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pliant {
namespace {

namespace fs = std::filesystem;
using F = std::vector<float>;
using I = std::vector<int64_t>;

/// Starts a process that ends with the number of wrong things; one that hangs is ended by a signal.
pid_t start(const std::function<void()> &body) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(240);
    try {
      body();
    } catch (const std::exception &e) {
      ADD_FAILURE() << e.what();
    }
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure());
  }
  return pid;
}
void finish(pid_t pid) {
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in a child process, status " << status;
}
void child(const std::function<void()> &body) { finish(start(body)); }

std::string thrown(const std::function<void()> &call) {
  try {
    call();
  } catch (const Exception &e) {
    return e.what();
  }
  return "nothing";
}
std::string errorOf(const Tensor &x) {
  return thrown([&] { (void)x.array(); });
}
std::string line(int number) { return "faults_test.cpp:" + std::to_string(number); }
#define EXPECT_IN(part, text) EXPECT_NE((text).find(part), std::string::npos) << (text)

I integers(const Tensor &x) { return x.values<int64_t>(); }

/// Each test runs in a process that has opened no compiler and started no thread.
#define FAULT(name)                                                                                                    \
  void name();                                                                                                         \
  TEST(Faults, name) { child(name); }                                                                                  \
  void name()

/// Some work with a known result, of a kind that is compiled.
void work(int64_t n = 100) {
  const Tensor x = arange(n, DType::F32);
  ASSERT_EQ(sum(x * 3 - 1).item<float>(), static_cast<float>(3 * n * (n - 1) / 2 - n));
}

class Folder {
public:
  Folder() {
    path = (fs::temp_directory_path() / ("pliant-faults-" + std::to_string(getpid()))).string();
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string path;
};

} // namespace

FAULT(AnErrorInTheMiddleOfAStep) {
  for (bool background : {false, true}) {
    SCOPED_TRACE(background);
    const Tensor x = arange(4), zero = zeros({4}, DType::I64);
    const Tensor before = x * 3;
    const Tensor bad = floorDivide(x + 1, zero);
    const int at = __LINE__ - 1;
    const Tensor after = x + 5, behind = bad * 2, beside = after - before, last = behind + beside;
    if (background)
      barrier();
    // What does not depend on it is there, in this step and in the next one.
    const Tensor next = beside + after, worse = last + next, much = next * next;
    if (background)
      barrier();
    EXPECT_EQ(integers(next), (I{10, 9, 8, 7}));
    EXPECT_EQ(integers(much), (I{100, 81, 64, 49}));
    EXPECT_EQ(integers(before), (I{0, 3, 6, 9}));
    EXPECT_EQ(integers(after), (I{5, 6, 7, 8}));
    EXPECT_EQ(integers(beside), (I{5, 3, 1, -1}));
    for (int asked = 0; asked < 2; ++asked)
      for (const Tensor *each : {&bad, &behind, &last, &worse}) {
        const std::string text = errorOf(*each);
        EXPECT_IN("division by zero", text);
        EXPECT_IN(line(at), text);
      }
  }
}

FAULT(TheEndOfTheProcess) {
  work();
  finish();
  const Tensor x = arange(7);
  std::string told;
  std::thread([&] {
    try {
      told = errorOf(sin(x) * 3);
    } catch (const Exception &error) { // where it is recorded, since x is pending in the other thread
      told = error.what();
    }
  }).join();
  EXPECT_IN("the process is ending", told);
  EXPECT_IN("join the threads", told);
  work();                                                         // known
  EXPECT_EQ(integers(x * x - 5), (I{-5, -4, -1, 4, 11, 20, 31})); // the thread that ends it may compile
}

FAULT(SeveralErrorsInOneStep) {
  const Tensor x = arange(3), zero = zeros({3}, DType::I64);
  const Tensor first = floorDivide(x + 1, zero);
  const int firstLine = __LINE__ - 1;
  const Tensor table = Tensor::of<float>({1, 2, 3}), second = gather(table, x + 7, 0);
  const int secondLine = __LINE__ - 1;
  const Tensor fine = gather(table, x, 0) * 2;
  const Tensor both = cast(first, DType::F32) + second;
  barrier();
  EXPECT_EQ(fine.values<float>(), (F{2, 4, 6}));
  EXPECT_IN(line(firstLine), errorOf(first));
  EXPECT_IN(line(secondLine), errorOf(second));
  EXPECT_IN(line(firstLine), errorOf(both));
}

FAULT(AnErrorInALoopLosesNothingElse) {
  Tensor x = arange(3), product = x + 1, failed = x + 1;
  for (int i = 0; i < 10; ++i) {
    product = product * 2;
    failed = floorDivide(failed, x + (4 - i)); // by zero from the fifth trip on
  }
  barrier();
  EXPECT_EQ(integers(product), (I{1024, 2048, 3072}));
  EXPECT_IN("faults_test.cpp:", errorOf(failed));
}

FAULT(AStepThatKeepsCarryingAnError) {
  Tensor total = zeros({2}, DType::I64), state = arange(2);
  const Tensor zero = zeros({2}, DType::I64);
  for (int i = 0; i < 30; ++i) {
    if (i == 3)
      total += floorDivide(state + 1, zero);
    total += state;
    state = state + 1;
    barrier();
  }
  EXPECT_EQ(integers(state), (I{30, 31}));
  EXPECT_IN("division by zero", errorOf(total));
  total = state * 0; // a new value
  EXPECT_EQ(integers(total), (I{0, 0}));
}

FAULT(AnObserverThatThrows) {
  std::atomic<int> seen{0};
  const Tensor x = arange(3) * 2;
  observe({x}, [&](const std::vector<Array> &) {
    ++seen;
    throw std::runtime_error("of the observer");
  });
  observe({x}, [&](const std::vector<Array> &) { ++seen; });
  barrier();
  wait();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(integers(x), (I{0, 2, 4}));
}

FAULT(OutOfMemory) {
  work();
  const Tensor row = arange(1 << 20, DType::F32), warm = exp(row(newAxis) - 1) + zeros({2, 1});
  eval({row, warm});
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  std::ifstream status("/proc/self/statm");
  rlim_t pages = 0;
  status >> pages;
  limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t(512) << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  const int at = __LINE__ + 1;
  auto rows = [&](int64_t count) { return exp(row(newAxis) - 1) + zeros({count, 1}); }; // 4 MB each
  for (bool background : {false, true}) {
    const Tensor large = rows(4096), small = rows(1);
    if (background)
      barrier();
    EXPECT_IN("memory", errorOf(large));
    EXPECT_IN(line(at), errorOf(large));
    EXPECT_THROW((void)large.array(), MemoryException);
    EXPECT_EQ(small.array().shape, (Shape{1, 1 << 20}));
    work(77);
  }
  // Many that are not too large one by one: some fail, and giving them up is enough to go on.
  {
    std::vector<Tensor> held;
    int failed = 0;
    for (int i = 0; i < 32; ++i) {
      held.push_back(rows(8));
      failed += errorOf(held.back()) != "nothing";
    }
    EXPECT_GT(failed, 0);
    EXPECT_LT(failed, 32);
  }
  EXPECT_EQ(rows(8).array().shape, (Shape{8, 1 << 20}));
  work(78);
}

FAULT(ProcessesOnOneCache) {
  const Folder folder;
  auto process = [&](bool again) {
    return start([&folder, again] {
      setenv("PLIANT_CACHE_DIR", folder.path.c_str(), 1);
      setenv("PLIANT_CACHE_LIMIT", "64M", 1);
      for (int64_t n : {3, 100, 1, 0, 17})
        work(n);
      const Tensor x = arange(6, DType::F32).reshape({2, 3});
      EXPECT_EQ(matmul(x, x.transpose()).values<float>(), (F{5, 14, 14, 50}));
      // What is taken from the cache never opens the compiler.
      std::ifstream maps("/proc/self/maps");
      const std::string text{std::istreambuf_iterator<char>(maps), {}};
      if (again)
        EXPECT_EQ(text.find("libpliant-compiler"), std::string::npos);
    });
  };
  std::vector<pid_t> pids;
  for (int i = 0; i < 4; ++i)
    pids.push_back(process(false));
  for (pid_t pid : pids)
    finish(pid);
  EXPECT_FALSE(fs::is_empty(folder.path));
  finish(process(true));
}

FAULT(AHomeThatCannotBeWritten) {
  for (const char *home : {"/proc", "/dev/null", "/does/not/exist", ""})
    child([home] {
      for (const char *name : {"PLIANT_CACHE_DIR", "PLIANT_CACHE_LIMIT", "XDG_CACHE_HOME"})
        unsetenv(name);
      setenv("HOME", home, 1);
      testing::internal::CaptureStderr();
      work();
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << home;
    });
  child([] {
    for (const char *name : {"PLIANT_CACHE_DIR", "PLIANT_CACHE_LIMIT", "XDG_CACHE_HOME", "HOME"})
      unsetenv(name);
    work();
  });
}

FAULT(AForkWhileAStepRuns) {
  const Tensor w = ones({300, 300}) / 300.0;
  Tensor x = ones({300, 300});
  eval({w, matmul(x, w)});
  for (int i = 0; i < 400; ++i)
    x = matmul(x, w);
  const Tensor other = arange(3) + 1;
  barrier(); // a second or so of work
  finish(start([&] {
    // The parent's worker is not here: its value is an error that says so, unless it was there already.
    const std::string text = errorOf(x);
    if (text != "nothing")
      EXPECT_IN("forked", text);
    const std::string beside = errorOf(other);
    if (beside != "nothing")
      EXPECT_IN("forked", beside);
    work();
    const Tensor again = arange(5) * 2;
    barrier();
    wait();
    EXPECT_EQ(integers(again), (I{0, 2, 4, 6, 8}));
  }));
  EXPECT_NEAR(x.values<float>()[0], 1, 1e-3);
  EXPECT_EQ(integers(other), (I{1, 2, 3}));
}

FAULT(AThreadThatEndsWithAnError) {
  Tensor kept;
  std::thread thread([&] {
    const Tensor x = arange(3);
    kept = x * 7;
    try {
      (void)(x + arange(4));
      ADD_FAILURE() << "no error";
    } catch (const Exception &e) {
      EXPECT_IN(line(__LINE__ - 3), std::string(e.what()));
    }
  });
  thread.join();
  EXPECT_EQ(integers(kept), (I{0, 7, 14}));
}

} // namespace pliant
