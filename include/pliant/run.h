// SPDX-License-Identifier: Apache-2.0
// When recorded work runs. Without a word it does so when a value is asked for; these say so earlier, or watch over it.
#pragma once
#include "pliant/tensor.h"
#include <functional>

namespace pliant {

/// Hands all that this thread has recorded to the background and returns: the end of a step. What is recorded meanwhile
/// runs afterwards; at most a few steps wait. Errors come where a value is asked for.
void barrier();
/// Runs the tensors, and whatever else is pending, and waits for them.
void eval(std::span<const Tensor> tensors);
void eval(std::initializer_list<Tensor> tensors);
/// Waits for all that was handed over, by any thread.
void wait();

/// Whether more steps are in flight than a few. Who hands work over then, by a barrier or by recording more than may be
/// pending, waits, unless the process says that nobody does: for bindings to languages with a lock of their own, which
/// must not be held meanwhile.
bool crowded();
void waitWhenCrowded(bool waits);

/// Calls `receiver` with the tensors' elements when they are there: after the next barrier or read, on the thread that
/// ran it. So several reads of a step cost one run, and nobody waits. What it throws is dropped; an error on the way
/// goes to `failed`, if given.
void observe(std::vector<Tensor> tensors, std::function<void(const std::vector<Array> &)> receiver,
             std::function<void(const Exception &)> failed = {});

/// To be called before a process exits while other threads may still compute: waits for all that was handed over and
/// for compiles in progress; from then on values that other threads than the caller's ask for are errors.
void finish();

/// How many threads a kernel of recorded work may use, as many as there are processors unless set, and the nanoseconds
/// of work below which it uses one (0: none). Runs that begin later heed it. The bits are the same for any number.
/// Throws for no thread, or less than no time.
void setThreads(int count, int64_t serialBelow = 20000);

/// How much may be pending on a thread before it is handed over though nobody asks: so many ops (16,384 unless set, at
/// most 1,048,576), or so many bytes of memory (256 MiB) that nothing else keeps. What is recorded from now on heeds
/// it, on all threads. Less bounds the memory and lets work begin earlier; more finds longer loops and larger programs.
/// The bits are the same. Throws for limits below 1.
void setCutBudget(int64_t ops, int64_t bytes);

/// How many compiled programs of recorded work the process keeps (1024 unless set), and how many bytes of code and keys
/// they may have (1 GiB): those used longest ago are given up, and compiled again, or taken from the disk cache, when
/// they are needed again. The one used last is always kept. Throws for limits below 1.
void setProgramLimits(int64_t programs, int64_t bytes);

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

/// While it lives, at most `count` programs more are compiled by the process; what would need another one throws when
/// its value is asked for.
class AtMostPrograms {
public:
  explicit AtMostPrograms(int64_t count);
  ~AtMostPrograms();
  AtMostPrograms(const AtMostPrograms &) = delete;
  AtMostPrograms &operator=(const AtMostPrograms &) = delete;

private:
  int64_t outer;
};

/// Compiles what `record` records without running it, so that the first real step finds its program. Tensors that it
/// makes have no values. A loop that becomes a launch for each trip is compiled when it first runs.
void prepare(const std::function<void()> &record);

} // namespace pliant
