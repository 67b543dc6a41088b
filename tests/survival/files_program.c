/* A rank dies while all use a file. The others' collective calls fail, their own ones go on.
   Usage: files_program CASE FILE DEAD MILLISECONDS: the rank DEAD dies at a random moment of so
   many milliseconds, whatever it is at. */
#include <sys/stat.h>
#include <sys/time.h>

#include "survival.h"

enum { count = 1 << 16, rounds_after = 20 };
static int data[count], back[count];
static const char *path;
static int dead;
static long milliseconds;
static MPI_File file;

static void on_alarm(int signal) {
  (void)signal;
  raise(SIGKILL);
}

static void die_soon(void) {
  if (rank != dead) return;
  srand((unsigned)getpid());
  const long us = 1 + (long)(rand() % (milliseconds * 1000));
  struct itimerval timer = {{0, 0}, {us / 1000000, us % 1000000}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void open_file(int more, const char *buffering) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collective_buffering", buffering);
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | more, info, &file) ==
        MPI_SUCCESS);
  MPI_Info_free(&info);
  be_last(MPI_COMM_WORLD, dead);
  die_soon();
}

static int is_lost(void) {
  MPI_Group group;
  int failed;
  CHECK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &group) == MPI_SUCCESS);
  MPI_Group_size(group, &failed);
  MPI_Group_free(&group);
  return failed;
}

/* What a rank does alone is right, and closing ends. */
static void go_on_alone(int checks) {
  const MPI_Offset place = (MPI_Offset)(rank + 100) * (MPI_Offset)sizeof data;
  for (int round = 0; checks && round < rounds_after; ++round) {
    for (int i = 0; i < count; ++i) data[i] = rank + i + round;
    CHECK(MPI_File_write_at(file, place, data, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_read_at(file, place, back, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(memcmp(data, back, sizeof data) == 0);
  }
  CHECK(class_of(MPI_File_sync(file)) == MPIX_ERR_PROC_FAILED);
  CHECK(class_of(MPI_File_close(&file)) == MPIX_ERR_PROC_FAILED);
}

static void expect_failure(int error) {
  CHECK(class_of(error) == MPIX_ERR_PROC_FAILED);
}

/* Each has every size-th block of a call's. */
static void set_blocks(int ints) {
  MPI_Datatype blocks;
  MPI_Type_vector(count / ints, ints, ints * size, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  const int error = MPI_File_set_view(file, (MPI_Offset)rank * ints * (MPI_Offset)sizeof(int),
                                      MPI_INT, blocks, "native", MPI_INFO_NULL);
  CHECK(error == MPI_SUCCESS || is_lost());
  MPI_Type_free(&blocks);
}

static void collective(const char *buffering, int reads) {
  open_file(0, buffering);
  set_blocks(256);
  int error = MPI_SUCCESS;
  while (!error) {
    error = MPI_File_write_at_all(file, 0, data, count, MPI_INT, MPI_STATUS_IGNORE);
    if (!error && reads) error = MPI_File_read_at_all(file, 0, back, count, MPI_INT, MPI_STATUS_IGNORE);
  }
  expect_failure(error);
  go_on_alone(1);
}
static void write_all(void) { collective("true", 0); }
static void read_all(void) { collective("true", 1); }
static void write_all_alone(void) { collective("false", 0); }

static void nonblocking(void) {
  open_file(0, "true");
  set_blocks(64);
  int error = MPI_SUCCESS;
  while (!error) {
    MPI_Request requests[2];
    error = MPI_File_iwrite_at_all(file, 0, data, count, MPI_INT, &requests[0]);
    if (error) break;
    error = MPI_File_iwrite_at(file, count * 100, data, 1, MPI_INT, &requests[1]);
    CHECK(error == MPI_SUCCESS);
    MPI_Status statuses[2];
    error = MPI_Waitall(2, requests, statuses);
    if (error) {
      CHECK(error == MPI_ERR_IN_STATUS && statuses[1].MPI_ERROR == MPI_SUCCESS);
      error = statuses[0].MPI_ERROR;
    }
  }
  expect_failure(error);
  go_on_alone(1);
}

static void split(void) {
  open_file(0, "true");
  int error = MPI_SUCCESS;
  while (!error) {
    error = MPI_File_write_ordered_begin(file, data, count, MPI_INT);
    if (!error) error = MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
  }
  expect_failure(error);
  go_on_alone(1);
}

static void ordered(void) {
  open_file(0, "true");
  int error = MPI_SUCCESS;
  while (!error) error = MPI_File_write_ordered(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
  expect_failure(error);
  go_on_alone(1);
}

/* The shared pointer goes on without any rank. */
static void shared(void) {
  open_file(0, "true");
  for (int after = 0; after < rounds_after; after += is_lost())
    CHECK(MPI_File_write_shared(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  go_on_alone(1);
}

/* A range that the dead one has locked is free. */
static void atomic(void) {
  open_file(0, "true");
  CHECK(MPI_File_set_atomicity(file, 1) == MPI_SUCCESS || is_lost());
  int atomicity = 0;
  MPI_File_get_atomicity(file, &atomicity);
  for (int after = 0; after < rounds_after; after += is_lost()) {
    for (int i = 0; i < count; ++i) data[i] = rank;
    CHECK(MPI_File_write_at(file, 0, data, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_read_at(file, 0, back, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    /* A write that the death has cut off is there in part. */
    for (int i = 1; i < count && atomicity && !is_lost(); ++i) CHECK(back[i] == back[0]);
  }
  go_on_alone(1);
}

/* Calls that say something about the file. */
static void administration(void) {
  open_file(0, "true");
  int error = MPI_SUCCESS;
  for (int round = 0; !error; ++round) {
    error = MPI_File_set_size(file, 1000 * (round % 3));
    if (!error) error = MPI_File_preallocate(file, 5000);
    if (!error) error = MPI_File_set_atomicity(file, round % 2);
    if (!error) error = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (!error) error = MPI_File_sync(file);
    if (!error) error = MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  }
  expect_failure(error);
  go_on_alone(0);
}

static void opening(void) {
  die_soon();
  int error = MPI_SUCCESS;
  while (!error) {
    error = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (!error) error = MPI_File_close(&file);
  }
  expect_failure(error);
}

/* Who closes deletes, also where the first rank is dead. */
static void deleting(void) {
  open_file(MPI_MODE_DELETE_ON_CLOSE, "true");
  if (rank == dead) pause();
  if (rank % 2) await_failures(MPI_COMM_WORLD, 1);
  CHECK(class_of(MPI_File_close(&file)) == MPIX_ERR_PROC_FAILED);
  struct stat found;
  CHECK(stat(path, &found) != 0);
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"write_all", write_all}, {"read_all", read_all},   {"write_all_alone", write_all_alone},
               {"nonblocking", nonblocking}, {"split", split},     {"ordered", ordered},
               {"shared", shared},       {"atomic", atomic},       {"administration", administration},
               {"opening", opening},     {"deleting", deleting}};
  begin(&argc, &argv);
  CHECK(argc == 5);
  path = argv[2];
  dead = atoi(argv[3]);
  milliseconds = atol(argv[4]);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    if (strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      /* Nobody is left behind. */
      MPI_Comm smaller;
      CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &smaller) == MPI_SUCCESS);
      int own;
      MPI_Comm_rank(smaller, &own);
      MPI_Comm_free(&smaller);
      MPI_Finalize();
      if (own == 0) printf("%s held\n", argv[1]);
      return 0;
    }
  fprintf(stderr, "no such case\n");
  return 2;
}
