// SPDX-License-Identifier: Apache-2.0
// Define-by-run on one thread: what it calls is recorded; asking for a value, or a barrier, runs it. A barrier hands
// the work to a worker and returns; a read that nobody else works for runs on the reader's own thread, since handing
// over costs more than small programs do.
#pragma once
#include "api/programs.h"
#include "trace/log.h"

namespace pliant::api {

class Session : public std::enable_shared_from_this<Session> {
public:
  /// Of the calling thread; made when it is first asked for.
  static Session &current();
  ~Session();

  trace::Handle leaf(DenseTensor value) { return log.leaf(std::move(value)); }
  trace::Handle scalar(DType dtype, const void *value) { return log.scalar(dtype, value); } ///< as Log::scalar
  /// As Log::record. Operands may be of any thread; what another one has recorded is run first.
  template <class A>
  Status record(const A &attrs, std::span<trace::Node *const> operands, Site site, std::span<trace::Handle> results) {
    PLIANT_CHECK(adopt(operands));
    trace::Log::Cut due;
    {
      std::lock_guard lock(recording);
      PLIANT_CHECK(log.record(attrs, operands, site, results));
      due = log.due();
    }
    if (due != trace::Log::Cut::Asked)
      handOver(due);
    return ok();
  }
  template <class A> Result<trace::Handle> record(const A &attrs, std::span<trace::Node *const> operands, Site site) {
    trace::Handle result;
    PLIANT_CHECK(record(attrs, operands, site, {&result, 1}));
    return result;
  }
  /// Waits for a value of any thread. An error is that of the run, with the line that recorded the op.
  static Result<DenseTensor> value(trace::Node *node);
  /// Runs all that this thread has recorded, in the background: at most `inFlight` segments of all threads wait there.
  void barrier() { handOver(trace::Log::Cut::Asked); }
  /// Waits for all that was handed over so far, by any thread.
  static void wait();
  static constexpr size_t inFlight = 4;

private:
  trace::Log log;
  std::mutex recording; ///< of this session's log: taken by its own thread, and by others that need a value of it

  Session() = default;
  Status adopt(std::span<trace::Node *const> operands);
  void runPending();
  void handOver(trace::Log::Cut reason);
};

} // namespace pliant::api
