/* Wrong calls: each must return an error of its class whose explanation names what was wrong, and
 * the program must work as before. Included by the wrong_*_test.c programs. */
#ifndef CONFORMANCE_WRONG_H
#define CONFORMANCE_WRONG_H

#include "conformance.h"

static int wrong_calls, wrong_failures;

/* `call` must fail with this class, and its explanation must contain the word. */
#define WRONG(call, error_class, word) judge(__LINE__, #call, call, error_class, word)

static inline void judge(int line, const char* call, int code, int wanted, const char* word) {
  char text[MPI_MAX_ERROR_STRING] = "success";
  int its_class = MPI_SUCCESS, length;
  ++wrong_calls;
  if (code != MPI_SUCCESS) {
    MPI_Error_class(code, &its_class);
    MPI_Error_string(code, text, &length);
  }
  if (its_class == wanted && strstr(text, word)) return;
  ++wrong_failures;
  fprintf(stderr, "line %d: %s: class %d, not %d with \"%s\": %s\n", line, call, its_class, wanted,
          word, text);
}

static inline void start_wrong(int* argc, char*** argv) {
  start(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* What still has to work after all the wrong calls. */
static inline int finish_wrong(int at_least) {
  int mine = rank + 1, got = 0, sum = 0;
  CHECK(MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT,
                     (rank + size - 1) % size, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(got == (rank + size - 1) % size + 1);
  CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(sum == size * (size + 1) / 2);
  MPI_Comm copy;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS);
  CHECK(wrong_failures == 0 && wrong_calls >= at_least);
  return finish();
}

#endif
