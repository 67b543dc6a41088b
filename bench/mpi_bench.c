/* One metric on one MPI: the same binary runs on every library that has the standard ABI.
 * usage: mpi_bench METRIC MILLISECONDS [SIZE...]
 *        mpi_bench instructions MILLISECONDS MESSAGES FILE   (run by callgrind; see
 * instructions.py) Rank 0 prints a line "cell NAME MICROSECONDS" for every cell (memory: KiB;
 * overlap: ratios), and "cpus A B": where ranks 0 and 1 are at the end. bench.py reads them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

static void send_one(Exchange* x, int to) {
  if (x->cold) write_lines(x->out, x->bytes, ++x->turn);
  MPI_Send(x->out, (int)x->bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

static void receive_one(Exchange* x, int from) {
  MPI_Recv(x->in, (int)x->bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (x->cold) sink += read_lines(x->in, x->bytes);
}

static void ping_pong(Exchange* x) {
  if (rank == 0) {
    send_one(x, 1);
    receive_one(x, 1);
  } else if (rank == 1) {
    receive_one(x, 0);
    send_one(x, 0);
  }
}

static void meet(Exchange* x) {
  (void)x;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void one_way(const char* metric, int count, char** sizes) {
  for (int i = 0; i < count; ++i)
    for (int cold = 0; cold < 2; ++cold) {
      Exchange x = {NULL, NULL, strtoul(sizes[i], NULL, 10), cold, 0, NULL, 0};
      x.out = message_buffer(x.bytes);
      x.in = message_buffer(x.bytes);
      double value = measure(ping_pong, &x) / 2;
      print_cell(metric, cold ? "/cold" : "/warm", x.bytes, value);
      free_message_buffer(x.out);
      free_message_buffer(x.in);
    }
}

/* Back and forth between buffers of MPI_Alloc_mem, and between ordinary ones. */
static void exported_buffers(int count, char** sizes) {
  for (int i = 0; i < count; ++i)
    for (int variant = 0; variant < 4; ++variant) {
      int cold = variant / 2, by_mpi = variant % 2;
      Exchange x = {NULL, NULL, strtoul(sizes[i], NULL, 10), cold, 0, NULL, 0};
      char** const buffers[] = {&x.out, &x.in};
      for (int b = 0; b < 2; ++b)
        if (!by_mpi)
          *buffers[b] = buffer_of(x.bytes);
        else {
          MPI_Alloc_mem((MPI_Aint)x.bytes, MPI_INFO_NULL, buffers[b]);
          memset(*buffers[b], 1, x.bytes);
        }
      double value = measure(ping_pong, &x) / 2;
      print_cell(by_mpi ? "exported/alloc_mem" : "exported/ordinary", cold ? "/cold" : "/warm",
                 x.bytes, value);
      for (int b = 0; b < 2; ++b)
        if (by_mpi)
          MPI_Free_mem(*buffers[b]);
        else
          free(*buffers[b]);
    }
}

/* Every rank has sent to and received from every other; then all look at the same time. */
static void memory(void) {
  MPI_Request* requests = buffer_of(2 * (size_t)ranks * sizeof *requests);
  char(*in)[64] = buffer_of((size_t)ranks * 64), out[64] = {0};
  for (int round = 0; round < 4; ++round) {
    for (int r = 0; r < ranks; ++r)
      MPI_Irecv(in[r], 64, MPI_BYTE, r, 4, MPI_COMM_WORLD, &requests[r]);
    for (int r = 0; r < ranks; ++r)
      MPI_Isend(out, 64, MPI_BYTE, r, 4, MPI_COMM_WORLD, &requests[ranks + r]);
    MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double kib = own_kib(), total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(&kib, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("cell memory %.1f\n", total / ranks);
}

enum { counted = 32 }; /* few enough to be sent while nobody receives */

/* Named for callgrind, which counts between their entry and return. */
__attribute__((noinline)) void send_window(char* data) {
  for (int i = 0; i < counted; ++i) MPI_Send(data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
}
__attribute__((noinline)) void receive_window(char* data) {
  for (int i = 0; i < counted; ++i)
    MPI_Recv(data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The two take turns by a word in FILE, outside MPI: nobody waits in a send or a receive. */
static void take_turns(long messages, const char* name) {
  char data[8] = {0};
  int file = open(name, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  atomic_int* turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (turn == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int i = 0; i < messages / counted; ++i) {
    while (atomic_load(turn) != 2 * i + rank) sched_yield();
    if (rank == 0)
      send_window(data);
    else
      receive_window(data);
    atomic_store(turn, 2 * i + rank + 1);
  }
}

/* Metrics of messages: lat, rate, bwN and bibwN (a window of N messages, 64 where nothing is said),
 * each with -odd, -small or -huge for where the buffers lie. Whether it is one. */
static int messages_of(const char* metric, int sizes, char** size) {
  static const char* const suffixes[] = {"", "-odd", "-small", "-huge"};
  char base[32] = {0};
  snprintf(base, sizeof base, "%.*s", (int)strcspn(metric, "-"), metric);
  int window = 64, directions = !strncmp(base, "bibw", 4) ? 2 : 1;
  const char* number = base + strcspn(base, "0123456789");
  if (*number) window = atoi(number);
  base[number - base] = 0;
  int known =
      !strcmp(base, "lat") || !strcmp(base, "rate") || !strcmp(base, "bw") || !strcmp(base, "bibw");
  int where = 0;
  while (where < 4 && strcmp(metric + strcspn(metric, "-"), suffixes[where])) ++where;
  if (!known || where == 4 || window < 1 || window > 64) return 0;
  placement = (Placement)where;
  if (!strcmp(base, "lat"))
    one_way(metric, sizes, size);
  else
    windows_of_messages(metric, directions, window, sizes, size);
  return 1;
}

/* A virtual machine's host may bring processors that were idle together only after they have been
 * busy for some time: without this, the first cell of a job shows where they were before. */
static void wake_processors(void) {
  for (int i = 0; i < 50; ++i) { /* milliseconds: a guess */
    MPI_Barrier(MPI_COMM_WORLD);
    for (double start = now_us(); now_us() - start < 1000;) continue;
  }
}

static void tell_cpus(void) {
  int mine = sched_getcpu(), others = 0;
  if (rank == 1) MPI_Send(&mine, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  if (rank != 0 || ranks == 1) return;
  MPI_Recv(&others, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("cpus %d %d\n", mine, others);
}

static int run(const char* metric, int sizes, char** size, int level) {
  /* Two words or fewer: single sizes, and what counts instructions. */
  if (sizes > 2 && ranks <= 2) wake_processors();
  if (messages_of(metric, sizes, size) || kernels_of(metric, sizes, size) ||
      onesided_of(metric, sizes, size) || files_of(metric, sizes, size))
    return 0;
  if (!strcmp(metric, "exported"))
    exported_buffers(sizes, size);
  else if (!strcmp(metric, "overlap"))
    overlap_of_exchanges(sizes, size);
  else if (!strcmp(metric, "finding") && ranks > 1)
    finding_each_other();
  else if (!strcmp(metric, "types"))
    typed_messages(sizes, size);
  else if (!strcmp(metric, "threads") && level == MPI_THREAD_MULTIPLE)
    messages_of_threads();
  else if (!strcmp(metric, "partitioned") && level == MPI_THREAD_MULTIPLE)
    partitions_of_threads(sizes, size);
  else if (collective_of(metric) >= 0)
    collectives_of_sizes(collective_of(metric), sizes, size);
  else if (!strcmp(metric, "barrier")) {
    Exchange none = {0};
    double value = measure(meet, &none);
    if (rank == 0) printf("cell barrier %.4f\n", value);
  } else if (!strcmp(metric, "memory"))
    memory();
  else if (!strcmp(metric, "instructions") && sizes == 2) {
    Exchange x = {buffer_of(8), buffer_of(8), 8, 0, 0, NULL, 0};
    for (int i = 0; i < 100; ++i) ping_pong(&x); /* contacts are made, memory is touched */
    take_turns(atol(size[0]), size[1]);
  } else if (!strcmp(metric, "version")) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    if (rank == 0) printf("version %.*s\n", (int)strcspn(text, "\n"), text);
  } else if (strcmp(metric, "hello"))
    return 2;
  return 0;
}

int main(int count, char** words) {
  int threads = count >= 2 && (!strcmp(words[1], "threads") || !strcmp(words[1], "partitioned"));
  int wanted = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int level = 0;
  MPI_Init_thread(&count, &words, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = 2;
  if (count >= 3) {
    budget_us = atof(words[2]) * 1000;
    code = run(words[1], count - 3, words + 3, level);
    if (code == 0 && strcmp(words[1], "hello")) tell_cpus();
  }
  if (code == 2 && rank == 0)
    fprintf(
        stderr,
        "usage: mpi_bench lat|rate|bw|bibw|types|threads|partitioned|barrier|memory|hello|version|COLLECTIVE "
        "MILLISECONDS [SIZE...]\n");
  MPI_Finalize();
  return code;
}
