/* What the calls that synchronize promise: groups that meet, locks that exclude or do not, flushes
 * that complete, requests, order, windows that do not get in each other's way. usage:
 * epochs_test [kind of window ...] */
#include "window_kinds.h"

static Window w; /* the window of this pass: as many numbers per rank as `numbers` */
enum { numbers = 4096 };

static MPI_Aint at(int target, int i) {
  return place(&w, target, 8 * (MPI_Aint)i);
}
static int64_t own(int i) {
  int64_t number;
  memcpy(&number, w.base + 8 * i, sizeof number);
  return number;
}
static void clear(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  memset(w.base, 0, 8 * numbers);
  end_local(&w);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void put(int64_t number, int target, int i) {
  static int64_t lent[64];
  static int next;
  int64_t* out = &lent[next++ % 64];
  *out = number;
  MPI_Put(out, 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, w.win);
}
static const int64_t one = 1;
static void add_one(int target, int i) {
  MPI_Accumulate(&one, 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, MPI_SUM, w.win);
}

/* ---- fences -----------------------------------------------------------------------------------
 */

static void fences_separate_rounds(void) {
  int64_t got[64];
  clear();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
  for (int round = 1; round <= 12; ++round) {
    for (int target = 0; target < size; ++target) put(round * 100 + rank, target, rank);
    MPI_Win_fence(0, w.win);
    for (int i = 0; i < size; ++i) CHECK(own(i) == round * 100 + i);
    for (int target = 0; target < size; ++target)
      MPI_Get(&got[target], 1, MPI_INT64_T, target, at(target, (rank + 1) % size), 1, MPI_INT64_T,
              w.win);
    MPI_Win_fence(round % 2 ? MPI_MODE_NOSTORE : 0, w.win);
    for (int target = 0; target < size; ++target)
      CHECK(got[target] == round * 100 + (rank + 1) % size);
    for (int target = 0; target < size; ++target) add_one(target, size);
    MPI_Win_fence(0, w.win);
    CHECK(own(size) == (int64_t)round * size);
    MPI_Win_fence(0, w.win); /* the next puts come after these loads */
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
}

/* ---- groups -----------------------------------------------------------------------------------
 */

static MPI_Group part_of_all(int parity) {
  MPI_Group all, part;
  int members[512], count = 0;
  MPI_Win_get_group(w.win, &all);
  for (int i = size - 1; i >= 0; --i)
    if (parity < 0 || i % 2 == parity) members[count++] = i;
  MPI_Group_incl(all, count, members, &part);
  MPI_Group_free(&all);
  return part;
}

static void all_meet_all(void) {
  MPI_Group all = part_of_all(-1);
  clear();
  for (int round = 1; round <= 10; ++round) {
    MPI_Win_post(all, 0, w.win);
    MPI_Win_start(all, 0, w.win);
    for (int target = 0; target < size; ++target) {
      put(round * 1000 + rank, target, rank);
      add_one(target, size);
    }
    MPI_Win_complete(w.win);
    MPI_Win_wait(w.win);
    for (int i = 0; i < size; ++i) CHECK(own(i) == round * 1000 + i);
    CHECK(own(size) == (int64_t)round * size);
  }
  MPI_Group_free(&all);
}

/* The even ones reach the odd ones, which do nothing themselves; then the other way round. */
static void halves_meet(void) {
  if (size < 2) return;
  clear();
  for (int round = 0; round < 20; ++round) {
    MPI_Group others = part_of_all(1 - rank % 2);
    int count = size / 2 + (round % 2 == 0 && size % 2);
    if (rank % 2 == round % 2) {
      MPI_Win_start(others, 0, w.win);
      for (int target = 1 - rank % 2; target < size; target += 2) {
        put(round, target, rank);
        add_one(target, size);
      }
      MPI_Win_complete(w.win);
    } else {
      MPI_Win_post(others, 0, w.win);
      int over = 0;
      if (round % 3 == 0)
        while (!over) MPI_Win_test(w.win, &over);
      else
        MPI_Win_wait(w.win);
      for (int i = 1 - rank % 2; i < size; i += 2) CHECK(own(i) == round);
      CHECK(own(size) == (int64_t)(round / 2 + 1) * count);
    }
    MPI_Group_free(&others);
  }
}

static void nobody_needs_to_come(void) {
  for (int round = 0; round < 3; ++round) {
    int over = 0;
    MPI_Win_post(MPI_GROUP_EMPTY, 0, w.win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, w.win);
    MPI_Win_complete(w.win);
    if (round)
      MPI_Win_wait(w.win);
    else
      while (!over) MPI_Win_test(w.win, &over);
  }
}

static void test_says_no_until_all_have_completed(void) {
  if (size < 2) return;
  clear();
  MPI_Group all, first, rest;
  const int zero = 0;
  MPI_Win_get_group(w.win, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_excl(all, 1, &zero, &rest);
  if (rank == 0) {
    int over = 0;
    MPI_Win_post(rest, 0, w.win);
    for (int i = 0; i < 100; ++i) {
      MPI_Win_test(w.win, &over);
      CHECK(!over); /* the last one waits for a message of ours */
    }
    MPI_Send(NULL, 0, MPI_INT, size - 1, 1, MPI_COMM_WORLD);
    while (!over) MPI_Win_test(w.win, &over);
    for (int i = 1; i < size; ++i) CHECK(own(i) == i);
  } else {
    MPI_Win_start(first, 0, w.win);
    put(rank, 0, rank);
    if (rank == size - 1) MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_complete(w.win);
  }
  MPI_Group_free(&all), MPI_Group_free(&first), MPI_Group_free(&rest);
}

/* ---- locks ------------------------------------------------------------------------------------
 */

static void exclusive_locks_exclude(void) {
  enum { rounds = 60 };
  clear();
  for (int round = 0; round < rounds; ++round) {
    int target = round % 3 ? 0 : (rank + round) % size;
    int64_t number = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
    MPI_Get(&number, 1, MPI_INT64_T, target, at(target, 5), 1, MPI_INT64_T, w.win);
    MPI_Win_flush(target, w.win);
    put(number + 1, target, 5);
    MPI_Win_unlock(target, w.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  int64_t mine = own(5), sum = 0;
  end_local(&w);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == (int64_t)rounds * size);
}

/* Everyone holds its lock while all meet in a barrier. */
static void locks_that_do_not_conflict_are_held_together(void) {
  clear();
  for (int round = 0; round < 5; ++round) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
    add_one(0, 1);
    MPI_Win_flush(0, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock(0, w.win);

    int target = (rank + round) % size;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
    add_one(target, 2);
    MPI_Win_flush(target, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock(target, w.win);

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 2)
      MPI_Win_lock_all(0, w.win);
    else
      MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, w.win);
    add_one(size - 1, 3);
    MPI_Win_flush(size - 1, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 2)
      MPI_Win_unlock_all(w.win);
    else
      MPI_Win_unlock(size - 1, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  begin_local(&w);
  CHECK(own(1) == (rank == 0 ? 5 * size : 0) && own(2) == 5);
  CHECK(own(3) == (rank == size - 1 ? 5 * size : 0));
  end_local(&w);
}

static void one_rank_locks_many(void) {
  clear();
  /* All in rising order: nobody waits for one that waits for it. */
  for (int round = 0; round < 10; ++round) {
    int type = (round + rank) % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    for (int i = 0; i < size; ++i) MPI_Win_lock(type, i, 0, w.win);
    for (int i = 0; i < size; ++i) add_one((i + rank) % size, 7);
    for (int i = size - 1; i >= 0; --i) MPI_Win_unlock(round % 2 ? i : size - 1 - i, w.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  CHECK(own(7) == 10 * size);
  end_local(&w);
}

/* ---- flushes ----------------------------------------------------------------------------------
 */

/* What is flushed, others can see who hear of it by a message. */
static void flushed_data_is_there_for_others(void) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 1; round <= 30; ++round) {
    int target = round % 3 == 0 ? rank : round % 3 == 1 ? next : before;
    int theirs = round % 3 == 0 ? before : round % 3 == 1 ? rank : (before + size - 1) % size;
    int64_t got = -1;
    put(round, target, 10 + rank);
    if (round % 2)
      MPI_Win_flush(target, w.win);
    else
      MPI_Win_flush_all(w.win);
    MPI_Sendrecv(&round, 1, MPI_INT, next, 4, &(int){0}, 1, MPI_INT, before, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Get(&got, 1, MPI_INT64_T, theirs, at(theirs, 10 + before), 1, MPI_INT64_T, w.win);
    MPI_Win_flush_local(theirs, w.win);
    CHECK(got == round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(w.win);
}

/* Where there is one copy of the memory only, its owner sees it, too. */
static void flushed_data_is_there_for_the_owner(void) {
  int *model, flag, next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win_get_attr(w.win, MPI_WIN_MODEL, &model, &flag);
  if (*model != MPI_WIN_UNIFIED) return;
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 1; round <= 30; ++round) {
    for (int i = 0; i < 50; ++i) put(round * 50 + i, next, i);
    MPI_Win_flush(next, w.win);
    MPI_Sendrecv(&round, 1, MPI_INT, next, 4, &(int){0}, 1, MPI_INT, before, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_sync(w.win);
    for (int i = 0; i < 50; ++i) CHECK(own(i) == round * 50 + i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(w.win);
}

static void buffers_are_free_after_a_local_flush(void) {
  int target = (rank + 1) % size, source = (rank + size - 1) % size;
  int64_t out[100];
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 100; ++i) out[i] = round * 1000 + rank * 100 + i;
    if (round % 3 == 0)
      MPI_Put(out, 100, MPI_INT64_T, target, at(target, 100 * round), 100, MPI_INT64_T, w.win);
    else
      MPI_Accumulate(out, 100, MPI_INT64_T, target, at(target, 100 * round), 100, MPI_INT64_T,
                     round % 3 == 1 ? MPI_SUM : MPI_REPLACE, w.win);
    if (round % 2)
      MPI_Win_flush_local(target, w.win);
    else
      MPI_Win_flush_local_all(w.win);
  }
  memset(out, 0, sizeof out);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&w);
  for (int i = 0; i < 4000; ++i) CHECK(own(i) == i / 100 * 1000 + source * 100 + i % 100);
  end_local(&w);
}

/* ---- order ------------------------------------------------------------------------------------
 */

/* Accumulates of one origin to one place happen in the order of the program. */
static void accumulates_stay_in_order(void) {
  enum { steps = 50 };
  int target = (rank + 1) % size;
  int64_t out[steps], seen[steps], swapped[steps], compare[steps];
  clear();
  for (int form = 0; form < 2; ++form) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
    for (int i = 0; i < steps; ++i) {
      out[i] = 1000 * form + i, compare[i] = out[i] - i % 2;
      MPI_Accumulate(&out[i], 1, MPI_INT64_T, target, at(target, 3), 1, MPI_INT64_T, MPI_REPLACE,
                     w.win);
      if (form)
        MPI_Fetch_and_op(NULL, &seen[i], MPI_INT64_T, target, at(target, 3), MPI_NO_OP, w.win);
      else
        MPI_Get_accumulate(NULL, 0, MPI_INT64_T, &seen[i], 1, MPI_INT64_T, target, at(target, 3), 1,
                           MPI_INT64_T, MPI_NO_OP, w.win);
      MPI_Compare_and_swap(&one, &compare[i], &swapped[i], MPI_INT64_T, target, at(target, 3),
                           w.win);
    }
    int64_t last = -1;
    MPI_Fetch_and_op(NULL, &last, MPI_INT64_T, target, at(target, 3), MPI_NO_OP, w.win);
    MPI_Win_unlock(target, w.win);
    for (int i = 0; i < steps; ++i) CHECK(seen[i] == out[i] && swapped[i] == out[i]);
    CHECK(last == (compare[steps - 1] == out[steps - 1] ? 1 : out[steps - 1]));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static void requests_complete_in_any_order(void) {
  enum { many = 60 };
  int target = (rank + 1) % size, source = (rank + size - 1) % size, message = -1;
  int64_t out[many], in[many];
  MPI_Request requests[many + 3];
  clear();
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < many; ++i) {
    out[i] = 100 * rank + i;
    if (i % 2)
      MPI_Rput(&out[i], 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, w.win, &requests[i]);
    else
      MPI_Raccumulate(&out[i], 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, MPI_SUM,
                      w.win, &requests[i]);
  }
  MPI_Rput(out, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, w.win, &requests[many]);
  MPI_Irecv(&message, 1, MPI_INT, source, 6, MPI_COMM_WORLD, &requests[many + 1]);
  MPI_Isend(&rank, 1, MPI_INT, target, 6, MPI_COMM_WORLD, &requests[many + 2]);
  MPI_Waitall(many + 3, requests, MPI_STATUSES_IGNORE);
  CHECK(message == source);
  memset(out, 0, sizeof out); /* they are ours again */
  MPI_Win_flush(target, w.win);
  for (int i = 0; i < many; ++i) {
    in[i] = -1;
    if (i % 2)
      MPI_Rget(&in[i], 1, MPI_INT64_T, target, at(target, i), 1, MPI_INT64_T, w.win, &requests[i]);
    else
      MPI_Rget_accumulate(NULL, 0, MPI_INT64_T, &in[i], 1, MPI_INT64_T, target, at(target, i), 1,
                          MPI_INT64_T, MPI_NO_OP, w.win, &requests[i]);
  }
  for (int done = 0, some, index[many]; done < many; done += some) {
    if (done % 2) {
      MPI_Waitany(many, requests, &index[0], MPI_STATUS_IGNORE);
      some = 1;
    } else {
      MPI_Testsome(many, requests, &some, index, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < some; ++k) {
      CHECK(index[k] >= 0 && index[k] < many && requests[index[k]] == MPI_REQUEST_NULL);
      CHECK(in[index[k]] == 100 * rank + index[k]);
    }
  }
  MPI_Win_unlock_all(w.win);
}

/* ---- several windows --------------------------------------------------------------------------
 */

static void windows_do_not_get_in_each_others_way(void) {
  Window mine = w, other = make_window(w.kind, 8 * numbers, 8, MPI_COMM_WORLD);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int64_t number = rank + 1, got = 0;
  clear();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, mine.win);
  MPI_Win_fence(0, other.win);
  MPI_Put(&number, 1, MPI_INT64_T, next, place(&mine, next, 0), 1, MPI_INT64_T, mine.win);
  MPI_Put(&number, 1, MPI_INT64_T, before, place(&other, before, 0), 1, MPI_INT64_T, other.win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, other.win);
  memcpy(&got, other.base, sizeof got);
  CHECK(got == next + 1);
  MPI_Win_unlock(next, mine.win);
  MPI_Barrier(MPI_COMM_WORLD);
  begin_local(&mine);
  CHECK(own(0) == before + 1);
  end_local(&mine);
  free_window(&other);
}

/* Nobody's part goes away while others may still reach it. */
static void a_window_is_freed_after_the_last_access(void) {
  int64_t memory[8] = {0}, number = rank;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank > 0)
    for (int round = 0; round < 20; ++round) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Accumulate(&number, 1, MPI_INT64_T, 0, 3, 1, MPI_INT64_T, MPI_SUM, win);
      MPI_Win_unlock(0, win);
    }
  MPI_Win_free(&win);
  CHECK(memory[3] == (rank == 0 ? 20 * (int64_t)size * (size - 1) / 2 : 0));
}

static void run(WindowKind kind) {
  w = make_window(kind, 8 * numbers, kind % 2 ? 8 : 1, MPI_COMM_WORLD);
  fences_separate_rounds();
  all_meet_all();
  halves_meet();
  nobody_needs_to_come();
  test_says_no_until_all_have_completed();
  exclusive_locks_exclude();
  locks_that_do_not_conflict_are_held_together();
  one_rank_locks_many();
  flushed_data_is_there_for_others();
  flushed_data_is_there_for_the_owner();
  buffers_are_free_after_a_local_flush();
  accumulates_stay_in_order();
  requests_complete_in_any_order();
  windows_do_not_get_in_each_others_way();
  free_window(&w);
  a_window_is_freed_after_the_last_access();
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  CHECK(size <= 64); /* its arrays are for so many */
  over_kinds(argc, argv, run);
  return finish();
}
