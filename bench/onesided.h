/* What the metrics of one-sided communications share: a window on every rank, an operation, and the
 * steps that several of them measure. Rank 0 is the origin of all that goes between two ranks. */
#ifndef BENCH_ONESIDED_H
#define BENCH_ONESIDED_H

#include "measure.h"

/* Memory that the library has chosen, and memory of malloc, which a library may not be able to
 * reach without the target's help. */
typedef enum { allocated, created, window_kinds } Kind;
extern const char* const kind_names[window_kinds];

typedef struct {
  MPI_Win win;
  char* memory;
  size_t bytes;
  Kind kind;
} Window;

/* Collective. On a library that has no windows of this kind, rank 0 says so and the program ends.
 */
Window window_of(Kind kind, size_t bytes);
void free_window(Window* window);

typedef enum { put, get, accumulate, fetch_and_op, compare_and_swap, operations } Operation;
extern const char* const operation_names[operations];

/* What Exchange.more is. */
typedef struct {
  const Window* window;
  Operation operation;
  int many;      /* operations to one flush */
  size_t stride; /* from the place of one of them to the next one's */
  int lock_type;
  int target;
} Access;

/* Starts an operation on bytes of the target, at this place in its window and in our buffers. */
void issue(Exchange* x, size_t place);

/* A step of rank 0 inside MPI_Win_lock: the operations, one MPI_Win_flush. Other ranks do nothing:
 * between steps they wait in MPI, as in measure(). */
void operate(Exchange* x);

/* Does it once and ends the program if the result is wrong. Collective. */
void check_operation(Exchange* x);
void require_result(int good, const char* what);

/* Steps of all ranks but the target: lock and unlock, with a put between them or nothing. */
void lock_unlock(Exchange* x);
void lock_put_unlock(Exchange* x);

/* onesided_epochs.c: what begins and ends epochs, whether the metric is of that; a halo exchange by
 * puts. */
int epochs_of(const char* metric);
void halo_by_puts(int count, char** sizes);
/* onesided_computing.c: operations on a target that computes and calls no MPI meanwhile. */
void computing_target(int count, char** sizes);

#endif
