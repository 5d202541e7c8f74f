// SPDX-License-Identifier: Apache-2.0
// What programs keep for their next run goes back to the system when that run does not come. A thread looks at them now
// and then, as long as there are any that keep something.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace pliant {

class Executable;

class Idle {
public:
  /// That of all executables of the process.
  static Idle &process();
  /// What no run has used for `time`, or for up to twice as long, is given back (10 s unless set). Zero: nothing is.
  void setTime(std::chrono::nanoseconds time);
  /// Gives all back now but what runs hold.
  void trim();

  // ---- for executables

  /// A clock whose steps are `time` long; cheap to ask.
  uint32_t turn() const { return turns.load(std::memory_order_relaxed); }
  void add(Executable &executable); ///< it keeps something; nothing happens when it is here already
  void remove(Executable &executable);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::chrono::nanoseconds time = std::chrono::seconds(10);
  std::vector<Executable *> listed;
  std::atomic<uint32_t> turns{0};
  bool running = false; ///< the thread

  Idle();
  void start();
  void work();
  bool giveBack(uint32_t before); ///< under the mutex; whether there was something
};

} // namespace pliant
