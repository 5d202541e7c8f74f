/* SPDX-License-Identifier: Apache-2.0
 *
 * Types, views, DLPack, random numbers and models from C, and what every function says to wrong arguments. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

void types(void) {
  EXPECT(pliant_abi_version() == PLIANT_ABI_VERSION);
  static const struct {
    const char *name;
    size_t bytes;
  } rows[] = {{"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i64", 8}, {"i32", 4}, {"i16", 2},
              {"i8", 1},  {"u64", 8}, {"u32", 4}, {"u16", 2},  {"u8", 1},  {"bool", 1}};
  for (int i = PLIANT_F32; i <= PLIANT_BOOL; ++i) {
    const char *name = NULL;
    size_t bytes = 0;
    pliant_dtype back = PLIANT_F32;
    OK(pliant_dtype_name((pliant_dtype)i, &name));
    OK(pliant_dtype_bytes((pliant_dtype)i, &bytes));
    OK(pliant_dtype_from_name(rows[i].name, &back));
    EXPECT(!strcmp(name, rows[i].name) && bytes == rows[i].bytes && (int)back == i);
  }
  pliant_dtype none;
  INVALID(pliant_dtype_from_name("string", &none)); /* only of models */
  INVALID(pliant_dtype_from_name(NULL, &none));

  size_t index = 0;
  pliant_function row;
  OK(pliant_function_find("softmax", &index));
  OK(pliant_function_at(index, &row));
  EXPECT(!strcmp(row.name, "softmax"));

  pliant_tensor *x = matrix(), *view = NULL;
  const int64_t shape[3] = {2, 2, 3};
  OK(pliant_broadcast_view(x, 3, shape, &view, PLIANT_HERE));
  IS(view, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5);
  OK(pliant_assign(x, pliant_real(0.5), PLIANT_HERE)); /* all elements, seen by the view */
  IS(view, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f);
  INVALID(pliant_assign(view, pliant_real(1), PLIANT_HERE)); /* its elements stand for several places each */
  const int64_t narrow[2] = {2, 2};
  INVALID(pliant_broadcast_view(x, 2, narrow, &view, PLIANT_HERE));
  pliant_release(view);
  pliant_release(x);

  const int64_t three[1] = {3};
  const int32_t whole[3] = {13, -7, 6};
  static const struct {
    char op;
    int32_t wanted[3];
  } updates[] = {{'%', {3, 3, 1}},  {'&', {5, 1, 4}},        {'|', {13, -3, 7}},
                 {'^', {8, -4, 3}}, {'<', {416, -224, 192}}, {'>', {0, -1, 0}}};
  for (size_t i = 0; i < sizeof updates / sizeof updates[0]; ++i) {
    int32_t values[3] = {0};
    OK(pliant_from_memory(PLIANT_I32, 1, three, whole, &x, PLIANT_HERE));
    OK(pliant_update(x, updates[i].op, pliant_integer(5), PLIANT_HERE));
    OK(pliant_read(x, values, sizeof values, PLIANT_HERE));
    EXPECT(!memcmp(values, updates[i].wanted, sizeof values));
    pliant_release(x);
  }

  x = matrix();
  const pliant_operand operand = pliant_of(x);
  const int64_t positions[2] = {1, -1};
  const pliant_attribute at[2] = {{"positions", PLIANT_VALUE_INTEGERS, 0, 0, positions, 2},
                                  {"axis", PLIANT_VALUE_INTEGER, 1, 0, NULL, 0}};
  pliant_tensor *parts[3] = {NULL, NULL, NULL};
  OK(pliant_call("split_at", &operand, 1, at, 2, parts, 3, PLIANT_HERE));
  IS(parts[0], 0, 3);
  IS(parts[1], 1, 4);
  IS(parts[2], 2, 5);
  for (int i = 0; i < 3; ++i)
    pliant_release(parts[i]);
  INVALID(pliant_call("split_at", &operand, 1, at, 2, parts, 2, PLIANT_HERE));
  pliant_release(x);
}

void exchange(void) {
  pliant_tensor *x = matrix(), *y = NULL;
  const void *memory = NULL;
  pliant_array array;
  OK(pliant_data(x, &array, PLIANT_HERE));
  memory = array.data;
  pliant_array_release(&array);
  struct DLManagedTensorVersioned *shared = NULL;
  OK(pliant_to_dlpack_versioned(x, &shared, PLIANT_HERE));
  uint32_t *version = (uint32_t *)shared; /* first the version, by DLPack's own rules */
  *version = 9;
  INVALID(pliant_from_dlpack_versioned(shared, true, &y, PLIANT_HERE));
  *version = 1;
  INVALID(pliant_from_dlpack_versioned(shared, true, NULL, PLIANT_HERE)); /* and it is still ours */
  OK(pliant_from_dlpack_versioned(shared, true, &y, PLIANT_HERE));
  pliant_release(x);
  OK(pliant_data(y, &array, PLIANT_HERE));
  EXPECT(array.data == memory); /* never copied */
  pliant_array_release(&array);
  IS(y, 0, 1, 2, 3, 4, 5);
  OK(pliant_to_dlpack_versioned(y, &shared, PLIANT_HERE));
  OK(pliant_from_dlpack_versioned(shared, false, &x, PLIANT_HERE));
  OK(pliant_data(x, &array, PLIANT_HERE));
  EXPECT(array.data != memory);
  pliant_array_release(&array);
  OK(pliant_to_dlpack_versioned(x, &shared, PLIANT_HERE));
  pliant_dlpack_versioned_release(shared);
  pliant_dlpack_versioned_release(NULL);
  struct DLManagedTensor *own = NULL;
  OK(pliant_to_dlpack(x, &own, PLIANT_HERE));
  pliant_dlpack_release(own);
  pliant_dlpack_release(NULL);
  pliant_release(x);
  pliant_release(y);
}

void numbers(void) {
  pliant_generator *generator = NULL, *again = NULL;
  OK(pliant_generator_make(7, &generator));
  OK(pliant_generator_make(7, &again));
  uint64_t seed = 0, position = 1;
  OK(pliant_generator_seed(generator, &seed));
  OK(pliant_generator_position(generator, &position));
  EXPECT(seed == 7 && position == 0);
  enum { count = 1000 };
  const int64_t shape[1] = {count};
  pliant_tensor *x = NULL, *y = NULL;
  static uint8_t drawn[count], same[count];
  OK(pliant_bernoulli(generator, 0.25, 1, shape, &x, PLIANT_HERE));
  OK(pliant_read(x, drawn, count, PLIANT_HERE));
  int hits = 0;
  for (int i = 0; i < count; ++i)
    hits += drawn[i];
  EXPECT(hits > 180 && hits < 320); /* five standard deviations are 68 */
  OK(pliant_generator_position(generator, &position));
  EXPECT(position == count);
  pliant_release(x);

  static int64_t order[count];
  OK(pliant_permutation(generator, count, &x, PLIANT_HERE));
  OK(pliant_read(x, order, sizeof order, PLIANT_HERE));
  static bool seen[count];
  int moved = 0;
  for (int i = 0; i < count; ++i) {
    EXPECT(order[i] >= 0 && order[i] < count && !seen[order[i]]);
    seen[order[i]] = true;
    moved += order[i] != i;
  }
  EXPECT(moved > count / 2);
  pliant_release(x);

  OK(pliant_generator_seek(again, 500)); /* the second half of what was drawn first */
  const int64_t half[1] = {count / 2};
  OK(pliant_bernoulli(again, 0.25, 1, half, &y, PLIANT_HERE));
  OK(pliant_read(y, same, count / 2, PLIANT_HERE));
  EXPECT(!memcmp(drawn + 500, same, count / 2));
  pliant_release(y);

  INVALID(pliant_bernoulli(generator, 1.5, 1, shape, &x, PLIANT_HERE));
  INVALID(pliant_permutation(generator, -1, &x, PLIANT_HERE));
  pliant_generator_release(generator);
  pliant_generator_release(again);
}

/* ---- a model: z (n, 2) = x (n, 2) + y (n, 2) */

typedef struct bytes {
  unsigned char data[512];
  size_t count;
} bytes;
static void tag(bytes *out, int field, int wire) { out->data[out->count++] = (unsigned char)(field << 3 | wire); }
static void number(bytes *out, int field, unsigned char value) {
  tag(out, field, 0);
  out->data[out->count++] = value;
}
static void nested(bytes *out, int field, const void *data, size_t count) {
  tag(out, field, 2);
  out->data[out->count++] = (unsigned char)(count | 0x80);
  out->data[out->count++] = (unsigned char)(count >> 7);
  memcpy(out->data + out->count, data, count);
  out->count += count;
}
static void text(bytes *out, int field, const char *value) { nested(out, field, value, strlen(value)); }

static bytes value_of(const char *name) {
  bytes rows = {{0}, 0}, two = {{0}, 0}, shape = {{0}, 0}, tensor = {{0}, 0}, type = {{0}, 0}, out = {{0}, 0};
  text(&rows, 2, "n");
  number(&two, 1, 2);
  nested(&shape, 1, rows.data, rows.count);
  nested(&shape, 1, two.data, two.count);
  number(&tensor, 1, 1);
  nested(&tensor, 2, shape.data, shape.count);
  nested(&type, 1, tensor.data, tensor.count);
  text(&out, 1, name);
  nested(&out, 2, type.data, type.count);
  return out;
}

static bool written(const char *path) {
  bytes node = {{0}, 0}, graph = {{0}, 0}, opset = {{0}, 0}, out = {{0}, 0};
  text(&node, 1, "x");
  text(&node, 1, "y");
  text(&node, 2, "z");
  text(&node, 4, "Add");
  nested(&graph, 1, node.data, node.count);
  text(&graph, 2, "sum");
  static const char *const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    const bytes value = value_of(names[i]);
    nested(&graph, i < 2 ? 11 : 12, value.data, value.count);
  }
  number(&opset, 2, 17);
  number(&out, 1, 8);
  nested(&out, 7, graph.data, graph.count);
  nested(&out, 8, opset.data, opset.count);
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  const bool whole = fwrite(out.data, 1, out.count, file) == out.count;
  return fclose(file) == 0 && whole;
}

void model(void) {
  const char *path = "c_test_model.onnx";
  EXPECT(written(path));
  const pliant_rename rename = {"n", "rows"};
  const char *const fact = "rows <= 3";
  pliant_model *opened = NULL;
  OK(pliant_model_open(path, &rename, 1, &fact, 1, 1, &opened));
  size_t inputs = 0, outputs = 0;
  const char *second = NULL, *result = NULL;
  OK(pliant_model_input_count(opened, &inputs));
  OK(pliant_model_output_count(opened, &outputs));
  OK(pliant_model_input_name(opened, 1, &second));
  OK(pliant_model_output_name(opened, 0, &result));
  EXPECT(inputs == 2 && outputs == 1 && !strcmp(second, "y") && !strcmp(result, "z"));

  static const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int64_t rows = 0; rows < 5; ++rows) {
    const int64_t shape[2] = {rows, 2};
    pliant_tensor *x = NULL, *z = NULL;
    OK(pliant_from_memory(PLIANT_F32, 2, shape, values, &x, PLIANT_HERE));
    const pliant_tensor *const given[2] = {x, x};
    if (rows > 3) {
      INVALID(pliant_model_call(opened, given, 2, &z, 1, PLIANT_HERE));
      EXPECT(!z && strstr(pliant_last_error()->message, "rows") &&
             strstr(pliant_last_error()->where, "surface_test.c"));
    } else {
      OK(pliant_model_call(opened, given, 2, &z, 1, PLIANT_HERE));
      float twice[6];
      OK(pliant_read(z, twice, (size_t)rows * 2 * sizeof(float), PLIANT_HERE));
      for (int64_t i = 0; i < rows * 2; ++i)
        EXPECT(twice[i] == 2 * values[i]);
    }
    pliant_model_run *run = NULL;
    pliant_tensor *later = NULL;
    bool ready = false;
    OK(pliant_model_start(opened, given, 2, &run, PLIANT_HERE));
    INVALID(pliant_model_results(run, &later, 2, PLIANT_HERE));
    if (rows > 3) {
      INVALID(pliant_model_results(run, &later, 1, PLIANT_HERE));
      EXPECT(!later && strstr(pliant_last_error()->message, "rows"));
    } else {
      float twice[6];
      OK(pliant_model_results(run, &later, 1, PLIANT_HERE));
      OK(pliant_read(later, twice, (size_t)rows * 2 * sizeof(float), PLIANT_HERE));
      for (int64_t i = 0; i < rows * 2; ++i)
        EXPECT(twice[i] == 2 * values[i]);
    }
    OK(pliant_model_ready(run, &ready));
    EXPECT(ready);
    pliant_model_run_close(run);
    pliant_release(later);
    OK(pliant_model_start(opened, given, 1, &run, PLIANT_HERE)); /* too few: the run says so */
    INVALID(pliant_model_results(run, &later, 1, PLIANT_HERE));
    pliant_model_run_close(run);
    INVALID(pliant_model_call(opened, given, 1, &z, 1, PLIANT_HERE));
    INVALID(pliant_model_call(opened, given, 2, &z, 2, PLIANT_HERE));
    const pliant_tensor *const none[2] = {x, NULL};
    INVALID(pliant_model_call(opened, none, 2, &z, 1, PLIANT_HERE));
    pliant_release(x);
    pliant_release(z);
  }
  INVALID(pliant_model_input_name(opened, 2, &second));
  INVALID(pliant_model_output_name(opened, 1, &result));
  pliant_model_close(opened);
  pliant_model_close(NULL);

  opened = NULL;
  const char *const nothing = "rows smaller 3";
  INVALID(pliant_model_open("no/such/file.onnx", NULL, 0, NULL, 0, 0, &opened));
  INVALID(pliant_model_open(path, &rename, 1, &nothing, 1, 0, &opened));
  INVALID(pliant_model_open(path, NULL, 0, NULL, 0, -1, &opened));
  EXPECT(!opened);
  remove(path);
}

/* ---- what is not there */

void wrong_arguments(void) {
  const pliant_site here = PLIANT_HERE;
  pliant_tensor *x = matrix(), *y = NULL;
  pliant_generator *g = NULL;
  OK(pliant_generator_make(1, &g));
  const float data[1] = {1};
  const int64_t one[1] = {1};
  const pliant_operand operand = pliant_of(x);
  size_t size;
  bool flag;
  int64_t integer;
  uint64_t word;
  char *text;
  const char *name;
  pliant_dtype dtype;
  pliant_array array;
  pliant_histogram histogram = {{0}, 0, 0, 0};
  /* no place for a result */
  INVALID(pliant_from_memory(PLIANT_F32, 1, one, data, NULL, here));
  INVALID(pliant_borrow(PLIANT_F32, 1, one, data, NULL, NULL, NULL, here));
  INVALID(pliant_copy(x, NULL));
  INVALID(pliant_dtype_of(x, NULL));
  INVALID(pliant_rank(x, NULL));
  INVALID(pliant_shape(x, 2, NULL));
  INVALID(pliant_size(x, NULL));
  INVALID(pliant_ready(x, NULL));
  INVALID(pliant_read(x, NULL, 24, here));
  INVALID(pliant_data(x, NULL, here));
  INVALID(pliant_text(x, NULL));
  INVALID(pliant_call("exp", &operand, 1, NULL, 0, NULL, 1, here));
  INVALID(pliant_function_at(0, NULL));
  INVALID(pliant_function_find("exp", NULL));
  INVALID(pliant_function_operand(0, 0, NULL));
  INVALID(pliant_get(x, NULL, 0, NULL, here));
  INVALID(pliant_reshape(x, 1, (const int64_t[1]){6}, NULL, here));
  INVALID(pliant_transpose(x, 0, NULL, NULL, here));
  INVALID(pliant_broadcast_view(x, 2, (const int64_t[2]){2, 3}, NULL, here));
  INVALID(pliant_count(NULL));
  INVALID(pliant_explain(NULL));
  INVALID(pliant_pending(PLIANT_FORM_TEXT, NULL));
  INVALID(pliant_generator_make(1, NULL));
  INVALID(pliant_generator_fork(g, NULL));
  INVALID(pliant_generator_seed(g, NULL));
  INVALID(pliant_generator_position(g, NULL));
  INVALID(pliant_uniform(g, PLIANT_F32, 1, one, NULL, here));
  INVALID(pliant_normal(g, PLIANT_F32, 1, one, NULL, here));
  INVALID(pliant_integers(g, 0, 1, 1, one, NULL, here));
  INVALID(pliant_bernoulli(g, 0.5, 1, one, NULL, here));
  INVALID(pliant_permutation(g, 3, NULL, here));
  INVALID(pliant_to_dlpack(x, NULL, here));
  INVALID(pliant_to_dlpack_versioned(x, NULL, here));
  INVALID(pliant_dtype_name(PLIANT_F32, NULL));
  INVALID(pliant_dtype_bytes(PLIANT_F32, NULL));
  INVALID(pliant_dtype_from_name("f32", NULL));
  INVALID(pliant_crowded(NULL));
  INVALID(pliant_enter_no_evaluation(NULL, here));
  INVALID(pliant_enter_at_most_programs(1, NULL));
  INVALID(pliant_cut_count(PLIANT_CUT_READ, NULL));
  INVALID(pliant_cut_name(PLIANT_CUT_READ, NULL));
  INVALID(pliant_measured(PLIANT_MEASURE_RUN, NULL));
  INVALID(pliant_quantile(&histogram, 0.5, NULL));
  INVALID(pliant_programs(NULL));
  INVALID(pliant_counters_text(NULL));
  INVALID(pliant_timeline(NULL));
  INVALID(pliant_model_open("model.onnx", NULL, 0, NULL, 0, 0, NULL));
  OK(pliant_generator_position(g, &word));
  EXPECT(word == 0); /* nothing was drawn for nobody */
  /* no tensor, generator, list, ... */
  INVALID(pliant_from_memory(PLIANT_F32, 1, one, NULL, &y, here));
  INVALID(pliant_from_memory(PLIANT_F32, 1, NULL, data, &y, here));
  INVALID(pliant_borrow(PLIANT_F32, 1, one, NULL, NULL, NULL, &y, here));
  INVALID(pliant_copy(NULL, &y));
  INVALID(pliant_dtype_of(NULL, &dtype));
  INVALID(pliant_rank(NULL, &size));
  INVALID(pliant_shape(NULL, 1, &integer));
  INVALID(pliant_shape(x, 1, &integer));
  INVALID(pliant_size(NULL, &integer));
  INVALID(pliant_ready(NULL, &flag));
  INVALID(pliant_read(NULL, &integer, 8, here));
  INVALID(pliant_data(NULL, &array, here));
  INVALID(pliant_text(NULL, &text));
  INVALID(pliant_call(NULL, &operand, 1, NULL, 0, &y, 1, here));
  INVALID(pliant_call("exp", NULL, 1, NULL, 0, &y, 1, here));
  INVALID(pliant_call("softmax", &operand, 1, NULL, 1, &y, 1, here));
  INVALID(pliant_function_find("no_such", &size));
  INVALID(pliant_function_find(NULL, &size));
  INVALID(pliant_function_operand(0, 99, &name));
  INVALID(pliant_function_parameter(0, 99, NULL));
  INVALID(pliant_get(NULL, NULL, 0, &y, here));
  INVALID(pliant_get(x, NULL, 1, &y, here));
  INVALID(pliant_set(NULL, NULL, 0, pliant_real(1), here));
  INVALID(pliant_set(x, NULL, 1, pliant_real(1), here));
  INVALID(pliant_assign(NULL, pliant_real(1), here));
  INVALID(pliant_assign(x, pliant_of(NULL), here));
  INVALID(pliant_update(NULL, '+', pliant_real(1), here));
  INVALID(pliant_update(x, '&', pliant_integer(1), here)); /* of floats */
  INVALID(pliant_reshape(x, 1, NULL, &y, here));
  INVALID(pliant_reshape(NULL, 0, NULL, &y, here));
  INVALID(pliant_transpose(NULL, 0, NULL, &y, here));
  INVALID(pliant_broadcast_view(x, 2, NULL, &y, here));
  INVALID(pliant_eval(NULL, 1));
  INVALID(pliant_generator_fork(NULL, &g));
  INVALID(pliant_generator_seed(NULL, &word));
  INVALID(pliant_generator_position(NULL, &word));
  INVALID(pliant_generator_seek(NULL, 1));
  INVALID(pliant_uniform(NULL, PLIANT_F32, 1, one, &y, here));
  INVALID(pliant_uniform(g, PLIANT_I32, 1, one, &y, here));
  INVALID(pliant_normal(NULL, PLIANT_F32, 1, one, &y, here));
  INVALID(pliant_integers(g, 1, 1, 1, one, &y, here));
  INVALID(pliant_bernoulli(NULL, 0.5, 1, one, &y, here));
  INVALID(pliant_permutation(NULL, 3, &y, here));
  INVALID(pliant_to_dlpack(NULL, (struct DLManagedTensor **)&text, here));
  INVALID(pliant_from_dlpack(NULL, true, &y, here));
  INVALID(pliant_to_dlpack_versioned(NULL, (struct DLManagedTensorVersioned **)&text, here));
  INVALID(pliant_from_dlpack_versioned(NULL, true, &y, here));
  INVALID(pliant_dtype_name((pliant_dtype)13, &name));
  INVALID(pliant_dtype_bytes((pliant_dtype)-1, &size));
  INVALID(pliant_cut_count((pliant_cut)7, &integer));
  INVALID(pliant_cut_name((pliant_cut)-1, &name));
  INVALID(pliant_measured((pliant_measure)5, &histogram));
  INVALID(pliant_quantile(NULL, 0.5, &integer));
  INVALID(pliant_quantile(&histogram, 1.5, &integer));
  INVALID(pliant_leave(NULL));
  INVALID(pliant_prepare(NULL, NULL));
  INVALID(pliant_observe(NULL, 0, NULL, NULL, NULL, NULL));
  pliant_model *opened;
  INVALID(pliant_model_open(NULL, NULL, 0, NULL, 0, 0, &opened));
  INVALID(pliant_model_open("model.onnx", NULL, 1, NULL, 0, 0, &opened));
  INVALID(pliant_model_open("model.onnx", NULL, 0, NULL, 1, 0, &opened));
  INVALID(pliant_model_input_count(NULL, &size));
  INVALID(pliant_model_output_count(NULL, &size));
  INVALID(pliant_model_input_name(NULL, 0, &name));
  INVALID(pliant_model_output_name(NULL, 0, &name));
  INVALID(pliant_model_call(NULL, NULL, 0, NULL, 0, here));
  pliant_model_run *run = NULL;
  bool ready;
  INVALID(pliant_model_start(NULL, NULL, 0, &run, here));
  INVALID(pliant_model_ready(NULL, &ready));
  INVALID(pliant_model_results(NULL, NULL, 0, here));
  pliant_model_run_close(NULL);
  EXPECT(!y);
  pliant_array_release(NULL);
  pliant_generator_release(NULL);
  pliant_free(NULL);
  pliant_generator_release(g);
  IS(x, 0, 1, 2, 3, 4, 5); /* untouched */
  pliant_release(x);
}
