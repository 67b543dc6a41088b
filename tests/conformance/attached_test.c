/* Memory of dynamic windows: operations across regions that lie side by side, across regions with a
 * hole between them, and on memory that its owner has detached and keeps, or has detached and
 * unmapped. */
#include "window_kinds.h"

enum { part = 8192, parts = 3 };

static int next_rank, previous_rank;
static MPI_Win win;

/* Memory that is the program's own on even ranks, MPI's on odd ones. */
static void* take(size_t bytes) {
  void* memory;
  if (rank % 2 == 0) return take_own(bytes);
  MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
  return memory;
}
static void give_back(void* memory) {
  if (rank % 2 == 0)
    give_back_own(memory);
  else
    MPI_Free_mem(memory);
}

/* The address at the next rank. */
static MPI_Aint told(const void* memory) {
  MPI_Aint mine, theirs;
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, previous_rank, 1, &theirs, 1, MPI_AINT, next_rank, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return theirs;
}

static void begin(void) {
  win = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

/* 8192 ints each are attached, one part behind the other. */
static void operations_reach_across_neighbors(void) {
  const int all = parts * part, from = part - 1024, count = part + 1024;
  int* memory = take((size_t)(all + 1) * sizeof *memory);
  int *data = malloc((size_t)all * sizeof *data), *got = calloc((size_t)all, sizeof *got);
  MPI_Request request;
  begin();
  for (int i = 0; i < all; ++i) memory[i] = -1, data[i] = 1000 * rank + i;
  /* In any order. */
  MPI_Win_attach(win, memory + 2 * part, part * sizeof *memory);
  MPI_Win_attach(win, memory, part * sizeof *memory);
  MPI_Win_attach(win, memory + part, part * sizeof *memory);
  const MPI_Aint at = told(memory) + (MPI_Aint)(from * sizeof *memory);
  MPI_Win_lock_all(0, win);
  CHECK(MPI_Put(data, count, MPI_INT, next_rank, at, count, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(MPI_Get(got, count, MPI_INT, next_rank, at, count, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(memcmp(got, data, (size_t)count * sizeof *got) == 0);
  CHECK(MPI_Accumulate(data, count, MPI_INT, next_rank, at, count, MPI_INT, MPI_SUM, win) ==
        MPI_SUCCESS);
  CHECK(MPI_Get_accumulate(data, count, MPI_INT, got, count, MPI_INT, next_rank, at, count, MPI_INT,
                           MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  for (int i = 0; i < count; ++i) CHECK(got[i] == 2 * data[i]);
  CHECK(MPI_Rget(got, count, MPI_INT, next_rank, at, count, MPI_INT, win, &request) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) CHECK(got[i] == 3 * data[i]);
  CHECK(MPI_Rput(data, count, MPI_INT, next_rank, at, count, MPI_INT, win, &request) ==
        MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* Three parts at once, and no byte more. */
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(MPI_Get(got, all, MPI_INT, next_rank, at - (MPI_Aint)(from * sizeof *memory), all, MPI_INT,
                win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  for (int i = 0; i < all; ++i) {
    const int inside = i >= from && i < from + count;
    CHECK(got[i] == (inside ? data[i - from] : -1));
  }
  int error = MPI_Get(got, all * 4 + 1, MPI_BYTE, next_rank, at - (MPI_Aint)(from * sizeof *memory),
                      all * 4 + 1, MPI_BYTE, win);
  if (!error) error = MPI_Win_flush(next_rank, win);
  CHECK(class_of(error) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  give_back(memory);
  free(data);
  free(got);
}

/* One element of eight bytes, half of it in each region. */
static void one_element_lies_in_two_regions(void) {
  char* memory = take(64);
  int64_t one = 1, two = 2, old = -1;
  begin();
  memset(memory, 0, 64);
  MPI_Win_attach(win, memory, 12);
  MPI_Win_attach(win, memory + 12, 20);
  const MPI_Aint at = told(memory) + 8;
  MPI_Win_lock_all(0, win);
  CHECK(MPI_Accumulate(&one, 1, MPI_INT64_T, next_rank, at, 1, MPI_INT64_T, MPI_SUM, win) ==
        MPI_SUCCESS);
  CHECK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, next_rank, at, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(old == 1);
  CHECK(MPI_Compare_and_swap(&one, &two, &old, MPI_INT64_T, next_rank, at, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(old == 2);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  memcpy(&old, memory + 8, sizeof old);
  CHECK(old == 1);
  MPI_Win_free(&win);
  give_back(memory);
}

/* A datatype of addresses that has data in two regions, and none in the hole between. */
static void data_lies_in_regions_with_a_hole_between(void) {
  int* memory = take(3 * part * sizeof *memory);
  int lengths[2] = {10, 20}, data[30], got[30] = {0};
  MPI_Aint places[2];
  MPI_Datatype type;
  begin();
  for (int i = 0; i < 3 * part; ++i) memory[i] = 0;
  for (int i = 0; i < 30; ++i) data[i] = rank + i;
  MPI_Win_attach(win, memory, part * sizeof *memory);
  MPI_Win_attach(win, memory + 2 * part, part * sizeof *memory);
  places[0] = told(memory);
  places[1] = places[0] + (MPI_Aint)(2 * part * sizeof *memory);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Win_lock_all(0, win);
  CHECK(MPI_Put(data, 30, MPI_INT, next_rank, 0, 1, type, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(MPI_Accumulate(data, 30, MPI_INT, next_rank, 0, 1, type, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(MPI_Get(got, 30, MPI_INT, next_rank, 0, 1, type, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  for (int i = 0; i < 30; ++i) CHECK(got[i] == 2 * data[i]);
  MPI_Type_free(&type);
  /* And one that has data in the hole. */
  places[1] -= (MPI_Aint)sizeof *memory;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  int error = MPI_Put(data, 30, MPI_INT, next_rank, 0, 1, type, win);
  if (!error) error = MPI_Win_flush(next_rank, win);
  CHECK(class_of(error) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&type);
  MPI_Win_free(&win);
  give_back(memory);
}

/* Others still use what has been detached: it is there. */
static void detached_memory_is_reached_while_it_is_there(void) {
  enum { count = 100000 };
  int *memory = take(count * sizeof *memory), *data = malloc(count * sizeof *data),
      *got = malloc(count * sizeof *got), old = -1, one = 1;
  begin();
  for (int i = 0; i < count; ++i) memory[i] = 7, data[i] = rank + i;
  MPI_Win_attach(win, memory, count * sizeof *memory);
  const MPI_Aint at = told(memory);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, memory);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int length = 1; length <= count; length *= 10) {
    MPI_Win_lock_all(0, win);
    CHECK(MPI_Put(data, length, MPI_INT, next_rank, at, length, MPI_INT, win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
    CHECK(MPI_Accumulate(data, length, MPI_INT, next_rank, at, length, MPI_INT, MPI_SUM, win) ==
          MPI_SUCCESS);
    CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
    CHECK(MPI_Get(got, length, MPI_INT, next_rank, at, length, MPI_INT, win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
    for (int i = 0; i < length; ++i) CHECK(got[i] == 2 * data[i]);
    CHECK(MPI_Fetch_and_op(&one, &old, MPI_INT, next_rank, at, MPI_SUM, win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
    CHECK(old == 2 * data[0]);
    CHECK(MPI_Compare_and_swap(&one, data, &old, MPI_INT, next_rank, at, win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
    CHECK(old == 2 * data[0] + 1);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /* It can be attached again, in parts. */
  MPI_Win_attach(win, memory, 50000 * sizeof *memory);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  CHECK(MPI_Put(data, count, MPI_INT, next_rank, at, count, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(memory[i] == previous_rank + i);
  MPI_Win_free(&win);
  give_back(memory);
  free(data);
  free(got);
}

static int is_refused(int error) {
  if (!error) error = MPI_Win_flush(next_rank, win);
  return class_of(error) == MPI_ERR_RMA_RANGE;
}

/* The owner goes on, and whoever reaches there has an error. */
static void unmapped_memory_is_an_error(void) {
  enum { bytes = 1 << 20 };
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
       *data = calloc(1, bytes);
  int old, one = 1;
  CHECK(memory != MAP_FAILED);
  begin();
  memset(memory, 1, bytes);
  MPI_Win_attach(win, memory, bytes);
  const MPI_Aint at = told(memory);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, memory);
  munmap(memory + bytes / 2, bytes / 2);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const MPI_Aint gone = at + bytes / 2;
  CHECK(MPI_Get(data, 8, MPI_BYTE, next_rank, at, 8, MPI_BYTE, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  CHECK(data[0] == 1);
  CHECK(is_refused(MPI_Get(data, 8, MPI_BYTE, next_rank, gone, 8, MPI_BYTE, win)));
  CHECK(is_refused(MPI_Put(data, 8, MPI_BYTE, next_rank, gone - 4, 8, MPI_BYTE, win)));
  CHECK(is_refused(MPI_Put(data, bytes, MPI_BYTE, next_rank, at, bytes, MPI_BYTE, win)));
  CHECK(is_refused(MPI_Get(data, bytes, MPI_BYTE, next_rank, at, bytes, MPI_BYTE, win)));
  CHECK(is_refused(
      MPI_Accumulate(data, bytes, MPI_BYTE, next_rank, at, bytes, MPI_BYTE, MPI_BOR, win)));
  CHECK(is_refused(MPI_Accumulate(&one, 1, MPI_INT, next_rank, gone, 1, MPI_INT, MPI_SUM, win)));
  CHECK(is_refused(MPI_Fetch_and_op(&one, &old, MPI_INT, next_rank, gone, MPI_SUM, win)));
  CHECK(is_refused(MPI_Compare_and_swap(&one, &one, &old, MPI_INT, next_rank, gone, win)));
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  munmap(memory, bytes / 2);
  free(data);
}

/* The list of what has been detached does not grow without end. */
static void what_was_detached_long_ago_is_forgotten(void) {
  char* memory = take(1000);
  char data = 5;
  begin();
  MPI_Win_attach(win, memory, 1);
  const MPI_Aint at = told(memory);
  MPI_Win_detach(win, memory);
  for (int i = 1; i < 1000; ++i) {
    MPI_Win_attach(win, memory + i, 1);
    MPI_Win_detach(win, memory + i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  CHECK(is_refused(MPI_Put(&data, 1, MPI_BYTE, next_rank, at, 1, MPI_BYTE, win)));
  CHECK(MPI_Put(&data, 1, MPI_BYTE, next_rank, at + 999, 1, MPI_BYTE, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(next_rank, win) == MPI_SUCCESS);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(memory[999] == 5);
  MPI_Win_free(&win);
  give_back(memory);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  next_rank = (rank + 1) % size;
  previous_rank = (rank + size - 1) % size;
  operations_reach_across_neighbors();
  one_element_lies_in_two_regions();
  data_lies_in_regions_with_a_hole_between();
  detached_memory_is_reached_while_it_is_there();
  unmapped_memory_is_an_error();
  what_was_detached_long_ago_is_forgotten();
  return finish();
}
