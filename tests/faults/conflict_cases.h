/* Conflicting accesses; rank 0 comes first, rank 1 then, mostly at rank 2. */
#ifndef CONFLICT_CASES_H
#define CONFLICT_CASES_H

#include "conflict_window.h"

#define IN_FENCES(first, then) \
  do {                         \
    fence();                   \
    FIRST(first);              \
    THEN(then);                \
    fence();                   \
  } while (0)

static void two_puts(void) {
  IN_FENCES(put(2, 2, 4), put(2, 4, 4));
}
static void put_twice(void) {
  IN_FENCES((put(2, 2, 4), put(2, 5, 1)), (void)0);
}
static void put_of_gotten(void) {
  IN_FENCES(get(2, 8, 2), put(2, 9, 2));
}
static void get_of_put(void) {
  IN_FENCES(put(2, 8, 2), get(2, 9, 2));
}
static void accumulate_of_put(void) {
  IN_FENCES(put(2, 8, 2), add(2, 8, 2, MPI_INT, MPI_SUM));
}
static void get_of_accumulated(void) {
  IN_FENCES(add(2, 8, 2, MPI_INT, MPI_SUM), get(2, 8, 1));
}
static void put_of_fetched(void) {
  IN_FENCES(fetch(2, 8, MPI_SUM), put(2, 8, 1));
}
static void put_of_swapped(void) {
  IN_FENCES(swap(2, 8), put(2, 8, 1));
}
static void put_of_read(void) {
  IN_FENCES(fetch(2, 8, MPI_NO_OP), put(2, 8, 1));
}
static void two_operations(void) {
  IN_FENCES(add(2, 8, 2, MPI_INT, MPI_SUM), add(2, 9, 2, MPI_INT, MPI_MAX));
}
static void two_types(void) {
  IN_FENCES(add(2, 8, 2, MPI_INT, MPI_SUM), add(2, 9, 2, MPI_UNSIGNED, MPI_SUM));
}
static void one_operation_promised(void) {
  free_window();
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ops", "same_op");
  make_window(MPI_COMM_WORLD, "grid");
  MPI_Info_free(&info);
  IN_FENCES(fetch(2, 8, MPI_SUM), fetch(2, 8, MPI_NO_OP));
}
/* Every eighth integer, and a row that meets the third of them. */
static void rows_and_column(void) {
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  IN_FENCES(told(MPI_Put(out, 4, MPI_INT, 2, 3, 1, column, win)), put(2, 16, 8));
  MPI_Type_free(&column);
}
static void own_put(void) {
  IN_FENCES(put(2, 8, 1), (void)0);
  fence();
  FIRST(put(2, 8, 1));
  OWNER(put(2, 8, 1));
  fence();
}
static void one_exposure(void) {
  MPI_Group world, others, owner;
  int two = 2, first_two[] = {0, 1};
  MPI_Comm_group(comm, &world);
  MPI_Group_incl(world, 1, &two, &owner);
  MPI_Group_incl(world, 2, first_two, &others);
  if (rank == 2) told(MPI_Win_post(others, 0, win));
  FIRST(MPI_Win_start(owner, 0, win); put(2, 8, 1); MPI_Win_complete(win));
  THEN(MPI_Win_start(owner, 0, win); put(2, 8, 1); MPI_Win_complete(win));
  if (rank == 2) told(MPI_Win_wait(win));
  MPI_Group_free(&world), MPI_Group_free(&others), MPI_Group_free(&owner);
}
static void shared_locks(void) {
  FIRST(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win); put(2, 8, 2));
  THEN(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win); put(2, 9, 2));
  if (rank < 2) MPI_Win_unlock(2, win);
  barrier();
}
static void one_lock(void) {
  FIRST(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win); put(2, 8, 2); get(2, 8, 1);
        MPI_Win_unlock(2, win));
}
static void no_flush(void) {
  MPI_Win_lock_all(0, win);
  FIRST(put(2, 8, 1); MPI_Win_flush(1, win));
  THEN(get(2, 8, 1));
  MPI_Win_unlock_all(win);
  barrier();
}
/* A put's request tells of its buffer alone. */
static void requests(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_lock_all(0, win);
  FIRST(told(MPI_Rput(out, 1, MPI_INT, 2, 8, 1, MPI_INT, win, &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        told(MPI_Rget(in, 1, MPI_INT, 2, 8, 1, MPI_INT, win, &request)));
  MPI_Win_unlock_all(win);
  barrier();
}
static void store_after_put(void) {
  fence();
  FIRST(put(2, 8, 4));
  OWNER(memory[9] = -1);
  fence();
}
static void store_after_accumulate(void) {
  fence();
  FIRST(add(2, 8, 4, MPI_INT, MPI_SUM));
  OWNER(memory[11] = -1);
  fence();
}
static void store_between_accumulates(void) {
  fence();
  FIRST(add(2, 8, 4, MPI_INT, MPI_SUM));
  OWNER(memory[11] = -1);
  THEN(add(2, 10, 4, MPI_INT, MPI_SUM));
  fence();
}
static void expose(int by_test) {
  MPI_Group world, first, owner;
  int zero = 0, two = 2;
  MPI_Comm_group(comm, &world);
  MPI_Group_incl(world, 1, &two, &owner);
  MPI_Group_incl(world, 1, &zero, &first);
  if (rank == 2) told(MPI_Win_post(first, 0, win));
  FIRST(MPI_Win_start(owner, 0, win); put(2, 8, 1); MPI_Win_complete(win));
  OWNER(memory[8] = -1; int flag = 0; if (by_test) while (!flag) told(MPI_Win_test(win, &flag));
        else told(MPI_Win_wait(win)));
  MPI_Group_free(&world), MPI_Group_free(&first), MPI_Group_free(&owner);
}
static void store_in_exposure(void) {
  expose(0);
}
static void test_ends_exposure(void) {
  expose(1);
}
/* In a communicator whose ranks have other numbers. */
static void other_ranks(void) {
  MPI_Comm reversed;
  free_window();
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  make_window(reversed, "turned");
  fence();
  if (rank == 2) put(1, 8, 1); /* there, 0 and 1 */
  barrier();
  if (rank == 0) put(1, 8, 1);
  fence();
  free_window();
  MPI_Comm_free(&reversed);
  make_window(MPI_COMM_WORLD, "grid");
}
static void no_name(void) {
  MPI_Win_set_name(win, "");
  two_puts();
}

#endif
