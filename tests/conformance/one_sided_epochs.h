/* Epochs of all kinds in which one rank reaches one target: how to open them, to settle what was
 * begun, and to close them. */
#ifndef ONE_SIDED_EPOCHS_H
#define ONE_SIDED_EPOCHS_H

#include "one_sided_layouts.h"

static Window w;          /* the window of this pass */
static int unasserted;    /* no lock is said to be free: some MPIs count those wrongly */
static Operation current; /* what the epoch is for: some assertions depend on it */

static inline void of_one(int member, MPI_Group* group) {
  MPI_Group all;
  MPI_Win_get_group(w.win, &all);
  MPI_Group_incl(all, 1, &member, group);
  MPI_Group_free(&all);
}
static inline void post_to(int member, int assertion) {
  MPI_Group group;
  of_one(member, &group);
  MPI_Win_post(group, assertion, w.win);
  MPI_Group_free(&group);
}
static inline void start_to(int member, int assertion) {
  MPI_Group group;
  of_one(member, &group);
  MPI_Win_start(group, assertion, w.win);
  MPI_Group_free(&group);
}

static inline void open_fence(int target, int source) {
  (void)target, (void)source;
  MPI_Win_fence(0, w.win);
}
static inline void close_fence(int target) {
  (void)target;
  MPI_Win_fence(0, w.win);
}
static inline void open_asserted_fence(int target, int source) {
  (void)target, (void)source;
  int no_put = only_reads(current) ? MPI_MODE_NOPUT : 0;
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE | no_put, w.win);
}
static inline void close_asserted_fence(int target) {
  (void)target;
  MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, w.win);
}
static inline void open_post_start(int target, int source) {
  post_to(source, 0);
  start_to(target, 0);
}
static inline void open_checked_post_start(int target, int source) {
  int no_put = only_reads(current) ? MPI_MODE_NOPUT : 0;
  post_to(source, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | no_put);
  MPI_Barrier(MPI_COMM_WORLD);
  start_to(target, MPI_MODE_NOCHECK);
}
static inline void close_complete_wait(int target) {
  (void)target;
  MPI_Win_complete(w.win);
  MPI_Win_wait(w.win);
}
static inline void close_complete_test(int target) {
  (void)target;
  int over = 0;
  MPI_Win_complete(w.win);
  while (!over) MPI_Win_test(w.win, &over);
}
static inline void open_exclusive(int target, int source) {
  (void)source;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
}
static inline void open_shared(int target, int source) {
  (void)source;
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
}
static inline void open_exclusive_unchecked(int target, int source) {
  (void)source;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, unasserted ? 0 : MPI_MODE_NOCHECK, w.win);
}
static inline void open_shared_unchecked(int target, int source) {
  (void)source;
  MPI_Win_lock(MPI_LOCK_SHARED, target, unasserted ? 0 : MPI_MODE_NOCHECK, w.win);
}
static inline void close_unlock(int target) {
  MPI_Win_unlock(target, w.win);
}
static inline void open_all(int target, int source) {
  (void)target, (void)source;
  MPI_Win_lock_all(0, w.win);
}
static inline void open_all_unchecked(int target, int source) {
  (void)target, (void)source;
  MPI_Win_lock_all(unasserted ? 0 : MPI_MODE_NOCHECK, w.win);
}
static inline void close_unlock_all(int target) {
  (void)target;
  MPI_Win_unlock_all(w.win);
}

static inline void flush(int target) {
  MPI_Win_flush(target, w.win);
}
static inline void flush_all(int target) {
  (void)target;
  MPI_Win_flush_all(w.win);
}
static inline void flush_local(int target) {
  MPI_Win_flush_local(target, w.win);
}
static inline void flush_local_all(int target) {
  (void)target;
  MPI_Win_flush_local_all(w.win);
}

typedef struct {
  const char* name;
  void (*open)(int target, int source);
  void (*settle)(int target); /* after this the origin has its results */
  void (*close)(int target);
  int passive;
} Epoch;

static const Epoch epochs[] = {
    {"fence", open_fence, NULL, close_fence, 0},
    {"asserted fence", open_asserted_fence, NULL, close_asserted_fence, 0},
    {"post and wait", open_post_start, NULL, close_complete_wait, 0},
    {"post and test", open_post_start, NULL, close_complete_test, 0},
    {"unchecked post", open_checked_post_start, NULL, close_complete_wait, 0},
    {"exclusive lock", open_exclusive, NULL, close_unlock, 1},
    {"shared lock", open_shared, NULL, close_unlock, 1},
    {"unchecked exclusive lock", open_exclusive_unchecked, NULL, close_unlock, 1},
    {"unchecked shared lock", open_shared_unchecked, flush, close_unlock, 1},
    {"lock, flush", open_shared, flush, close_unlock, 1},
    {"lock, flush_local", open_exclusive, flush_local, close_unlock, 1},
    {"lock, flush_all", open_exclusive, flush_all, close_unlock, 1},
    {"lock_all", open_all, NULL, close_unlock_all, 1},
    {"lock_all, flush", open_all, flush, close_unlock_all, 1},
    {"lock_all, flush_local", open_all, flush_local, close_unlock_all, 1},
    {"unchecked lock_all, flush_all", open_all_unchecked, flush_all, close_unlock_all, 1},
    {"lock_all, flush_local_all", open_all_unchecked, flush_local_all, close_unlock_all, 1},
};
enum { epoch_count = sizeof epochs / sizeof epochs[0] };

#endif
