/* The window of conflict_program.c, and operations on it whose errors are told. */
#ifndef CONFLICT_WINDOW_H
#define CONFLICT_WINDOW_H

#include "check.h"

enum { ints = 64 };

static int size, returns, conflicts;
static const char* kind; /* allocate, shared, export, create */
static MPI_Win win;
static MPI_Info info = MPI_INFO_NULL; /* of the next window */
static int* memory;
static MPI_Comm comm;
static int in[ints], out[ints];

/* A call that may find a conflict; no other error. */
static inline void told(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int class, length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_class(code, &class);
  MPI_Error_string(code, text, &length);
  CHECK(class == MPI_ERR_RMA_CONFLICT);
  ++conflicts;
  printf("rank %d: %s\n", rank, text);
  fflush(stdout);
}

static inline void make_window(MPI_Comm its_comm, const char* name) {
  comm = its_comm;
  if (strcmp(kind, "allocate") == 0) {
    MPI_Win_allocate(sizeof(int) * ints, 4, info, comm, &memory, &win);
  } else if (strcmp(kind, "shared") == 0) {
    MPI_Win_allocate_shared(sizeof(int) * ints, 4, info, comm, &memory, &win);
  } else {
    if (strcmp(kind, "export") == 0)
      MPI_Alloc_mem(sizeof(int) * ints, MPI_INFO_NULL, &memory);
    else
      memory = malloc(sizeof(int) * ints);
    MPI_Win_create(memory, sizeof(int) * ints, 4, info, comm, &win);
  }
  if (name) MPI_Win_set_name(win, name);
  if (returns) MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (int i = 0; i < ints; ++i) memory[i] = i, out[i] = 1000 * (rank + 1) + i;
  MPI_Barrier(comm);
}

static inline void free_window(void) {
  MPI_Win_free(&win);
  if (strcmp(kind, "export") == 0) MPI_Free_mem(memory);
  if (strcmp(kind, "create") == 0) free(memory);
}

static inline void fence(void) {
  told(MPI_Win_fence(0, win));
}
static inline void barrier(void) {
  MPI_Barrier(comm);
}
static inline void put(int target, int first, int count) {
  told(MPI_Put(out, count, MPI_INT, target, first, count, MPI_INT, win));
}
static inline void get(int target, int first, int count) {
  told(MPI_Get(in, count, MPI_INT, target, first, count, MPI_INT, win));
}
static inline void add(int target, int first, int count, MPI_Datatype type, MPI_Op op) {
  told(MPI_Accumulate(out, count, type, target, first, count, type, op, win));
}
static inline void fetch(int target, int first, MPI_Op op) {
  told(MPI_Fetch_and_op(out, in, MPI_INT, target, first, op, win));
}
static inline void swap(int target, int first) {
  told(MPI_Compare_and_swap(&out[0], &out[1], in, MPI_INT, target, first, win));
}

/* One after another, in no order that the window knows of. */
#define FIRST(action) \
  do {                \
    if (rank == 0) {  \
      action;         \
    }                 \
    barrier();        \
  } while (0)
#define THEN(action) \
  do {               \
    if (rank == 1) { \
      action;        \
    }                \
    barrier();       \
  } while (0)
#define OWNER(action) \
  do {                \
    if (rank == 2) {  \
      action;         \
    }                 \
    barrier();        \
  } while (0)

/* The window is as good as before. */
static inline void use_again(void) {
  int number = 7 + rank, before = (rank + size - 1) % size;
  CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
  CHECK(MPI_Put(&number, 1, MPI_INT, (rank + 1) % size, ints - 1, 1, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
  CHECK(memory[ints - 1] == 7 + before);
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == MPI_SUCCESS);
}

#endif
