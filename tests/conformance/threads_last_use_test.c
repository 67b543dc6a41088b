/* The last use of a communicator is a request that the program has given up: it ends with a message
 * that comes, or is fetched, after both were freed. With MPI_THREAD_MULTIPLE, where who completes a
 * request holds locks. */
#include "conformance.h"

enum { bytes_max = 300000 };

/* Waits until the last byte says that the message has come, which nothing else tells. */
static void await_bytes(const unsigned char* data, int bytes, uint64_t key) {
  const volatile unsigned char* last = data + bytes - 1;
  while (*last != byte_at((size_t)bytes - 1, key)) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

static void receive_last(int bytes, uint64_t key) {
  static unsigned char out[bytes_max], in[bytes_max];
  MPI_Comm twin;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  fill_bytes(out, (size_t)bytes, key);
  in[bytes - 1] = (unsigned char)~out[bytes - 1];
  MPI_Irecv(in, bytes, MPI_BYTE, (rank + size - 1) % size, 4, twin, &request);
  MPI_Request_free(&request);
  /* All have given up their receives, and nobody has sent yet. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request send;
  MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % size, 4, twin, &send);
  MPI_Request_free(&send);
  MPI_Comm_free(&twin);
  await_bytes(in, bytes, key);
  CHECK(bytes_are(in, (size_t)bytes, key));
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static const int lengths[] = {8, 200, 3000, 20000, bytes_max};
  for (int i = 0; i < 100; ++i) receive_last(lengths[i % 5], (uint64_t)i);
  return finish();
}
