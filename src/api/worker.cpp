// SPDX-License-Identifier: Apache-2.0
#include "api/worker.h"
#include "api/compiler.h"
#include "api/programs.h"
#include "executable/idle.h"
#include <new>
#include <pthread.h>

namespace pliant::api {
namespace {

/// The only worker. Never destroyed: threads may end after the process's statics are gone.
Worker *&instance() {
  static Worker *worker = nullptr;
  return worker;
}
std::mutex &gate() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

thread_local bool working = false; ///< without a lock: it is asked within a compile, for which a fork waits with locks

/// Whoever waits for a value that nobody will compute is told so.
void abandon(const trace::Segment &segment, const Error &error) {
  for (const trace::Handle &result : segment.results)
    if (!result->stored()->ready.load(std::memory_order_acquire))
      result->stored()->set(error);
}

Error forked() {
  return userError("fork", "the process was forked before this value was computed", "",
                   "wait() for what is recorded before fork()");
}

} // namespace

Worker::Worker() {
  static std::once_flag once; // of all workers that forks make
  std::call_once(once, [] {
    Idle::process(); // its lock is taken behind ours: what is registered first comes last before a fork
    pthread_atfork(beforeFork, afterForkParent, afterForkChild);
  });
}

Worker &Worker::only() {
  std::lock_guard lock(gate());
  if (!instance())
    instance() = new Worker;
  return *instance();
}

void Worker::add(trace::Segment segment, std::vector<std::function<void()>> after) {
  if (Status goesOn = notEnding(); !goesOn) {
    abandon(segment, goesOn.error());
    for (const auto &call : after)
      call();
    return;
  }
  std::lock_guard lock(mutex);
  waiting.push_back({std::move(segment), std::move(after)});
  ++inFlight;
  if (!started) {
    started = true;
    std::thread thread([this] { work(); });
    thread.detach();
  }
  changed.notify_all();
}

bool Worker::isThis() { return working; }

void Worker::makeRoom() {
  if (!crowded())
    return;
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !crowded() || working; });
}

void Worker::waitForAll() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return (waiting.empty() && !running) || working; });
}

void Worker::work() {
  working = true;
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return !waiting.empty(); });
    running = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    Backend::chosen().run(running->segment);
    for (const auto &call : running->after)
      call();
    Task done = std::move(*running); // its handles go without the lock
    lock.lock();
    running.reset();
    --inFlight;
    changed.notify_all();
    lock.unlock();
    {
      const Task gone = std::move(done);
    }
    lock.lock();
  }
}

void Worker::beforeFork() {
  gate().lock();
  if (instance())
    instance()->mutex.lock();
  Programs::all().lock();
}

void Worker::afterForkParent() {
  Programs::all().unlock();
  if (instance())
    instance()->mutex.unlock();
  gate().unlock();
}

void Worker::afterForkChild() {
  Programs::all().unlock();
  Worker *old = std::exchange(instance(), nullptr);
  new (&gate()) std::mutex;
  working = false;
  inFlight = 0;
  if (!old)
    return;
  // The parent's worker thread is not here. What it had is abandoned, and a worker of our own is made when needed; the
  // old one is left, since its lock and condition may be in any state.
  for (const Task &task : old->waiting)
    abandon(task.segment, forked());
  if (old->running)
    abandon(old->running->segment, forked());
}

} // namespace pliant::api
