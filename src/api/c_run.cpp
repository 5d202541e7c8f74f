// SPDX-License-Identifier: Apache-2.0
// The C surface: when recorded work runs, and who watches over it.
#include "api/c.h"
#include "pliant/run.h"

using namespace pliant;
using namespace pliant::api::c;

/// What a thread has entered and not left: one of the two.
struct pliant_scope {
  std::unique_ptr<NoEvaluation> noEvaluation;
  std::unique_ptr<AtMostPrograms> atMostPrograms;
};

namespace {
/// Of this thread, innermost last.
thread_local std::vector<pliant_scope *> entered;

pliant_scope *enter(pliant_scope scope) {
  auto made = std::make_unique<pliant_scope>(std::move(scope));
  entered.push_back(made.get());
  return made.release();
}

std::vector<Tensor> tensorsOf(const pliant_tensor *const *tensors, size_t count) {
  std::vector<Tensor> all;
  for (const pliant_tensor *each : listOf(tensors, count, "the tensors"))
    all.push_back(tensorOf(each));
  return all;
}
} // namespace

extern "C" {

pliant_status pliant_barrier(void) {
  return guarded([] { barrier(Site()); });
}
pliant_status pliant_wait(void) { return guarded(wait); }
pliant_status pliant_finish(void) { return guarded(finish); }
pliant_status pliant_eval(const pliant_tensor *const *tensors, size_t count) {
  return guarded([&] { eval(std::span<const Tensor>(tensorsOf(tensors, count)), Site()); });
}
pliant_status pliant_crowded(bool *out) { return giving(out, crowded); }
pliant_status pliant_wait_when_crowded(bool waits) {
  return guarded([&] { waitWhenCrowded(waits); });
}

pliant_status pliant_observe(const pliant_tensor *const *tensors, size_t count,
                             void (*receive)(void *context, const pliant_array *arrays, size_t count),
                             void (*failed)(void *context, const pliant_error *error), void (*release)(void *context),
                             void *context) {
  return guarded([&] {
    const Context held(context, release);
    if (!receive)
      refuse("observe", "a null pointer in the place of who receives the elements");
    observe(
        tensorsOf(tensors, count),
        [receive, held](const std::vector<Array> &arrays) {
          std::vector<pliant_array> all;
          for (const Array &each : arrays)
            all.push_back(arrayOf(each));
          receive(held.get(), all.data(), all.size());
        },
        [failed, held](const Exception &error) {
          const pliant_error told{statusOf(error), error.what(), error.where().c_str(), error.op().c_str()};
          if (failed)
            failed(held.get(), &told);
        },
        Site());
  });
}

pliant_status pliant_set_threads(int count) {
  return guarded([&] { setThreads(count, 20000, Site()); });
}
pliant_status pliant_set_cut_budget(int64_t ops, int64_t bytes) {
  return guarded([&] { setCutBudget(ops, bytes, Site()); });
}
pliant_status pliant_set_idle_time(double seconds) {
  return guarded([&] { setIdleTime(seconds, Site()); });
}
pliant_status pliant_trim(void) { return guarded(trim); }
pliant_status pliant_set_backend(const char *name) {
  return guarded([&] {
    if (!name)
      refuse("backend", "a null pointer in the place of a name");
    setBackend(name, Site());
  });
}
pliant_status pliant_backend(const char **out) {
  return giving(out, [] { return backend().data(); });
}
pliant_status pliant_set_program_limits(int64_t programs, int64_t bytes) {
  return guarded([&] { setProgramLimits(programs, bytes, Site()); });
}

pliant_status pliant_set_eager(bool eager) {
  return guarded([&] { setEager(eager); });
}
pliant_status pliant_enter_no_evaluation(pliant_scope **out, pliant_site site) {
  return giving(out, site, [&] { return enter({std::make_unique<NoEvaluation>(siteOf(site)), nullptr}); });
}
pliant_status pliant_enter_at_most_programs(int64_t count, pliant_scope **out) {
  return giving(out, [&] { return enter({nullptr, std::make_unique<AtMostPrograms>(count)}); });
}
pliant_status pliant_leave(pliant_scope *scope) {
  return guarded([&] {
    if (!scope)
      refuse("leave", "a null pointer in the place of a scope");
    if (entered.empty() || entered.back() != scope)
      refuse("leave", "the scope is not the one that this thread has entered last");
    entered.pop_back();
    delete scope;
  });
}

pliant_status pliant_prepare(pliant_status (*record)(void *context), void *context) {
  pliant_status recorded = PLIANT_OK;
  const pliant_status prepared = guarded([&] {
    if (!record)
      refuse("prepare", "a null pointer in the place of what records");
    prepare([&] { recorded = record(context); });
  });
  return recorded ? recorded : prepared;
}
}
