// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_pool.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pliant;

namespace {

/// How often each part was called.
struct Counts {
  explicit Counts(int parts) : calls(static_cast<size_t>(parts)) {}
  std::vector<std::atomic<int>> calls;
  void run() {
    ThreadPool::instance().run(
        static_cast<int>(calls.size()),
        [](void *job, int part) { ++static_cast<Counts *>(job)->calls[static_cast<size_t>(part)]; }, this);
  }
  bool all(int times) const {
    for (const auto &count : calls)
      if (count != times)
        return false;
    return true;
  }
};

TEST(ThreadPool, CallsEveryPartOnce) {
  for (int parts : {0, 1, 2, 3, 7, 16, 2, 40}) {
    Counts counts(parts);
    for (int i = 1; i <= 30; ++i) {
      counts.run();
      ASSERT_TRUE(counts.all(i)) << parts << " parts, call " << i;
    }
  }
}

TEST(ThreadPool, SleepsAndWakes) {
  Counts counts(3);
  for (int i = 1; i <= 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // longer than threads spin
    counts.run();
    ASSERT_TRUE(counts.all(i));
  }
}

TEST(ThreadPool, PartsRunAtTheSameTime) {
  std::atomic<int> arrived{0};
  ThreadPool::instance().run(
      4,
      [](void *job, int) { // returns only when all four are there
        auto &count = *static_cast<std::atomic<int> *>(job);
        ++count;
        while (count < 4)
          std::this_thread::yield();
      },
      &arrived);
  EXPECT_EQ(arrived, 4);
}

TEST(ThreadPool, TheCallerTakesWhatNobodyHasBegun) {
  struct Job {
    std::thread::id first;
    std::atomic<int> others{0};
  } job;
  for (int i = 0; i < 200; ++i) // threads that sleep take longer to wake than such a part
    ThreadPool::instance().run(
        3,
        [](void *raw, int part) {
          Job &job = *static_cast<Job *>(raw);
          if (part == 0)
            job.first = std::this_thread::get_id();
          else
            ++job.others;
        },
        &job);
  EXPECT_EQ(job.first, std::this_thread::get_id()); // part 0 is always the caller's
  EXPECT_EQ(job.others, 400);
}

TEST(ThreadPool, AJobWithinAJobRunsAlone) {
  struct Outer {
    Counts inner[3]{Counts(5), Counts(5), Counts(5)};
  } outer;
  ThreadPool::instance().run(3, [](void *job, int part) { static_cast<Outer *>(job)->inner[part].run(); }, &outer);
  for (const Counts &inner : outer.inner)
    EXPECT_TRUE(inner.all(1));
}

TEST(ThreadPool, ManyCallers) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      Counts counts(3);
      for (int i = 1; i <= 100; ++i) {
        counts.run();
        wrong += !counts.all(i);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, SurvivesFork) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "this sanitizer lets no child of a process with threads start threads";
#endif
#endif
  Counts before(3);
  before.run();
  std::atomic<bool> stop{false};
  std::thread other([&] { // forks meet jobs half done
    Counts counts(2);
    while (!stop)
      counts.run();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20); // a hang fails, too
      Counts counts(3);
      for (int k = 0; k < 50; ++k)
        counts.run();
      _exit(counts.all(50) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  other.join();
  Counts after(3);
  after.run();
  EXPECT_TRUE(after.all(1));
}

TEST(ThreadPool, TakesTheAffinityMask) {
  unsetenv("PLIANT_THREADS");
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(*ThreadPool::defaultThreads(), std::min(CPU_COUNT(&before), ThreadPool::most));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before))
      CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(*ThreadPool::defaultThreads(), 1);
  setenv("PLIANT_THREADS", "5", 1);
  EXPECT_EQ(*ThreadPool::defaultThreads(), 5);
  for (const char *bad : {"0", "-1", "two", "3x", "257"}) {
    setenv("PLIANT_THREADS", bad, 1);
    auto none = ThreadPool::defaultThreads();
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text().find(bad), std::string::npos);
  }
  unsetenv("PLIANT_THREADS");
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

} // namespace
