// SPDX-License-Identifier: Apache-2.0
// A launch that is worth several threads: its units in equal ranges, each with scratch and an error slot of its own, so
// that results and the error that is reported do not depend on the number of threads.
#include "executable/context.h"
#include "runtime/thread_pool.h"

namespace pliant {
namespace {

struct Launch {
  const RunState *state;
  KernelFunction kernel;
  const void *const *buffers;
  int64_t count;
  const int64_t *symbols;
  int64_t units, parts, scratchBytes;
  const Executable::PartMark *mark; ///< may be empty
  RunError errors[ThreadPool::most];

  void part(int64_t number) {
    RunState own = *state;
    own.error = {};
    const void *const *mine = buffers;
    if (number > 0 && scratchBytes > 0) {
      auto **copy = static_cast<const void **>(__builtin_alloca(static_cast<size_t>(count) * sizeof(void *)));
      std::copy(buffers, buffers + count, copy);
      copy[count - 1] = static_cast<const char *>(buffers[count - 1]) + number * scratchBytes;
      mine = copy;
    }
    // The first `rest` ranges have one unit more.
    const int64_t each = units / parts, rest = units % parts;
    const int64_t begin = number * each + std::min(number, rest);
    if (*mark)
      (*mark)(number, true);
    kernel(mine, symbols, begin, begin + each + (number < rest), &own);
    if (*mark)
      (*mark)(number, false);
    errors[number] = own.error;
  }
};

} // namespace

void Executable::setThreads(int count, int64_t below) {
  threads = std::clamp(count, 1, ThreadPool::most);
  serialBelow = below;
}

int32_t Executable::launch(RunState *state, KernelFunction kernel, const void *const *buffers, int64_t count,
                           const int64_t *symbols, int64_t units, int64_t scratchBytes) {
  Launch job;
  job.state = state, job.kernel = kernel, job.buffers = buffers, job.count = count, job.symbols = symbols;
  job.units = units, job.parts = std::min(units, state->threads), job.scratchBytes = scratchBytes;
  job.mark = &static_cast<Context *>(state->host)->owner->partMarker;
  ThreadPool::instance().run(
      static_cast<int>(job.parts), [](void *raw, int number) { static_cast<Launch *>(raw)->part(number); }, &job);
  for (int64_t i = 0; i < job.parts && state->error.code == RunErrorNone; ++i)
    state->error = job.errors[i]; // the first in the order of units, as on one thread
  return 0;
}

} // namespace pliant
