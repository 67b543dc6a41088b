/* MPI_Initialized, MPI_Finalized, MPI_Query_thread and MPI_Is_thread_main from any thread: before
 * MPI_Init_thread, while it runs, between, and after MPI_Finalize. One process. */
#include <pthread.h>
#include <stdatomic.h>

#include "expect.h"

static atomic_int over, rounds, wrong;

/* Looks all the time; what was true stays true, and the end comes after the beginning. */
static void* watch(void* unused) {
  int was_initialized = 0, was_finalized = 0;
  while (!atomic_load(&over)) {
    int initialized, finalized;
    int failed = MPI_Finalized(&finalized) + MPI_Initialized(&initialized);
    if (failed || initialized < was_initialized || finalized < was_finalized) ++wrong;
    if (finalized && !initialized) ++wrong;
    was_initialized = initialized, was_finalized = finalized;
    atomic_fetch_add(&rounds, 1);
  }
  return unused;
}

static int wanted_initialized, wanted_finalized;

static void* look_once(void* unused) {
  int initialized = -1, finalized = -1, level = -1, main_thread = -1;
  EXPECT_OK(MPI_Initialized(&initialized));
  EXPECT_OK(MPI_Finalized(&finalized));
  EXPECT_INT(initialized, wanted_initialized);
  EXPECT_INT(finalized, wanted_finalized);
  if (!initialized || finalized) return unused;
  EXPECT_OK(MPI_Query_thread(&level));
  EXPECT_OK(MPI_Is_thread_main(&main_thread));
  EXPECT_INT(level, MPI_THREAD_MULTIPLE);
  EXPECT_INT(main_thread, 0);
  return unused;
}

static void look_from_another_thread(int initialized, int finalized) {
  pthread_t thread;
  wanted_initialized = initialized, wanted_finalized = finalized;
  int failed = pthread_create(&thread, NULL, look_once, NULL);
  if (!failed) pthread_join(thread, NULL);
  EXPECT_INT(failed, 0); /* not before the other thread has counted its own */
}

/* The thread that initializes is the main thread, whichever it is. */
static void* use_mpi(void* unused) {
  int provided = -1, level = -1, main_thread = -1, flag = -1;
  EXPECT_OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
  EXPECT_INT(provided, MPI_THREAD_MULTIPLE);
  EXPECT_OK(MPI_Query_thread(&level));
  EXPECT_INT(level, MPI_THREAD_MULTIPLE);
  EXPECT_OK(MPI_Is_thread_main(&main_thread));
  EXPECT_INT(main_thread, 1);
  look_from_another_thread(1, 0);
  EXPECT_OK(MPI_Finalized(&flag));
  EXPECT_INT(flag, 0);
  EXPECT_OK(MPI_Finalize());
  return unused;
}

int main(int argc, char** argv) {
  pthread_t watcher, user;
  (void)argv;
  EXPECT_INT(pthread_create(&watcher, NULL, watch, NULL), 0);
  while (atomic_load(&rounds) < 100) {
  }
  look_from_another_thread(0, 0);
  if (argc > 1) {
    int failed = pthread_create(&user, NULL, use_mpi, NULL);
    if (!failed) pthread_join(user, NULL);
    EXPECT_INT(failed, 0);
  } else {
    use_mpi(NULL);
  }
  look_from_another_thread(1, 1);
  atomic_store(&over, 1);
  pthread_join(watcher, NULL);
  EXPECT_INT(wrong, 0);
  return expect_result();
}
