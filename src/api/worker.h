// SPDX-License-Identifier: Apache-2.0
// The thread that runs what is handed over, in the order in which it comes, so that the leaves of each segment are
// there.
#pragma once
#include "trace/segment.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <thread>

namespace pliant::api {

class Worker {
public:
  static Worker &only();
  /// `after` is called when the segment has run, or failed.
  void add(trace::Segment segment, std::vector<std::function<void()>> after);
  /// Waits while more than `most` segments wait; the worker itself (an observer that records) does not.
  void makeRoom();
  static bool isThis(); ///< whether it is the calling thread
  static bool crowded() { return inFlight.load(std::memory_order_relaxed) > most; }
  void waitForAll();
  static constexpr size_t most = 4;

private:
  struct Task {
    trace::Segment segment;
    std::vector<std::function<void()>> after;
  };
  static inline std::atomic<size_t> inFlight{0}; ///< segments that wait or run
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> waiting;
  std::optional<Task> running; ///< only the worker's thread changes what is in it
  bool started = false;

  Worker();
  void work();
  static void beforeFork();
  static void afterForkParent();
  static void afterForkChild();
};

} // namespace pliant::api
