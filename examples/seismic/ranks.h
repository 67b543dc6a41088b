/* The only place that knows in which of its forms the program is built: with MPI or, with
 * -DWITHOUT_MPI, for one rank; with OpenMP threads or without. */
#ifndef EXAMPLES_SEISMIC_RANKS_H
#define EXAMPLES_SEISMIC_RANKS_H

#ifdef _OPENMP
#include <omp.h>
#define BARRIER_OF_THREADS _Pragma("omp barrier")
static inline int threads_of_rank(void) {
  int most = omp_get_thread_limit(), wanted = omp_get_max_threads();
  return wanted < most ? wanted : most;
}
static inline int threads_at_work(void) {
  return omp_get_num_threads();
}
/* Runs `work` on all threads at once. */
static inline void run_threads(int threads, void (*work)(void* shared, int thread), void* shared) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  work(shared, omp_get_thread_num());
}
#else
#define BARRIER_OF_THREADS
static inline int threads_of_rank(void) {
  return 1;
}
static inline int threads_at_work(void) {
  return 1;
}
static inline void run_threads(int threads, void (*work)(void* shared, int thread), void* shared) {
  work(shared, threads - 1);
}
#endif

#ifndef WITHOUT_MPI
#include <mpi.h>
#else
/* As much of MPI as the program uses, for one rank, which has no neighbors. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

typedef int MPI_Comm, MPI_Op, MPI_Request, MPI_Info;
typedef FILE* MPI_File;
typedef off_t MPI_Offset;
typedef size_t MPI_Status;   /* how many items were read */
typedef size_t MPI_Datatype; /* bytes */
#define MPI_COMM_WORLD 0
#define MPI_SUM 0
#define MPI_MIN 0
#define MPI_MAX 0
#define MPI_THREAD_FUNNELED 0
#define MPI_PROC_NULL (-1)
#define MPI_BYTE sizeof(char)
#define MPI_INT sizeof(int)
#define MPI_FLOAT sizeof(float)
#define MPI_DOUBLE sizeof(double)
#define MPI_UINT64_T sizeof(uint64_t)
#define MPI_STATUSES_IGNORE NULL
#define MPI_INFO_NULL 0
#define MPI_MODE_RDONLY 'r'

static inline int alone(int nothing, ...) {
  return nothing;
}
#define MPI_Init_thread(...) alone(0, __VA_ARGS__)
#define MPI_Finalize() alone(0)
#define MPI_Isend(...) alone(0, __VA_ARGS__)
#define MPI_Irecv(...) alone(0, __VA_ARGS__)
#define MPI_Waitall(...) alone(0, __VA_ARGS__)
#define MPI_Bcast(...) alone(0, __VA_ARGS__)
#define MPI_Barrier(...) alone(0, __VA_ARGS__)

static inline void MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = comm;
}
static inline void MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = comm + 1;
}
static inline void MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype bytes,
                                 MPI_Op op, MPI_Comm comm) {
  memcpy(all, mine, (size_t)(count + op + comm) * bytes);
}
static inline void MPI_Reduce(const void* mine, void* all, int count, MPI_Datatype bytes, MPI_Op op,
                              int root, MPI_Comm comm) {
  memcpy(all, mine, (size_t)(count + op + root + comm) * bytes);
}
static inline void MPI_Gatherv(const void* mine, int count, MPI_Datatype bytes, void* all,
                               const int* counts, const int* starts, MPI_Datatype bytes_there,
                               int root, MPI_Comm comm) {
  memcpy((char*)all + (size_t)starts[root] * bytes_there, mine, (size_t)(count + comm) * bytes);
  (void)counts;
}
/* Of the one rank "together" and "alone" are the same. */
static inline int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info info,
                                MPI_File* file) {
  const char modes[] = {(char)(mode + comm + info), 'b', '\0'};
  *file = fopen(path, modes);
  return !*file;
}
static inline int MPI_File_close(MPI_File* file) {
  return fclose(*file);
}
static inline int MPI_File_get_size(MPI_File file, MPI_Offset* bytes) {
  if (fseeko(file, 0, SEEK_END)) return 1;
  *bytes = ftello(file);
  return *bytes < 0;
}
static inline int MPI_File_read_at(MPI_File file, MPI_Offset at, void* data, int count,
                                   MPI_Datatype bytes, MPI_Status* status) {
  if (fseeko(file, at, SEEK_SET)) return 1;
  *status = fread(data, bytes, (size_t)count, file);
  return ferror(file);
}
#define MPI_File_read_at_all MPI_File_read_at
static inline void MPI_Get_count(const MPI_Status* status, MPI_Datatype bytes, int* count) {
  *count = (int)*status;
  (void)bytes;
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
