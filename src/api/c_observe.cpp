// SPDX-License-Identifier: Apache-2.0
// The C surface: counts, times, what is pending, why programs were compiled, warnings and the timeline.
#include "api/c.h"
#include "pliant/observe.h"

using namespace pliant;
using namespace pliant::api::c;

static_assert(static_cast<int>(Cut::Read) == PLIANT_CUT_READ && static_cast<int>(Cut::Eager) == PLIANT_CUT_EAGER &&
              cuts == PLIANT_CUT_EAGER + 1);
static_assert(sizeof(Histogram::buckets) == sizeof(pliant_histogram::buckets));

namespace {
Cut cutOf(pliant_cut reason) {
  if (static_cast<int64_t>(reason) < 0 || static_cast<int64_t>(reason) > PLIANT_CUT_EAGER)
    refuse("counters", "reason " + std::to_string(reason) + " of " + std::to_string(cuts));
  return static_cast<Cut>(reason);
}

const Histogram &measured(const Counters &all, pliant_measure what) {
  switch (what) {
  case PLIANT_MEASURE_OPS:
    return all.opsPerSegment;
  case PLIANT_MEASURE_COMPILE:
    return all.compileTime;
  case PLIANT_MEASURE_LOAD:
    return all.loadTime;
  case PLIANT_MEASURE_RUN:
    return all.runTime;
  case PLIANT_MEASURE_WAIT:
    return all.waitTime;
  }
  refuse("counters", "measure " + std::to_string(what) + " is not known");
}

Form formOf(pliant_form form) {
  switch (form) {
  case PLIANT_FORM_TEXT:
    return Form::Text;
  case PLIANT_FORM_DOT:
    return Form::Dot;
  case PLIANT_FORM_IR:
    return Form::Ir;
  }
  refuse("pending", "form " + std::to_string(form) + " is not known");
}
} // namespace

extern "C" {

pliant_status pliant_count(pliant_counters *out) {
  return guarded([&] {
    const Counters all = counters();
    resultOf(out) = {all.segments, all.ops,       all.compiles,  all.hits,      all.failures,
                     all.loads,    all.launches,  all.fallbacks, all.donations, all.bytesIn,
                     all.bytesOut, all.bytesLive, all.bytesPeak};
  });
}
pliant_status pliant_explain(char **out) { return giving(out, explain); }
pliant_status pliant_pending(pliant_form form, char **out) {
  return giving(out, [&] { return pending(formOf(form)); });
}
pliant_status pliant_live(char **out) { return giving(out, live); }
pliant_status pliant_cut_count(pliant_cut reason, int64_t *out) {
  return giving(out, [&] { return counters().cut[static_cast<size_t>(cutOf(reason))]; });
}
pliant_status pliant_cut_name(pliant_cut reason, const char **out) {
  return giving(out, [&] { return name(cutOf(reason)).data(); });
}
pliant_status pliant_measured(pliant_measure what, pliant_histogram *out) {
  return guarded([&] {
    const Counters all = counters();
    const Histogram &found = measured(all, what);
    pliant_histogram &place = resultOf(out);
    std::ranges::copy(found.buckets, place.buckets);
    place.count = found.count, place.sum = found.sum, place.largest = found.largest;
  });
}
pliant_status pliant_quantile(const pliant_histogram *histogram, double share, int64_t *out) {
  return giving(out, [&] {
    if (!histogram)
      refuse("counters", "a null pointer in the place of a histogram");
    if (!(share >= 0 && share <= 1))
      refuse("counters", "the share " + std::to_string(share) + " is not in [0, 1]");
    Histogram all;
    std::ranges::copy(histogram->buckets, all.buckets.begin());
    all.count = histogram->count, all.sum = histogram->sum, all.largest = histogram->largest;
    return all.quantile(share);
  });
}
pliant_status pliant_programs(pliant_kept *out) {
  return guarded([&] {
    const Counters all = counters();
    resultOf(out) = {all.programs, all.programBytes, all.evictions};
  });
}
pliant_status pliant_counters_text(char **out) {
  return giving(out, [] { return counters().text(); });
}
pliant_status pliant_reset_counters(void) { return guarded(resetCounters); }

pliant_status pliant_on_warning(void (*receive)(void *context, const char *text), void (*release)(void *context),
                                void *context) {
  return guarded([&] {
    const Context held(context, release);
    if (receive)
      onWarning([receive, held](const std::string &text) { receive(held.get(), text.c_str()); });
    else
      onWarning({});
  });
}
pliant_status pliant_start_timeline(void) { return guarded(startTimeline); }
pliant_status pliant_timeline(char **out) { return giving(out, timeline); }
}
