/* Accesses that look like those of conflict_cases.h and are ordered, or do not meet. */
#ifndef CONFLICT_FITS_H
#define CONFLICT_FITS_H

#include "conflict_cases.h"

static void fences(void) {
  fence();
  for (int i = 0; i < 50; ++i) {
    if (rank == i % 3) put(2, 8, 4);
    fence();
    if (rank == (i + 1) % 3) get(2, 8, 4);
    fence();
    add(2, 8, 4, MPI_INT, MPI_SUM);
    fence();
    add(2, 8, 4, MPI_INT, MPI_MAX);
    fence();
  }
}
static void disjoint(void) {
  IN_FENCES((put(2, 0, 4), get(2, 8, 4)), (put(2, 4, 4), get(2, 12, 4)));
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  IN_FENCES(told(MPI_Put(out, 4, MPI_INT, 2, 3, 1, column, win)), put(2, 20, 7));
  MPI_Type_free(&column);
}
static void gets(void) {
  IN_FENCES((get(2, 0, 8), get(2, 4, 8)), (get(2, 0, 16), fetch(2, 3, MPI_NO_OP)));
}
static void accumulates(void) {
  IN_FENCES(add(2, 8, 2, MPI_INT, MPI_SUM), add(2, 9, 2, MPI_INT, MPI_SUM));
  IN_FENCES(fetch(2, 8, MPI_SUM), fetch(2, 8, MPI_NO_OP));
  IN_FENCES(fetch(2, 8, MPI_NO_OP), add(2, 8, 2, MPI_INT, MPI_REPLACE));
  IN_FENCES(add(2, 8, 1, MPI_INT, MPI_SUM), add(2, 9, 1, MPI_INT, MPI_MAX));
}
static void lock_words(void) {
  MPI_Win_lock_all(0, win);
  FIRST(fetch(2, 8, MPI_REPLACE));
  THEN(swap(2, 8));
  MPI_Win_unlock_all(win);
  barrier();
}
static void origin_order(void) {
  IN_FENCES((add(2, 8, 1, MPI_INT, MPI_REPLACE), add(2, 8, 1, MPI_INT, MPI_SUM)), (void)0);
}
static void flushes(void) {
  MPI_Win_lock_all(0, win);
  FIRST(put(2, 8, 1); MPI_Win_flush(2, win); put(2, 8, 1); MPI_Win_flush_all(win));
  THEN(get(2, 8, 1); MPI_Win_flush(2, win); add(2, 8, 1, MPI_INT, MPI_SUM));
  MPI_Win_unlock_all(win);
  barrier();
}
/* What a get has brought is there. */
static void local_completion(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_lock_all(0, win);
  FIRST(get(2, 8, 1); MPI_Win_flush_local(2, win); put(2, 8, 1));
  FIRST(get(2, 9, 1); MPI_Win_flush_local_all(win); put(2, 9, 1));
  FIRST(told(MPI_Rget(in, 1, MPI_INT, 2, 10, 1, MPI_INT, win, &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE); put(2, 10, 1));
  MPI_Win_unlock_all(win);
  barrier();
}
static void exclusive_locks(void) {
  for (int i = 0; i < 200; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
    get(2, 8, 4);
    MPI_Win_flush(2, win);
    put(2, 8, 4);
    MPI_Win_unlock(2, win);
  }
  barrier();
}
static void exposures(void) {
  MPI_Group world, first, owner;
  int two = 2;
  MPI_Comm_group(comm, &world);
  MPI_Group_incl(world, 1, &two, &owner);
  for (int origin = 0; origin < 100; ++origin) {
    int its_rank = origin % 2;
    MPI_Group_incl(world, 1, &its_rank, &first);
    if (rank == 2) {
      memory[8] = origin;
      told(MPI_Win_post(first, 0, win));
      told(MPI_Win_wait(win));
      memory[8] = -origin;
    }
    if (rank == its_rank) {
      MPI_Win_start(owner, 0, win);
      put(2, 8, 4);
      MPI_Win_complete(win);
    }
    MPI_Group_free(&first);
  }
  MPI_Group_free(&world), MPI_Group_free(&owner);
}
static void stores_elsewhere(void) {
  fence();
  OWNER(memory[7] = -1);
  FIRST(put(2, 8, 4); get(2, 20, 1));
  OWNER(memory[12] = -1);
  fence();
}
/* A store that is over when the operation begins; where both see one memory that is enough. */
static void stores_before(void) {
  fence();
  OWNER(memory[8] = -1; memory[20] = -2; MPI_Win_sync(win));
  FIRST(put(2, 8, 4); add(2, 20, 4, MPI_INT, MPI_SUM));
  fence();
}
/* There a get beside a store only does not know what it gets. */
static void stores_with_gets(void) {
  fence();
  FIRST(get(2, 8, 4));
  OWNER(memory[9] = -1);
  THEN(get(2, 9, 4); fetch(2, 9, MPI_NO_OP));
  OWNER(memory[9] = -2);
  fence();
}
static void stores_between(void) {
  for (int i = 0; i < 50; ++i) {
    fence();
    if (rank == i % 2) put(2, 8, 4);
    if (rank == i % 2) add(2, 20, 4, MPI_INT, MPI_SUM);
    fence();
    if (rank == 2) memory[9] = -1, memory[21] += 5;
  }
  fence();
}
static void stores_under_locks(void) {
  for (int i = 0; i < 200; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
    if (rank == 2)
      memory[8] = i;
    else
      put(2, 8, 2);
    MPI_Win_unlock(2, win);
  }
  barrier();
}
/* A window's table is forgotten with it. */
static void next_window(void) {
  for (int i = 0; i < 10; ++i) {
    fence();
    if (rank == i % 2) put(2, 8, 4);
    fence();
    free_window();
    make_window(MPI_COMM_WORLD, "grid");
  }
}

#endif
