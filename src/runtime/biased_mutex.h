// SPDX-License-Identifier: Apache-2.0
// A mutex that one thread, its owner, takes again and again and others hardly ever. The owner pays two stores and a
// load, no atomic read-modify-write; another thread pays a system call that stops the owner's processor for a moment.
#pragma once
#include <atomic>
#include <mutex>

namespace pliant {

class BiasedMutex {
public:
  /// By the owner. Which thread that is may change when no thread holds the mutex and both know of it.
  void lockOwn() {
    inside.store(true, std::memory_order_relaxed);
    lightBarrier();
    if (wanted.load(std::memory_order_acquire)) [[unlikely]]
      waitForOthers();
  }
  void unlockOwn() { inside.store(false, std::memory_order_release); }
  /// By any other thread.
  void lock();
  void unlock();

  /// Holds it for a scope.
  class Held {
  public:
    Held(BiasedMutex &mutex, bool own) : mutex(mutex), own(own) { own ? mutex.lockOwn() : mutex.lock(); }
    ~Held() { own ? mutex.unlockOwn() : mutex.unlock(); }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

  private:
    BiasedMutex &mutex;
    const bool own;
  };
  struct Own : Held {
    explicit Own(BiasedMutex &mutex) : Held(mutex, true) {}
  };

private:
  // The owner writes `inside` and reads `wanted`, the others the other way round: one of them sees the other if the
  // write comes before the read on both sides. The others' barrier makes it so on the owner's side too.
  std::atomic<bool> inside{false}, wanted{false};
  std::mutex others; ///< held by whoever has set `wanted`

  static std::atomic<bool> ownerNeedsFence; ///< where the system has no such barrier
  static void lightBarrier() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (ownerNeedsFence.load(std::memory_order_relaxed)) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void waitForOthers();
};

} // namespace pliant
