/* What the programs of this folder have in common: checks that tell where, deaths, error classes. */
#ifndef SURVIVAL_H
#define SURVIVAL_H

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;
/* The length that a case is run with, and so much memory. */
static long bytes = 8;
static char *buffer;

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

/* Returns at the rank `last` when all others have come here, so that it may die: until then they
   might see it in what they were at. */
static inline void be_last(MPI_Comm comm, int last) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  if (own != last) CHECK(MPI_Send(NULL, 0, MPI_BYTE, last, 9, comm) == MPI_SUCCESS);
  for (int i = 0; own == last && i < ranks; ++i)
    if (i != last) MPI_Recv(NULL, 0, MPI_BYTE, i, 9, comm, MPI_STATUS_IGNORE);
}

/* The bytes of the memory that the ranks of the job share, by the kernel. */
static inline long job_bytes(void) {
  long all = 0;
  for (int file = 0; file < 4096; ++file) {
    char link[64], target[64] = {0};
    struct stat state;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, target, sizeof target - 1) > 0 && strstr(target, "memfd:baton") &&
        fstat(file, &state) == 0)
      all += (long)state.st_blocks * 512;
  }
  return all;
}

static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

typedef struct Case {
  const char *name;
  void (*run)(void);
} Case;

/* Runs the case that the first argument names, with the length of the second, from the beginning
   of MPI to its end. */
static inline int run_case(int argc, char **argv, const Case *cases, size_t count) {
  begin(&argc, &argv);
  if (argc > 2) bytes = atol(argv[2]);
  buffer = calloc(1, (size_t)bytes + 8);
  for (size_t i = 0; i < count; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      free(buffer);
      MPI_Finalize();
      if (rank == 0) printf("%s held\n", argv[1]);
      return 0;
    }
  fprintf(stderr, "no such case\n");
  return 2;
}

#endif
