/* Every rank talks to every other: first contact costs little time and memory, also of a thousand
 * ranks, and messages stay in order while busy pairs get rings of their own.
 * usage: all_pairs_test [MIB]: all ranks together use at most so much memory. Prints how much. */
#include <string.h>

#include "conformance.h"

enum { busy_messages = 100, eager_ints = 700, long_ints = 80000, bursts = 3 };

static int value_of(int from, int to, int number) {
  return from * 100003 + to * 31 + number;
}

/* One short message from all to all; `posted`: receives come first. */
static void exchange_short(int number, int posted) {
  MPI_Request* requests = calloc((size_t)(2 * size), sizeof *requests);
  int* out = malloc((size_t)size * sizeof *out);
  int* in = malloc((size_t)size * sizeof *in);
  for (int pass = 0; pass < 2; ++pass)
    for (int step = 0; step < size; ++step) {
      int other = (rank + step) % size;
      out[other] = value_of(rank, other, number);
      if ((pass == 0) == posted)
        MPI_Irecv(&in[other], 1, MPI_INT, other, number, MPI_COMM_WORLD, &requests[other]);
      else
        MPI_Isend(&out[other], 1, MPI_INT, other, number, MPI_COMM_WORLD, &requests[size + other]);
    }
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  for (int other = 0; other < size; ++other) CHECK(in[other] == value_of(other, rank, number));
  free(in);
  free(out);
  free(requests);
}

/* From everyone, whoever comes first. */
static void gather_from_any(void) {
  char* seen = calloc((size_t)size, 1);
  for (int step = 0; step < size; ++step) {
    MPI_Request request;
    int other = (rank + step) % size, mine = value_of(rank, other, 7), got;
    MPI_Status status;
    MPI_Isend(&mine, 1, MPI_INT, other, 77, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &status);
    CHECK(got == value_of(status.MPI_SOURCE, rank, 7) && !seen[status.MPI_SOURCE]);
    seen[status.MPI_SOURCE] = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(seen);
}

/* Of a pair that talks much: lengths of all ways, standard and synchronous, in order on one tag. */
static void keep_busy(int distance) {
  const int to = (rank + distance) % size, from = (rank + size - distance) % size;
  static const int lengths[] = {1, 12, 13, 30, eager_ints, 3, long_ints, 0, 1024, 5000};
  enum { count = sizeof lengths / sizeof *lengths };
  int* out = malloc(long_ints * sizeof *out);
  int* in = malloc(long_ints * sizeof *in);
  for (int message = 0; message < busy_messages; ++message) {
    const int length = lengths[message % count];
    MPI_Request request;
    MPI_Status status;
    int got;
    for (int i = 0; i < length; ++i) out[i] = value_of(rank, to, message + i);
    if (message % 7 == 3)
      MPI_Issend(out, length, MPI_INT, to, 5, MPI_COMM_WORLD, &request);
    else
      MPI_Isend(out, length, MPI_INT, to, 5, MPI_COMM_WORLD, &request);
    memset(in, 0, long_ints * sizeof *in);
    MPI_Recv(in, long_ints, MPI_INT, from, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == length);
    for (int i = 0; i < length; ++i) CHECK(in[i] == value_of(from, rank, message + i));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(in);
  free(out);
}

/* All to rank 0 at once, more than a ring holds; it receives them from the last rank on. */
static void flood_one(void) {
  int got, mine = value_of(rank, 0, 9);
  MPI_Request requests[bursts];
  for (int burst = 0; burst < bursts; ++burst)
    MPI_Isend(&mine, 1, MPI_INT, 0, burst, MPI_COMM_WORLD, &requests[burst]);
  for (int burst = bursts; rank == 0 && burst-- > 0;)
    for (int other = size; other-- > 0;) {
      MPI_Recv(&got, 1, MPI_INT, other, burst, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(got == value_of(other, 0, 9));
    }
  MPI_Waitall(bursts, requests, MPI_STATUSES_IGNORE);
}

static long kib_of(const char* path, const char* name) {
  char line[256];
  long kib = 0;
  FILE* file = fopen(path, "r");
  CHECK(file);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0)
      CHECK(sscanf(line + strlen(name), "%ld", &kib) == 1);
  fclose(file);
  return kib;
}

/* Memory of all ranks, shared pages once, with the kernel's page tables. */
static void check_memory(long mib_max) {
  long all = 0,
       kib = kib_of("/proc/self/smaps_rollup", "Pss:") + kib_of("/proc/self/status", "VmPTE:");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(&kib, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%ld MiB in all, %ld KiB a rank\n", all / 1024, all / size);
  CHECK(mib_max == 0 || all / 1024 <= mib_max);
}

int main(int count, char** words) {
  start(&count, &words);
  const double begin = MPI_Wtime();
  exchange_short(0, 1);
  if (rank == 0) printf("all pairs met after %.2f s\n", MPI_Wtime() - begin);
  exchange_short(1, 0);
  gather_from_any();
  flood_one();
  check_memory(count > 1 ? atol(words[1]) : 0);
  for (int distance = 1; distance < size && distance <= 3; ++distance) keep_busy(distance);
  exchange_short(2, rank % 2);
  return finish();
}
