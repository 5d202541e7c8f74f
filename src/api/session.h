// SPDX-License-Identifier: Apache-2.0
// Define-by-run on one thread: what it calls is recorded; asking for a value, or a barrier, runs it. A barrier hands
// the work to a worker and returns; a read that nobody else works for runs on the reader's own thread, since handing
// over costs more than small programs do.
#pragma once
#include "api/programs.h"
#include "pliant/observe.h"
#include "trace/log.h"
#include <functional>

namespace pliant::api {

class Session : public std::enable_shared_from_this<Session> {
public:
  /// Of the calling thread; made when it is first asked for.
  static Session &current() { return own ? *own : make(); }
  ~Session();

  trace::Handle leaf(DenseTensor value) { return log.leaf(std::move(value)); }
  trace::Handle scalar(DType dtype, const void *value) { return log.scalar(dtype, value); } ///< as Log::scalar
  /// As Log::replay.
  template <class A> trace::Node *replay(const A &attrs, std::span<trace::Node *const> operands, Site site) {
    const BiasedMutex::Own lock(log.mutex);
    return eager ? nullptr : log.replay(attrs, operands, site);
  }
  /// As Log::record. Operands may be of any thread; what another one has recorded is run first.
  template <class A>
  Status record(const A &attrs, std::span<trace::Node *const> operands, Site site, std::span<trace::Handle> results) {
    PLIANT_CHECK(adopt(operands, site));
    trace::Log::Cut due;
    {
      const BiasedMutex::Own lock(log.mutex);
      PLIANT_CHECK(log.record(attrs, operands, site, results));
      due = log.due();
    }
    if (eager)
      runPending(Cut::Eager, site);
    else if (due != trace::Log::Cut::Asked)
      handOver(due == trace::Log::Cut::Ops ? Cut::Ops : Cut::Bytes, site);
    return ok();
  }
  template <class A> Result<trace::Handle> record(const A &attrs, std::span<trace::Node *const> operands, Site site) {
    trace::Handle result;
    PLIANT_CHECK(record(attrs, operands, site, {&result, 1}));
    return result;
  }
  /// Whether a value, or what went wrong with it, is there.
  static bool ready(const trace::Node &node) {
    return !node.pending() && node.stored()->ready.load(std::memory_order_acquire);
  }
  /// Hands what a value of any thread needs to the background, and does not wait.
  static Status request(trace::Node *node, Site site);
  /// Waits for a value of any thread. An error is that of the run, with the line that recorded the op.
  static Result<DenseTensor> value(trace::Node *node, Site site = {}, Cut reason = Cut::Read);
  /// Runs all that this thread has recorded, in the background; at most a few segments of all threads wait there,
  /// unless whoever hands over does not wait.
  void barrier(Site site = {}) { handOver(Cut::Barrier, site); }
  /// Called when what is pending now has run: at the next cut, on the thread that runs it.
  void after(std::function<void()> call) {
    const BiasedMutex::Own lock(log.mutex);
    observers.push_back(std::move(call));
  }
  trace::Log::Listing pending() {
    const BiasedMutex::Own lock(log.mutex);
    return log.list();
  }
  static std::vector<trace::Log::Listing> pendingOfAll(); ///< the same of every thread
  /// Makes the program of what `record` records, and runs nothing.
  Status prepare(const std::function<void()> &record);
  /// Waits for all that was handed over so far, by any thread.
  static void wait();
  static bool crowded(); ///< more segments wait than a few
  static inline std::atomic<bool> waitsWhenCrowded{true};
  bool eager = false; ///< every op runs at once
  /// While there is one on a thread, asking it for a value that is not there is an error.
  struct Closed {
    explicit Closed(Site site);
    ~Closed();
    Site outer;
  };

private:
  trace::Log log; ///< its mutex is taken by others that need a value of it
  std::vector<std::function<void()>> observers;
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Session *own; ///< as Log::ofThread

  Session() = default;
  static Session &make();
  Status adopt(std::span<trace::Node *const> operands, Site site);
  trace::Segment take(Cut reason, Site site, std::vector<std::function<void()>> &after);
  void runPending(Cut reason, Site site);
  void handOver(Cut reason, Site site);
};

} // namespace pliant::api
