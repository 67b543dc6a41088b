/* Wrong calls of one-sided communication: windows, memory, operations, epochs. */
#include "wrong.h"

#define WORLD MPI_COMM_WORLD

static MPI_Win w, dynamic, freed_win; /* w: 64 bytes on each rank, in units of 4 */
static int* memory;
static int attached[16];
static MPI_Aint attached_at; /* of the next rank */
static int next_rank, before;
static MPI_Datatype uncommitted, ints_and_doubles;
static MPI_Op own_op;

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void prepare(void) {
  MPI_Aint mine;
  int lengths[] = {1, 1};
  MPI_Aint places[] = {0, 8};
  MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  next_rank = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &w);
  MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &dynamic);
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &freed_win);
  MPI_Win copy = freed_win;
  MPI_Win_free(&copy);
  MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  MPI_Win_get_attr(w, MPI_WIN_BASE, &memory, &lengths[0]);
  lengths[0] = 1;
  MPI_Win_attach(dynamic, attached, sizeof attached);
  MPI_Get_address(attached, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, before, 1, &attached_at, 1, MPI_AINT, next_rank, 1, WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_Type_create_struct(2, lengths, places, types, &ints_and_doubles);
  MPI_Type_commit(&ints_and_doubles);
  MPI_Op_create(add, 1, &own_op);
}

/* After a section: the window still works, and no epoch is open. */
static void it_still_works(void) {
  int number = rank + 100, got = -1;
  CHECK(MPI_Win_fence(0, w) == MPI_SUCCESS);
  CHECK(MPI_Put(&number, 1, MPI_INT, next_rank, 15, 1, MPI_INT, w) == MPI_SUCCESS);
  CHECK(MPI_Win_fence(0, w) == MPI_SUCCESS);
  CHECK(memory[15] == before + 100);
  CHECK(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, w) == MPI_SUCCESS);
  CHECK(MPI_Get(&got, 1, MPI_INT, next_rank, 15, 1, MPI_INT, w) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock(next_rank, w) == MPI_SUCCESS);
  CHECK(got == number);
  MPI_Barrier(WORLD);
}

/* ---- making them ------------------------------------------------------------------------------
 */

static void making_windows(void) {
  int* base;
  MPI_Win made;
  MPI_Comm between_groups, half;
  MPI_Info info;
  WRONG(MPI_Win_allocate(-1, 4, MPI_INFO_NULL, WORLD, &base, &made), MPI_ERR_SIZE, "size");
  WRONG(MPI_Win_allocate(64, 0, MPI_INFO_NULL, WORLD, &base, &made), MPI_ERR_DISP, "disp_unit");
  WRONG(MPI_Win_allocate_c(64, -4, MPI_INFO_NULL, WORLD, &base, &made), MPI_ERR_DISP, "disp_unit");
  WRONG(MPI_Win_allocate_shared(-9, 4, MPI_INFO_NULL, WORLD, &base, &made), MPI_ERR_SIZE, "size");
  WRONG(MPI_Win_allocate_shared(64, -1, MPI_INFO_NULL, WORLD, &base, &made), MPI_ERR_DISP,
        "disp_unit");
  WRONG(MPI_Win_create(attached, -64, 4, MPI_INFO_NULL, WORLD, &made), MPI_ERR_SIZE, "size");
  WRONG(MPI_Win_create(attached, 64, 0, MPI_INFO_NULL, WORLD, &made), MPI_ERR_DISP, "disp_unit");
  WRONG(MPI_Win_create_c(attached, 64, -8, MPI_INFO_NULL, WORLD, &made), MPI_ERR_DISP, "disp_unit");
  WRONG(MPI_Win_create(attached, 64, 4, MPI_INFO_NULL, MPI_COMM_NULL, &made), MPI_ERR_COMM,
        "MPI_COMM_NULL");
  WRONG(MPI_Win_create(attached, 64, 4, MPI_INFO_NULL, WORLD, NULL), MPI_ERR_ARG, "(win)");
  WRONG(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &made), MPI_ERR_COMM,
        "MPI_Win_create_dynamic");
  WRONG(MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, NULL), MPI_ERR_ARG, "(win)");
  MPI_Info_create(&info);
  MPI_Info freed_info = info;
  MPI_Info_free(&info);
  WRONG(MPI_Win_allocate(64, 4, freed_info, WORLD, &base, &made), MPI_ERR_INFO, "(info)");
  WRONG(MPI_Win_set_info(w, freed_info), MPI_ERR_INFO, "(info)");
  if (size > 1) {
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 9, &between_groups);
    MPI_Comm_set_errhandler(between_groups, MPI_ERRORS_RETURN);
    WRONG(MPI_Win_allocate(64, 4, MPI_INFO_NULL, between_groups, &base, &made), MPI_ERR_COMM,
          "intercommunicator");
    WRONG(MPI_Win_create_dynamic(MPI_INFO_NULL, between_groups, &made), MPI_ERR_COMM,
          "intercommunicator");
    MPI_Comm_free(&between_groups);
    MPI_Comm_free(&half);
  }
  CHECK(made == MPI_WIN_NULL);
}

static void what_windows_carry(void) {
  int keyval, flag, length, predefined = MPI_WIN_SIZE, invalid = MPI_KEYVAL_INVALID;
  char name[MPI_MAX_OBJECT_NAME];
  void* value;
  MPI_Win none = MPI_WIN_NULL, freed = freed_win;
  MPI_Errhandler handler;
  MPI_Group group;
  MPI_Info info;
  WRONG(MPI_Win_free(&none), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Win_free(&freed), MPI_ERR_WIN, "(win)");
  WRONG(MPI_Win_free(NULL), MPI_ERR_ARG, "argument 1 (win)");
  WRONG(MPI_Win_get_group(MPI_WIN_NULL, &group), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Win_get_group(w, NULL), MPI_ERR_ARG, "argument 2 (group)");
  WRONG(MPI_Win_get_info(freed_win, &info), MPI_ERR_WIN, "freed");
  WRONG(MPI_Win_get_info(w, NULL), MPI_ERR_ARG, "argument 2 (info_used)");
  WRONG(MPI_Win_set_info(MPI_WIN_NULL, MPI_INFO_NULL), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Win_set_name(w, NULL), MPI_ERR_ARG, "argument 2 (win_name)");
  WRONG(MPI_Win_set_name(freed_win, "name"), MPI_ERR_WIN, "freed");
  WRONG(MPI_Win_get_name(w, NULL, &length), MPI_ERR_ARG, "argument 2 (win_name)");
  WRONG(MPI_Win_get_name(w, name, NULL), MPI_ERR_ARG, "argument 3 (resultlen)");
  WRONG(MPI_Win_get_name((MPI_Win)WORLD, name, &length), MPI_ERR_WIN, "argument 1 (win)");
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);
  WRONG(MPI_Win_set_attr(w, MPI_KEYVAL_INVALID, name), MPI_ERR_KEYVAL, "argument 2 (win_keyval)");
  WRONG(MPI_Win_set_attr(w, MPI_WIN_BASE, name), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Win_set_attr(w, MPI_TAG_UB, name), MPI_ERR_KEYVAL, "key");
  WRONG(MPI_Win_delete_attr(w, MPI_WIN_MODEL), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Win_get_attr(w, 123456, &value, &flag), MPI_ERR_KEYVAL, "argument 2 (win_keyval)");
  WRONG(MPI_Win_get_attr(w, MPI_WIN_BASE, NULL, &flag), MPI_ERR_ARG, "(attribute_val)");
  WRONG(MPI_Win_get_attr(w, MPI_WIN_BASE, &value, NULL), MPI_ERR_ARG, "argument 4 (flag)");
  WRONG(MPI_Win_free_keyval(&predefined), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Win_free_keyval(&invalid), MPI_ERR_KEYVAL, "argument 1 (win_keyval)");
  MPI_Win_free_keyval(&keyval);
  MPI_Comm_get_errhandler(WORLD, &handler);
  WRONG(MPI_Win_set_errhandler(w, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL");
  WRONG(MPI_Win_set_errhandler(freed_win, handler), MPI_ERR_WIN, "freed");
  WRONG(MPI_Win_get_errhandler(w, NULL), MPI_ERR_ARG, "argument 2 (errhandler)");
  WRONG(MPI_Win_create_errhandler(NULL, &handler), MPI_ERR_ARG, "argument 1 (win_errhandler_fn)");
  WRONG(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER), MPI_ERR_WIN, "MPI_WIN_NULL");
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static void attached_and_shared_memory(void) {
  static int other[8];
  MPI_Aint bytes;
  int unit;
  void* base;
  WRONG(MPI_Win_attach(w, other, sizeof other), MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic");
  WRONG(MPI_Win_detach(w, other), MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic");
  WRONG(MPI_Win_attach(dynamic, other, -1), MPI_ERR_SIZE, "argument 3 (size)");
  WRONG(MPI_Win_attach(dynamic, attached, sizeof attached), MPI_ERR_RMA_ATTACH, "already");
  WRONG(MPI_Win_attach(dynamic, attached + 15, 4), MPI_ERR_RMA_ATTACH, "already");
  WRONG(MPI_Win_attach(dynamic, attached + 3, 1), MPI_ERR_RMA_ATTACH, "already");
  WRONG(MPI_Win_detach(dynamic, other), MPI_ERR_RMA_ATTACH, "argument 2 (base)");
  WRONG(MPI_Win_detach(dynamic, attached + 1), MPI_ERR_RMA_ATTACH, "argument 2 (base)");
  WRONG(MPI_Win_attach(MPI_WIN_NULL, other, 4), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Win_detach(freed_win, other), MPI_ERR_WIN, "freed");
  CHECK(MPI_Win_attach(dynamic, other, sizeof other) == MPI_SUCCESS);
  CHECK(MPI_Win_detach(dynamic, other) == MPI_SUCCESS);
  WRONG(MPI_Win_detach(dynamic, other), MPI_ERR_RMA_ATTACH, "argument 2 (base)");
  WRONG(MPI_Win_shared_query(dynamic, 0, &bytes, &unit, &base), MPI_ERR_RMA_FLAVOR, "dynamic");
  WRONG(MPI_Win_shared_query(w, size, &bytes, &unit, &base), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Win_shared_query(w, -7, &bytes, &unit, &base), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Win_shared_query(w, 0, NULL, &unit, &base), MPI_ERR_ARG, "argument 3 (size)");
  WRONG(MPI_Win_shared_query(w, 0, &bytes, NULL, &base), MPI_ERR_ARG, "argument 4 (disp_unit)");
  WRONG(MPI_Win_shared_query(w, 0, &bytes, &unit, NULL), MPI_ERR_ARG, "argument 5 (baseptr)");
  WRONG(MPI_Win_shared_query(MPI_WIN_NULL, 0, &bytes, &unit, &base), MPI_ERR_WIN, "MPI_WIN_NULL");
}

/* ---- operations: the epoch is right, the arguments are not --------------------------------------
 */

static void puts_and_gets(void) {
  int v = 1, t = next_rank;
  MPI_Request r;
  CHECK(MPI_Win_lock_all(0, w) == MPI_SUCCESS);
  WRONG(MPI_Put(&v, 1, MPI_INT, size, 0, 1, MPI_INT, w), MPI_ERR_RANK, "argument 4 (target_rank)");
  WRONG(MPI_Put(&v, 1, MPI_INT, -5, 0, 1, MPI_INT, w), MPI_ERR_RANK, "argument 4 (target_rank)");
  WRONG(MPI_Put(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, w), MPI_ERR_RANK, "(target_rank)");
  WRONG(MPI_Put(&v, -1, MPI_INT, t, 0, 1, MPI_INT, w), MPI_ERR_COUNT, "argument 2 (origin_count)");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, -1, MPI_INT, w), MPI_ERR_COUNT, "argument 6 (target_count)");
  WRONG(MPI_Put(NULL, 1, MPI_INT, t, 0, 1, MPI_INT, w), MPI_ERR_BUFFER, "argument 1 (origin_addr)");
  WRONG(MPI_Put(MPI_IN_PLACE, 1, MPI_INT, t, 0, 1, MPI_INT, w), MPI_ERR_BUFFER, "MPI_IN_PLACE");
  WRONG(MPI_Put(&v, 1, MPI_DATATYPE_NULL, t, 0, 1, MPI_INT, w), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 1, uncommitted, w), MPI_ERR_TYPE, "MPI_Type_commit");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_WIN_NULL), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 1, MPI_INT, freed_win), MPI_ERR_WIN, "freed");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 1, MPI_INT, (MPI_Win)WORLD), MPI_ERR_WIN, "argument 8 (win)");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, -1, 1, MPI_INT, w), MPI_ERR_DISP, "argument 5 (target_disp)");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 16, 1, MPI_INT, w), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Put(memory, 16, MPI_INT, t, 1, 16, MPI_INT, w), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Put_c(&v, 1, MPI_INT, t, (MPI_Aint)1 << 62, 1, MPI_INT, w), MPI_ERR_RMA_RANGE,
        "target_disp");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 1, MPI_DOUBLE, w), MPI_ERR_TYPE, "4 bytes");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, 0, 0, MPI_INT, w), MPI_ERR_TYPE, "4 bytes");
  WRONG(MPI_Get(&v, 1, MPI_INT, size, 0, 1, MPI_INT, w), MPI_ERR_RANK, "argument 4 (target_rank)");
  WRONG(MPI_Get(&v, 1, MPI_INT, t, 14, 2, MPI_INT, w), MPI_ERR_TYPE, "4 bytes");
  WRONG(MPI_Get(&v, 1, MPI_INT, t, 400, 1, MPI_INT, w), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Get(&v, 1, MPI_INT, t, -3, 1, MPI_INT, w), MPI_ERR_DISP, "argument 5 (target_disp)");
  WRONG(MPI_Get_c(&v, -1, MPI_INT, t, 0, 1, MPI_INT, w), MPI_ERR_COUNT, "MPI_Get_c");
  WRONG(MPI_Rput(&v, 1, MPI_INT, t, 16, 1, MPI_INT, w, &r), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Rput(&v, 1, MPI_INT, t, 0, 1, MPI_INT, w, NULL), MPI_ERR_ARG, "argument 9 (request)");
  WRONG(MPI_Rget(&v, 1, uncommitted, t, 0, 2, MPI_INT, w, &r), MPI_ERR_TYPE, "MPI_Rget");
  /* Nothing of all that touched anybody's memory; what is right comes through. */
  CHECK(MPI_Put(&v, 1, MPI_INT, t, 15, 1, MPI_INT, w) == MPI_SUCCESS);
  CHECK(MPI_Rput(&v, 1, MPI_INT, t, 14, 1, MPI_INT, w, &r) == MPI_SUCCESS);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock_all(w) == MPI_SUCCESS);
  MPI_Barrier(WORLD);
  CHECK(memory[14] == 1 && memory[15] == 1 && memory[0] == 0);
}

static void accumulates(void) {
  int v = 1, got = 0, t = next_rank, two[4] = {0};
  double real = 1;
  MPI_Request r;
  CHECK(MPI_Win_lock_all(0, w) == MPI_SUCCESS);
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 0, 1, MPI_INT, own_op, w), MPI_ERR_OP, "predefined");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_OP_NULL, w), MPI_ERR_OP,
        "MPI_OP_NULL");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_NO_OP, w), MPI_ERR_OP, "MPI_NO_OP");
  WRONG(MPI_Raccumulate(&v, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_NO_OP, w, &r), MPI_ERR_OP,
        "MPI_NO_OP");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_MAXLOC, w), MPI_ERR_OP, "MPI_MAXLOC");
  WRONG(MPI_Accumulate(&real, 1, MPI_DOUBLE, t, 0, 1, MPI_DOUBLE, MPI_BAND, w), MPI_ERR_OP,
        "MPI_BAND");
  WRONG(MPI_Accumulate(two, 1, ints_and_doubles, t, 0, 1, ints_and_doubles, MPI_SUM, w),
        MPI_ERR_TYPE, "one");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 16, 1, MPI_INT, MPI_SUM, w), MPI_ERR_RMA_RANGE,
        "target_disp");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, size, 0, 1, MPI_INT, MPI_SUM, w), MPI_ERR_RANK,
        "argument 4 (target_rank)");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, 0, 2, MPI_INT, MPI_SUM, w), MPI_ERR_TYPE, "bytes");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, -2, 1, MPI_INT, MPI_SUM, w), MPI_ERR_DISP,
        "argument 5 (target_disp)");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, &got, -1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, w),
        MPI_ERR_COUNT, "argument 5 (result_count)");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, NULL, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, w),
        MPI_ERR_BUFFER, "argument 4 (result_addr)");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, &got, 1, MPI_INT, t, 0, 1, MPI_INT, own_op, w),
        MPI_ERR_OP, "predefined");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, two, 2, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, w),
        MPI_ERR_TYPE, "bytes");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, &got, 1, MPI_INT, t, 16, 1, MPI_INT, MPI_NO_OP, w),
        MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Rget_accumulate(&v, 1, MPI_INT, &got, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, w, NULL),
        MPI_ERR_ARG, "(request)");
  WRONG(MPI_Fetch_and_op(&v, &got, MPI_INT, size, 0, MPI_SUM, w), MPI_ERR_RANK,
        "argument 4 (target_rank)");
  WRONG(MPI_Fetch_and_op(&v, &got, MPI_INT, t, 0, own_op, w), MPI_ERR_OP, "predefined");
  WRONG(MPI_Fetch_and_op(two, two + 2, ints_and_doubles, t, 0, MPI_SUM, w), MPI_ERR_TYPE,
        "predefined");
  WRONG(MPI_Fetch_and_op(&v, &got, MPI_INT, t, 16, MPI_SUM, w), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Fetch_and_op(&v, NULL, MPI_INT, t, 0, MPI_SUM, w), MPI_ERR_BUFFER,
        "argument 2 (result_addr)");
  WRONG(MPI_Compare_and_swap(&v, &v, &got, MPI_DOUBLE, t, 0, w), MPI_ERR_TYPE, "MPI_DOUBLE");
  WRONG(MPI_Compare_and_swap(&v, &v, &got, MPI_2INT, t, 0, w), MPI_ERR_TYPE, "MPI_2INT");
  WRONG(MPI_Compare_and_swap(&v, &v, &got, MPI_INT, t, 16, w), MPI_ERR_RMA_RANGE, "target_disp");
  WRONG(MPI_Compare_and_swap(&v, &v, &got, MPI_INT, -8, 0, w), MPI_ERR_RANK,
        "argument 5 (target_rank)");
  WRONG(MPI_Compare_and_swap(&v, &v, NULL, MPI_INT, t, 0, w), MPI_ERR_BUFFER,
        "argument 3 (result_addr)");
  CHECK(MPI_Win_unlock_all(w) == MPI_SUCCESS);
  MPI_Barrier(WORLD);
  CHECK(memory[0] == 0);
}

/* Memory that is not attached, before and behind what is. Of what was detached attached_test tells.
 */
static void memory_that_is_not_attached(void) {
  int v = 5, unattached, t = next_rank;
  MPI_Aint elsewhere;
  MPI_Get_address(&unattached, &elsewhere);
  MPI_Win_lock_all(0, dynamic);
  WRONG(MPI_Put(&v, 1, MPI_INT, t, attached_at + 64, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE, "");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, attached_at - 4, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE, "");
  WRONG(MPI_Put(&v, 1, MPI_INT, t, attached_at + 61, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE, "");
  WRONG(MPI_Put(&v, 1, MPI_INT, rank, elsewhere, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE, "");
  WRONG(MPI_Get(&v, 1, MPI_INT, t, 0, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE, "");
  WRONG(MPI_Fetch_and_op(&v, &v + 0, MPI_INT, t, attached_at + 64, MPI_NO_OP, dynamic),
        MPI_ERR_RMA_RANGE, "");
  CHECK(MPI_Put(&v, 1, MPI_INT, t, attached_at + 60, 1, MPI_INT, dynamic) == MPI_SUCCESS);
  MPI_Win_unlock_all(dynamic);
  MPI_Barrier(WORLD);
  CHECK(attached[15] == 5 && attached[0] == 0);
  MPI_Win_detach(dynamic, attached);
}

/* ---- epochs -----------------------------------------------------------------------------------
 */

static void operations_outside_of_epochs(MPI_Win win, MPI_Aint at) {
  int v = 0, got, t = next_rank;
  MPI_Request r;
  WRONG(MPI_Put(&v, 1, MPI_INT, t, at, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "MPI_Put");
  WRONG(MPI_Get(&v, 1, MPI_INT, t, at, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "MPI_Get");
  WRONG(MPI_Accumulate(&v, 1, MPI_INT, t, at, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_SYNC, "epoch");
  WRONG(MPI_Get_accumulate(&v, 1, MPI_INT, &got, 1, MPI_INT, t, at, 1, MPI_INT, MPI_SUM, win),
        MPI_ERR_RMA_SYNC, "MPI_Get_accumulate");
  WRONG(MPI_Fetch_and_op(&v, &got, MPI_INT, t, at, MPI_SUM, win), MPI_ERR_RMA_SYNC, "epoch");
  WRONG(MPI_Compare_and_swap(&v, &v, &got, MPI_INT, t, at, win), MPI_ERR_RMA_SYNC, "epoch");
  WRONG(MPI_Rput(&v, 1, MPI_INT, t, at, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC, "MPI_Rput");
  WRONG(MPI_Rget(&v, 1, MPI_INT, t, at, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC, "MPI_Rget");
  WRONG(MPI_Win_flush(t, win), MPI_ERR_RMA_SYNC, "MPI_Win_flush");
  WRONG(MPI_Win_flush_local(t, win), MPI_ERR_RMA_SYNC, "MPI_Win_flush_local");
  WRONG(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC, "MPI_Win_flush_all");
  WRONG(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC, "MPI_Win_flush_local_all");
}

static void epochs_that_were_not_begun(void) {
  int flag;
  WRONG(MPI_Win_unlock(next_rank, w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock");
  WRONG(MPI_Win_unlock_all(w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all");
  WRONG(MPI_Win_complete(w), MPI_ERR_RMA_SYNC, "MPI_Win_start");
  WRONG(MPI_Win_wait(w), MPI_ERR_RMA_SYNC, "MPI_Win_post");
  WRONG(MPI_Win_test(w, &flag), MPI_ERR_RMA_SYNC, "MPI_Win_post");
  WRONG(MPI_Win_unlock(size, w), MPI_ERR_RANK, "argument 1 (rank)");
  WRONG(MPI_Win_flush(size, w), MPI_ERR_RANK, "argument 1 (rank)");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, w), MPI_ERR_RANK, "argument 2 (rank)");
  WRONG(MPI_Win_lock(7, 0, 0, w), MPI_ERR_LOCKTYPE, "argument 1 (lock_type)");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_lock_all(MPI_MODE_NOSTORE, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_fence(MPI_MODE_NOCHECK, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_fence(-1, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOSUCCEED, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOPUT, w), MPI_ERR_ASSERT, "assert");
  WRONG(MPI_Win_post(MPI_GROUP_NULL, 0, w), MPI_ERR_GROUP, "MPI_GROUP_NULL");
  WRONG(MPI_Win_start(MPI_GROUP_NULL, 0, w), MPI_ERR_GROUP, "MPI_GROUP_NULL");
  WRONG(MPI_Win_test(w, NULL), MPI_ERR_ARG, "argument 2 (flag)");
  WRONG(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN, "MPI_WIN_NULL");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, freed_win), MPI_ERR_WIN, "freed");
  WRONG(MPI_Win_sync(MPI_WIN_NULL), MPI_ERR_WIN, "MPI_WIN_NULL");
}

static void epochs_within_locks(void) {
  int v = 0, other = (next_rank + 1) % size;
  MPI_Win copy = w;
  CHECK(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, w) == MPI_SUCCESS);
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, w), MPI_ERR_RMA_SYNC, "locked");
  WRONG(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_rank, 0, w), MPI_ERR_RMA_SYNC, "locked");
  WRONG(MPI_Win_lock_all(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all");
  WRONG(MPI_Win_unlock_all(w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all");
  WRONG(MPI_Win_fence(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
  WRONG(MPI_Win_start(MPI_GROUP_EMPTY, 0, w), MPI_ERR_RMA_SYNC, "MPI_Win_start");
  WRONG(MPI_Win_complete(w), MPI_ERR_RMA_SYNC, "MPI_Win_complete");
  WRONG(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC, "MPI_Win_free");
  CHECK(copy == w);
  if (size > 1) {
    WRONG(MPI_Put(&v, 1, MPI_INT, other, 0, 1, MPI_INT, w), MPI_ERR_RMA_SYNC, "rank");
    WRONG(MPI_Win_flush(other, w), MPI_ERR_RMA_SYNC, "rank");
    WRONG(MPI_Win_unlock(other, w), MPI_ERR_RMA_SYNC, "rank");
  }
  CHECK(MPI_Win_unlock(next_rank, w) == MPI_SUCCESS);
  CHECK(MPI_Win_lock_all(0, w) == MPI_SUCCESS);
  WRONG(MPI_Win_lock_all(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
  WRONG(MPI_Win_unlock(next_rank, w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock");
  WRONG(MPI_Win_fence(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
  WRONG(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC, "MPI_Win_free");
  CHECK(MPI_Win_unlock_all(w) == MPI_SUCCESS);
  MPI_Barrier(WORLD);
}

static void epochs_within_groups(void) {
  int v = 0, other = (next_rank + 1) % size;
  MPI_Win copy = w;
  MPI_Group all, to, from;
  MPI_Request r;
  MPI_Comm_group(WORLD, &all);
  MPI_Group_incl(all, 1, &next_rank, &to);
  MPI_Group_incl(all, 1, &before, &from);
  CHECK(MPI_Win_post(from, 0, w) == MPI_SUCCESS);
  WRONG(MPI_Win_post(from, 0, w), MPI_ERR_RMA_SYNC, "MPI_Win_post");
  WRONG(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC, "MPI_Win_free");
  WRONG(MPI_Win_fence(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
  WRONG(MPI_Put(&v, 1, MPI_INT, next_rank, 0, 1, MPI_INT, w), MPI_ERR_RMA_SYNC, "epoch");
  CHECK(MPI_Win_start(to, 0, w) == MPI_SUCCESS);
  WRONG(MPI_Win_start(to, 0, w), MPI_ERR_RMA_SYNC, "MPI_Win_start");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock");
  WRONG(MPI_Win_lock_all(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_lock_all");
  WRONG(MPI_Win_fence(0, w), MPI_ERR_RMA_SYNC, "MPI_Win_fence");
  WRONG(MPI_Win_flush(next_rank, w), MPI_ERR_RMA_SYNC, "MPI_Win_flush");
  WRONG(MPI_Win_unlock(next_rank, w), MPI_ERR_RMA_SYNC, "MPI_Win_unlock");
  WRONG(MPI_Rput(&v, 1, MPI_INT, next_rank, 0, 1, MPI_INT, w, &r), MPI_ERR_RMA_SYNC, "MPI_Rput");
  if (size > 1)
    WRONG(MPI_Put(&v, 1, MPI_INT, other, 0, 1, MPI_INT, w), MPI_ERR_RMA_SYNC, "MPI_Win_start");
  CHECK(MPI_Win_complete(w) == MPI_SUCCESS);
  WRONG(MPI_Win_complete(w), MPI_ERR_RMA_SYNC, "MPI_Win_start");
  CHECK(MPI_Win_wait(w) == MPI_SUCCESS);
  WRONG(MPI_Win_wait(w), MPI_ERR_RMA_SYNC, "MPI_Win_post");
  MPI_Group_free(&all), MPI_Group_free(&to), MPI_Group_free(&from);
  MPI_Barrier(WORLD);
}

static void windows_without_locks(void) {
  MPI_Info info;
  MPI_Win win;
  int* base;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_allocate(64, 4, info, WORLD, &base, &win);
  MPI_Info_free(&info);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, win), MPI_ERR_RMA_SYNC, "no_locks");
  WRONG(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, "no_locks");
  MPI_Win_free(&win);
}

/* Nothing is there, which is found out with the first synchronization. */
static void a_window_at_address_0(void) {
  MPI_Win win;
  int v = 1;
  CHECK(MPI_Win_create(NULL, 64, 4, MPI_INFO_NULL, WORLD, &win) == MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  CHECK(MPI_Put(&v, 1, MPI_INT, rank, 0, 1, MPI_INT, win) == MPI_SUCCESS);
  WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_RANGE, "memory");
  CHECK(MPI_Get(&v, 1, MPI_INT, rank, 1, 1, MPI_INT, win) == MPI_SUCCESS);
  WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_RANGE, "memory");
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  start_wrong(&argc, &argv);
  prepare();
  making_windows();
  what_windows_carry();
  attached_and_shared_memory();
  it_still_works();
  puts_and_gets();
  accumulates();
  it_still_works();
  memory_that_is_not_attached();
  operations_outside_of_epochs(dynamic, attached_at);
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w) == MPI_SUCCESS);
  operations_outside_of_epochs(w, 0);
  epochs_that_were_not_begun();
  it_still_works();
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w) == MPI_SUCCESS);
  epochs_within_locks();
  epochs_within_groups();
  it_still_works();
  windows_without_locks();
  a_window_at_address_0();
  MPI_Op_free(&own_op);
  MPI_Type_free(&uncommitted);
  MPI_Type_free(&ints_and_doubles);
  MPI_Win_free(&w);
  MPI_Win_free(&dynamic);
  return finish_wrong(190);
}
