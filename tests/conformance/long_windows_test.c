/* Long puts, gets and accumulates, all ranks at the same time: around the ring, to and fro, all to
 * one; with lengths that no piece fits, and targets that are in MPI, compute or come late.
 * usage: long_windows_test [kind of window ...] */
#include "window_kinds.h"

#include <unistd.h>

enum { bytes_max = 5 << 20 };
static const MPI_Aint lengths[] = {8200,           40 << 10, 65544,    300000,
                                   (1 << 20) + 24, 4 << 20,  bytes_max};

static Window w;
static unsigned char *out, *in;
static const char* what; /* for messages */

static unsigned char byte_of(int from, int round, MPI_Aint i) {
  return (unsigned char)((unsigned)i * 7u + (unsigned)(i >> 12) + (unsigned)from * 31u +
                         (unsigned)round * 3u);
}
static void fill(unsigned char* memory, int from, int round, MPI_Aint bytes) {
  for (MPI_Aint i = 0; i < bytes; ++i) memory[i] = byte_of(from, round, i);
}
static void compare(const unsigned char* memory, int from, int round, MPI_Aint bytes) {
  for (MPI_Aint i = 0; i < bytes; ++i)
    if (memory[i] != byte_of(from, round, i)) {
      fprintf(stderr, "rank %d of %d: %s window, %s of %ld bytes: byte %ld is %d, not %d\n", rank,
              size, kind_names[w.kind], what, (long)bytes, (long)i, memory[i],
              byte_of(from, round, i));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
/* All ranks have done their operations, and some are not there to help with those of others. */
static void meet(int round) {
  if ((rank + round) % 3 == 0) usleep(2000);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Everybody puts to its neighbour and gets from it, twice at once every second round. */
static void move(int step, MPI_Aint bytes, int round) {
  const int to = (rank + step) % size, from = (rank + size - step) % size;
  const MPI_Aint half = bytes / 16 * 8; /* a whole unit */
  what = "put";
  fill(out, rank, round, bytes);
  MPI_Win_lock_all(0, w.win);
  if (round % 2) {
    MPI_Put(out, (int)half, MPI_BYTE, to, place(&w, to, 0), (int)half, MPI_BYTE, w.win);
    MPI_Put(out + half, (int)(bytes - half), MPI_BYTE, to, place(&w, to, half), (int)(bytes - half),
            MPI_BYTE, w.win);
  } else {
    MPI_Put(out, (int)bytes, MPI_BYTE, to, place(&w, to, 0), (int)bytes, MPI_BYTE, w.win);
  }
  MPI_Win_unlock_all(w.win);
  meet(round);
  begin_local(&w);
  compare(w.base, from, round, bytes);
  end_local(&w);
  what = "get";
  memset(in, 0, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w.win);
  MPI_Get(in, (int)bytes, MPI_BYTE, to, place(&w, to, 0), (int)bytes, MPI_BYTE, w.win);
  MPI_Win_unlock(to, w.win);
  compare(in, rank, round, bytes);
  meet(round);
}

/* All ranks add to all elements of one, half of them as longer elements. */
static void add(MPI_Aint bytes, int round) {
  const int target = round % size;
  const int count = (int)(bytes / 16);
  double* numbers = (double*)(void*)out;
  what = "accumulate";
  for (int i = 0; i < 2 * count; ++i) numbers[i] = rank + 1 + i % 5;
  begin_local(&w);
  memset(w.base, 0, (size_t)bytes);
  end_local(&w);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
  MPI_Datatype type = round % 2 ? MPI_C_DOUBLE_COMPLEX : MPI_DOUBLE;
  const int elements = round % 2 ? count : 2 * count;
  MPI_Accumulate(out, elements, type, target, place(&w, target, 0), elements, type, MPI_SUM, w.win);
  MPI_Accumulate(out, elements, type, target, place(&w, target, 0), elements, type, MPI_SUM, w.win);
  MPI_Win_unlock(target, w.win);
  meet(round);
  if (rank == target) {
    const double* sums = (const double*)(const void*)w.base;
    begin_local(&w);
    for (int i = 0; i < 2 * count; ++i)
      CHECK(sums[i] == size * (size + 1.0) + 2.0 * size * (i % 5));
    end_local(&w);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run(WindowKind kind) {
  w = make_window(kind, bytes_max, 8, MPI_COMM_WORLD);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
    for (int round = 0; round < 4; ++round) {
      move(1 % size, lengths[i], round);
      move(size - 1, lengths[i], round + 1);
      add(lengths[i], round);
    }
  free_window(&w);
}

int main(int count, char** words) {
  start(&count, &words);
  out = malloc(bytes_max);
  in = malloc(bytes_max);
  over_kinds(count, words, run);
  free(out);
  free(in);
  return finish();
}
