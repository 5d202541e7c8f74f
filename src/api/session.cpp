// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

namespace pliant::api {
namespace {

/// The sessions by their logs' numbers, for those who hold a value that another thread has recorded.
struct Registry {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<Session>> sessions;
  static Registry &all() {
    static auto *registry = new Registry; // threads may end after the process's statics are gone
    return *registry;
  }
  std::shared_ptr<Session> find(uint64_t log) {
    std::lock_guard lock(mutex);
    auto found = sessions.find(log);
    return found == sessions.end() ? nullptr : found->second.lock();
  }
};

/// Runs segments in the order in which they come, so that the leaves of each are there.
class Worker {
public:
  static Worker &only() {
    static auto *worker = new Worker;
    return *worker;
  }
  void add(trace::Segment segment) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.size() + running < Session::inFlight; });
    if (!thread)
      thread.emplace([this] { work(); }), thread->detach();
    waiting.push_back(std::move(segment));
    changed.notify_all();
  }
  void waitForAll() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.empty() && !running; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<trace::Segment> waiting;
  size_t running = 0;
  std::optional<std::thread> thread;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !waiting.empty(); });
      {
        const trace::Segment segment = std::move(waiting.front());
        waiting.pop_front();
        ++running;
        lock.unlock();
        Programs::all().run(segment);
      }
      lock.lock();
      --running;
      changed.notify_all();
    }
  }
};

} // namespace

Session &Session::current() {
  struct Own {
    std::shared_ptr<Session> session{new Session};
    Own() {
      Registry &registry = Registry::all();
      std::lock_guard lock(registry.mutex);
      registry.sessions[session->log.number()] = session;
    }
    ~Own() {
      session->barrier(); // values that outlive the thread
      Registry &registry = Registry::all();
      std::lock_guard lock(registry.mutex);
      registry.sessions.erase(session->log.number());
    }
  };
  static thread_local Own own;
  return *own.session;
}

Session::~Session() = default;

Status Session::adopt(std::span<trace::Node *const> operands) {
  for (trace::Node *node : operands)
    if (node->pending() && node->chunk()->log != log.number()) {
      auto other = Registry::all().find(node->chunk()->log);
      if (!other)
        return internalError("trace", "a value whose thread is gone was never handed over");
      other->barrier();
    }
  return ok();
}

void Session::runPending() {
  trace::Segment segment;
  {
    std::lock_guard lock(recording);
    segment = log.cut();
  }
  Programs::all().run(segment);
}

Result<DenseTensor> Session::value(trace::Node *node) {
  if (node->pending()) {
    Session &mine = current();
    if (node->chunk()->log == mine.log.number()) {
      mine.runPending();
    } else {
      trace::Node *nodes[] = {node};
      PLIANT_CHECK(mine.adopt(nodes));
    }
  }
  const trace::Stored &stored = node->stored()->get();
  if (stored.error)
    return *stored.error;
  return stored.tensor;
}

void Session::handOver(trace::Log::Cut reason) {
  std::lock_guard lock(recording);
  trace::Segment segment = log.cut(reason);
  if (!segment.results.empty())
    Worker::only().add(std::move(segment));
}

void Session::wait() { Worker::only().waitForAll(); }

} // namespace pliant::api
