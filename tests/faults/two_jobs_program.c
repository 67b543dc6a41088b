/* One of two jobs that use one file at the same time; two_jobs_test.py starts both. What they write
 * is checked here.
 * usage: two_jobs_program PATH JOB CASE
 *   contiguous   atomic mode: ranks write the same record of equal words, the last rank reads it
 *   strided      the same record in short runs
 *   together     the same by collective writes
 *   pending      contiguous records by nonblocking accesses, two of a rank at once
 *   sync         each job in turn writes, and the other reads after MPI_File_sync
 *   alone        each rank writes every n-th block of the file, no two the same
 *   interleaved  the same by collective writes
 * JOB is 0 or 1. The jobs meet by files beside PATH. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, job;
static const char *path, *what;
static MPI_File file;

static void check(int holds, const char* words, long number) {
  if (holds) return;
  fprintf(stderr, "job %d, rank %d: %s (%ld)\n", job, rank, words, number);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void succeed(int code) {
  char words[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, words, &length);
  check(0, words, code);
}

/* ---- both jobs -------------------------------------------------------------------------- */

static void mark_path(char* name, const char* mark, int of_job) {
  snprintf(name, 500, "%s.%s.%d", path, mark, of_job);
}
static void set_mark(const char* mark) {
  char name[500];
  mark_path(name, mark, job);
  int descriptor = open(name, O_WRONLY | O_CREAT, 0600);
  check(descriptor >= 0, "a mark cannot be made", 0);
  close(descriptor);
}
static int has_mark(const char* mark, int of_job) {
  char name[500];
  mark_path(name, mark, of_job);
  return access(name, F_OK) == 0;
}

/* All ranks of both jobs have come here. */
static void meet(void) {
  static int times = 0;
  char mark[20];
  snprintf(mark, sizeof mark, "meet%d", ++times);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    set_mark(mark);
    while (!has_mark(mark, !job)) usleep(500);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void open_file(MPI_Comm comm) {
  succeed(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
}

static void set_view(MPI_Offset start, int runs, int run_bytes, int stride) {
  MPI_Datatype type;
  MPI_Type_vector(runs, run_bytes, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  succeed(MPI_File_set_view(file, start, MPI_BYTE, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
}

/* ---- atomic mode ------------------------------------------------------------------------ */

enum { words = 1 << 16, record_bytes = words * 8, pending_max = 2, times_min = 200 };

static uint64_t records[pending_max][words];

/* Writes or reads the record; where nonblocking accesses are wanted, several times at once. Returns
 * how often. */
static int move_record(int writes, MPI_Status* statuses) {
  const int pending = !strcmp(what, "pending") ? pending_max : 1;
  MPI_Request requests[pending_max];
  for (int i = 0; i < pending; ++i)
    if (pending == 1 && !writes)
      succeed(MPI_File_read_at(file, 0, records[i], record_bytes, MPI_BYTE, statuses));
    else if (pending == 1 && !strcmp(what, "together"))
      succeed(MPI_File_write_at_all(file, 0, records[i], record_bytes, MPI_BYTE, statuses));
    else if (pending == 1)
      succeed(MPI_File_write_at(file, 0, records[i], record_bytes, MPI_BYTE, statuses));
    else if (writes)
      succeed(MPI_File_iwrite_at(file, 0, records[i], record_bytes, MPI_BYTE, &requests[i]));
    else
      succeed(MPI_File_iread_at(file, 0, records[i], record_bytes, MPI_BYTE, &requests[i]));
  if (pending > 1) succeed(MPI_Waitall(pending, requests, statuses));
  return pending;
}

/* Until the readers of both jobs have read enough. */
static void write_records(MPI_Comm writers) {
  MPI_Status statuses[pending_max];
  int goes_on = 1;
  for (uint64_t number = 0; goes_on;) {
    for (int k = 0; k < pending_max; ++k, ++number)
      for (int i = 0; i < words; ++i)
        records[k][i] = number << 16 | (uint64_t)rank << 1 | (uint64_t)job;
    move_record(1, statuses);
    goes_on = !has_mark("done", 0) || !has_mark("done", 1);
    if (!strcmp(what, "together")) MPI_Bcast(&goes_on, 1, MPI_INT, 0, writers);
  }
}

/* Until it has read often, and records of both jobs. */
static void read_records(void) {
  MPI_Status statuses[pending_max];
  long number = 0, of_job[2] = {0, 0};
  while (number < times_min || !of_job[0] || !of_job[1]) {
    int times = move_record(0, statuses), bytes;
    for (int k = 0; k < times; ++k) {
      MPI_Get_count(&statuses[k], MPI_BYTE, &bytes);
      if (bytes == 0 && number == 0) continue; /* nobody has written yet */
      check(bytes == record_bytes, "a record is short", bytes);
      for (int i = 1; i < words; ++i)
        check(records[k][i] == records[k][0], "a record is of two writes, from word", i);
      ++number;
      ++of_job[records[k][0] & 1];
    }
  }
  set_mark("done");
}

static void use_atomic_mode(void) {
  int is_reader = rank == ranks - 1;
  MPI_Comm alike;
  MPI_Comm_split(MPI_COMM_WORLD, is_reader, rank, &alike);
  open_file(alike);
  succeed(MPI_File_set_atomicity(file, 1));
  if (!strcmp(what, "strided") || !strcmp(what, "together"))
    set_view(24, record_bytes / 64, 64, 192);
  meet();
  if (is_reader)
    read_records();
  else
    write_records(alike);
  succeed(MPI_File_close(&file));
  MPI_Comm_free(&alike);
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* Blocks that interleave: of so many bytes, so many of a rank; every stride-th is a rank's. */
typedef struct {
  int bytes, runs, stride, collective;
} Blocks;

static int bytes_of(const Blocks* blocks) {
  return blocks->bytes * blocks->runs;
}

/* What the one at this place writes. */
static char byte_of(int turn, int place, long i) {
  return (char)(i * 7 + i / 300 + turn * 31 + place * 5 + 1);
}

static void view_blocks(const Blocks* blocks, int place) {
  set_view((MPI_Offset)place * blocks->bytes, blocks->runs, blocks->bytes,
           blocks->stride * blocks->bytes);
}

static void write_some(const Blocks* blocks, const char* data, int first, int end) {
  MPI_Offset offset = (MPI_Offset)first * blocks->bytes;
  int bytes = (end - first) * blocks->bytes;
  if (blocks->collective)
    succeed(MPI_File_write_at_all(file, offset, data + offset, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  else
    succeed(MPI_File_write_at(file, offset, data + offset, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* In pieces, so that both jobs are in the file at once. */
static void write_blocks(const Blocks* blocks, int turn, int place) {
  enum { pieces = 4 };
  char* data = malloc((size_t)bytes_of(blocks));
  for (long i = 0; i < bytes_of(blocks); ++i) data[i] = byte_of(turn, place, i);
  view_blocks(blocks, place);
  for (int piece = 0; piece < pieces; ++piece)
    write_some(blocks, data, blocks->runs * piece / pieces, blocks->runs * (piece + 1) / pieces);
  free(data);
}

static void check_blocks(const Blocks* blocks, int turn, int place) {
  char* data = calloc(1, (size_t)bytes_of(blocks));
  MPI_Status status;
  int there;
  view_blocks(blocks, place);
  if (blocks->collective)
    succeed(MPI_File_read_at_all(file, 0, data, bytes_of(blocks), MPI_BYTE, &status));
  else
    succeed(MPI_File_read_at(file, 0, data, bytes_of(blocks), MPI_BYTE, &status));
  MPI_Get_count(&status, MPI_BYTE, &there);
  check(there == bytes_of(blocks), "blocks are short", there);
  for (long i = 0; i < bytes_of(blocks); ++i)
    check(data[i] == byte_of(turn, place, i), "a byte is not as written", i);
  free(data);
}

enum { kinds = 4 };
static Blocks blocks_of(int kind, int stride, int collective) {
  static const int bytes[kinds] = {8, 100, 3000, 12288};
  return (Blocks){bytes[kind], 200000 / bytes[kind], stride, collective};
}

/* Both jobs write at once. Each turn begins with no file, so that both make it longer. */
static void interleave(int collective) {
  for (int turn = 0; turn < 5 * kinds; ++turn) {
    Blocks blocks = blocks_of(turn % kinds, 2 * ranks, collective);
    open_file(MPI_COMM_WORLD);
    meet();
    write_blocks(&blocks, turn, 2 * rank + job);
    meet();
    for (int of_job = 0; of_job < 2; ++of_job) check_blocks(&blocks, turn, 2 * rank + of_job);
    succeed(MPI_File_close(&file));
    meet();
    if (job == 0 && rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
    meet();
  }
}

/* The jobs write in turn. The other one has read the same bytes before, when they were others. */
static void take_turns(void) {
  open_file(MPI_COMM_WORLD);
  for (int turn = 0; turn < 8 * kinds; ++turn) {
    Blocks blocks = blocks_of(turn / 8, ranks, turn / 2 % 2);
    int writes = turn % 2 == job;
    if (writes) write_blocks(&blocks, turn, rank);
    succeed(MPI_File_sync(file));
    meet();
    succeed(MPI_File_sync(file));
    check_blocks(&blocks, turn, (rank + 1) % ranks);
    meet();
  }
  succeed(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(argc == 4, "usage: two_jobs_program PATH JOB CASE", argc);
  path = argv[1], job = atoi(argv[2]), what = argv[3];
  if (!strcmp(what, "sync"))
    take_turns();
  else if (!strcmp(what, "alone") || !strcmp(what, "interleaved"))
    interleave(!strcmp(what, "interleaved"));
  else
    use_atomic_mode();
  if (rank == 0) printf("job %d: all checks held\n", job);
  return MPI_Finalize();
}
