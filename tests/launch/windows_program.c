/* Windows that mpiexec --explain, --stats and `baton stat` tell of, in a way that its first word
 * names. All but "reach", "elements", "odd" and "calls" hang. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { bytes = 1024 };
static int rank, ranks;
static char *memory, data[bytes];
static MPI_Win window;

static void sleep_on(void) {
  for (;;) sleep(1000);
}

static MPI_Group group_of(int first, int last) {
  MPI_Group all, some;
  int range[1][3] = {{first, last, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Group_free(&all);
  return some;
}

/* Of rank 0, at rank 1: 10 puts of 8 bytes, 5 gets of 100, 3 accumulates and 2 fetch-and-ops of 4.
 */
static void operate(MPI_Win win, MPI_Aint at) {
  int one = 1, old;
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 0 && i < 10; ++i) MPI_Put(data, 8, MPI_BYTE, 1, at, 8, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 0 && i < 5; ++i) MPI_Get(data, 100, MPI_BYTE, 1, at, 100, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 0 && i < 3; ++i)
    MPI_Accumulate(&one, 1, MPI_INT, 1, at, 1, MPI_INT, MPI_SUM, win);
  for (int i = 0; rank == 0 && i < 2; ++i)
    MPI_Fetch_and_op(&one, &old, MPI_INT, 1, at, MPI_SUM, win);
  /* Nothing, and to nobody: not counted. */
  MPI_Put(data, 0, MPI_BYTE, 0, at, 0, MPI_BYTE, win);
  MPI_Put(data, 8, MPI_BYTE, MPI_PROC_NULL, at, 8, MPI_BYTE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

static void reach(void) {
  char* own = calloc(bytes, 1);
  MPI_Win win;
  MPI_Aint at;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  operate(win, 0);
  MPI_Win_create(own, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  operate(win, 0);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, own, bytes);
  MPI_Get_address(own, &at);
  MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  operate(win, at);
  free(own);
}

/* Of rank 0, at rank 1: elements of 1 to 16 bytes one by one and five together, all of them at
 * multiples of what they take with their gaps; or ("odd") not. */
static void elements(int odd) {
  const MPI_Datatype types[] = {MPI_INT8_T,      MPI_INT16_T,          MPI_INT,  MPI_DOUBLE,
                                MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_2INT, MPI_SHORT_INT,
                                MPI_DOUBLE_INT,  MPI_LONG_INT};
  enum { type_count = sizeof types / sizeof types[0], pairs_from = 6 };
  char result[bytes];
  MPI_Win win;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, bytes);
  MPI_Win_fence(0, win);
  for (int i = odd ? 1 : 0; rank == 0 && i < type_count; ++i) {
    MPI_Op op = i < pairs_from ? MPI_SUM : MPI_MAXLOC;
    MPI_Aint at = odd ? 65 : 64;
    MPI_Accumulate(data, 1, types[i], 1, at, 1, types[i], op, win);
    MPI_Fetch_and_op(data, result, types[i], 1, at, op, win);
    MPI_Fetch_and_op(data, result, types[i], 1, at, MPI_REPLACE, win);
    MPI_Fetch_and_op(NULL, result, types[i], 1, at, MPI_NO_OP, win);
    MPI_Accumulate(data, 5, types[i], 1, at, 5, types[i], op, win);
    MPI_Get_accumulate(data, 5, types[i], result, 5, types[i], 1, at, 5, types[i], op, win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

/* For 3 s this rank does nothing, wherever it is. */
static void stand_still(int signal) {
  struct timespec left = {3, 0};
  while (nanosleep(&left, &left) != 0) {
  }
}

/* Ranks 0 and 2 change all of rank 1's elements again and again; now and then rank 0 stands still
 * while it does. */
static void change_long(void) {
  enum { count = 1 << 20 };
  int* ones = calloc(count, sizeof *ones);
  MPI_Win win;
  MPI_Win_allocate(count * sizeof *ones, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "halo");
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const struct itimerval times = {{0, 50000}, {0, 50000}};
    signal(SIGALRM, stand_still);
    setitimer(ITIMER_REAL, &times, NULL);
  }
  while (rank != 1) MPI_Accumulate(ones, count, MPI_INT, 1, 0, count, MPI_INT, MPI_SUM, win);
}

/* Rank 0 is late by 50 ms, and locks once for so long. */
static void calls(void) {
  MPI_Group other = group_of(1 - rank, 1 - rank);
  if (rank == 0) usleep(50000);
  MPI_Win_fence(0, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) usleep(50000);
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(data, 100, MPI_BYTE, 0, 0, 100, MPI_BYTE, window);
  MPI_Win_flush(0, window);
  MPI_Win_unlock(0, window);
  if (rank == 0) MPI_Win_post(other, 0, window);
  if (rank == 0) MPI_Win_wait(window);
  if (rank == 1) MPI_Win_start(other, 0, window);
  if (rank == 1) MPI_Win_complete(window);
  MPI_Group_free(&other);
}

static void hang(const char* how) {
  if (strcmp(how, "lock") == 0) { /* rank 0 holds it, the others come after each other */
    if (rank != 1) usleep((useconds_t)rank * 300000);
    if (rank != 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  } else if (strcmp(how, "lock_all") == 0) { /* where the lock is taken by the first operation */
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Win_lock_all(0, window);
    if (rank == 1) MPI_Put(data, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window);
  } else if (strcmp(how, "shared") == 0) { /* by all but the last one */
    if (rank < ranks - 1) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Win_unlock(1, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  } else if (strcmp(how, "cycle") == 0) { /* of two, each holds what the other wants */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
  } else if (strcmp(how, "posts") == 0) { /* those of ranks 2 and 3 are missing */
    MPI_Group others = group_of(1, ranks - 1), first = group_of(0, 0);
    if (rank == 1) MPI_Win_post(first, 0, window);
    if (rank == 0) MPI_Win_start(others, 0, window);
  } else if (strcmp(how, "completes") == 0) {
    MPI_Group others = group_of(1, ranks - 1), first = group_of(0, 0);
    if (rank == 0) MPI_Win_post(others, 0, window);
    if (rank != 0) MPI_Win_start(first, 0, window);
    if (rank == 1) MPI_Win_complete(window);
    if (rank == 0) MPI_Win_wait(window);
  } else if (strcmp(how, "crossed") == 0) { /* a fence and a receive */
    if (rank == 0) MPI_Win_fence(0, window);
    MPI_Recv(data, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "long") == 0) {
    change_long();
  } else if (strcmp(how, "fence") == 0) {
    if (rank != 1) MPI_Win_fence(0, window);
  } else if (strcmp(how, "flush") == 0 || strcmp(how, "remote_lock") == 0) {
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    if (how[0] == 'f') MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Put(data, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window);
    if (rank == 0) MPI_Win_flush(1, window);
  }
  sleep_on();
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int aligned = strcmp(words[1], "elements") == 0, odd = strcmp(words[1], "odd") == 0;
  if (strcmp(words[1], "reach") == 0) reach();
  if (aligned || odd) elements(odd);
  if (aligned || odd || strcmp(words[1], "reach") == 0) return MPI_Finalize();
  memory = calloc(bytes, 1);
  MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (count < 3) MPI_Win_set_name(window, "halo");
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(words[1], "calls")) hang(words[1]);
  calls();
  MPI_Win_free(&window);
  free(memory);
  return MPI_Finalize();
}
