/* The live part of the hbm study: how fast pairs of ranks send, and collectives are, when no buffer
 * is used twice. usage: mpiexec -n RANKS baton-hbm-live SECONDS MIB BYTES...    SECONDS: of each
 * cell; MIB: of MPI_Alloc_mem for each rank, half to send from and half to receive into, gone
 * through from its beginning to its end and again; RANKS is even. Pairs: rank 2i sends to 2i + 1,
 * sixteen messages at a time. BYTES are of a message, of a broadcast, of an allreduce's vector and
 * of an alltoall's block. Rank 0 prints JSON: MB/s of all ranks together, counting each byte that
 * arrives once. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench/clock.h"

enum { tag = 1, window = 16, mib = 1 << 20 };
enum { pairs, broadcast, allreduce, alltoall, operation_count };
static const char* names[] = {"pairs", "broadcast", "allreduce", "alltoall"};
static int rank, ranks;
static size_t half, used; /* bytes; of them gone through */
static char *out, *in;

static void fail(const char* what) {
  fprintf(stderr, "baton-hbm-live: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

/* So many bytes that were not used lately. */
static size_t next(size_t bytes) {
  if (used + bytes > half) used = 0;
  size_t at = used;
  used += (bytes + 63) / 64 * 64;
  return at;
}

static void send_window(int bytes) {
  MPI_Request requests[window];
  for (int i = 0; i < window; ++i) {
    size_t at = next((size_t)bytes);
    if (rank % 2 == 0)
      MPI_Isend(out + at, bytes, MPI_BYTE, rank + 1, tag, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(in + at, bytes, MPI_BYTE, rank - 1, tag, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
}

static void once(int operation, int bytes) {
  size_t at;
  switch (operation) {
    case pairs:
      send_window(bytes);
      break;
    case broadcast:
      at = next((size_t)bytes);
      MPI_Bcast(rank == 0 ? out + at : in + at, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
      break;
    case allreduce:
      at = next((size_t)bytes);
      MPI_Allreduce(out + at, in + at, bytes / 4, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
      break;
    default:
      at = next((size_t)bytes * (size_t)ranks);
      MPI_Alltoall(out + at, bytes, MPI_BYTE, in + at, bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
}

static double arrived(int operation, double bytes) {
  switch (operation) {
    case pairs:
      return window * bytes * ranks / 2;
    case broadcast:
      return bytes * (ranks - 1);
    case allreduce:
      return bytes * ranks;
    default:
      return bytes * ranks * (ranks - 1);
  }
}

/* Seconds until the last rank is through. */
static double run(int operation, int bytes, long steps) {
  MPI_Barrier(MPI_COMM_WORLD);
  double began = now_us();
  for (long i = 0; i < steps; ++i) once(operation, bytes);
  double took = (now_us() - began) * 1e-6, last;
  MPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last;
}

static double measure(int operation, int bytes, double seconds) {
  long steps = (long)(seconds * 2 / run(operation, bytes, 2)) + 1;
  MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  run(operation, bytes, steps / 2 + 1); /* what is met for the first time is not measured */
  return arrived(operation, bytes) * (double)steps / run(operation, bytes, steps) / 1e6;
}

static char* memory_of(size_t bytes) {
  char* memory;
  if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory)) fail("no memory");
  memset(memory, 1, bytes);
  return memory;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int most = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double seconds = count > 3 ? atof(words[1]) : 0;
  half = count > 3 ? (size_t)atoi(words[2]) * mib / 2 : 0;
  for (int i = 3; i < count; ++i)
    if (atoi(words[i]) > most) most = atoi(words[i]);
  if (ranks % 2 || seconds <= 0 || most <= 0 || half < (size_t)most) {
    if (rank == 0)
      fprintf(stderr,
              "usage: mpiexec -n RANKS baton-hbm-live SECONDS MIB BYTES...  (RANKS even, MIB holds "
              "two of the longest)\n");
    MPI_Finalize();
    return 2;
  }
  out = memory_of(half);
  in = memory_of(half);
  const char* comma = "";
  if (rank == 0) printf("{\"cells\": [");
  for (int i = 3; i < count; ++i)
    for (int operation = pairs; operation < operation_count; ++operation) {
      int bytes = atoi(words[i]);
      if (operation == alltoall && (size_t)bytes * (size_t)ranks > half) continue;
      double rate = measure(operation, bytes, seconds);
      if (rank == 0)
        printf("%s\n {\"operation\": \"%s\", \"bytes\": %d, \"mbs\": %.3f}", comma,
               names[operation], bytes, rate);
      comma = ",";
    }
  if (rank == 0) printf("\n]}\n");
  MPI_Free_mem(out);
  MPI_Free_mem(in);
  return MPI_Finalize();
}
