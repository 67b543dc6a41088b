/* Expectations for C test programs: a failed one is printed and counted; expect_result() is main's.
 */
#ifndef BATON_TESTS_EXPECT_H
#define BATON_TESTS_EXPECT_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int expect_failures = 0;
static int expect_checks = 0;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    ++expect_checks;                                                           \
    if (!(condition)) {                                                        \
      ++expect_failures;                                                       \
      fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
    }                                                                          \
  } while (0)

#define EXPECT_INT(expression, expected)                                                      \
  do {                                                                                        \
    long long got_ = (long long)(expression), want_ = (long long)(expected);                  \
    ++expect_checks;                                                                          \
    if (got_ != want_) {                                                                      \
      ++expect_failures;                                                                      \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #expression, got_, \
              want_);                                                                         \
    }                                                                                         \
  } while (0)

#define EXPECT_OK(call) EXPECT_INT(call, MPI_SUCCESS)

#define EXPECT_TEXT(text, expected)                                                         \
  do {                                                                                      \
    ++expect_checks;                                                                        \
    if (strcmp(text, expected) != 0) {                                                      \
      ++expect_failures;                                                                    \
      fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #text, text, \
              expected);                                                                    \
    }                                                                                       \
  } while (0)

#define EXPECT_IN(text, part)                                                                     \
  do {                                                                                            \
    ++expect_checks;                                                                              \
    if (!strstr(text, part)) {                                                                    \
      ++expect_failures;                                                                          \
      fprintf(stderr, "%s:%d: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, text, part); \
    }                                                                                             \
  } while (0)

static int expect_result(void) {
  printf("%d checks, %d failed\n", expect_checks, expect_failures);
  return expect_failures != 0 || expect_checks == 0;
}

#endif
