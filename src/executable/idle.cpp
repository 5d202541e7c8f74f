// SPDX-License-Identifier: Apache-2.0
#include "executable/idle.h"
#include "executable/executable.h"
#include "runtime/background_thread.h"
#include <malloc.h>
#include <new>
#include <pthread.h>

namespace pliant {

Idle &Idle::process() {
  static auto *idle = new Idle; // its thread may outlive static destruction
  return *idle;
}

Idle::Idle() {
  pthread_atfork([] { process().mutex.lock(); }, [] { process().mutex.unlock(); },
                 [] {
                   // The thread is not here; it is started again when another executable comes.
                   Idle &idle = process();
                   idle.running = false;
                   new (&idle.changed) std::condition_variable;
                   idle.mutex.unlock();
                 });
}

void Idle::setTime(std::chrono::nanoseconds to) {
  std::lock_guard lock(mutex);
  time = to;
  start();
  changed.notify_all();
}

void Idle::trim() {
  {
    std::lock_guard lock(mutex);
    giveBack(turn());
  }
  malloc_trim(0); // the C library keeps what was freed
}

void Idle::add(Executable &executable) {
  std::lock_guard lock(mutex);
  if (executable.listed.exchange(true))
    return;
  listed.push_back(&executable);
  start();
}

void Idle::remove(Executable &executable) {
  std::lock_guard lock(mutex);
  std::erase(listed, &executable);
}

/// Without a thread, when the system has none to give, programs keep what they have.
void Idle::start() {
  if (running || listed.empty() || time == time.zero())
    return;
  auto body = [](void *idle) -> void * {
    static_cast<Idle *>(idle)->work();
    return nullptr;
  };
  running = startBackgroundThread("pliant-idle", body, this);
}

void Idle::work() {
  std::unique_lock lock(mutex);
  while (!listed.empty() && time != time.zero()) {
    const auto step = time;
    if (changed.wait_for(lock, step, [&] { return time != step; }))
      continue;
    const uint32_t now = turns.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!giveBack(now - 2))
      continue;
    lock.unlock();
    malloc_trim(0);
    lock.lock();
  }
  running = false;
}

bool Idle::giveBack(uint32_t before) {
  bool any = false;
  std::erase_if(listed, [&](Executable *each) {
    // A run that ends from here on, and does not find it listed, waits for the mutex and lists it again.
    each->listed = false;
    const Executable::Kept kept = each->giveBack(before);
    any |= kept.given;
    each->listed = kept.left;
    return !kept.left;
  });
  return any;
}

} // namespace pliant
