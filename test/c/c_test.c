/* SPDX-License-Identifier: Apache-2.0
 *
 * The C surface as a C11 program: values, errors and lifetimes. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

static void functions(void) {
  pliant_tensor *x = matrix(), *y = NULL, *top[2] = {NULL, NULL};
  const pliant_operand operands[2] = {pliant_of(x), pliant_real(0.5)};
  OK(pliant_call("mul", operands, 2, NULL, 0, &y, 1, PLIANT_HERE));
  IS(y, 0, 0.5f, 1, 1.5f, 2, 2.5f);
  pliant_release(y);

  const int64_t axes[1] = {0};
  const pliant_attribute sum[2] = {{"axes", PLIANT_VALUE_INTEGERS, 0, 0, axes, 1},
                                   {"keep_dims", PLIANT_VALUE_BOOL, 1, 0, NULL, 0}};
  OK(pliant_call("sum", operands, 1, sum, 2, &y, 1, PLIANT_HERE));
  size_t rank = 0;
  int64_t shape[2];
  OK(pliant_rank(y, &rank));
  OK(pliant_shape(y, 2, shape));
  EXPECT(rank == 2 && shape[0] == 1 && shape[1] == 3);
  IS(y, 3, 5, 7);
  pliant_release(y);

  const int64_t two[1] = {2};
  const pliant_attribute k[1] = {{"k", PLIANT_VALUE_INTEGERS, 0, 0, two, 1}};
  OK(pliant_call("top_k", operands, 1, k, 1, top, 2, PLIANT_HERE));
  IS(top[0], 2, 1, 5, 4);
  pliant_dtype dtype;
  OK(pliant_dtype_of(top[1], &dtype));
  EXPECT(dtype == PLIANT_I64);
  pliant_release(top[0]);
  pliant_release(top[1]);

  const pliant_operand both[2] = {pliant_of(x), pliant_of(x)};
  OK(pliant_call("concat", both, 2, NULL, 0, &y, 1, PLIANT_HERE));
  IS(y, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5);
  pliant_release(y);
  pliant_release(x);
}

static void table(void) {
  EXPECT(pliant_function_count() > 120);
  int found = 0;
  for (size_t i = 0; i < pliant_function_count(); ++i) {
    pliant_function row;
    OK(pliant_function_at(i, &row));
    for (size_t j = 0; j < row.parameter_count; ++j) {
      pliant_parameter parameter;
      OK(pliant_function_parameter(i, j, &parameter));
      found += !strcmp(row.name, "softmax") && !strcmp(parameter.name, "axis") && !strcmp(parameter.fallback, "-1");
    }
  }
  EXPECT(found == 1);
  pliant_function row;
  EXPECT(pliant_function_at(100000, &row) == PLIANT_INVALID);
}

static void errors(void) {
  pliant_tensor *x = matrix(), *y = NULL;
  const int64_t shape[2] = {5, 7};
  pliant_tensor *wrong = NULL;
  float zeros[35] = {0};
  OK(pliant_from_memory(PLIANT_F32, 2, shape, zeros, &wrong, PLIANT_HERE));
  const pliant_operand operands[2] = {pliant_of(x), pliant_of(wrong)};
  const pliant_site here = PLIANT_HERE;
  char where[64];
  snprintf(where, sizeof where, "c_test.c:%u", here.line);
  EXPECT(pliant_call("matmul", operands, 2, NULL, 0, &y, 1, here) == PLIANT_INVALID);
  EXPECT(y == NULL);
  const pliant_error *error = pliant_last_error();
  EXPECT(error->status == PLIANT_INVALID && !strcmp(error->op, "matmul"));
  EXPECT(strstr(error->where, where) && strstr(error->message, "(2, 3)") && strstr(error->message, "(5, 7)"));

  EXPECT(pliant_call("no_such", operands, 2, NULL, 0, &y, 1, here) == PLIANT_INVALID);
  EXPECT(strstr(pliant_last_error()->message, "no_such"));
  EXPECT(pliant_call("matmul", operands, 1, NULL, 0, &y, 1, here) == PLIANT_INVALID);
  EXPECT(pliant_call("exp", operands, 1, NULL, 0, NULL, 0, here) == PLIANT_INVALID);
  const pliant_attribute unknown[1] = {{"axle", PLIANT_VALUE_INTEGER, 1, 0, NULL, 0}};
  EXPECT(pliant_call("softmax", operands, 1, unknown, 1, &y, 1, here) == PLIANT_INVALID);
  EXPECT(strstr(pliant_last_error()->message, "axle"));
  const pliant_attribute kind[1] = {{"axis", PLIANT_VALUE_TEXT, 0, 0, "last", 4}};
  EXPECT(pliant_call("softmax", operands, 1, kind, 1, &y, 1, here) == PLIANT_INVALID);
  const pliant_operand null = pliant_of(NULL);
  EXPECT(pliant_call("exp", &null, 1, NULL, 0, &y, 1, here) == PLIANT_INVALID);
  EXPECT(pliant_read(x, zeros, 8, here) == PLIANT_INVALID);
  EXPECT(pliant_from_memory((pliant_dtype)99, 2, shape, zeros, &y, here) == PLIANT_INVALID);
  const int64_t negative[1] = {-1};
  EXPECT(pliant_from_memory(PLIANT_F32, 1, negative, zeros, &y, here) == PLIANT_INVALID);
  pliant_release(NULL);
  pliant_release(x);
  pliant_release(wrong);
}

static void late_errors(bool background) { /* found by a run, reported where the value is asked for, with its line */
  const int64_t shape[1] = {2};
  const int32_t values[2] = {1, 2}, zeros[2] = {1, 0};
  pliant_tensor *x = NULL, *y = NULL, *out = NULL, *beside = NULL, *behind = NULL;
  OK(pliant_from_memory(PLIANT_I32, 1, shape, values, &x, PLIANT_HERE));
  OK(pliant_from_memory(PLIANT_I32, 1, shape, zeros, &y, PLIANT_HERE));
  const pliant_operand operands[2] = {pliant_of(x), pliant_of(y)};
  const pliant_site here = PLIANT_HERE;
  OK(pliant_call("div", operands, 2, NULL, 0, &out, 1, here));
  OK(pliant_call("add", operands, 2, NULL, 0, &beside, 1, PLIANT_HERE));
  if (background)
    OK(pliant_barrier());
  const pliant_operand both[2] = {pliant_of(out), pliant_of(beside)};
  OK(pliant_call("mul", both, 2, NULL, 0, &behind, 1, PLIANT_HERE)); /* the error is not there yet, or not asked for */
  int32_t result[2];
  EXPECT(pliant_read(out, result, sizeof result, PLIANT_HERE) == PLIANT_INVALID);
  char where[64];
  snprintf(where, sizeof where, "c_test.c:%u", here.line);
  EXPECT(strstr(pliant_last_error()->message, where));
  EXPECT(pliant_read(behind, result, sizeof result, PLIANT_HERE) == PLIANT_INVALID);
  EXPECT(strstr(pliant_last_error()->where, where));
  OK(pliant_read(beside, result, sizeof result, PLIANT_HERE)); /* what does not depend on it is there */
  EXPECT(result[0] == 2 && result[1] == 2);
  pliant_release(x);
  pliant_release(y);
  pliant_release(out);
  pliant_release(beside);
  pliant_release(behind);
}

static void lack_of_memory(bool background) {
  const pliant_operand zero = pliant_real(0);
  const int64_t shapes[2][2] = {{1, (int64_t)1 << 44}, {1 << 12, (int64_t)1 << 46}};
  for (int i = 0; i < 2; ++i) {
    const pliant_attribute shape[1] = {{"shape", PLIANT_VALUE_INTEGERS, 0, 0, shapes[i], 2}};
    pliant_tensor *x = matrix(), *large = NULL;
    const pliant_site here = PLIANT_HERE;
    OK(pliant_call("full", &zero, 1, shape, 1, &large, 1, here)); /* nothing is needed yet */
    pliant_tensor *small = called("add", pliant_of(x), pliant_real(1), PLIANT_HERE);
    if (background)
      OK(pliant_barrier());
    pliant_array array;
    char where[64];
    snprintf(where, sizeof where, "c_test.c:%u", here.line);
    EXPECT(pliant_data(large, &array, PLIANT_HERE) == PLIANT_MEMORY);
    EXPECT(pliant_last_error()->status == PLIANT_MEMORY && strstr(pliant_last_error()->where, where));
    IS(small, 1, 2, 3, 4, 5, 6); /* what does not need it is there */
    pliant_release(large);
    pliant_release(small);
    pliant_release(x);
  }
  const int64_t none[2] = {1 << 14, (int64_t)1 << 46}; /* no shape: its bytes cannot be counted */
  const pliant_attribute shape[1] = {{"shape", PLIANT_VALUE_INTEGERS, 0, 0, none, 2}};
  pliant_tensor *x = NULL;
  pliant_array array;
  OK(pliant_call("full", &zero, 1, shape, 1, &x, 1, PLIANT_HERE));
  INVALID(pliant_data(x, &array, PLIANT_HERE));
  pliant_release(x);
}

static void writes(void) {
  pliant_tensor *x = matrix(), *row = NULL, *before = NULL;
  OK(pliant_copy(x, &before));
  pliant_index index = {PLIANT_INDEX_NUMBER, false, false, 1, 0, 0, NULL};
  OK(pliant_get(x, &index, 1, &row, PLIANT_HERE));
  OK(pliant_update(row, '+', pliant_integer(10), PLIANT_HERE)); /* a view: x sees it */
  IS(x, 0, 1, 2, 13, 14, 15);
  const pliant_index columns[2] = {{PLIANT_INDEX_ELLIPSIS, false, false, 0, 0, 0, NULL},
                                   {PLIANT_INDEX_SLICE, false, true, 0, -1, -1, NULL}};
  OK(pliant_set(x, columns, 2, pliant_real(7), PLIANT_HERE));
  IS(x, 0, 1, 2, 13, 14, 15);
  const pliant_index last[2] = {{PLIANT_INDEX_ELLIPSIS, false, false, 0, 0, 0, NULL},
                                {PLIANT_INDEX_SLICE, true, false, -1, 0, 1, NULL}};
  OK(pliant_set(x, last, 2, pliant_real(7), PLIANT_HERE));
  IS(x, 0, 1, 7, 13, 14, 7);
  IS(before, 0, 1, 2, 3, 4, 5);
  EXPECT(pliant_update(x, '?', pliant_integer(1), PLIANT_HERE) == PLIANT_INVALID);
  index.start = 9;
  pliant_tensor *none = NULL;
  EXPECT(pliant_get(x, &index, 1, &none, PLIANT_HERE) == PLIANT_INVALID && !none);
  pliant_release(x);
  pliant_release(row);
  pliant_release(before);
}

static int released = 0;
static void note(void *context) { released += *(int *)context; }

static void memory(void) {
  static float values[4] = {1, 2, 3, 4};
  int one = 1;
  const int64_t shape[1] = {4};
  pliant_tensor *x = NULL;
  OK(pliant_borrow(PLIANT_F32, 1, shape, values, note, &one, &x, PLIANT_HERE));
  pliant_array array;
  OK(pliant_data(x, &array, PLIANT_HERE));
  EXPECT(array.data == values && array.rank == 1 && array.shape[0] == 4);
  pliant_release(x);
  EXPECT(released == 0);
  pliant_array_release(&array);
  OK(pliant_wait());
  EXPECT(released == 1);
  const int64_t bad[1] = {-4};
  EXPECT(pliant_borrow(PLIANT_F32, 1, bad, values, note, &one, &x, PLIANT_HERE) == PLIANT_INVALID);
  EXPECT(released == 2);

  x = matrix();
  struct DLManagedTensor *shared = NULL;
  OK(pliant_to_dlpack(x, &shared, PLIANT_HERE));
  pliant_release(x);
  OK(pliant_from_dlpack(shared, true, &x, PLIANT_HERE));
  IS(x, 0, 1, 2, 3, 4, 5);
  char *text = NULL;
  OK(pliant_text(x, &text));
  EXPECT(!strcmp(text, "[[0. 1. 2.]\n [3. 4. 5.]]"));
  pliant_free(text);
  pliant_release(x);
  EXPECT(pliant_file("model.rs", 8) == pliant_file("model.rs and more", 8));
}

static void looking(void) {
  pliant_tensor *x = matrix(), *y = NULL;
  const pliant_tensor *const all[1] = {x};
  OK(pliant_eval(all, 1));
  const pliant_operand operand = pliant_of(x);
  OK(pliant_call("exp", &operand, 1, NULL, 0, &y, 1, PLIANT_HERE));
  static const char *const found[] = {"exp(leaf0)", "digraph", "pliant.exp"};
  for (int form = PLIANT_FORM_TEXT; form <= PLIANT_FORM_IR; ++form) {
    char *text = NULL;
    OK(pliant_pending((pliant_form)form, &text));
    EXPECT(text && strstr(text, found[form]));
    pliant_free(text);
  }
  char *none = NULL;
  EXPECT(pliant_pending((pliant_form)3, &none) == PLIANT_INVALID && !none);
  pliant_release(y);
  pliant_release(x);
  EXPECT(pliant_set_threads(0) == PLIANT_INVALID);
  EXPECT(pliant_set_program_limits(0, 1) == PLIANT_INVALID);
  EXPECT(pliant_set_cut_budget(0, 1) == PLIANT_INVALID);
  EXPECT(pliant_set_cut_budget(1, 0) == PLIANT_INVALID);
  OK(pliant_set_cut_budget(1 << 14, (int64_t)1 << 28));
  OK(pliant_set_threads(1));
  EXPECT(pliant_set_idle_time(-1) == PLIANT_INVALID);
  OK(pliant_set_idle_time(10));
  OK(pliant_trim());
  const char *backend = NULL;
  EXPECT(pliant_set_backend("cuda") == PLIANT_INVALID);
  EXPECT(pliant_set_backend(NULL) == PLIANT_INVALID);
  OK(pliant_set_backend("reference"));
  OK(pliant_backend(&backend));
  EXPECT(strcmp(backend, "reference") == 0);
  OK(pliant_set_backend("native"));
  OK(pliant_set_program_limits(1024, (int64_t)1 << 30));
}

static void counted(void) {
  const float elements[3] = {1, 2, 3};
  pliant_counters before, after;
  OK(pliant_count(&before));
  pliant_tensor *x = NULL, *y = NULL;
  OK(pliant_from_memory(PLIANT_F32, 1, (int64_t[]){3}, elements, &x, PLIANT_HERE));
  const pliant_operand operands[] = {pliant_of(x), pliant_real(5)};
  OK(pliant_call("mul", operands, 2, NULL, 0, &y, 1, PLIANT_HERE));
  char *text = NULL;
  OK(pliant_live(&text));
  EXPECT(text && strstr(text, "c_test.c:") && strstr(text, ": 1 tensor, 12 bytes\nin memory: "));
  pliant_free(text);
  float got[3] = {0};
  OK(pliant_read(y, got, sizeof got, PLIANT_HERE));
  EXPECT(got[2] == 15);
  OK(pliant_count(&after));
  EXPECT(after.bytes_in - before.bytes_in == 12 && after.bytes_out - before.bytes_out == 12);
  EXPECT(after.launches - before.launches == 1 && after.fallbacks == before.fallbacks);
  EXPECT(after.compiles + after.loads + after.hits - before.compiles - before.loads - before.hits == 1);
  EXPECT(after.bytes_live >= 24 && after.bytes_peak >= after.bytes_live);
  pliant_release(x);
  pliant_release(y);
}

int main(void) {
  counted();
  functions();
  table();
  errors();
  late_errors(false);
  late_errors(true);
  lack_of_memory(false);
  lack_of_memory(true);
  writes();
  memory();
  looking();
  types();
  exchange();
  numbers();
  model();
  wrong_arguments();
  observing();
  scopes();
  preparing();
  counting();
  warnings();
  OK(pliant_finish());
  if (!failures)
    puts("all as it should be");
  return failures != 0;
}
