// SPDX-License-Identifier: Apache-2.0
// When recorded work runs. Without a word it does so when a value is asked for; these say so earlier, or watch over it.
#pragma once
#include "pliant/tensor.h"
#include <functional>

namespace pliant {

/// Hands all that this thread has recorded to the background and returns: the end of a step. What is recorded meanwhile
/// runs afterwards; at most a few steps wait. Errors come where a value is asked for.
void barrier(Site site = std::source_location::current());
/// Runs the tensors, and whatever else is pending, and waits for them.
void eval(std::span<const Tensor> tensors, Site site = std::source_location::current());
void eval(std::initializer_list<Tensor> tensors, Site site = std::source_location::current());
/// Waits for all that was handed over, by any thread.
void wait();

/// A read by somebody who waits in a way of their own, such as a binding that lets Ctrl-C end the waiting. It counts as
/// a read, and as a wait, at its line.
class Reading {
public:
  /// Of the value that the tensor has now: later writes are not seen.
  explicit Reading(const Tensor &tensor, Site site = std::source_location::current());
  ~Reading();
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;
  /// Whether `array` would not wait.
  bool ready() const;
  /// Hands what the value needs to the background, whichever thread has recorded it, and returns. Throws where nothing
  /// may be evaluated.
  void start();
  /// As Tensor::array.
  Array array() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Whether more steps are in flight than a few. Who hands work over then, by a barrier or by recording more than may be
/// pending, waits, unless the process says that nobody does: for bindings to languages with a lock of their own, which
/// must not be held meanwhile.
bool crowded();
void waitWhenCrowded(bool waits);

/// Calls `receiver` with the tensors' elements when they are there: after the next barrier or read, on the thread that
/// ran it. So several reads of a step cost one run, and nobody waits. What it throws is dropped; an error on the way
/// goes to `failed`, if given.
void observe(std::vector<Tensor> tensors, std::function<void(const std::vector<Array> &)> receiver,
             std::function<void(const Exception &)> failed = {}, Site site = std::source_location::current());

/// To be called before a process exits while other threads may still compute: waits for all that was handed over and
/// for compiles in progress; from then on values that other threads than the caller's ask for are errors.
void finish();

/// How many threads a kernel of recorded work may use, as many as there are processors unless set, and the nanoseconds
/// of work below which it uses one (0: none). Runs that begin later heed it. The bits are the same for any number.
/// Throws for no thread, or less than no time.
void setThreads(int count, int64_t serialBelow = 20000, Site site = std::source_location::current());

/// How much may be pending on a thread before it is handed over though nobody asks: so many ops (16,384 unless set, at
/// most 1,048,576), or so many bytes of memory (256 MiB) that nothing else keeps. What is recorded from now on heeds
/// it, on all threads. Less bounds the memory and lets work begin earlier; more finds longer loops and larger programs.
/// The bits are the same. Throws for limits below 1.
void setCutBudget(int64_t ops, int64_t bytes, Site site = std::source_location::current());

/// How many compiled programs of recorded work the process keeps (1024 unless set), and how many bytes of code and keys
/// they may have (1 GiB): those used longest ago are given up, and compiled again, or taken from the disk cache, when
/// they are needed again. The one used last is always kept. Throws for limits below 1.
void setProgramLimits(int64_t programs, int64_t bytes, Site site = std::source_location::current());

/// Programs and models keep memory for their next run. What no run has used for this long, or for up to twice as long,
/// goes back to the system (10 s unless set; 0: it is kept). Throws below 0.
void setIdleTime(double seconds, Site site = std::source_location::current());
/// Gives back now what no run uses. The next run takes its memory anew.
void trim();

/// What computes recorded work from now on, for the whole process: "native" compiles it; "reference" calls the plain
/// evaluators of the ops one after the other, slowly and without the compiler, for comparison. Throws for other names.
void setBackend(std::string_view name, Site site = std::source_location::current());
std::string_view backend();

/// Whether this thread runs every op at once. The bits are the same; for debugging.
void setEager(bool eager);

/// While it lives, its thread may record but not ask for values: that throws, at the line of the read.
class NoEvaluation {
public:
  explicit NoEvaluation(Site site = std::source_location::current());
  ~NoEvaluation();
  NoEvaluation(const NoEvaluation &) = delete;
  NoEvaluation &operator=(const NoEvaluation &) = delete;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// While it lives, the process makes at most `count` programs more, by the compiler or from the disk cache; what would
/// need another one throws when its value is asked for.
class AtMostPrograms {
public:
  explicit AtMostPrograms(int64_t count);
  ~AtMostPrograms();
  AtMostPrograms(const AtMostPrograms &) = delete;
  AtMostPrograms &operator=(const AtMostPrograms &) = delete;

private:
  int64_t outer;
};

/// Compiles what `record` records without running it, so that the first real step finds its programs: also those of
/// loops, for any number of trips, and of trees. Tensors that it makes have no values.
void prepare(const std::function<void()> &record);

} // namespace pliant
