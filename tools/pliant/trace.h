// SPDX-License-Identifier: Apache-2.0
// What a run did when, as a timeline in Chrome's trace format (chrome://tracing, Perfetto).
#pragma once
#include "executable/executable.h"
#include "session.h"

namespace pliant::tool {

/// Records the launches of an observed program. Rows of the timeline: the command (compile, load, runs), kernels, and
/// the host flow between kernels. Looking at tensors between kernels is no part of any event but the run's.
class Trace {
public:
  /// Stages of the compilation, whose times the model knows, and the loading; both ended just now, loading last.
  void compiled(const Model &model);
  /// Watches the model's executable, which must live as long as runs are recorded.
  void watch(Model &model, Executable::Observer alsoCalled);
  void beginRun(const std::string &shapes);
  void endRun();
  /// Writes everything recorded so far.
  Status write(const std::string &path, const Model &model) const;

private:
  static constexpr int Command = 1, Kernels = 2, Host = 3, Parts = 4; ///< rows; those of parts follow each other
  struct Event {
    int row;
    std::string name;
    double startMs, endMs;
    const Step *step = nullptr; ///< of a launch or fallback
    int64_t bytesIn = 0, bytesOut = 0;
    std::string shapes; ///< of the tensors of a launch, or of a run's symbols
  };
  double startMs = nowMs();
  std::vector<Event> events;
  bool running = false;
  double runMs = 0, beganMs = 0, idleMs = 0; ///< since when: this run, this kernel, nothing but the flow
  std::string runShapes;
  struct Part {
    double beganMs = 0, endedMs = 0; ///< written by the thread that does it
  };
  std::vector<Part> parts; ///< of the launch that runs

  static const char *categoryOf(const Event &event);
  void add(int row, std::string name, double from, double to);
};

} // namespace pliant::tool
