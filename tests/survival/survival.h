/* What the programs of this folder have in common: checks that tell where, deaths, error classes. */
#ifndef SURVIVAL_H
#define SURVIVAL_H

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "rank %d: %s:%d: %s\n", rank, __FILE__, __LINE__, #condition);      \
      MPI_Abort(MPI_COMM_WORLD, 9);                                                      \
    }                                                                                    \
  } while (0)

static inline void die(void) {
  raise(SIGKILL);
}

/* The class of an error. */
static inline int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

/* Waits until this rank knows of so many failures in a communicator. */
static inline void await_failures(MPI_Comm comm, int count) {
  for (int failed = 0; failed < count;) {
    MPI_Group group;
    CHECK(MPIX_Comm_get_failed(comm, &group) == MPI_SUCCESS);
    MPI_Group_size(group, &failed);
    MPI_Group_free(&group);
  }
}

static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

#endif
