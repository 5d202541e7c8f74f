/* SPDX-License-Identifier: Apache-2.0
 *
 * A line through noisy points by gradient descent, from C. The loop is plain C; its step is compiled once, although the
 * step's size changes in every turn. */
#include <math.h>
#include <pliant-c/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pliant_status status) {
  if (status != PLIANT_OK) {
    fprintf(stderr, "%s\n", pliant_last_error()->message);
    exit(1);
  }
}

/* A function of the table with one or two operands and one result, which replaces `old` (or NULL). */
static pliant_tensor *call(const char *name, pliant_operand x, pliant_operand y, size_t operands, pliant_tensor *old,
                           pliant_site site) {
  const pliant_operand in[2] = {x, y};
  pliant_tensor *out = NULL;
  check(pliant_call(name, in, operands, NULL, 0, &out, 1, site));
  pliant_release(old);
  return out;
}
#define UNARY(name, x) call(name, x, pliant_integer(0), 1, NULL, PLIANT_HERE)
#define BINARY(name, x, y) call(name, x, y, 2, NULL, PLIANT_HERE)

int main(void) {
  const int64_t points[1] = {2000};
  pliant_generator *generator = NULL;
  check(pliant_generator_make(7, &generator));
  pliant_tensor *x = NULL, *noise = NULL;
  check(pliant_uniform(generator, PLIANT_F32, 1, points, &x, PLIANT_HERE));
  check(pliant_normal(generator, PLIANT_F32, 1, points, &noise, PLIANT_HERE));

  /* y = 3 x - 0.5 and a little noise */
  pliant_tensor *y = BINARY("mul", pliant_of(x), pliant_real(3));
  check(pliant_update(y, '-', pliant_real(0.5), PLIANT_HERE));
  check(pliant_update(noise, '*', pliant_real(0.05), PLIANT_HERE));
  check(pliant_update(y, '+', pliant_of(noise), PLIANT_HERE));

  pliant_tensor *slope = NULL, *offset = NULL;
  const float zero = 0;
  check(pliant_from_memory(PLIANT_F32, 0, NULL, &zero, &slope, PLIANT_HERE));
  check(pliant_copy(slope, &offset));

  pliant_counters before, after;
  for (int step = 0; step < 300; ++step) {
    if (step == 2)
      check(pliant_count(&before));
    const double rate = 1.0 / (1 + 0.01 * step);
    pliant_tensor *wrong = BINARY("mul", pliant_of(x), pliant_of(slope));
    check(pliant_update(wrong, '+', pliant_of(offset), PLIANT_HERE));
    check(pliant_update(wrong, '-', pliant_of(y), PLIANT_HERE));
    pliant_tensor *product = BINARY("mul", pliant_of(wrong), pliant_of(x));
    pliant_tensor *by_slope = UNARY("mean", pliant_of(product)), *by_offset = UNARY("mean", pliant_of(wrong));
    check(pliant_update(by_slope, '*', pliant_real(rate), PLIANT_HERE));
    check(pliant_update(by_offset, '*', pliant_real(rate), PLIANT_HERE));
    check(pliant_update(slope, '-', pliant_of(by_slope), PLIANT_HERE));
    check(pliant_update(offset, '-', pliant_of(by_offset), PLIANT_HERE));
    pliant_release(wrong);
    pliant_release(product);
    pliant_release(by_slope);
    pliant_release(by_offset);
    check(pliant_barrier());
  }
  float a = 0, b = 0;
  check(pliant_read(slope, &a, sizeof a, PLIANT_HERE));
  check(pliant_read(offset, &b, sizeof b, PLIANT_HERE));
  check(pliant_count(&after));
  printf("y = %.2f x + %.2f after 300 steps; programs made after the second step: %lld\n", a, b,
         (long long)(after.compiles + after.loads - before.compiles - before.loads));

  pliant_release(x);
  pliant_release(y);
  pliant_release(noise);
  pliant_release(slope);
  pliant_release(offset);
  pliant_generator_release(generator);
  return fabsf(a - 3) < 0.05f && fabsf(b + 0.5f) < 0.05f ? 0 : 1;
}
