/* Buffered sends by several threads at once: the buffer holds what all of them send together, and
 * is used again when the messages have been received. Long messages leave only when their receiver
 * takes them, which somebody has to notice. usage: threads_buffer_test ROUNDS KIBIBYTES [comm] */
#include <pthread.h>

#include "conformance.h"

enum { threads = 4, messages = 8 };

static int bytes;
static MPI_Comm comm;

static void* work(void* argument) {
  const int number = *(const int*)argument;
  unsigned char* data = malloc((size_t)bytes);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int i = 0; i < messages; ++i) {
    fill_bytes(data, (size_t)bytes, (uint64_t)(rank * 1000 + number * 100 + i));
    CHECK(MPI_Bsend(data, bytes, MPI_BYTE, next, number, comm) == MPI_SUCCESS);
  }
  for (int i = 0; i < messages; ++i) {
    MPI_Recv(data, bytes, MPI_BYTE, previous, number, comm, MPI_STATUS_IGNORE);
    CHECK(bytes_are(data, (size_t)bytes, (uint64_t)(previous * 1000 + number * 100 + i)));
  }
  free(data);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, back_bytes;
  void* back;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  bytes = 1024 * atoi(argv[2]);
  const int all = threads * messages * (bytes + MPI_BSEND_OVERHEAD);
  const int of_comm = argc > 3;
  char* memory = malloc((size_t)all);
  if (of_comm)
    MPI_Comm_attach_buffer(comm, memory, all);
  else
    MPI_Buffer_attach(memory, all);
  for (int round = 0; round < atoi(argv[1]); ++round) {
    pthread_t ids[threads];
    int numbers[threads];
    for (int i = 0; i < threads; ++i) {
      numbers[i] = i;
      pthread_create(&ids[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (of_comm)
    MPI_Comm_detach_buffer(comm, &back, &back_bytes);
  else
    MPI_Buffer_detach(&back, &back_bytes);
  CHECK(back == memory && back_bytes == all);
  free(memory);
  MPI_Comm_free(&comm);
  return finish();
}
