/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers, scopes, programs made before they are needed, counts and warnings from C. */
#include "check.h"
#include <stdio.h>

typedef struct notes {
  int received, failed, released;
  size_t count;
  float sum;
  bool named;
  const char *where;
} notes;
static void receive(void *context, const pliant_array *arrays, size_t count) {
  notes *own = context;
  ++own->received;
  own->count = count;
  for (size_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < arrays[i].shape[0] * arrays[i].shape[1]; ++j)
      own->sum += ((const float *)arrays[i].data)[j];
}
static void failed(void *context, const pliant_error *error) {
  notes *own = context;
  ++own->failed;
  own->named =
      error->status == PLIANT_INVALID && strstr(error->message, "division by zero") && strstr(error->where, own->where);
}
static void release(void *context) { ++((notes *)context)->released; }

void observing(void) {
  notes own = {0};
  pliant_tensor *x = matrix();
  pliant_tensor *y = called("mul", pliant_of(x), pliant_real(2), PLIANT_HERE);
  const pliant_tensor *const both[2] = {x, y};
  OK(pliant_observe(both, 2, receive, failed, release, &own));
  EXPECT(own.received == 0 && own.released == 0);
  bool ready = true;
  OK(pliant_ready(y, &ready));
  EXPECT(!ready);
  pliant_tensor *z = called("add", pliant_of(y), pliant_real(1), PLIANT_HERE);
  IS(z, 1, 3, 5, 7, 9, 11); /* runs what is pending, and the observers */
  EXPECT(own.received == 1 && own.failed == 0 && own.released == 1 && own.count == 2 && own.sum == 45);
  OK(pliant_ready(y, &ready));
  EXPECT(ready);
  pliant_release(z);

  OK(pliant_observe(both, 2, receive, NULL, NULL, &own)); /* in the background */
  pliant_release(y);
  OK(pliant_barrier());
  OK(pliant_wait());
  EXPECT(own.received == 2 && own.sum == 90);

  const int64_t shape[2] = {1, 2};
  const int32_t ones[2] = {1, 1}, zero[2] = {1, 0};
  pliant_tensor *a = NULL, *b = NULL;
  OK(pliant_from_memory(PLIANT_I32, 2, shape, ones, &a, PLIANT_HERE));
  OK(pliant_from_memory(PLIANT_I32, 2, shape, zero, &b, PLIANT_HERE));
  const pliant_site here = PLIANT_HERE;
  char where[64];
  snprintf(where, sizeof where, "observe_test.c:%u", here.line);
  y = called("div", pliant_of(a), pliant_of(b), here);
  const pliant_tensor *const bad[1] = {y};
  notes told = {.where = where};
  OK(pliant_observe(bad, 1, receive, failed, release, &told));
  z = called("mul", pliant_of(x), pliant_real(3), PLIANT_HERE);
  IS(z, 0, 3, 6, 9, 12, 15);
  EXPECT(told.received == 0 && told.failed == 1 && told.named && told.released == 1);

  INVALID(pliant_observe(bad, 1, NULL, failed, release, &told)); /* what is given is released whatever comes */
  EXPECT(told.released == 2);
  INVALID(pliant_observe(NULL, 1, receive, failed, release, &told));
  EXPECT(told.released == 3);

  bool crowded = true;
  OK(pliant_wait());
  OK(pliant_crowded(&crowded));
  EXPECT(!crowded);
  OK(pliant_wait_when_crowded(false));
  OK(pliant_wait_when_crowded(true));
  pliant_release(a);
  pliant_release(b);
  pliant_release(x);
  pliant_release(y);
  pliant_release(z);
}

void scopes(void) {
  pliant_tensor *x = matrix(), *y = called("add", pliant_of(x), pliant_real(1), PLIANT_HERE), *z = NULL;
  pliant_scope *closed = NULL, *few = NULL;
  const pliant_site here = PLIANT_HERE;
  char where[64];
  snprintf(where, sizeof where, "observe_test.c:%u", here.line);
  OK(pliant_enter_no_evaluation(&closed, here));
  float values[6];
  INVALID(pliant_read(y, values, sizeof values, PLIANT_HERE));
  EXPECT(strstr(pliant_last_error()->message, where)); /* of the scope */
  OK(pliant_enter_at_most_programs(0, &few));
  INVALID(pliant_leave(closed)); /* not the last one */
  OK(pliant_leave(few));
  OK(pliant_leave(closed));
  IS(y, 1, 2, 3, 4, 5, 6);

  INVALID(pliant_enter_at_most_programs(-1, &few));
  OK(pliant_enter_at_most_programs(0, &few));
  pliant_tensor *again = called("add", pliant_of(y), pliant_real(1), PLIANT_HERE);
  IS(again, 2, 3, 4, 5, 6, 7); /* its program is known */
  const pliant_operand operand = pliant_of(y);
  OK(pliant_call("tan", &operand, 1, NULL, 0, &z, 1, PLIANT_HERE));
  INVALID(pliant_read(z, values, sizeof values, PLIANT_HERE));
  EXPECT(strstr(pliant_last_error()->message, "another program"));
  OK(pliant_leave(few));
  pliant_release(again);
  pliant_release(z);

  OK(pliant_set_eager(true));
  int64_t before = 0, after = 0;
  OK(pliant_cut_count(PLIANT_CUT_EAGER, &before));
  z = called("add", pliant_of(x), pliant_real(1), PLIANT_HERE);
  bool ready = false;
  OK(pliant_ready(z, &ready));
  OK(pliant_cut_count(PLIANT_CUT_EAGER, &after));
  EXPECT(ready && after == before + 1);
  OK(pliant_set_eager(false));
  IS(z, 1, 2, 3, 4, 5, 6);
  pliant_release(x);
  pliant_release(y);
  pliant_release(z);
}

typedef struct step {
  const pliant_tensor *x;
  pliant_tensor *y;
  pliant_status status;
} step;
static pliant_status record(void *context) {
  step *own = context;
  const pliant_operand operand = pliant_of(own->x);
  const pliant_status called = pliant_call("cosh", &operand, 1, NULL, 0, &own->y, 1, PLIANT_HERE);
  return called != PLIANT_OK ? called : own->status;
}

void preparing(void) {
  pliant_tensor *x = matrix();
  step own = {x, NULL, PLIANT_OK};
  pliant_counters before, after;
  OK(pliant_count(&before));
  OK(pliant_prepare(record, &own));
  OK(pliant_count(&after));
  EXPECT(after.compiles == before.compiles + 1);
  char *why = NULL;
  OK(pliant_explain(&why));
  EXPECT(strstr(why, "observe_test.c:") && strstr(why, "no program begins like it"));
  pliant_free(why);
  float values[6];
  INVALID(pliant_read(own.y, values, sizeof values, PLIANT_HERE)); /* it has no value */
  pliant_release(own.y);
  OK(record(&own));
  OK(pliant_read(own.y, values, sizeof values, PLIANT_HERE));
  EXPECT(values[0] == 1 && values[5] > 74.2f && values[5] < 74.3f);
  OK(pliant_count(&after));
  EXPECT(after.compiles == before.compiles + 1);
  pliant_release(own.y);
  own.x = NULL; /* fails */
  INVALID(pliant_prepare(record, &own));
  own.x = x;
  own.status = PLIANT_MEMORY; /* says that it failed */
  EXPECT(pliant_prepare(record, &own) == PLIANT_MEMORY);
  pliant_release(own.y);
  pliant_release(x);
}

void counting(void) {
  OK(pliant_reset_counters());
  OK(pliant_start_timeline());
  pliant_tensor *x = matrix();
  for (int i = 0; i < 3; ++i) {
    pliant_tensor *y = called("mul", pliant_of(x), pliant_real(i), PLIANT_HERE);
    IS(y, 0, (float)i, (float)(2 * i), (float)(3 * i), (float)(4 * i), (float)(5 * i));
    pliant_release(y);
  }
  int64_t reads = 0, median = 0;
  OK(pliant_cut_count(PLIANT_CUT_READ, &reads));
  EXPECT(reads == 3);
  static const char *const reasons[] = {"read", "barrier", "ops", "bytes", "other thread", "extent", "eager"};
  for (int i = PLIANT_CUT_READ; i <= PLIANT_CUT_EAGER; ++i) {
    const char *name = NULL;
    OK(pliant_cut_name((pliant_cut)i, &name));
    EXPECT(!strcmp(name, reasons[i]));
  }
  pliant_histogram ops, runs;
  OK(pliant_measured(PLIANT_MEASURE_OPS, &ops));
  EXPECT(ops.count == 3 && ops.sum == 3 && ops.largest == 1 && ops.buckets[1] == 3);
  OK(pliant_quantile(&ops, 0.5, &median));
  EXPECT(median == 1);
  OK(pliant_measured(PLIANT_MEASURE_RUN, &runs));
  EXPECT(runs.count == 3 && runs.sum >= runs.largest && runs.largest > 0);
  OK(pliant_measured(PLIANT_MEASURE_COMPILE, &runs));
  EXPECT(runs.count <= 1);
  OK(pliant_measured(PLIANT_MEASURE_LOAD, &runs));
  OK(pliant_measured(PLIANT_MEASURE_WAIT, &runs));
  pliant_kept kept = {0, 0, -1};
  OK(pliant_programs(&kept));
  EXPECT(kept.programs > 0 && kept.bytes > 0 && kept.evictions == 0);
  char *text = NULL;
  OK(pliant_counters_text(&text));
  EXPECT(strstr(text, "3 segments of 3 ops"));
  pliant_free(text);
  OK(pliant_timeline(&text));
  EXPECT(strstr(text, "traceEvents") && strstr(text, "\"run\"") && strstr(text, "check.c"));
  pliant_free(text);
  OK(pliant_reset_counters());
  OK(pliant_cut_count(PLIANT_CUT_READ, &reads));
  EXPECT(reads == 0);
  pliant_release(x);
}

typedef struct heard {
  int told, released;
  bool named;
} heard;
static void hear(void *context, const char *text) {
  heard *own = context;
  ++own->told;
  own->named = strstr(text, "100 times") && strstr(text, "observe_test.c");
}
static void forget(void *context) { ++((heard *)context)->released; }

void warnings(void) {
  heard own = {0, 0, false};
  OK(pliant_on_warning(hear, forget, &own));
  pliant_tensor *x = matrix();
  for (int i = 0; i < 100; ++i) { /* a value read in a loop */
    pliant_tensor *y = called("mul", pliant_of(x), pliant_real(i), PLIANT_HERE);
    float values[6];
    OK(pliant_read(y, values, sizeof values, PLIANT_HERE));
    pliant_release(y);
  }
  EXPECT(own.told == 1 && own.named && own.released == 0);
  OK(pliant_on_warning(NULL, NULL, NULL));
  EXPECT(own.released == 1);
  pliant_release(x);
}
