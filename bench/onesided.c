/* Operations of one rank on the memory of another one, which waits in MPI meanwhile: each operation
 * with its flush, many to one flush, atomic ones; in windows of MPI_Win_allocate and of
 * MPI_Win_create. The lock is taken once: what is measured is operation and flush.
 *
 * Warm: the origin never touches its buffers. Cold: what is put or accumulated has just been
 * written by the origin, every line of what was got is read. The target never touches its memory
 * in either. */
#include "onesided.h"

#include <stdio.h>
#include <string.h>

enum { in_rate = 64 };

const char* const kind_names[window_kinds] = {"allocated", "created"};
const char* const operation_names[operations] = {"put", "get", "accumulate", "fetch_and_op",
                                                 "compare_and_swap"};

/* All ranks end alike: what fails here fails on all of them. */
static void end_without_windows(const char* call, int error) {
  char text[MPI_MAX_ERROR_STRING] = {0};
  int length = 0;
  MPI_Error_string(error, text, &length);
  if (rank == 0) fprintf(stderr, "mpi_bench: no windows: %s answers: %s\n", call, text);
  MPI_Finalize();
  exit(4);
}

Window window_of(Kind kind, size_t bytes) {
  Window w = {MPI_WIN_NULL, NULL, bytes, kind};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (kind == created) w.memory = buffer_of(bytes);
  int error =
      kind == allocated
          ? MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.memory, &w.win)
          : MPI_Win_create(w.memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
  if (error != MPI_SUCCESS)
    end_without_windows(kind == allocated ? "MPI_Win_allocate" : "MPI_Win_create", error);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w.win);
  memset(w.memory, 0, bytes);
  MPI_Win_unlock(rank, w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  return w;
}

void free_window(Window* window) {
  MPI_Win_free(&window->win);
  if (window->kind == created) free(window->memory);
}

void require_result(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "mpi_bench: rank %d: wrong result of %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

void issue(Exchange* x, size_t place) {
  const Access* a = x->more;
  const MPI_Aint there = (MPI_Aint)place;
  const int bytes = (int)x->bytes, doubles = (int)(x->bytes / sizeof(double));
  char *out = x->out + place, *in = x->in + place;
  switch (a->operation) {
    case put:
      MPI_Put(out, bytes, MPI_BYTE, a->target, there, bytes, MPI_BYTE, a->window->win);
      break;
    case get:
      MPI_Get(in, bytes, MPI_BYTE, a->target, there, bytes, MPI_BYTE, a->window->win);
      break;
    case accumulate:
      MPI_Accumulate(out, doubles, MPI_DOUBLE, a->target, there, doubles, MPI_DOUBLE, MPI_SUM,
                     a->window->win);
      break;
    case fetch_and_op:
      MPI_Fetch_and_op(out, in, MPI_INT64_T, a->target, there, MPI_SUM, a->window->win);
      break;
    default: { /* the word counts swaps: each finds what it expects */
      int64_t* words = (int64_t*)out;
      words[1] = x->turn;
      words[0] = ++x->turn;
      MPI_Compare_and_swap(&words[0], &words[1], in, MPI_INT64_T, a->target, there, a->window->win);
    }
  }
}

void operate(Exchange* x) {
  const Access* a = x->more;
  if (rank != 0) return;
  for (int i = 0; i < a->many; ++i) {
    size_t place = (size_t)i * a->stride;
    if (x->cold && a->operation != get) write_lines(x->out + place, x->bytes, ++x->turn);
    issue(x, place);
  }
  MPI_Win_flush(a->target, a->window->win);
  for (int i = 0; x->cold && a->operation == get && i < a->many; ++i)
    sink += read_lines(x->in + (size_t)i * a->stride, x->bytes);
}

/* --- the check: what the target has before, what the origin brings, what both have then */

static void fill_doubles(char* memory, size_t bytes, double value) {
  for (size_t i = 0; i < bytes / sizeof value; ++i) memcpy(memory + i * sizeof value, &value, 8);
}

static int all_doubles(const char* memory, size_t bytes, double value) {
  for (size_t i = 0; i < bytes / sizeof value; ++i)
    if (memcmp(memory + i * sizeof value, &value, sizeof value) != 0) return 0;
  return 1;
}

static int all_bytes(const char* memory, size_t bytes, char value) {
  for (size_t i = 0; i < bytes; ++i)
    if (memory[i] != value) return 0;
  return 1;
}

static void set_up(Operation operation, char* memory, size_t bytes) {
  const int64_t counted = 5;
  memset(memory, 9, bytes);
  if (operation == accumulate) fill_doubles(memory, bytes, 1.0);
  if (operation == fetch_and_op || operation == compare_and_swap) memcpy(memory, &counted, 8);
}

static int as_expected(Operation operation, const char* memory, size_t bytes) {
  const int64_t expected = operation == fetch_and_op ? 7 : 6;
  if (operation == put) return all_bytes(memory, bytes, 3);
  if (operation == get) return all_bytes(memory, bytes, 9);
  if (operation == accumulate) return all_doubles(memory, bytes, 3.0);
  return memcmp(memory, &expected, sizeof expected) == 0;
}

static void bring(Exchange* x, const Access* a) {
  const int64_t two = 2, found = 5;
  memset(x->out, 3, x->bytes);
  if (a->operation == accumulate) fill_doubles(x->out, x->bytes, 2.0);
  if (a->operation == fetch_and_op) memcpy(x->out, &two, sizeof two);
  x->turn = 5; /* of compare_and_swap */
  MPI_Win_lock(MPI_LOCK_SHARED, a->target, 0, a->window->win);
  issue(x, 0);
  MPI_Win_unlock(a->target, a->window->win);
  x->turn = 0;
  if (a->operation == get)
    require_result(all_bytes(x->in, x->bytes, 9), "what was got");
  else if (a->operation >= fetch_and_op)
    require_result(memcmp(x->in, &found, sizeof found) == 0, "what was fetched");
}

void check_operation(Exchange* x) {
  const Access* a = x->more;
  char* memory = a->window->memory;
  for (int after = 0; after < 2; ++after) {
    if (rank == a->target) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->window->win);
      if (after)
        require_result(as_expected(a->operation, memory, x->bytes), operation_names[a->operation]);
      if (after)
        memset(memory, 0, x->bytes);
      else
        set_up(a->operation, memory, x->bytes);
      MPI_Win_unlock(rank, a->window->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!after && rank == 0) bring(x, a);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* --- the cells */

static double measure_operations(Exchange* x) {
  const Access* a = x->more;
  check_operation(x);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, a->target, 0, a->window->win);
  double value = measure(operate, x) / a->many;
  if (rank == 0) MPI_Win_unlock(a->target, a->window->win);
  return value;
}

static void cells_of_size(const char* metric, Operation operation, int many, Kind kind,
                          size_t bytes) {
  const size_t in_lines = (bytes + line_bytes - 1) / line_bytes * line_bytes;
  const size_t span = (size_t)many * in_lines;
  Window w = window_of(kind, span);
  Exchange x = {buffer_of(span), buffer_of(span), bytes, 0, 0, NULL, 0};
  char variant[64];
  for (int cold = 0; cold < 2; ++cold) {
    /* Those of one flush overlap neither here nor there; cold ones have lines of their own. */
    Access a = {&w, operation, many, cold ? in_lines : bytes, MPI_LOCK_SHARED, 1};
    x.cold = cold;
    x.more = &a;
    snprintf(variant, sizeof variant, "/%s/%s", kind_names[kind], cold ? "cold" : "warm");
    double value = measure_operations(&x);
    print_cell(metric, variant, bytes, value);
  }
  free(x.out);
  free(x.in);
  free_window(&w);
}

static void operations_of_sizes(const char* metric, Operation operation, int many, int count,
                                char** sizes) {
  for (Kind kind = allocated; kind < window_kinds; ++kind)
    for (int i = 0; i < count; ++i) {
      size_t bytes = strtoul(sizes[i], NULL, 10);
      if (operation == accumulate && bytes % sizeof(double)) continue;
      cells_of_size(metric, operation, many, kind, bytes);
    }
}

static void atomics(void) {
  for (Kind kind = allocated; kind < window_kinds; ++kind)
    for (Operation operation = fetch_and_op; operation <= compare_and_swap; ++operation) {
      Window w = window_of(kind, 64);
      Access a = {&w, operation, 1, 0, MPI_LOCK_SHARED, 1};
      Exchange x = {buffer_of(64), buffer_of(64), 8, 0, 0, &a, 0};
      double value = measure_operations(&x);
      if (rank == 0)
        printf("cell atomics/%s/%s %.4f\n", operation_names[operation], kind_names[kind], value);
      free(x.out);
      free(x.in);
      free_window(&w);
    }
}

int onesided_of(const char* metric, int count, char** sizes) {
  static const struct {
    const char* name;
    Operation operation;
    int many;
  } with_sizes[] = {{"put", put, 1},
                    {"get", get, 1},
                    {"accumulate", accumulate, 1},
                    {"put_rate", put, in_rate},
                    {"get_rate", get, in_rate}};
  if (ranks < 2) return 0;
  for (size_t i = 0; i < sizeof with_sizes / sizeof *with_sizes; ++i)
    if (!strcmp(metric, with_sizes[i].name)) {
      operations_of_sizes(metric, with_sizes[i].operation, with_sizes[i].many, count, sizes);
      return 1;
    }
  if (!strcmp(metric, "atomics"))
    atomics();
  else if (!strcmp(metric, "halo_put"))
    halo_by_puts(count, sizes);
  else if (!strcmp(metric, "computing_target"))
    computing_target(count, sizes);
  else
    return epochs_of(metric);
  return 1;
}
