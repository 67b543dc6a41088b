/* MPI against the raw provider between two hosts, in one run: the live part of the deposit study's
 * second half. usage: mpiexec ... -n 2 baton-network-live INTERFACE ROUNDS SECONDS BYTES...
 * SECONDS: of each cell. A cell is a size, a pattern and a way. Patterns: "ping-pong"; "window", 64
 * (from 64 KiB on 8) messages one way and an answer; "both ways", one message each way at a time.
 * Ways: "MPI", "messages" (of libfabric), "writes" (remote, of libfabric) and, but for "both ways",
 * the models of raw_models.h. All ways of a cell are measured in turn, then the next cell; then the
 * next round. Rank 0 prints JSON: us a message, each round's. INTERFACE "none": MPI only. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench/clock.h"
#include "lab/deposit/raw.h"
#include "lab/deposit/raw_models.h"

enum { tag = 1, sizes_max = 64, rounds_max = 64 };
enum { ping_pong, window, both_ways, patterns };
enum { by_mpi, by_messages, by_writes, by_models, ways = by_models + raw_models_max };
static const char* const pattern_names[] = {"ping-pong", "window", "both ways"};
static const char* const way_names[] = {"MPI", "messages", "writes", "(1)",     "(2)",
                                        "(3)", "(4)",      "(5)",    "gathered"};
static int rank;
static char *out, *in;
static double results[sizes_max][patterns][ways][rounds_max];

static int window_length(int bytes) {
  return bytes < 65536 ? 64 : 8;
}

static void mpi_step(int pattern, int bytes) {
  MPI_Request requests[64];
  MPI_Status statuses[64];
  const int peer = 1 - rank, length = window_length(bytes);
  if (pattern == both_ways) {
    MPI_Irecv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  } else if (pattern == window) {
    for (int i = 0; i < length; ++i)
      if (rank == 0)
        MPI_Isend(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(length, requests, statuses);
    if (rank == 0)
      MPI_Recv(in, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD, statuses);
    else
      MPI_Send(out, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Send(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, statuses);
  } else {
    MPI_Recv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, statuses);
    MPI_Send(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  }
}

static int model_of(int way) {
  return way - by_models + 1;
}

/* Sends by one raw way; receives of messages are posted before. */
static void put(int way, int place, int bytes) {
  if (way >= by_models)
    model_send(model_of(way), place, out, (size_t)bytes);
  else if (way == by_messages)
    raw_send((size_t)bytes);
  else
    raw_write((size_t)bytes);
}

/* Waits for one. */
static void take(int way, int place, int bytes) {
  if (way >= by_models)
    model_take(model_of(way), place, in, (size_t)bytes);
  else
    raw_await(1);
}

static void post(int way, int place, int bytes) {
  if (way >= by_models)
    model_expect(model_of(way), place, (size_t)bytes);
  else if (way == by_messages)
    raw_receive((size_t)bytes);
}

/* What a window is answered with. */
static int answer_bytes(int bytes) {
  return bytes < 8 ? bytes : 8;
}

/* Receives of the next step are posted before this one ends, so that every message finds one. */
static void expect(int way, int pattern, int bytes) {
  if (pattern == window && rank == 0) {
    post(way, 0, answer_bytes(bytes));
    return;
  }
  for (int i = 0; i < (pattern == window ? window_length(bytes) : 1); ++i) post(way, i, bytes);
}

static void raw_step(int way, int pattern, int bytes, int last) {
  const int length = window_length(bytes);
  if (pattern == both_ways) {
    put(way, 0, bytes);
    take(way, 0, bytes);
    if (!last) expect(way, pattern, bytes);
    raw_finish_sends();
  } else if (pattern == window) {
    for (int i = 0; rank == 0 && i < length; ++i) put(way, i, bytes);
    if (rank == 0) take(way, 0, answer_bytes(bytes));
    for (int i = 0; rank == 1 && i < length; ++i) take(way, i, bytes);
    if (!last) expect(way, pattern, bytes);
    if (rank == 1) put(way, 0, answer_bytes(bytes));
    raw_finish_sends();
  } else {
    if (rank == 0) put(way, 0, bytes);
    take(way, 0, bytes);
    if (!last) expect(way, pattern, bytes);
    if (rank == 1) put(way, 0, bytes);
    raw_finish_sends();
  }
}

/* Seconds of so many steps. */
static double run(int way, int pattern, int bytes, long steps) {
  if (way != by_mpi) expect(way, pattern, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = now_us();
  for (long i = 0; i < steps; ++i)
    if (way == by_mpi)
      mpi_step(pattern, bytes);
    else
      raw_step(way, pattern, bytes, i + 1 == steps);
  const double took = now_us() - began;
  MPI_Barrier(MPI_COMM_WORLD);
  return took * 1e-6;
}

/* us a message. */
static double measure(int way, int pattern, int bytes, double seconds) {
  run(way, pattern, bytes, 2); /* the first message connects */
  long steps = (long)(seconds / (run(way, pattern, bytes, 4) / 4)) + 1;
  MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  run(way, pattern, bytes, steps / 4 + 1);
  const double took = run(way, pattern, bytes, steps);
  const int messages = pattern == window ? window_length(bytes) : pattern == both_ways ? 1 : 2;
  return took * 1e6 / (double)steps / messages;
}

/* Of a pattern; without the provider MPI alone. */
static int ways_of(int pattern, int all_ways) {
  return !all_ways ? 1 : pattern == both_ways ? by_models : ways;
}

static void print(const char* interface, int count, char** sizes, int rounds, int all_ways) {
  const char* comma = "";
  printf("{\"raw\": \"%s\", \"cells\": [", all_ways ? raw_name() : interface);
  for (int i = 0; i < count; ++i)
    for (int pattern = 0; pattern < patterns; ++pattern)
      for (int way = 0; way < ways_of(pattern, all_ways); ++way) {
        printf("%s\n {\"bytes\": %s, \"pattern\": \"%s\", \"way\": \"%s\", \"us\": [", comma,
               sizes[i], pattern_names[pattern], way_names[way]);
        for (int round = 0; round < rounds; ++round)
          printf("%s%.4f", round ? ", " : "", results[i][pattern][way][round]);
        printf("]}");
        comma = ",";
      }
  printf("\n]}\n");
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int ranks, most = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int sizes = count - 4;
  const int rounds = count > 4 ? atoi(words[2]) : 0;
  const double seconds = count > 4 ? atof(words[3]) : 0;
  for (int i = 4; i < count; ++i)
    if (atoi(words[i]) > most) most = atoi(words[i]);
  if (ranks != 2 || seconds <= 0 || most <= 0 || sizes > sizes_max || rounds < 1 ||
      rounds > rounds_max) {
    if (rank == 0)
      fprintf(stderr, "usage: mpiexec -n 2 baton-network-live INTERFACE ROUNDS SECONDS BYTES...\n");
    MPI_Finalize();
    return 2;
  }
  if (posix_memalign((void**)&out, 4096, (size_t)most) ||
      posix_memalign((void**)&in, 4096, (size_t)most))
    MPI_Abort(MPI_COMM_WORLD, 3);
  memset(out, 1, (size_t)most);
  memset(in, 1, (size_t)most);
  const int all_ways = strcmp(words[1], "none") != 0;
  if (all_ways) {
    size_t ring = 0;
    for (int i = 4; i < count; ++i) {
      const int bytes = atoi(words[i]);
      const size_t needed = model_ring_bytes(window_length(bytes), (size_t)bytes);
      if (needed > ring) ring = needed;
    }
    raw_open(words[1], 1 - rank, (size_t)most, out, in);
    raw_open_ring(ring);
  }
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < sizes; ++i)
      for (int pattern = 0; pattern < patterns; ++pattern)
        for (int way = 0; way < ways_of(pattern, all_ways); ++way)
          results[i][pattern][way][round] = measure(way, pattern, atoi(words[4 + i]), seconds);
  if (rank == 0) print(words[1], sizes, words + 4, rounds, all_ways);
  if (all_ways) raw_close();
  free(out);
  free(in);
  return MPI_Finalize();
}
