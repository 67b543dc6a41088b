/* Four small programs of the numa study, each on every rank at the same time: a stream (reads two
 * arrays, writes one), a stencil (reads one, writes one), a chase of pointers through one, and one
 * whose data stay in the cache. Arrays are touched first by their rank, so they lie where the
 * rank's memory policy says. Usage: baton-numa-live [MIB [ROUNDS]]; an array has MIB MiB. Rank 0
 * prints JSON: of each program the slowest rank's seconds, in each round. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { line_bytes = 64, cached_bytes = 16384, rounds_max = 99 };

typedef struct {
  double *a, *b, *c;
  size_t count; /* of doubles in each */
  size_t* next; /* of each line, where the chase goes on */
  double sink;
} Arrays;

static void stream(Arrays* x) {
  for (size_t i = 0; i < x->count; ++i) x->c[i] = x->a[i] + 3.0 * x->b[i];
}

static void stencil(Arrays* x) {
  for (size_t i = 1; i + 1 < x->count; ++i)
    x->c[i] = 0.25 * x->b[i - 1] + 0.5 * x->b[i] + 0.25 * x->b[i + 1];
}

/* One random cycle over all lines; a quarter of it, since each step waits for memory. */
static void chase(Arrays* x) {
  const size_t lines = x->count * sizeof(double) / line_bytes, words = line_bytes / sizeof(size_t);
  size_t at = 0;
  for (size_t i = 0; i < lines / 4; ++i) at = x->next[at * words];
  x->sink += (double)at;
}

static void in_cache(Arrays* x) {
  const size_t count = cached_bytes / sizeof(double);
  for (size_t pass = 0; pass < x->count / count; ++pass)
    for (size_t i = 0; i < count; ++i) x->c[i] = 0.999 * x->c[i] + 0.5;
}

static void make_cycle(Arrays* x) {
  const size_t lines = x->count * sizeof(double) / line_bytes, words = line_bytes / sizeof(size_t);
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < lines; ++i) x->next[i * words] = i;
  for (size_t i = lines - 1; i > 0; --i) { /* Sattolo's shuffle makes one cycle */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const size_t j = state % i, kept = x->next[i * words];
    x->next[i * words] = x->next[j * words];
    x->next[j * words] = kept;
  }
}

static void* memory(size_t bytes) {
  void* made = NULL;
  if (posix_memalign(&made, 4096, bytes) != 0) {
    fprintf(stderr, "baton-numa-live: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(made, 1, bytes);
  return made;
}

static long number(const char* text, const char* what, long most) {
  char* end;
  const long value = strtol(text, &end, 10);
  if (*end || end == text || value < 1 || value > most) {
    fprintf(stderr, "baton-numa-live: %s: 1 to %ld, not %s\n", what, most, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    void (*run)(Arrays*);
  } programs[] = {
      {"stream", stream}, {"stencil", stencil}, {"pointer chase", chase}, {"in cache", in_cache}};
  enum { kinds = sizeof programs / sizeof *programs };
  static double seconds[kinds][rounds_max];
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t bytes = (size_t)(count > 1 ? number(words[1], "MIB", 1 << 16) : 256) << 20;
  const int rounds = (int)(count > 2 ? number(words[2], "ROUNDS", rounds_max) : 3);
  Arrays x = {memory(bytes), memory(bytes), memory(bytes), bytes / sizeof(double), NULL, 0};
  x.next = memory(bytes);
  make_cycle(&x);
  for (size_t i = 0; i < x.count; ++i) x.a[i] = x.b[i] = x.c[i] = 1.0;
  for (int round = 0; round < rounds; ++round)
    for (int kind = 0; kind < kinds; ++kind) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double began = MPI_Wtime();
      programs[kind].run(&x);
      const double own = MPI_Wtime() - began;
      MPI_Reduce(&own, &seconds[kind][round], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
  /* Of ones, a stream makes fours and a stencil ones; what the last of them left is known. */
  const int right = x.c[x.count - 2] == 1.0 && x.sink == x.sink;
  if (rank == 0) {
    printf("{\"ranks\": %d, \"mib\": %zu, \"right\": %s, \"seconds\": {", ranks, bytes >> 20,
           right ? "true" : "false");
    for (int kind = 0; kind < kinds; ++kind) {
      printf("%s\"%s\": [", kind ? ", " : "", programs[kind].name);
      for (int round = 0; round < rounds; ++round)
        printf("%s%.6f", round ? ", " : "", seconds[kind][round]);
      printf("]");
    }
    printf("}}\n");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
