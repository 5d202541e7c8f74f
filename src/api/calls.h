// SPDX-License-Identifier: Apache-2.0
// The runs of models in the background, which a process that ends waits for.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pliant::api {

class Calls {
public:
  /// Never destroyed, as they may outlive the process's statics; a forked child begins without any.
  static Calls &all() {
    static Calls *calls = [] {
      pthread_atfork(nullptr, nullptr, [] { new (&all()) Calls; });
      return new Calls;
    }();
    return *calls;
  }
  void add(int64_t count) {
    std::lock_guard lock(mutex);
    running += count;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return running == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t running = 0;
};

} // namespace pliant::api
