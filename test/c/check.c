/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the C test share. */
#include "check.h"
#include <stdio.h>

int failures = 0;

void failed_at(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: not so: %s; last error: %s\n", file, line, what, pliant_last_error()->message);
  ++failures;
}

pliant_tensor *matrix(void) {
  static const int64_t shape[2] = {2, 3};
  static const float values[6] = {0, 1, 2, 3, 4, 5};
  pliant_tensor *out = NULL;
  OK(pliant_from_memory(PLIANT_F32, 2, shape, values, &out, PLIANT_HERE));
  return out;
}

void is(const pliant_tensor *x, size_t count, const float *wanted, int line) {
  float values[64];
  if (pliant_read(x, values, count * sizeof(float), PLIANT_HERE) != PLIANT_OK) {
    fprintf(stderr, "line %d: %s\n", line, pliant_last_error()->message);
    ++failures;
    return;
  }
  for (size_t i = 0; i < count; ++i)
    if (values[i] != wanted[i]) {
      fprintf(stderr, "line %d: element %zu is %g, not %g\n", line, i, (double)values[i], (double)wanted[i]);
      ++failures;
    }
}

pliant_tensor *called(const char *name, pliant_operand lhs, pliant_operand rhs, pliant_site site) {
  const pliant_operand operands[2] = {lhs, rhs};
  pliant_tensor *out = NULL;
  OK(pliant_call(name, operands, 2, NULL, 0, &out, 1, site));
  return out;
}
