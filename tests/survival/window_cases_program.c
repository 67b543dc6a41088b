/* One case after the other of what becomes of windows when a rank dies: the last one.
   Usage: window_cases_program CASE [BYTES] */
#include "survival.h"
#include <sys/time.h>

/* A window in which one rank has the lock at rank 0, and dies once the others know. */
static MPI_Win window_locked_by(int dead) {
  MPI_Win win;
  void *memory;
  CHECK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win) == MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  if (rank == dead) {
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win) == MPI_SUCCESS);
    for (int other = 0; other < dead; ++other) MPI_Send(NULL, 0, MPI_BYTE, other, 5, MPI_COMM_WORLD);
    die();
  }
  CHECK(MPI_Recv(NULL, 0, MPI_BYTE, dead, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  return win;
}

/* Whoever waits for a lock that the dead one holds, or for its epoch, gets an error. */
static void windows(void) {
  const int dead = size - 1;
  MPI_Win win = window_locked_by(dead);
  if (rank == 0) {
    MPI_Group world, its;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &dead, &its);
    CHECK(MPI_Win_post(its, 0, win) == MPI_SUCCESS);
    CHECK(class_of(MPI_Win_wait(win)) == MPIX_ERR_PROC_FAILED);
    /* So does who asks again and again instead of waiting. */
    CHECK(MPI_Win_post(its, 0, win) == MPI_SUCCESS);
    int error = MPI_SUCCESS;
    for (int flag = 0; !error && !flag;) error = MPI_Win_test(win, &flag);
    CHECK(class_of(error) == MPIX_ERR_PROC_FAILED);
    MPI_Group_free(&its);
    MPI_Group_free(&world);
  } else {
    CHECK(class_of(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win)) == MPIX_ERR_PROC_FAILED);
  }
  CHECK(class_of(MPI_Win_fence(0, win)) == MPIX_ERR_PROC_FAILED);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

/* An operation that cannot have its target's lock fails, however often it is tried. */
static void locked_all(void) {
  MPI_Win win = window_locked_by(size - 1);
  CHECK(MPI_Win_lock_all(0, win) == MPI_SUCCESS);
  for (int time = 0; time < 2000; ++time)
    CHECK(class_of(MPI_Put(&time, 1, MPI_INT, 0, 0, 1, MPI_INT, win)) == MPIX_ERR_PROC_FAILED);
  CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

/* What was begun in a window that is freed since a rank has died is over by then: nothing of it
   happens later. */
static void freed_early(void) {
  const int dead = size - 1, stale = 13, fresh = 7;
  int first[4] = {0}, second[4] = {0};
  MPI_Win wins[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(!MPI_Win_create(i ? second : first, sizeof first, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[i]));
    MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
    CHECK(!MPI_Win_lock_all(0, wins[i]));
  }
  be_last(MPI_COMM_WORLD, dead);
  if (rank == dead) die();
  if (rank == 0) CHECK(!MPI_Put(&stale, 1, MPI_INT, 1, 0, 1, MPI_INT, wins[0]));
  await_failures(MPI_COMM_WORLD, 1);
  CHECK(MPI_Win_free(&wins[0]) == MPI_SUCCESS);
  first[0] = fresh; /* which is this rank's alone by now */
  MPI_Send(NULL, 0, MPI_BYTE, (rank + 1) % dead, 6, MPI_COMM_WORLD);
  CHECK(!MPI_Recv(NULL, 0, MPI_BYTE, (rank + dead - 1) % dead, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(!MPI_Put(&fresh, 1, MPI_INT, (rank + 1) % dead, 2, 1, MPI_INT, wins[1]));
  const int error = MPI_Win_flush_all(wins[1]);
  CHECK(!error || class_of(error) == MPIX_ERR_PROC_FAILED);
  MPI_Send(NULL, 0, MPI_BYTE, (rank + 1) % dead, 6, MPI_COMM_WORLD);
  CHECK(!MPI_Recv(NULL, 0, MPI_BYTE, (rank + dead - 1) % dead, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(first[0] == fresh && second[2] == fresh);
  CHECK(MPI_Win_free(&wins[1]) == MPI_SUCCESS);
}

/* Adds to the elements of `target` until `limit` calls are over, or one fails by the death of a
   rank; 0: until this rank is killed. */
static void accumulate_until(MPI_Win win, int target, int count, int limit) {
  for (int call = 0; limit == 0 || call < limit; ++call) {
    int error = MPI_Accumulate(buffer, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, MPI_SUM, win);
    if (!error) error = MPI_Win_flush(target, win);
    CHECK(!error || class_of(error) == MPIX_ERR_PROC_FAILED);
    if (error) return;
  }
}

/* A rank that is killed while all add to elements of `target` is waited for by nobody. The memory
   is of MPI_Win_allocate, or the program's own. */
static void kill_in_accumulates(int is_allocated, int target) {
  const int dead = size - 1, count = (int)(bytes / 8 ? bytes / 8 : 1);
  const MPI_Aint window_bytes = rank == target ? count * 8 : 8;
  MPI_Win win;
  void *memory = is_allocated ? NULL : calloc(1, (size_t)window_bytes);
  if (is_allocated)
    CHECK(!MPI_Win_allocate(window_bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  else
    CHECK(!MPI_Win_create(memory, window_bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_lock_all(0, win) == MPI_SUCCESS);
  int pid = (int)getpid();
  if (rank == dead) {
    MPI_Send(&pid, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    accumulate_until(win, target, count, 0);
  }
  if (rank == 0) {
    MPI_Recv(&pid, 1, MPI_INT, dead, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    accumulate_until(win, target, count, 3);
    kill(pid, SIGKILL);
  }
  accumulate_until(win, target, count, 200);
  await_failures(MPI_COMM_WORLD, 1);
  accumulate_until(win, target, count, 20);
  const int error = MPI_Win_unlock_all(win);
  CHECK(!error || class_of(error) == MPIX_ERR_PROC_FAILED);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  free(is_allocated ? NULL : memory);
}
static void elements_allocated(void) {
  kill_in_accumulates(1, 0);
}
static void elements_own(void) {
  kill_in_accumulates(0, 0);
}
static void elements_of_dead_allocated(void) {
  kill_in_accumulates(1, size - 1);
}
static void elements_of_dead_own(void) {
  kill_in_accumulates(0, size - 1);
}

/* Whoever waits for what a rank that has died had to answer gets an error; or nothing, where its
   memory is reached without it. */
static void answers(void) {
  const int dead = size - 1, by_messages = getenv("BATON_CMA") || getenv("BATON_RANKS_PER_NODE");
  long *memory = calloc(100, sizeof(long)), got[4] = {0}, many[64], one = 1;
  int pid = (int)getpid();
  MPI_Win win;
  CHECK(!MPI_Win_create(memory, 100 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_lock_all(0, win) == MPI_SUCCESS);
  CHECK(!MPI_Get(&got[0], 1, MPI_LONG, dead, 0, 1, MPI_LONG, win) && !MPI_Win_flush(dead, win)); /* its lock */
  be_last(MPI_COMM_WORLD, dead);
  if (rank == dead) {
    MPI_Send(&pid, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    for (;;) pause();
  }
  /* Stopped, it answers nothing. */
  if (rank == 0) {
    MPI_Recv(&pid, 1, MPI_INT, dead, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    kill(pid, SIGSTOP);
    for (int other = 1; other < dead; ++other) MPI_Send(NULL, 0, MPI_BYTE, other, 6, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; ++i) CHECK(!MPI_Get(&got[i], 1, MPI_LONG, dead, 7 * i, 1, MPI_LONG, win));
  CHECK(!MPI_Get(many, 64, MPI_LONG, dead, 20, 64, MPI_LONG, win));
  CHECK(!MPI_Fetch_and_op(&one, &got[2], MPI_LONG, dead, 3, MPI_SUM, win));
  CHECK(!MPI_Compare_and_swap(&one, &one, &got[3], MPI_LONG, dead, 4, win));
  if (rank) {
    MPI_Send(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
  } else {
    for (int other = 1; other < dead; ++other)
      MPI_Recv(NULL, 0, MPI_BYTE, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    kill(pid, SIGKILL);
  }
  const int error = MPI_Win_flush(dead, win);
  CHECK(class_of(error) == MPIX_ERR_PROC_FAILED || (!error && !by_messages));
  await_failures(MPI_COMM_WORLD, 1);
  const int end = MPI_Win_unlock_all(win);
  CHECK(!end || class_of(end) == MPIX_ERR_PROC_FAILED);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  free(memory);
}

static void on_alarm(int signal) {
  (void)signal;
  die();
}

/* Who makes windows when a rank dies gets an error, wherever the others are. */
static void making_windows(void) {
  int error = MPI_SUCCESS;
  struct itimerval timer = {{0, 0}, {0, 1 + getpid() % 50 * 1000}};
  signal(SIGALRM, on_alarm);
  if (rank == size - 1) setitimer(ITIMER_REAL, &timer, NULL);
  for (int round = 0; !error; ++round) {
    MPI_Win win;
    void *memory;
    error = round % 2 ? MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)
                      : MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (error) break;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    error = MPI_Win_free(&win);
  }
  CHECK(class_of(error) == MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"windows", windows},
                        {"locked_all", locked_all},
                        {"freed_early", freed_early},
                        {"elements_allocated", elements_allocated},
                        {"elements_own", elements_own},
                        {"elements_of_dead_own", elements_of_dead_own},
                        {"elements_of_dead_allocated", elements_of_dead_allocated},
                        {"answers", answers},
                        {"making_windows", making_windows}};
  return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
