/* What windows carry along: names, attributes, hints, error handlers. */
#include "window_kinds.h"

static void names_are_kept(void) {
  char longest[MPI_MAX_OBJECT_NAME], name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  Window w = make_window(allocated, 100, 1, MPI_COMM_WORLD);
  MPI_Win_get_name(w.win, name, &length);
  CHECK(length == 0 && name[0] == '\0');
  MPI_Win_set_name(w.win, "halo");
  MPI_Win_get_name(w.win, name, &length);
  CHECK(length == 4 && strcmp(name, "halo") == 0);
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  MPI_Win_set_name(w.win, longest);
  MPI_Win_get_name(w.win, name, &length);
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strcmp(name, longest) == 0);
  free_window(&w);
}

static int deleted_calls, deleted_key, copied_calls;
static void* deleted_value;
static MPI_Win deleted_win;

static int copy_attribute(MPI_Win old, int key, void* extra, void* in, void* out, int* flag) {
  (void)old, (void)key, (void)extra;
  ++copied_calls;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_attribute(MPI_Win win, int key, void* value, void* extra) {
  ++deleted_calls;
  ++*(int*)extra;
  deleted_win = win, deleted_key = key, deleted_value = value;
  return MPI_SUCCESS;
}

static void attributes_are_deleted_once(void) {
  int keys[2], plain, extras[2] = {0}, values[3], flag, *got;
  for (int i = 0; i < 2; ++i)
    MPI_Win_create_keyval(copy_attribute, delete_attribute, &keys[i], &extras[i]);
  MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &plain, NULL);
  CHECK(keys[0] != keys[1] && keys[0] != plain && keys[0] != MPI_KEYVAL_INVALID);
  Window w = make_window(created, 100, 1, MPI_COMM_WORLD);
  MPI_Win copy = w.win;
  MPI_Win_get_attr(w.win, keys[0], &got, &flag);
  CHECK(!flag);
  MPI_Win_set_attr(w.win, keys[0], &values[0]);
  MPI_Win_set_attr(w.win, plain, &values[2]);
  MPI_Win_get_attr(w.win, keys[0], &got, &flag);
  CHECK(flag && got == &values[0] && deleted_calls == 0);
  MPI_Win_set_attr(w.win, keys[0], &values[1]);
  CHECK(deleted_calls == 1 && deleted_value == &values[0] && deleted_key == keys[0]);
  CHECK(deleted_win == copy && extras[0] == 1);
  MPI_Win_delete_attr(w.win, keys[0]);
  CHECK(deleted_calls == 2 && deleted_value == &values[1]);
  MPI_Win_get_attr(w.win, keys[0], &got, &flag);
  CHECK(!flag);
  MPI_Win_get_attr(w.win, plain, &got, &flag);
  CHECK(flag && got == &values[2]);
  MPI_Win_set_attr(w.win, keys[0], NULL);
  MPI_Win_set_attr(w.win, keys[1], &values[2]);
  int freed = keys[1];
  MPI_Win_free_keyval(&keys[1]);
  CHECK(keys[1] == MPI_KEYVAL_INVALID);
  MPI_Win_get_attr(w.win, freed, &got, &flag);
  CHECK(flag && got == &values[2]); /* freed once nothing has it any more */
  free_window(&w);
  CHECK(deleted_calls == 4 && extras[0] == 3 && extras[1] == 1 && copied_calls == 0);
  MPI_Win_free_keyval(&keys[0]);
  MPI_Win_free_keyval(&plain);
}

/* A hint that is given back has one of the values that it can have. */
static void hints_make_sense(MPI_Win win) {
  static const char* const two_values[] = {"no_locks", "same_size", "same_disp_unit",
                                           "alloc_shared_noncontig"};
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL + 1];
  int length, flag;
  MPI_Win_get_info(win, &info);
  CHECK(info != MPI_INFO_NULL);
  for (int i = 0; i < 4; ++i) {
    length = sizeof value;
    MPI_Info_get_string(info, two_values[i], &length, value, &flag);
    CHECK(!flag || strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
  }
  length = sizeof value;
  MPI_Info_get_string(info, "accumulate_ops", &length, value, &flag);
  CHECK(!flag || strcmp(value, "same_op") == 0 || strcmp(value, "same_op_no_op") == 0);
  length = sizeof value;
  MPI_Info_get_string(info, "accumulate_ordering", &length, value, &flag);
  if (flag && strcmp(value, "none") != 0)
    for (char* word = strtok(value, ","); word; word = strtok(NULL, ","))
      CHECK(strlen(word) == 3 && strchr("rw", word[0]) && word[1] == 'a' && strchr("rw", word[2]));
  length = sizeof value;
  MPI_Info_get_string(info, "mpi_accumulate_granularity", &length, value, &flag);
  CHECK(!flag || atoi(value) >= 0);
  MPI_Info_free(&info);
}

static void hints_are_only_hints(void) {
  MPI_Info info;
  MPI_Win win;
  int* memory;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "accumulate_ordering", "rar,waw");
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "mpi_accumulate_granularity", "64");
  MPI_Info_set(info, "nobody_knows_this_key", "7");
  MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &memory, &win);
  hints_make_sense(win);
  for (int round = 0; round < 2; ++round) {
    memory[3] = 10;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&rank, 1, MPI_INT, (rank + 1) % size, 3, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK(memory[3] == 10 + (rank + size - 1) % size);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
    MPI_Win_set_info(win, info);
    hints_make_sense(win);
  }
  MPI_Win_free(&win);
  MPI_Info_free(&info);
  for (int kind = 0; kind < kind_count; ++kind) {
    Window w = make_window((WindowKind)kind, 64, 1, MPI_COMM_WORLD);
    hints_make_sense(w.win);
    free_window(&w);
  }
}

static int handled_calls, handled_code;
static MPI_Win handled_win;

static void handle(MPI_Win* win, int* code, ...) {
  ++handled_calls;
  handled_win = *win, handled_code = *code;
}

static void errors_reach_the_handler_of_the_window(void) {
  MPI_Errhandler handler, got;
  Window w = make_window(allocated, 100, 1, MPI_COMM_WORLD);
  Window other = make_window(created, 100, 1, MPI_COMM_WORLD);
  MPI_Win_get_errhandler(w.win, &got);
  CHECK(got == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&got);
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(w.win, handler);
  MPI_Win_get_errhandler(w.win, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler); /* the window keeps it */
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Win_call_errhandler(w.win, MPI_ERR_OTHER) == MPI_SUCCESS);
  CHECK(handled_calls == 1 && handled_win == w.win && handled_code == MPI_ERR_OTHER);
  MPI_Win_set_errhandler(other.win, MPI_ERRORS_RETURN);
  MPI_Win_call_errhandler(other.win, MPI_ERR_OTHER);
  CHECK(handled_calls == 1);
  MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
  MPI_Win_call_errhandler(w.win, MPI_ERR_OTHER);
  CHECK(handled_calls == 1);
  free_window(&other);
  free_window(&w);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  names_are_kept();
  attributes_are_deleted_once();
  hints_are_only_hints();
  errors_reach_the_handler_of_the_window();
  return finish();
}
