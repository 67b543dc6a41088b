/* A program that meets, or does, something bad. Its first word says what; what must hold is checked
 * here and by faults_test.py, which runs it. usage: fault_program WHAT [NUMBER] */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "check.h"
#include "refuse.h"

static int size;

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  CHECK(memory != NULL);
  return memory;
}

/* 1 MiB both ways, some rounds, each different. */
static void long_messages(int bytes) {
  unsigned char *out = allocate((size_t)bytes), *in = allocate((size_t)bytes);
  int peer = rank ^ 1;
  for (unsigned round = 0; round < 10; ++round) {
    fill(out, (size_t)bytes, round * 2 + (unsigned)rank);
    MPI_Sendrecv(out, bytes, MPI_BYTE, peer, 7, in, bytes, MPI_BYTE, peer, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(holds(in, (size_t)bytes, round * 2 + (unsigned)peer));
  }
  free(out);
  free(in);
}

/* Both sides sleep in turn, in point-to-point and in collectives, longer than anybody spins. */
static void wake_each_other(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int value = i, sum = 0;
    if ((i + rank) % 2) usleep(3000);
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
    CHECK(value == i);
    if ((i + rank) % 3 == 0) usleep(3000);
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == i * size);
  }
}

/* The receiver is away while its ring and its staging run full; everything still arrives in order.
 */
static void receiver_asleep(int messages) {
  enum { every = 1000, bytes = 300000 };
  unsigned char* data = allocate(bytes);
  if (rank == 0) {
    for (int i = 0; i < messages; ++i) {
      if (i % every == 0) fill(data, bytes, (unsigned)i);
      if (i % every == 0)
        MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      else
        MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    for (int i = 0; i < messages; ++i) {
      MPI_Status status;
      int count, number;
      if (i % (messages / 4) == 5) usleep(500000);
      MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == (i % every ? (int)sizeof(int) : bytes));
      memcpy(&number, data, sizeof number);
      CHECK(i % every ? number == i : holds(data, bytes, (unsigned)i));
    }
  }
  free(data);
}

static long resident_kib(void) {
  char line[256];
  long kib = -1;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmRSS: %ld", &kib) == 1) break;
  if (file) fclose(file);
  return kib;
}

/* A flood of messages that nobody receives yet must not fill the receiver's memory. */
static void flood(int messages) {
  enum { bytes = 1024 };
  static unsigned char data[bytes];
  if (rank == 0) {
    MPI_Request* requests = allocate((size_t)messages * sizeof *requests);
    fill(data, bytes, 3);
    for (int i = 0; i < messages; ++i)
      MPI_Isend(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Send(data, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return;
  }
  long before = resident_kib();
  MPI_Recv(data, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long after = resident_kib();
  CHECK(before > 0 && after > 0 && holds(data, bytes, 3));
  printf("the receiver's memory grew by %ld KiB\n", after - before);
  for (int i = 0; i < messages; ++i) {
    memset(data, 0, bytes);
    MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(holds(data, bytes, 3));
  }
}

/* Memory for more of the arena is refused once the job runs; rank 0 is the one that needs it. */
static void memory_refused_later(int bytes) {
  unsigned char* data = calloc((size_t)bytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(refuse("fallocate", ENOSPC) == 0);
  if (rank == 0)
    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(data);
}

static void wait_for_ever(void) {
  int never;
  MPI_Recv(&never, 1, MPI_INT, (rank + 1) % size, 12345, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The last rank does it, the others wait for a message that never comes. */
static void last_rank(const char* what, int number) {
  if (rank != size - 1) wait_for_ever();
  usleep(50000);
  if (strcmp(what, "leave") == 0) exit(number);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, number);
  if (strcmp(what, "signal") == 0) raise(number);
  if (strcmp(what, "rank") == 0) MPI_Send(&number, 1, MPI_INT, number, 0, MPI_COMM_WORLD);
  if (strcmp(what, "truncate") == 0) {
    char few[2], many[8] = {0};
    MPI_Request request;
    MPI_Isend(many, 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(few, 2, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "nothing";
  int number = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "size") == 0)
    printf("rank %d of %d\n", rank, size);
  else if (strcmp(what, "long") == 0)
    long_messages(number);
  else if (strcmp(what, "wake") == 0)
    wake_each_other(number);
  else if (strcmp(what, "asleep") == 0)
    receiver_asleep(number);
  else if (strcmp(what, "flood") == 0)
    flood(number);
  else if (strcmp(what, "refused") == 0)
    memory_refused_later(number);
  else
    last_rank(what, number);
  MPI_Finalize();
  if (rank == 0) printf("came to the end\n");
  return fflush(stdout) == 0 ? 0 : 1;
}
