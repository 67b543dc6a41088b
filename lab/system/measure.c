/* What `baton lab system` measures of this machine, in the form of the hybrid study's tables 1 and
 * 2: messages between two ranks, memory latency, and what 1 to n cores copy and read at the same
 * time. Usage: baton-system-measure MIB ROUNDS, on a rank for each core; MIB: of an array. Rank 0
 * prints JSON; each value is the median of the rounds. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  line_bytes = 64,
  rounds_max = 99,
  short_messages = 100000,
  long_bytes = 1 << 20,
  window = 16
};

static int rank, ranks, rounds;
static size_t bytes;
static char *from, *to;
static volatile uint64_t sink;

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The median over the rounds of what rank 0 is told, in its unit. Before them once: memory is
 * touched, and a library learns. */
static double median_of(double (*measure)(int), int argument) {
  double values[rounds_max];
  measure(argument);
  for (int i = 0; i < rounds; ++i) values[i] = measure(argument);
  qsort(values, (size_t)rounds, sizeof *values, ascending);
  return values[rounds / 2];
}

/* Microseconds one way, of 8 bytes. */
static double latency(int unused) {
  (void)unused;
  char data[8] = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int i = 0; i < short_messages && rank < 2; ++i)
    for (int turn = 0; turn < 2; ++turn)
      if (rank == turn)
        MPI_Send(data, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(data, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return (MPI_Wtime() - began) * 1e6 / (2.0 * short_messages);
}

/* MB/s of messages of 1 MiB, so many under way, from slices that follow one another: nothing is
 * sent from a cache that has just been used. */
static double bandwidth(int unused) {
  (void)unused;
  MPI_Request requests[window];
  const size_t slices = bytes / long_bytes;
  size_t sent = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (; sent + window <= slices && rank < 2; sent += window) {
    for (size_t i = 0; i < window; ++i)
      if (rank == 0)
        MPI_Isend(from + (sent + i) * long_bytes, long_bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD,
                  &requests[i]);
      else
        MPI_Irecv(to + (sent + i) * long_bytes, long_bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD,
                  &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  return (double)sent * long_bytes / (MPI_Wtime() - began) / 1e6;
}

/* Nanoseconds of a load that waits for the one before, along one random cycle over all lines. */
static double load(int unused) {
  (void)unused;
  const size_t lines = bytes / line_bytes, words = line_bytes / sizeof(size_t);
  const size_t steps = lines < 2000000 ? lines : 2000000;
  double took = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const size_t* next = (const size_t*)from;
    size_t at = sink % lines;
    const double began = MPI_Wtime();
    for (size_t i = 0; i < steps; ++i) at = next[at * words];
    took = (MPI_Wtime() - began) * 1e9 / (double)steps;
    sink = at;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return took;
}

/* MB/s of `cores` ranks together; bytes that are read and bytes that are written count, as in
 * STREAM. */
static double together(int cores, void (*work)(void), double counted) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  if (rank < cores) work();
  double own = MPI_Wtime() - began, longest = 0;
  if (rank >= cores) own = 0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return rank == 0 ? counted * (double)bytes * cores / longest / 1e6 : 0;
}
static void copy_all(void) {
  memcpy(to, from, bytes);
}
static void read_all(void) {
  const uint64_t* words = (const uint64_t*)to;
  uint64_t sums[4] = {0};
  for (size_t i = 0; i + 4 <= bytes / 8; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += words[i + (size_t)k];
  sink += (sums[0] + sums[1] + sums[2] + sums[3]) & 1;
}
static double copied(int cores) {
  return together(cores, copy_all, 2);
}
static double was_read(int cores) {
  return together(cores, read_all, 1);
}

static void make_cycle(void) {
  const size_t lines = bytes / line_bytes, words = line_bytes / sizeof(size_t);
  size_t* next = (size_t*)from;
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < lines; ++i) next[i * words] = i;
  for (size_t i = lines - 1; i > 0; --i) { /* Sattolo's shuffle makes one cycle */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const size_t j = state % i, kept = next[i * words];
    next[i * words] = next[j * words];
    next[j * words] = kept;
  }
}

static void series(const char* name, double (*measure)(int)) {
  if (rank == 0) printf(", \"%s\": {", name);
  for (int cores = 1;; cores = 2 * cores < ranks ? 2 * cores : ranks) {
    const double value = median_of(measure, cores);
    if (rank == 0) printf("%s\"%d\": %.1f", cores > 1 ? ", " : "", cores, value);
    if (cores == ranks) break;
  }
  if (rank == 0) printf("}");
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long mib = count == 3 ? atol(words[1]) : 0;
  rounds = count == 3 ? atoi(words[2]) : 0;
  if (mib < window || mib > 65536 || rounds < 1 || rounds > rounds_max) {
    if (rank == 0)
      fprintf(stderr, "usage: baton-system-measure MIB ROUNDS (%d to 65536, 1 to %d)\n", window,
              rounds_max);
    MPI_Finalize();
    return 2;
  }
  bytes = (size_t)mib << 20;
  if (posix_memalign((void**)&from, 4096, bytes) || posix_memalign((void**)&to, 4096, bytes)) {
    fprintf(stderr, "baton-system-measure: no memory for two arrays of %ld MiB on each rank\n",
            mib);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  make_cycle();
  memset(to, 1, bytes);
  const double ns = median_of(load, 0);
  const double us = ranks > 1 ? median_of(latency, 0) : 0;
  const double mbs = ranks > 1 ? median_of(bandwidth, 0) : 0;
  if (rank == 0)
    printf("{\"ranks\": %d, \"mib\": %ld, \"rounds\": %d, \"load_ns\": %.2f", ranks, mib, rounds,
           ns);
  if (rank == 0 && ranks > 1) printf(", \"message_us\": %.4f, \"message_mbs\": %.1f", us, mbs);
  series("copy_mbs", copied);
  series("read_mbs", was_read);
  if (rank == 0) printf("}\n");
  MPI_Finalize();
  return 0;
}
