// SPDX-License-Identifier: Apache-2.0
// The threads of the process that kernels share. Work is split before it starts: the caller takes part 0, each thread
// one other; what a thread has not begun when the caller is done with his part, he takes too. Threads look for work for
// 50 microseconds after their last part, then sleep.
#pragma once
#include "support/result.h"
#include <atomic>
#include <cstdint>

namespace pliant {

class ThreadPool {
public:
  static constexpr int most = 256; ///< parts of a job, the caller's among them

  /// Started by the first job, never destroyed; a child of fork() starts anew.
  static ThreadPool &instance();
  /// PLIANT_THREADS, else the number of CPUs in the process's affinity mask; at least 1, at most `most`. An error when
  /// the variable is no such number.
  static Result<int> defaultThreads();

  using Part = void (*)(void *job, int part);
  /// Calls part(job, i) once for every i in [0, parts) and returns when all are done. While another thread has its job
  /// in the pool, the caller works alone, part after part: nothing waits for anybody, and no order of locks exists.
  void run(int parts, Part part, void *job);

private:
  struct alignas(64) Worker {
    std::atomic<uint32_t> calls{0}; ///< counts up: another part
    std::atomic<uint32_t> taken{0}; ///< follows calls: who moves it does the part
    bool started = false;           ///< written by the owner of `busy` only
    bool take(uint32_t call) {
      uint32_t before = call - 1;
      return taken.compare_exchange_strong(before, call, std::memory_order_acq_rel);
    }
  };
  Worker workers[most];
  std::atomic<bool> busy{false};
  alignas(64) std::atomic<uint32_t> pending{0}; ///< parts that are not done, without those of the caller's own
  Part part = nullptr;
  void *job = nullptr;
  unsigned floatControl = 0; ///< the caller's rounding and denormals, for all parts

  ThreadPool();
  bool start(int number);
  void work(int number, uint32_t seen);
};

} // namespace pliant
