/* The only place that knows in which of its forms the program is built: with MPI or, with
 * -DWITHOUT_MPI, for one rank; with OpenMP threads or without. */
#ifndef EXAMPLES_WEATHER_RANKS_H
#define EXAMPLES_WEATHER_RANKS_H

#ifdef _OPENMP
#include <omp.h>
#define PARALLEL_ROWS _Pragma("omp parallel for schedule(static)")
static inline int threads_of_rank(void) {
  return omp_get_max_threads();
}
#else
#define PARALLEL_ROWS
static inline int threads_of_rank(void) {
  return 1;
}
#endif

#ifndef WITHOUT_MPI
#include <mpi.h>
#else
/* As much of MPI as the program uses, for one rank. It is its own neighbor and copies edges itself,
 * so nothing is ever sent. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int MPI_Comm, MPI_Op, MPI_Request;
typedef size_t MPI_Datatype; /* bytes */
#define MPI_COMM_WORLD 0
#define MPI_SUM 0
#define MPI_THREAD_FUNNELED 0
#define MPI_BYTE sizeof(char)
#define MPI_INT sizeof(int)
#define MPI_FLOAT sizeof(float)
#define MPI_DOUBLE sizeof(double)
#define MPI_UINT64_T sizeof(uint64_t)
#define MPI_STATUS_IGNORE NULL

static inline int alone(int nothing, ...) {
  return nothing;
}
#define MPI_Init_thread(...) alone(0, __VA_ARGS__)
#define MPI_Finalize() alone(0)
#define MPI_Cart_create(...) alone(0, __VA_ARGS__)
#define MPI_Cart_coords(...) alone(0, __VA_ARGS__)
#define MPI_Cart_shift(...) alone(0, __VA_ARGS__)
#define MPI_Comm_free(...) alone(0, __VA_ARGS__)
#define MPI_Type_vector(...) alone(0, __VA_ARGS__)
#define MPI_Type_commit(...) alone(0, __VA_ARGS__)
#define MPI_Type_free(...) alone(0, __VA_ARGS__)
#define MPI_Isend(...) alone(0, __VA_ARGS__)
#define MPI_Irecv(...) alone(0, __VA_ARGS__)
#define MPI_Wait(...) alone(0, __VA_ARGS__)
#define MPI_Send(...) alone(0, __VA_ARGS__)
#define MPI_Recv(...) alone(0, __VA_ARGS__)
#define MPI_Bcast(...) alone(0, __VA_ARGS__)
#define MPI_Barrier(...) alone(0, __VA_ARGS__)

static inline void MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = comm;
}
static inline void MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = comm + 1;
}
static inline void MPI_Dims_create(int count, int dimensions, int* sizes) {
  for (int i = 0; i < dimensions; ++i) sizes[i] = count;
}
static inline void MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype bytes,
                                 MPI_Op op, MPI_Comm comm) {
  memcpy(all, mine, (size_t)(count + op + comm) * bytes);
}
static inline void MPI_Abort(MPI_Comm comm, int code) {
  exit(comm + code);
}
static inline double MPI_Wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

#endif
