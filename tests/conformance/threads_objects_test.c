/* Threads that make, use and free objects at the same time, their own and shared ones: keys and
 * attributes, error classes, codes and strings, infos, groups, datatypes, error handlers, names.
 * Some of it is allowed before MPI_Init, too, and is tried there first.
 * usage: threads_objects_test THREADS ROUNDS SEED */
#include <pthread.h>
#include <stdatomic.h>

#include "conformance.h"

enum { threads_max = 16, shared_keys = 3, text_length = 40 };

typedef struct {
  int number;
  uint64_t random;
  MPI_Comm own;   /* the same thread's on all ranks */
  MPI_Comm alone; /* nobody else's */
} Worker;

static int rounds;
static MPI_Comm shared_comm;
static MPI_Datatype shared_type;
static MPI_Info shared_info;
static int comm_keys[shared_keys], type_keys[shared_keys];
static atomic_int values_made, values_ended, raised, handled;

/* ---- attribute values: each is deleted once, and alive while a callback looks at it ---------- */

enum { alive = 0x51de, dead = 0xdead };
typedef struct {
  int state;
} Value;

static Value* new_value(void) {
  Value* value = malloc(sizeof *value);
  value->state = alive;
  ++values_made;
  return value;
}

/* What callbacks may do: call MPI, also about the object they are called for. */
static void call_mpi(void) {
  MPI_Info info;
  int key, its_class;
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS);
  CHECK(MPI_Error_class(MPI_ERR_RANK, &its_class) == MPI_SUCCESS && its_class == MPI_ERR_RANK);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_free_keyval(&key);
}

static int end_value(void* memory) {
  Value* value = memory;
  CHECK(value->state == alive);
  call_mpi();
  CHECK(value->state == alive);
  value->state = dead;
  free(value);
  ++values_ended;
  return MPI_SUCCESS;
}
static int copy_value(void* in, void* out, int* flag) {
  CHECK(((Value*)in)->state == alive);
  call_mpi();
  CHECK(((Value*)in)->state == alive);
  *(Value**)out = new_value();
  *flag = 1;
  return MPI_SUCCESS;
}
static int end_of_comm(MPI_Comm comm, int key, void* value, void* extra) {
  void* other;
  int flag;
  (void)extra;
  CHECK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &other, &flag) == MPI_SUCCESS && flag);
  CHECK(key != comm_keys[0] || MPI_Comm_get_attr(comm, comm_keys[1], &other, &flag) == MPI_SUCCESS);
  return end_value(value);
}
static int copy_of_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  return copy_value(in, out, flag);
}
static int end_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)extra;
  return end_value(value);
}
static int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra;
  return copy_value(in, out, flag);
}

static void own_key(Worker* w) {
  MPI_Comm comm;
  void* got = NULL;
  int key, flag = 0;
  MPI_Comm_dup(w->alone, &comm);
  MPI_Comm_create_keyval(copy_of_comm, end_of_comm, &key, NULL);
  CHECK(MPI_Comm_set_attr(comm, key, new_value()) == MPI_SUCCESS);
  int kept = key;
  MPI_Comm_free_keyval(&key); /* the attribute stays */
  CHECK(key == MPI_KEYVAL_INVALID);
  CHECK(MPI_Comm_get_attr(comm, kept, &got, &flag) == MPI_SUCCESS && flag);
  MPI_Comm_create_keyval(copy_of_comm, end_of_comm, &key, NULL);
  CHECK(key != kept && MPI_Comm_free(&comm) == MPI_SUCCESS);
  Value* value = new_value();
  MPI_Comm_set_attr(shared_comm, key, value);
  CHECK(MPI_Comm_get_attr(shared_comm, key, &got, &flag) == MPI_SUCCESS && flag && got == value);
  CHECK(MPI_Comm_delete_attr(shared_comm, key) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(shared_comm, key, &got, &flag) == MPI_SUCCESS && !flag);
  MPI_Comm_free_keyval(&key);
}

static void shared_attributes(Worker* w) {
  int key = comm_keys[next_random(&w->random) % shared_keys], flag;
  void* got;
  CHECK(MPI_Comm_set_attr(shared_comm, key, new_value()) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(shared_comm, key, &got, &flag) == MPI_SUCCESS);
  if (next_random(&w->random) % 2 == 0) {
    int code = MPI_Comm_delete_attr(shared_comm, key), its_class;
    MPI_Error_class(code, &its_class);
    CHECK(its_class == MPI_SUCCESS || its_class == MPI_ERR_KEYVAL); /* another was faster */
    raised += code != MPI_SUCCESS;
  }
}

static void attributes_of_types(Worker* w) {
  int key = type_keys[next_random(&w->random) % shared_keys];
  MPI_Datatype copy;
  CHECK(MPI_Type_set_attr(shared_type, key, new_value()) == MPI_SUCCESS);
  CHECK(MPI_Type_dup(shared_type, &copy) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&copy) == MPI_SUCCESS);
  if (next_random(&w->random) % 3 == 0) (void)MPI_Type_delete_attr(shared_type, key);
}

/* All ranks at once, the thread on its own communicator. */
static void duplicates_copy(Worker* w) {
  MPI_Comm copy;
  void* got;
  int flag;
  for (int i = 0; i < shared_keys; ++i) MPI_Comm_set_attr(w->own, comm_keys[i], new_value());
  MPI_Comm_dup(w->own, &copy);
  for (int i = 0; i < shared_keys; ++i) {
    CHECK(MPI_Comm_get_attr(copy, comm_keys[i], &got, &flag) == MPI_SUCCESS && flag);
    CHECK(((Value*)got)->state == alive);
  }
  MPI_Comm_free(&copy);
}

static int refuse_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  return MPI_ERR_OTHER;
}
static int end_after_duplicate(MPI_Comm comm, int key, void* value, void* extra) {
  Worker* w = extra;
  MPI_Comm made;
  MPI_Request request;
  CHECK(MPI_Comm_idup(w->alone, &made, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
  return end_of_comm(comm, key, value, extra);
}

/* A copy that is refused: what was copied before it is deleted, by a callback that duplicates. */
static void refused_duplicates_end(Worker* w) {
  MPI_Comm parent, copy;
  MPI_Request request;
  int first, second, its_class;
  MPI_Comm_dup(w->own, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(copy_of_comm, end_after_duplicate, &first, w);
  MPI_Comm_create_keyval(refuse_copy, end_of_comm, &second, NULL);
  MPI_Comm_set_attr(parent, first, new_value());
  MPI_Comm_set_attr(parent, second, new_value());
  CHECK(MPI_Comm_idup(parent, &copy, &request) == MPI_SUCCESS);
  MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &its_class);
  CHECK(its_class == MPI_ERR_OTHER);
  MPI_Error_class(MPI_Comm_dup(parent, &copy), &its_class);
  CHECK(its_class == MPI_ERR_OTHER);
  MPI_Comm_free_keyval(&first);
  MPI_Comm_free_keyval(&second);
  CHECK(MPI_Comm_free(&parent) == MPI_SUCCESS);
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

/* Texts of one letter each: half of one and half of another are found out. */
static void write_text(Worker* w, char* text) {
  memset(text, 'a' + w->number, text_length);
  text[text_length] = 0;
}
static int is_whole(const char* text) {
  for (int i = 0; i < text_length; ++i)
    if (text[i] != text[0]) return 0;
  return text[text_length] == 0;
}

static void error_codes(Worker* w) {
  char text[text_length + 1], got[MPI_MAX_ERROR_STRING];
  int its_class, code, found, length;
  write_text(w, text);
  CHECK(MPI_Add_error_class(&its_class) == MPI_SUCCESS);
  CHECK(MPI_Add_error_code(its_class, &code) == MPI_SUCCESS);
  CHECK(MPI_Add_error_string(code, text) == MPI_SUCCESS);
  CHECK(MPI_Error_class(code, &found) == MPI_SUCCESS && found == its_class);
  CHECK(MPI_Error_string(code, got, &length) == MPI_SUCCESS && strcmp(got, text) == 0);
  CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(its_class) == MPI_SUCCESS);
}

static void infos(Worker* w) {
  MPI_Info info, copy;
  char key[16], text[text_length + 1], got[MPI_MAX_INFO_VAL];
  int length = sizeof got, found, keys;
  snprintf(key, sizeof key, "thread %d", w->number);
  write_text(w, text);
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, key, text) == MPI_SUCCESS);
  CHECK(MPI_Info_dup(info, &copy) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_get_string(copy, key, &length, got, &found) == MPI_SUCCESS && found);
  CHECK(strcmp(got, text) == 0 && MPI_Info_free(&copy) == MPI_SUCCESS);
  CHECK(MPI_Info_set(shared_info, key, text) == MPI_SUCCESS);
  CHECK(MPI_Info_set(shared_info, "all", text) == MPI_SUCCESS);
  length = sizeof got;
  CHECK(MPI_Info_get_string(shared_info, "all", &length, got, &found) == MPI_SUCCESS && found);
  CHECK(length == text_length + 1 && is_whole(got));
  CHECK(MPI_Info_get_nkeys(shared_info, &keys) == MPI_SUCCESS && keys >= 2);
  CHECK(MPI_Info_get_nthkey(shared_info, 0, got) == MPI_SUCCESS);
  CHECK(MPI_Info_dup(shared_info, &copy) == MPI_SUCCESS && MPI_Info_free(&copy) == MPI_SUCCESS);
  CHECK(MPI_Info_delete(shared_info, key) == MPI_SUCCESS);
}

static void groups(Worker* w) {
  MPI_Group all, some, both;
  int first[] = {0}, result;
  (void)w;
  CHECK(MPI_Comm_group(shared_comm, &all) == MPI_SUCCESS);
  CHECK(MPI_Group_incl(all, 1, first, &some) == MPI_SUCCESS);
  CHECK(MPI_Group_union(all, some, &both) == MPI_SUCCESS);
  CHECK(MPI_Group_compare(all, both, &result) == MPI_SUCCESS && result == MPI_IDENT);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  CHECK(MPI_Group_size(both, &result) == MPI_SUCCESS && result == size);
  CHECK(MPI_Group_free(&both) == MPI_SUCCESS && both == MPI_GROUP_NULL);
}

static void datatypes(Worker* w) {
  MPI_Datatype made, copy, part;
  int integers[3], bytes;
  MPI_Aint addresses[1];
  int number = 1 + w->number % 3;
  CHECK(MPI_Type_vector(number, 2, 3, shared_type, &made) == MPI_SUCCESS);
  CHECK(MPI_Type_commit(&made) == MPI_SUCCESS && MPI_Type_commit(&shared_type) == MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(made, 3, 0, 1, integers, addresses, &part) == MPI_SUCCESS);
  CHECK(integers[0] == number && MPI_Type_free(&part) == MPI_SUCCESS);
  CHECK(MPI_Type_dup(made, &copy) == MPI_SUCCESS && MPI_Type_free(&made) == MPI_SUCCESS);
  CHECK(MPI_Type_size(copy, &bytes) == MPI_SUCCESS && bytes == number * 2 * 12);
  CHECK(MPI_Type_free(&copy) == MPI_SUCCESS);
  CHECK(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &part) == MPI_SUCCESS);
}

static void names(Worker* w) {
  char text[text_length + 1], got[MPI_MAX_OBJECT_NAME];
  int length;
  write_text(w, text);
  MPI_Comm_set_name(shared_comm, text);
  CHECK(MPI_Comm_get_name(shared_comm, got, &length) == MPI_SUCCESS);
  CHECK(length == text_length && is_whole(got));
  MPI_Type_set_name(shared_type, text);
  CHECK(MPI_Type_get_name(shared_type, got, &length) == MPI_SUCCESS);
  CHECK(length == text_length && is_whole(got));
}

static void session_failed(MPI_Session* session, int* code, ...) {
  (void)session, (void)code;
}

static void handle(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == shared_comm && *code != MPI_SUCCESS);
  ++handled;
}

/* Whichever thread's handler hangs there now is called, once an error. */
static void error_handlers(Worker* w) {
  MPI_Errhandler handler, got;
  (void)w;
  CHECK(MPI_Comm_create_errhandler(handle, &handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(shared_comm, handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_errhandler(shared_comm, &got) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && MPI_Errhandler_free(&got) == MPI_SUCCESS);
  raised += 2;
  CHECK(MPI_Send(NULL, 0, MPI_INT, size, 0, shared_comm) != MPI_SUCCESS);
  CHECK(MPI_Comm_call_errhandler(shared_comm, MPI_ERR_OTHER) == MPI_SUCCESS);
}

/* Allowed at any time in any thread, whatever the thread level. */
static void* work_before_init(void* argument) {
  Worker* w = argument;
  for (int i = 0; i < rounds; ++i) {
    MPI_Errhandler handler;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    infos(w);
    error_codes(w);
    CHECK(MPI_Session_create_errhandler(session_failed, &handler) == MPI_SUCCESS);
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    CHECK(MPI_Error_string(MPI_ERR_TAG, text, &length) == MPI_SUCCESS && length > 0);
  }
  return NULL;
}

static void* work(void* argument) {
  static void (*const what[])(Worker*) = {
      own_key, shared_attributes, attributes_of_types, error_codes, infos, groups, datatypes,
      names,   error_handlers};
  const int count = sizeof what / sizeof what[0];
  Worker* w = argument;
  for (int i = 0; i < rounds; ++i) {
    what[next_random(&w->random) % (unsigned)count](w);
    if (i % 16 == 0) duplicates_copy(w);
    if (i % 64 == 0) refused_duplicates_end(w);
  }
  return NULL;
}

static void run(void* (*body)(void*), Worker* workers, int threads) {
  pthread_t handles[threads_max];
  for (int t = 0; t < threads; ++t) pthread_create(&handles[t], NULL, body, &workers[t]);
  for (int t = 0; t < threads; ++t) pthread_join(handles[t], NULL);
}

static void make_shared(Worker* workers, int threads) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int t = 0; t < threads; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].own);
    MPI_Comm_dup(MPI_COMM_SELF, &workers[t].alone);
    workers[t].random += (uint64_t)rank * 1000;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &shared_comm);
  MPI_Comm_set_errhandler(shared_comm, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(3, MPI_INT, &shared_type);
  for (int i = 0; i < shared_keys; ++i) {
    MPI_Comm_create_keyval(copy_of_comm, end_of_comm, &comm_keys[i], NULL);
    MPI_Type_create_keyval(copy_of_type, end_of_type, &type_keys[i], NULL);
  }
  /* From the first error on there is a handler that counts. */
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(shared_comm, handler);
  MPI_Errhandler_free(&handler);
}

static void free_shared(Worker* workers, int threads) {
  for (int t = 0; t < threads; ++t) {
    MPI_Comm_free(&workers[t].own);
    MPI_Comm_free(&workers[t].alone);
  }
  MPI_Comm_free(&shared_comm);
  MPI_Type_free(&shared_type);
  MPI_Info_free(&shared_info);
  for (int i = 0; i < shared_keys; ++i) {
    MPI_Comm_free_keyval(&comm_keys[i]);
    MPI_Type_free_keyval(&type_keys[i]);
  }
}

int main(int argc, char** argv) {
  int provided, threads = argc > 1 ? atoi(argv[1]) : 3;
  rounds = argc > 2 ? atoi(argv[2]) : 100;
  Worker workers[threads_max];
  if (threads > threads_max) return 2;
  for (int t = 0; t < threads; ++t) {
    workers[t].number = t;
    workers[t].random = (argc > 3 ? (uint64_t)atoi(argv[3]) : 1) + (uint64_t)t * 77;
  }
  MPI_Info_create(&shared_info);
  MPI_Info_set(shared_info, "first", "1");
  run(work_before_init, workers, threads);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  make_shared(workers, threads);
  run(work, workers, threads);
  CHECK(handled == raised && raised > 0);
  free_shared(workers, threads);
  CHECK(values_made == values_ended && values_made > 0);
  return finish();
}
