// SPDX-License-Identifier: Apache-2.0
// The pool on atomics that wait: one counter per thread says that there is work, one for all that it is done.
#include "runtime/thread_pool.h"
#include "runtime/background_thread.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <immintrin.h>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <vector>

namespace pliant {
namespace {

constexpr auto spinTime = std::chrono::microseconds(50);

/// Waits until `value` is no longer `old`: spins first, since another part ends or another job comes soon.
void waitWhile(const std::atomic<uint32_t> &value, uint32_t old) {
  const auto end = std::chrono::steady_clock::now() + spinTime;
  do
    for (int i = 0; i < 64; ++i) {
      if (value.load(std::memory_order_acquire) != old)
        return;
      _mm_pause();
    }
  while (std::chrono::steady_clock::now() < end);
  value.wait(old, std::memory_order_acquire);
}

int cpusOfProcess() {
  for (size_t cpus = 1024; cpus <= 1 << 20; cpus *= 4) { // the kernel refuses masks smaller than its own
    std::vector<unsigned char> bytes(CPU_ALLOC_SIZE(cpus));
    auto *set = reinterpret_cast<cpu_set_t *>(bytes.data());
    if (sched_getaffinity(0, bytes.size(), set) == 0)
      return CPU_COUNT_S(bytes.size(), set);
  }
  return 1;
}

} // namespace

Result<int> ThreadPool::defaultThreads() {
  const char *text = std::getenv("PLIANT_THREADS");
  if (!text || !*text)
    return std::clamp(cpusOfProcess(), 1, most);
  int asked = 0;
  const std::string_view given(text);
  auto [end, failure] = std::from_chars(given.begin(), given.end(), asked);
  if (failure != std::errc() || end != given.end() || asked < 1 || asked > most)
    return userError("", "PLIANT_THREADS is '" + std::string(given) + "'", "",
                     "give a number of threads from 1 to " + std::to_string(most));
  return asked;
}

ThreadPool &ThreadPool::instance() {
  static ThreadPool *pool = new ThreadPool(); // threads may outlive static destruction
  return *pool;
}

ThreadPool::ThreadPool() {
  // The child of a fork has one thread, and its memory may show a job of another one half done.
  pthread_atfork(nullptr, nullptr, [] {
    ThreadPool &pool = instance();
    for (Worker &worker : pool.workers) {
      worker.started = false;
      worker.taken.store(worker.calls.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    pool.pending.store(0, std::memory_order_relaxed);
    pool.busy.store(false, std::memory_order_relaxed);
  });
}

bool ThreadPool::start(int number) {
  Worker &worker = workers[number];
  if (worker.started)
    return true;
  struct Start {
    ThreadPool *pool;
    int number;
    uint32_t seen; // calls of an earlier life, before a fork
  };
  auto begin = std::make_unique<Start>(Start{this, number, worker.calls.load(std::memory_order_relaxed)});
  auto body = [](void *raw) -> void * {
    const std::unique_ptr<Start> begin(static_cast<Start *>(raw));
    begin->pool->work(begin->number, begin->seen);
    return nullptr;
  };
  char name[16];
  std::snprintf(name, sizeof name, "pliant-%d", number);
  worker.started = startBackgroundThread(name, body, begin.get());
  if (worker.started)
    (void)begin.release();
  return worker.started;
}

void ThreadPool::work(int number, uint32_t seen) {
  Worker &self = workers[number];
  for (;;) {
    waitWhile(self.calls, seen);
    seen = self.calls.load(std::memory_order_acquire);
    if (!self.take(seen))
      continue; // the caller has done it himself
    _mm_setcsr(floatControl);
    part(job, number);
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
      pending.notify_one();
  }
}

void ThreadPool::run(int parts, Part call, void *data) {
  if (parts <= 1 || busy.exchange(true, std::memory_order_acquire)) {
    for (int i = 0; i < parts; ++i)
      call(data, i);
    return;
  }
  int threads = 1; // with the caller; fewer than parts where the system gives no more
  while (threads < parts && start(threads))
    ++threads;
  part = call;
  job = data;
  floatControl = _mm_getcsr();
  pending.store(static_cast<uint32_t>(threads - 1), std::memory_order_relaxed);
  for (int i = 1; i < threads; ++i) {
    workers[i].calls.fetch_add(1, std::memory_order_release);
    workers[i].calls.notify_one();
  }
  call(data, 0);
  for (int i = threads; i < parts; ++i)
    call(data, i);
  for (int i = threads; i-- > 1;)
    if (workers[i].take(workers[i].calls.load(std::memory_order_relaxed))) {
      call(data, i);
      pending.fetch_sub(1, std::memory_order_relaxed);
    }
  for (uint32_t left; (left = pending.load(std::memory_order_acquire)) != 0;)
    waitWhile(pending, left);
  busy.store(false, std::memory_order_release);
}

} // namespace pliant
