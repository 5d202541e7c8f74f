/* SPDX-License-Identifier: Apache-2.0
 *
 * Pliant from C, and from every language that can call C. Plain C11; the names and numbers here are stable.
 *
 * Tensors are opaque and belong to whom they are given: `pliant_release` gives them back. A function returns a status
 * and puts its result behind a pointer, which is left alone when it fails; what went wrong is then said by
 * `pliant_last_error`. Ops are recorded and run when a value is asked for. Any thread may call anything; two threads
 * must not change the same tensor at the same time.
 *
 * A site is the caller's line, for messages: PLIANT_HERE. Its `file` must live as long as the process; for names that
 * do not there is `pliant_file`. */
#ifndef PLIANT_C_PLIANT_H
#define PLIANT_C_PLIANT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when functions are added. What a lower number had stays as it was: a program needs at least the number that it
 * was compiled with. */
#define PLIANT_ABI_VERSION 2
uint32_t pliant_abi_version(void); /* of the library */

typedef enum pliant_status {
  PLIANT_OK = 0,
  PLIANT_INVALID = 1,  /* the call, a shape, a type or a value is wrong */
  PLIANT_INTERNAL = 2, /* a fault of Pliant: please report it */
  PLIANT_MEMORY = 3    /* there is not enough memory */
} pliant_status;

typedef enum pliant_dtype {
  PLIANT_F32 = 0,
  PLIANT_F64 = 1,
  PLIANT_F16 = 2,
  PLIANT_BF16 = 3,
  PLIANT_I64 = 4,
  PLIANT_I32 = 5,
  PLIANT_I16 = 6,
  PLIANT_I8 = 7,
  PLIANT_U64 = 8,
  PLIANT_U32 = 9,
  PLIANT_U16 = 10,
  PLIANT_U8 = 11,
  PLIANT_BOOL = 12 /* one byte, 0 or 1 */
} pliant_dtype;

typedef struct pliant_tensor pliant_tensor;
typedef struct pliant_generator pliant_generator;

typedef struct pliant_site {
  const char *file;
  uint32_t line;
} pliant_site;
#ifdef __cplusplus
#define PLIANT_HERE (pliant_site{__FILE__, (uint32_t)__LINE__})
#else
#define PLIANT_HERE ((pliant_site){__FILE__, (uint32_t)__LINE__})
#endif
/* A copy of the name that lives as long as the process; the same one for equal names. */
const char *pliant_file(const char *name, size_t length);

typedef struct pliant_error {
  pliant_status status;
  const char *message; /* the whole text */
  const char *where;   /* "model.c:12", or empty */
  const char *op;      /* the op that was called, or empty */
} pliant_error;
/* Of the last call of this thread that failed; valid until the next one that fails. */
const pliant_error *pliant_last_error(void);

/* ---- tensors and memory; elements are row-major and contiguous */

/* Copies the elements. */
pliant_status pliant_from_memory(pliant_dtype dtype, size_t rank, const int64_t *shape, const void *data,
                                 pliant_tensor **out, pliant_site site);
/* Shares them: they must not change until `release(context)` is called, by any thread, once; also when this fails. */
pliant_status pliant_borrow(pliant_dtype dtype, size_t rank, const int64_t *shape, const void *data,
                            void (*release)(void *context), void *context, pliant_tensor **out, pliant_site site);
/* The same value, independent of later writes to either. */
pliant_status pliant_copy(const pliant_tensor *x, pliant_tensor **out);
void pliant_release(pliant_tensor *x); /* NULL is nothing */

pliant_status pliant_dtype_of(const pliant_tensor *x, pliant_dtype *out);
pliant_status pliant_rank(const pliant_tensor *x, size_t *out);
/* Writes as many extents as the tensor has axes; `capacity` of them must have room. */
pliant_status pliant_shape(const pliant_tensor *x, size_t capacity, int64_t *out);
pliant_status pliant_size(const pliant_tensor *x, int64_t *out); /* elements */
/* Runs what is needed, waits, and copies the elements; `bytes` is what they need. */
pliant_status pliant_read(const pliant_tensor *x, void *out, size_t bytes, pliant_site site);
/* The same without a copy. They never change, and stay until `pliant_array_release`. */
typedef struct pliant_array {
  pliant_dtype dtype;
  size_t rank;
  const int64_t *shape;
  const void *data;
  void *owner;
} pliant_array;
pliant_status pliant_data(const pliant_tensor *x, pliant_array *out, pliant_site site);
void pliant_array_release(pliant_array *array);
/* As NumPy prints it; to be given to `pliant_free`. */
pliant_status pliant_text(const pliant_tensor *x, char **out);
void pliant_free(char *text);

/* ---- functions, by name */

typedef enum pliant_operand_kind {
  PLIANT_OPERAND_TENSOR = 0,
  PLIANT_OPERAND_BOOL = 1,
  PLIANT_OPERAND_INTEGER = 2,
  PLIANT_OPERAND_REAL = 3
} pliant_operand_kind;
/* A tensor, or a number, which takes the element type of the tensors beside it. */
typedef struct pliant_operand {
  pliant_operand_kind kind;
  const pliant_tensor *tensor;
  int64_t integer; /* also of BOOL */
  double real;
} pliant_operand;
static inline pliant_operand pliant_of(const pliant_tensor *x) {
  pliant_operand out = {PLIANT_OPERAND_TENSOR, x, 0, 0};
  return out;
}
static inline pliant_operand pliant_bool(bool value) {
  pliant_operand out = {PLIANT_OPERAND_BOOL, NULL, value, 0};
  return out;
}
static inline pliant_operand pliant_integer(int64_t value) {
  pliant_operand out = {PLIANT_OPERAND_INTEGER, NULL, value, 0};
  return out;
}
static inline pliant_operand pliant_real(double value) {
  pliant_operand out = {PLIANT_OPERAND_REAL, NULL, 0, value};
  return out;
}

typedef enum pliant_value_kind {
  PLIANT_VALUE_BOOL = 1,
  PLIANT_VALUE_INTEGER = 2,
  PLIANT_VALUE_REAL = 3,
  PLIANT_VALUE_TEXT = 4,
  PLIANT_VALUE_INTEGERS = 5,
  PLIANT_VALUE_REALS = 6,
  PLIANT_VALUE_DTYPE = 7
} pliant_value_kind;
/* A named argument that is no operand. */
typedef struct pliant_attribute {
  const char *name;
  pliant_value_kind kind;
  int64_t integer; /* of BOOL and INTEGER; the pliant_dtype of DTYPE */
  double real;
  const void *list; /* the text, or int64_t or double elements */
  size_t count;     /* of them; of bytes for TEXT */
} pliant_attribute;

/* Calls a function of the table: "matmul", "softmax", "sum", ... `result_count` is the number of its results. */
pliant_status pliant_call(const char *name, const pliant_operand *operands, size_t operand_count,
                          const pliant_attribute *attributes, size_t attribute_count, pliant_tensor **results,
                          size_t result_count, pliant_site site);

/* The table, for those who make a language's functions of it. Texts live as long as the process. */
typedef struct pliant_parameter {
  const char *name;
  pliant_value_kind kind;
  const char *fallback; /* as text; NULL when it must be given */
} pliant_parameter;
size_t pliant_function_count(void);
typedef struct pliant_function {
  const char *name, *summary, *rules;
  size_t operand_count; /* 0 beside `variadic`: any number, at least one */
  bool variadic;
  size_t parameter_count;
  size_t result_count; /* 0: a list, as long as the arguments say */
} pliant_function;
pliant_status pliant_function_at(size_t index, pliant_function *out);
pliant_status pliant_function_operand(size_t index, size_t operand, const char **out);
pliant_status pliant_function_parameter(size_t index, size_t parameter, pliant_parameter *out);

/* ---- indices and writes, by NumPy's rules */

typedef enum pliant_index_kind {
  PLIANT_INDEX_NUMBER = 0, /* `start`: takes the axis away */
  PLIANT_INDEX_SLICE = 1,  /* from start to before stop by step, as far as they are given */
  PLIANT_INDEX_ELLIPSIS = 2,
  PLIANT_INDEX_NEW_AXIS = 3,
  PLIANT_INDEX_TENSOR = 4 /* integers pick, bool masks */
} pliant_index_kind;
typedef struct pliant_index {
  pliant_index_kind kind;
  bool has_start, has_stop;
  int64_t start, stop, step; /* a step of 0 is 1 */
  const pliant_tensor *tensor;
} pliant_index;
/* A view where no tensor picks: writes are seen by both. */
pliant_status pliant_get(const pliant_tensor *x, const pliant_index *indices, size_t count, pliant_tensor **out,
                         pliant_site site);
/* Writes the value, converted and broadcast, to what the indices pick. */
pliant_status pliant_set(pliant_tensor *x, const pliant_index *indices, size_t count, pliant_operand value,
                         pliant_site site);
/* x op= value in place, for '+', '-', '*', '/', '%', '&', '|', '^', and '<' and '>', which are the shifts. */
pliant_status pliant_update(pliant_tensor *x, char op, pliant_operand value, pliant_site site);
/* Views in another shape or order of axes; a permutation of no axes reverses them. */
pliant_status pliant_reshape(const pliant_tensor *x, size_t rank, const int64_t *shape, pliant_tensor **out,
                             pliant_site site);
pliant_status pliant_transpose(const pliant_tensor *x, size_t count, const int64_t *permutation, pliant_tensor **out,
                               pliant_site site);

/* ---- running and looking */

pliant_status pliant_barrier(void); /* hands over what this thread has recorded, and returns */
pliant_status pliant_eval(const pliant_tensor *const *tensors, size_t count);
pliant_status pliant_wait(void); /* for all that was handed over */
/* Before a process exits while other threads may still compute: waits for what was handed over and for compiles; from
 * then on values that other threads than the caller's ask for are errors. */
pliant_status pliant_finish(void);
/* Of the process, since its start. `compiles` are programs made by the compiler, `loads` from the disk cache; `hits`
 * were known. `launches` are of kernels, `fallbacks` ops that ran as their reference, `donations` results that took the
 * memory of what they replace. Bytes are of elements that were handed in and out, and of all that is in use: now, and
 * the most at once. */
typedef struct pliant_counters {
  int64_t segments, ops, compiles, hits, failures, loads, launches, fallbacks, donations;
  int64_t bytes_in, bytes_out, bytes_live, bytes_peak;
} pliant_counters;
pliant_status pliant_count(pliant_counters *out);
/* Why programs were made, and the lines that read values; to be given to `pliant_free`. */
pliant_status pliant_explain(char **out);
/* What this thread has recorded and not yet run, one op a line, as a graph for Graphviz, or as MLIR, which `pliant
 * view` draws; to be given to `pliant_free`. */
typedef enum pliant_form { PLIANT_FORM_TEXT, PLIANT_FORM_DOT, PLIANT_FORM_IR } pliant_form;
pliant_status pliant_pending(pliant_form form, char **out);
/* What all threads have recorded and not yet run, by line, and the bytes of what is there; to be given to
 * `pliant_free`. */
pliant_status pliant_live(char **out);
/* How many threads a kernel may use, in runs that begin later. */
pliant_status pliant_set_threads(int count);
/* How many ops, and bytes of memory that nothing else keeps, may be pending before they are handed over though nobody
 * asks: 16,384, at most 1,048,576, and 256 MiB unless set. */
pliant_status pliant_set_cut_budget(int64_t ops, int64_t bytes);
/* How many programs of recorded work are kept, and how many bytes of code: those used longest ago are given up. */
pliant_status pliant_set_program_limits(int64_t programs, int64_t bytes);
/* What programs and models keep for their next run, and no run has used for this long, or for up to twice as long, goes
 * back to the system: 10 s unless set; 0: it is kept. `pliant_trim` gives it back now. */
pliant_status pliant_set_idle_time(double seconds);
pliant_status pliant_trim(void);
/* What computes recorded work from now on: "native" compiles it; "reference" calls the plain evaluators of the ops one
 * after the other, without the compiler. The name lives as long as the process. */
pliant_status pliant_set_backend(const char *name);
pliant_status pliant_backend(const char **out);

/* ---- random numbers, by counters: the same for every machine and number of threads */

pliant_status pliant_generator_make(uint64_t seed, pliant_generator **out);
pliant_status pliant_generator_fork(pliant_generator *generator, pliant_generator **out);
void pliant_generator_release(pliant_generator *generator);
pliant_status pliant_uniform(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                             pliant_tensor **out, pliant_site site); /* in [0, 1) */
pliant_status pliant_normal(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                            pliant_tensor **out, pliant_site site);
pliant_status pliant_integers(pliant_generator *generator, int64_t low, int64_t high, size_t rank, const int64_t *shape,
                              pliant_tensor **out, pliant_site site); /* i64 in [low, high) */

/* ---- DLPack */

struct DLManagedTensor;
/* Elements of their own, since who takes them may write to them. */
pliant_status pliant_to_dlpack(const pliant_tensor *x, struct DLManagedTensor **out, pliant_site site);
/* Takes the tensor over and copies its elements, or with `share` keeps them: then they must not change. */
pliant_status pliant_from_dlpack(struct DLManagedTensor *taken, bool share, pliant_tensor **out, pliant_site site);

struct DLManagedTensorVersioned;
/* Shares the elements, and is marked read-only. */
pliant_status pliant_to_dlpack_versioned(const pliant_tensor *x, struct DLManagedTensorVersioned **out,
                                         pliant_site site);
pliant_status pliant_from_dlpack_versioned(struct DLManagedTensorVersioned *taken, bool share, pliant_tensor **out,
                                           pliant_site site);
/* Give a tensor that nobody took back to whom it came from; NULL is nothing. One that could not be taken over is still
 * the caller's. */
void pliant_dlpack_release(struct DLManagedTensor *taken);
void pliant_dlpack_versioned_release(struct DLManagedTensorVersioned *taken);

/* ---- more of tensors, types and functions */

pliant_status pliant_ready(const pliant_tensor *x, bool *out); /* whether reading would not wait; makes nothing run */
/* A view, which may be read only: x in a shape that it broadcasts to. */
pliant_status pliant_broadcast_view(const pliant_tensor *x, size_t rank, const int64_t *shape, pliant_tensor **out,
                                    pliant_site site);
/* Writes the value, converted and broadcast, to all elements. */
pliant_status pliant_assign(pliant_tensor *x, pliant_operand value, pliant_site site);
/* "f32", "bool", ...: lives as long as the process. */
pliant_status pliant_dtype_name(pliant_dtype dtype, const char **out);
pliant_status pliant_dtype_from_name(const char *name, pliant_dtype *out);
pliant_status pliant_dtype_bytes(pliant_dtype dtype, size_t *out); /* of one element */
pliant_status pliant_function_find(const char *name, size_t *out); /* its index in the table */

/* ---- observing a step */

/* Calls `receive` with the tensors' elements, in their order, when they are there: after the next barrier or read, on
 * the thread that ran it. So several reads of a step cost one run, and nobody waits. An error on the way goes to
 * `failed`, if given. What they are given is there until they return. Then, or when this fails, `release(context)` is
 * called once, if given. */
pliant_status pliant_observe(const pliant_tensor *const *tensors, size_t count,
                             void (*receive)(void *context, const pliant_array *arrays, size_t count),
                             void (*failed)(void *context, const pliant_error *error), void (*release)(void *context),
                             void *context);
/* Whether more steps are in flight than a few. Who hands work over then waits, unless the process says that nobody
 * does: for languages with a lock of their own, which must not be held meanwhile. */
pliant_status pliant_crowded(bool *out);
pliant_status pliant_wait_when_crowded(bool waits);

/* ---- watching over evaluation */

pliant_status pliant_set_eager(bool eager); /* whether this thread runs every op at once; the bits are the same */
/* From entering to leaving. Those of a thread are left in the reverse order, by that thread. */
typedef struct pliant_scope pliant_scope;
/* This thread may record but not ask for values: that is an error, at the line of the read. */
pliant_status pliant_enter_no_evaluation(pliant_scope **out, pliant_site site);
/* At most `count` programs more are compiled by the process; what would need another one is an error when its value is
 * asked for. */
pliant_status pliant_enter_at_most_programs(int64_t count, pliant_scope **out);
pliant_status pliant_leave(pliant_scope *scope);
/* Compiles what `record` records without running it, so that the first real step finds its program. Tensors that it
 * makes have no values; those that a step would keep must live until this returns. A status of `record` other than
 * PLIANT_OK is handed on. */
pliant_status pliant_prepare(pliant_status (*record)(void *context), void *context);

/* ---- counts, times and warnings */

typedef enum pliant_cut {
  PLIANT_CUT_READ = 0,    /* a value was asked for */
  PLIANT_CUT_BARRIER = 1, /* a barrier, or eval */
  PLIANT_CUT_OPS = 2,     /* so many ops were pending that running them was due */
  PLIANT_CUT_BYTES = 3,   /* the pending work kept so much memory */
  PLIANT_CUT_THREAD = 4,  /* another thread needed a value */
  PLIANT_CUT_EXTENT = 5,  /* a shape depends on values */
  PLIANT_CUT_EAGER = 6    /* every op runs at once */
} pliant_cut;
/* How often recorded work was cut off and run for this reason. */
pliant_status pliant_cut_count(pliant_cut reason, int64_t *out);
pliant_status pliant_cut_name(pliant_cut reason, const char **out); /* lives as long as the process */

typedef enum pliant_measure {
  PLIANT_MEASURE_OPS = 0,     /* of a piece of recorded work */
  PLIANT_MEASURE_COMPILE = 1, /* nanoseconds of a compile, */
  PLIANT_MEASURE_RUN = 2,     /* of a run, */
  PLIANT_MEASURE_WAIT = 3,    /* of waiting for a value, */
  PLIANT_MEASURE_LOAD = 4     /* of taking a program from the disk cache */
} pliant_measure;
/* Counts by powers of two: bucket i has the values in [2^(i-1), 2^i). */
typedef struct pliant_histogram {
  int64_t buckets[48];
  int64_t count, sum, largest;
} pliant_histogram;
pliant_status pliant_measured(pliant_measure what, pliant_histogram *out);
/* A bound within a factor of 2 that the share of the values does not pass: 0.5 is the median. */
pliant_status pliant_quantile(const pliant_histogram *histogram, double share, int64_t *out);
typedef struct pliant_kept {
  int64_t programs, bytes; /* that are kept now */
  int64_t evictions;       /* programs that were given up: see pliant_set_program_limits */
} pliant_kept;
pliant_status pliant_programs(pliant_kept *out);
pliant_status pliant_counters_text(char **out); /* to be given to `pliant_free` */
pliant_status pliant_reset_counters(void);
/* Calls `receive` with a sentence when a step is compiled again and again, or a read waits in a loop: where a thread
 * reads a value or hands work over, one call at a time. The text is there until it returns. NULL: nobody, as at first.
 * When another takes its place `release(context)` is called, if given. */
pliant_status pliant_on_warning(void (*receive)(void *context, const char *text), void (*release)(void *context),
                                void *context);
/* From the start on what is recorded, compiled, run and waited for, in Chrome's trace format; to be given to
 * `pliant_free`. */
pliant_status pliant_start_timeline(void);
pliant_status pliant_timeline(char **out);

/* ---- more random numbers */

pliant_status pliant_bernoulli(pliant_generator *generator, double p, size_t rank, const int64_t *shape,
                               pliant_tensor **out, pliant_site site); /* true with probability p */
/* 0, 1, ..., n - 1 in an order of which each is equally likely. */
pliant_status pliant_permutation(pliant_generator *generator, int64_t n, pliant_tensor **out, pliant_site site);
pliant_status pliant_generator_seed(const pliant_generator *generator, uint64_t *out);
pliant_status pliant_generator_position(const pliant_generator *generator, uint64_t *out); /* numbers drawn */
pliant_status pliant_generator_seek(pliant_generator *generator, uint64_t position);

/* ---- ONNX models as functions of tensors */

typedef struct pliant_model pliant_model;
typedef struct pliant_rename {
  const char *from, *to; /* a symbol of the file, and the caller's name of it */
} pliant_rename;
/* Compiles the file once for all shapes, or takes it from the disk cache. A fact is what is known of symbols, such as
 * "n <= 512", and is tested at every run; 0 threads are as many as there are processors. */
pliant_status pliant_model_open(const char *path, const pliant_rename *renames, size_t rename_count,
                                const char *const *facts, size_t fact_count, int threads, pliant_model **out);
void pliant_model_close(pliant_model *model); /* NULL is nothing */
pliant_status pliant_model_input_count(const pliant_model *model, size_t *out);
pliant_status pliant_model_output_count(const pliant_model *model, size_t *out);
pliant_status pliant_model_input_name(const pliant_model *model, size_t index,
                                      const char **out); /* till it is closed */
pliant_status pliant_model_output_name(const pliant_model *model, size_t index, const char **out);
/* Runs it on tensors in the order of the inputs, and waits for them. */
pliant_status pliant_model_call(const pliant_model *model, const pliant_tensor *const *inputs, size_t input_count,
                                pliant_tensor **outputs, size_t output_count, pliant_site site);
/* The same in the background, on the values that the inputs have now, for whoever waits in a way of their own. */
typedef struct pliant_model_run pliant_model_run;
pliant_status pliant_model_start(const pliant_model *model, const pliant_tensor *const *inputs, size_t input_count,
                                 pliant_model_run **out, pliant_site site);
pliant_status pliant_model_ready(const pliant_model_run *run,
                                 bool *out); /* whether the results would not be waited for */
/* Waits. Gives what went wrong with the run, as often as it is asked. */
pliant_status pliant_model_results(const pliant_model_run *run, pliant_tensor **outputs, size_t output_count,
                                   pliant_site site);
void pliant_model_run_close(pliant_model_run *run); /* NULL is nothing; the run itself goes on to its end */

#ifdef __cplusplus
}
#endif
#endif
