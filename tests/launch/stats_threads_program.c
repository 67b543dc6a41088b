/* Four threads of each rank exchange 500 messages each with those of the other rank at the same
 * time, for stats_test.py. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { threads = 4, messages = 500 };
static int rank;

static void* exchange(void* number) {
  int tag = (int)(intptr_t)number, value = tag, got;
  for (int i = 0; i < messages; ++i) {
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (got != tag) abort();
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t started[threads];
  for (intptr_t i = 0; i < threads; ++i) pthread_create(&started[i], NULL, exchange, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(started[i], NULL);
  MPI_Finalize();
  return 0;
}
