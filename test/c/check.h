/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the C test share. */
#ifndef PLIANT_TEST_C_CHECK_H
#define PLIANT_TEST_C_CHECK_H
#include <pliant-c/pliant.h>
#include <string.h>

void failed_at(const char *file, int line, const char *what);
#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      failed_at(__FILE__, __LINE__, #condition);                                                                       \
  } while (0)
#define OK(call) EXPECT((call) == PLIANT_OK)
#define INVALID(call) EXPECT((call) == PLIANT_INVALID)
extern int failures;

/* f32 (2, 3): 0 1 2 3 4 5 */
pliant_tensor *matrix(void);
/* Whether x is f32 of these elements. */
void is(const pliant_tensor *x, size_t count, const float *wanted, int line);
#define IS(x, ...)                                                                                                     \
  do {                                                                                                                 \
    const float wanted[] = {__VA_ARGS__};                                                                              \
    is(x, sizeof wanted / sizeof wanted[0], wanted, __LINE__);                                                         \
  } while (0)
/* The only result of a function without parameters of two numbers or tensors. */
pliant_tensor *called(const char *name, pliant_operand lhs, pliant_operand rhs, pliant_site site);

/* surface_test.c */
void types(void);
void exchange(void);
void numbers(void);
void model(void);
void wrong_arguments(void);
/* observe_test.c */
void observing(void);
void scopes(void);
void preparing(void);
void counting(void);
void warnings(void);
#endif
