// SPDX-License-Identifier: Apache-2.0
// The C surface: when recorded work runs, what is known of it, and random numbers.
#include "api/c.h"
#include "pliant/observe.h"
#include "pliant/run.h"

using namespace pliant;
using namespace pliant::api::c;

namespace {
Generator &generatorOf(pliant_generator *generator, pliant_site site = {}) {
  if (!generator)
    refuse("generator", "a null pointer in the place of a generator", site);
  return generator->value;
}
} // namespace

extern "C" {

pliant_status pliant_barrier(void) {
  return guarded([] { barrier(Site()); });
}
pliant_status pliant_wait(void) { return guarded(wait); }
pliant_status pliant_finish(void) { return guarded(finish); }
pliant_status pliant_eval(const pliant_tensor *const *tensors, size_t count) {
  return guarded([&] {
    std::vector<Tensor> all;
    for (size_t i = 0; i < count; ++i)
      all.push_back(tensorOf(tensors[i]));
    eval(std::span<const Tensor>(all), Site());
  });
}

pliant_status pliant_count(pliant_counters *out) {
  return guarded([&] {
    const Counters all = counters();
    *out = {all.segments,  all.ops,       all.compiles, all.hits,     all.failures,  all.loads,    all.launches,
            all.fallbacks, all.donations, all.bytesIn,  all.bytesOut, all.bytesLive, all.bytesPeak};
  });
}
pliant_status pliant_explain(char **out) {
  return guarded([&] { *out = textOf(explain()); });
}
pliant_status pliant_pending(pliant_form form, char **out) {
  return guarded([&] {
    switch (form) {
    case PLIANT_FORM_TEXT:
      return void(*out = textOf(pending()));
    case PLIANT_FORM_DOT:
      return void(*out = textOf(pending(Form::Dot)));
    case PLIANT_FORM_IR:
      return void(*out = textOf(pending(Form::Ir)));
    }
    refuse("pending", "form " + std::to_string(static_cast<int>(form)) + " is not known", {});
  });
}
pliant_status pliant_live(char **out) {
  return guarded([&] { *out = textOf(live()); });
}
pliant_status pliant_set_threads(int count) {
  return guarded([&] { setThreads(count, 20000, Site()); });
}
pliant_status pliant_set_cut_budget(int64_t ops, int64_t bytes) {
  return guarded([&] { setCutBudget(ops, bytes, Site()); });
}
pliant_status pliant_set_program_limits(int64_t programs, int64_t bytes) {
  return guarded([&] { setProgramLimits(programs, bytes, Site()); });
}

pliant_status pliant_generator_make(uint64_t seed, pliant_generator **out) {
  return guarded([&] { *out = new pliant_generator{Generator(seed)}; });
}
pliant_status pliant_generator_fork(pliant_generator *generator, pliant_generator **out) {
  return guarded([&] { *out = new pliant_generator{generatorOf(generator).fork()}; });
}
void pliant_generator_release(pliant_generator *generator) { delete generator; }

pliant_status pliant_uniform(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                             pliant_tensor **out, pliant_site site) {
  return guarded([&] {
    give(out, generatorOf(generator, site).uniform(shapeOf(rank, shape, site), dtypeOf(dtype, site), siteOf(site)));
  });
}
pliant_status pliant_normal(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                            pliant_tensor **out, pliant_site site) {
  return guarded([&] {
    give(out, generatorOf(generator, site).normal(shapeOf(rank, shape, site), dtypeOf(dtype, site), siteOf(site)));
  });
}
pliant_status pliant_integers(pliant_generator *generator, int64_t low, int64_t high, size_t rank, const int64_t *shape,
                              pliant_tensor **out, pliant_site site) {
  return guarded(
      [&] { give(out, generatorOf(generator, site).integers(shapeOf(rank, shape, site), low, high, siteOf(site))); });
}
}
