/* Messages and collectives between hosts: the live part of the scale study.
 * usage: mpiexec ... baton-hosts-live ROUNDS SECONDS OPERATION:BYTES...
 * SECONDS: of each cell. A cell is an operation and a size: of ranks 0 and 1 "exchange" (a message
 * each way at a time) and "window" (8 messages one way and an answer); "barrier"; "broadcast",
 * "allreduce", "alltoall", "scatter", each call followed by a barrier. Bytes are one rank's, of an
 * alltoall or scatter one block's. Rank 0 prints JSON: us a call (with its barrier), of a window an
 * eighth; each round's. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench/clock.h"

enum { tag = 1, window_length = 8, cells_max = 128, rounds_max = 64, name_length = 15 };
static int rank, ranks;
static char *out, *in;
static double results[cells_max][rounds_max];

struct cell {
  char operation[name_length + 1];
  int bytes;
};

static void exchange(int bytes) {
  if (rank < 2)
    MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, tag, in, bytes, MPI_BYTE, 1 - rank, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void window(int bytes) {
  MPI_Request requests[window_length];
  if (rank > 1) return;
  for (int i = 0; i < window_length; ++i)
    if (rank == 0)
      MPI_Isend(out, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(in, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(window_length, requests, MPI_STATUSES_IGNORE);
  if (rank == 0)
    MPI_Recv(NULL, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(NULL, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
}

/* 0: there is no such operation. */
static int call(const struct cell* cell) {
  const char* operation = cell->operation;
  const int bytes = cell->bytes;
  if (!strcmp(operation, "exchange")) {
    exchange(bytes);
    return 1;
  }
  if (!strcmp(operation, "window")) {
    window(bytes);
    return 1;
  }
  if (!strcmp(operation, "broadcast"))
    MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (!strcmp(operation, "allreduce"))
    MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  else if (!strcmp(operation, "alltoall"))
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
  else if (!strcmp(operation, "scatter"))
    MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (strcmp(operation, "barrier"))
    return 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return 1;
}

/* Seconds of so many calls. */
static double run(const struct cell* cell, long calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = now_us();
  for (long i = 0; i < calls; ++i)
    if (!call(cell)) MPI_Abort(MPI_COMM_WORLD, 2);
  const double took = now_us() - began;
  MPI_Barrier(MPI_COMM_WORLD);
  return took * 1e-6;
}

static double measure(const struct cell* cell, double seconds) {
  run(cell, 2); /* the first messages connect */
  long calls = (long)(seconds / (run(cell, 4) / 4)) + 1;
  MPI_Bcast(&calls, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  run(cell, calls / 4 + 1);
  const double each = run(cell, calls) * 1e6 / (double)calls;
  return strcmp(cell->operation, "window") ? each : each / window_length;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static struct cell cells[cells_max];
  const int all = count - 3;
  const int rounds = count > 3 ? atoi(words[1]) : 0;
  const double seconds = count > 3 ? atof(words[2]) : 0;
  int most = 8, good = ranks > 1 && all <= cells_max && rounds > 0 && rounds <= rounds_max;
  for (int i = 0; good && i < all; ++i) {
    good = sscanf(words[3 + i], "%15[a-z-]:%d", cells[i].operation, &cells[i].bytes) == 2 &&
           cells[i].bytes >= 0;
    if (cells[i].bytes > most) most = cells[i].bytes;
  }
  if (!good || seconds <= 0) {
    if (rank == 0) fprintf(stderr, "usage: baton-hosts-live ROUNDS SECONDS OPERATION:BYTES...\n");
    MPI_Finalize();
    return 2;
  }
  out = calloc((size_t)most, (size_t)ranks);
  in = calloc((size_t)most, (size_t)ranks);
  if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < all; ++i) results[i][round] = measure(&cells[i], seconds);
  for (int i = 0; rank == 0 && i < all; ++i) {
    printf("%s{\"operation\": \"%s\", \"bytes\": %d, \"us\": [", i ? ",\n " : "{\"cells\": [\n ",
           cells[i].operation, cells[i].bytes);
    for (int round = 0; round < rounds; ++round)
      printf("%s%.4f", round ? ", " : "", results[i][round]);
    printf("]}%s", i + 1 == all ? "\n]}\n" : "");
  }
  free(out);
  free(in);
  return MPI_Finalize();
}
