// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "api/calls.h"
#include "api/compiler.h"
#include "api/observe.h"
#include "api/worker.h"
#include <map>

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

/// Scopes of this thread in which nothing may be evaluated.
thread_local int closed = 0;
thread_local Site closedAt;

Status mayEvaluate(Site site) {
  if (!closed)
    return ok();
  return userError("evaluation", "a value is asked for in a scope that allows none, opened at " + trace::str(closedAt),
                   "", "read it after the scope, or keep it a tensor")
      .at(trace::str(site));
}

} // namespace

constinit thread_local Session *Session::own = nullptr;

Session &Session::make() {
  struct Ends {
    std::shared_ptr<Session> session;
    ~Ends() {
      session->barrier(); // values that outlive the thread
      trace::Log::ofThread = nullptr;
      Registry &registry = Registry::all();
      std::lock_guard lock(registry.mutex);
      registry.sessions.erase(session->log.number());
    }
  };
  static thread_local Ends thread{std::shared_ptr<Session>(new Session)};
  Registry &registry = Registry::all();
  std::lock_guard lock(registry.mutex);
  registry.sessions[thread.session->log.number()] = thread.session;
  trace::Log::ofThread = &thread.session->log;
  own = thread.session.get();
  return *own;
}

Session::~Session() = default;

Status Session::adopt(std::span<trace::Node *const> operands, Site site) {
  for (trace::Node *node : operands)
    if (node->pending() && node->chunk()->log != log.number()) {
      PLIANT_CHECK(notEnding()); // what the other thread has recorded stays its own
      auto other = Registry::all().find(node->chunk()->log);
      if (!other)
        return internalError("trace", "a value whose thread is gone was never handed over");
      other->handOver(Cut::Thread, site);
    }
  return ok();
}

trace::Segment Session::take(Cut reason, Site site, std::vector<std::function<void()>> &after) {
  const BiasedMutex::Held lock(log.mutex, this == own);
  after.swap(observers);
  const auto ops = static_cast<int64_t>(log.pending());
  trace::Segment segment = log.cut();
  if (ops)
    observe::cut(reason, ops, site);
  return segment;
}

void Session::runPending(Cut reason, Site site) {
  std::vector<std::function<void()>> after;
  const trace::Segment segment = take(reason, site, after);
  Backend::chosen().run(segment);
  for (const auto &call : after)
    call();
  observe::warn();
}

void Session::handOver(Cut reason, Site site) {
  std::vector<std::function<void()>> after;
  trace::Segment segment = take(reason, site, after);
  if (!segment.results.empty() || !after.empty()) {
    Worker::only().add(std::move(segment), std::move(after));
    if (waitsWhenCrowded)
      Worker::only().makeRoom();
  }
  observe::warn();
}

Status Session::request(trace::Node *node, Site site) {
  if (ready(*node))
    return ok();
  PLIANT_CHECK(mayEvaluate(site));
  if (!node->pending())
    return ok();
  Session &mine = current();
  if (node->chunk()->log != mine.log.number()) {
    trace::Node *nodes[] = {node};
    return mine.adopt(nodes, site);
  }
  mine.handOver(Cut::Read, site);
  return ok();
}

Result<DenseTensor> Session::value(trace::Node *node, Site site, Cut reason) {
  if (!ready(*node)) {
    PLIANT_CHECK(mayEvaluate(site));
    const int64_t begin = observe::now();
    if (node->pending()) {
      Session &mine = current();
      if (node->chunk()->log == mine.log.number()) {
        mine.runPending(reason, site);
      } else {
        trace::Node *nodes[] = {node};
        PLIANT_CHECK(mine.adopt(nodes, site));
      }
    }
    if (!ready(*node)) {
      const int64_t wait = observe::now();
      node->stored()->get();
      observe::waited(wait, site);
    }
    observe::read(begin, site);
  }
  const trace::Stored &stored = *node->stored();
  if (stored.error)
    return Error(*stored.error).at(trace::str(site)); // mostly it knows the line that recorded it
  return stored.tensor;
}

Status Session::prepare(const std::function<void()> &record) {
  handOver(Cut::Barrier, {});
  record();
  std::vector<std::function<void()>> after;
  const trace::Segment segment = take(Cut::Barrier, {}, after);
  Status made = Backend::chosen().prepare(segment);
  for (const trace::Handle &result : segment.results)
    result->stored()->set(userError("prepare", "the value was recorded to prepare its program, not to be computed"));
  return made;
}

std::vector<trace::Log::Listing> Session::pendingOfAll() {
  std::vector<std::shared_ptr<Session>> all;
  {
    Registry &registry = Registry::all();
    std::lock_guard lock(registry.mutex);
    for (const auto &[log, session] : registry.sessions)
      if (auto alive = session.lock())
        all.push_back(std::move(alive));
  }
  std::vector<trace::Log::Listing> out;
  for (const auto &each : all) {
    const BiasedMutex::Held lock(each->log.mutex, each.get() == own);
    out.push_back(each->log.list());
  }
  return out;
}

void Session::wait() {
  Worker::only().waitForAll();
  Calls::all().wait();
}
bool Session::crowded() { return Worker::crowded(); }

Session::Closed::Closed(Site site) : outer(closedAt) {
  ++closed;
  closedAt = site;
}
Session::Closed::~Closed() {
  --closed;
  closedAt = outer;
}

} // namespace pliant::api
