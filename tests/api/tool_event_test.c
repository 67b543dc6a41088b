/* Events of one process: every procedure with good and bad arguments, callbacks at their safety
 * levels, dropped events, registrations that are freed from within their callbacks; before
 * MPI_Init, while MPI runs, and after MPI_Finalize. */
#include "expect.h"
#include "tool_names.h"

static int level;

/* What a callback has seen. */
struct Seen {
  int calls;
  MPI_T_cb_safety safety;
  MPI_T_event_registration registration;
  int kind, root;
  MPI_Count time;
};

static void see(MPI_T_event_instance instance, MPI_T_event_registration registration,
                MPI_T_cb_safety safety, void* data) {
  struct Seen* seen = data;
  int source = -1;
  ++seen->calls;
  seen->safety = safety;
  seen->registration = registration;
  EXPECT_OK(MPI_T_event_read(instance, 0, &seen->kind));
  EXPECT_OK(MPI_T_event_read(instance, 2, &seen->root));
  EXPECT_OK(MPI_T_event_get_timestamp(instance, &seen->time));
  EXPECT_OK(MPI_T_event_get_source(instance, &source));
  EXPECT_INT(source, 0);
}

static void never(MPI_T_event_instance instance, MPI_T_event_registration registration,
                  MPI_T_cb_safety safety, void* data) {
  (void)instance, (void)registration, (void)safety, (void)data;
  EXPECT(!"this callback must not be called");
}

static void ignore_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                           MPI_T_cb_safety safety, void* data) {
  (void)count, (void)registration, (void)source, (void)safety, (void)data;
}

static void nothing_works_before_it_is_initialized(void) {
  MPI_T_event_registration registration = NULL;
  MPI_T_event_instance instance = NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Count time;
  int number;
  char data[64];
  EXPECT_INT(MPI_T_source_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_source_get_timestamp(0, &time), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_get_index("rank_sleeps", &number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(
      MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
      MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_handle_free(registration, NULL, NULL), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_handle_get_info(registration, &info), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                           never),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_set_dropped_handler(registration, ignore_dropped),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_read(instance, 0, data), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_copy(instance, data), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_get_timestamp(instance, &time), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_event_get_source(instance, &number), MPI_T_ERR_NOT_INITIALIZED);
}

static void sources_have_clocks(void) {
  char name[32], words[512];
  int count = 0, name_length = sizeof name, words_length = sizeof words, keys = -1;
  MPI_T_source_order order;
  MPI_Count per_second, most, first, second;
  MPI_Info info;
  EXPECT_OK(MPI_T_source_get_num(&count));
  EXPECT(count > 0);
  EXPECT_INT(MPI_T_source_get_num(NULL), MPI_T_ERR_INVALID);
  EXPECT_OK(MPI_T_source_get_info(0, name, &name_length, words, &words_length, &order, &per_second,
                                  &most, &info));
  EXPECT(name_length > 1 && words_length > 1 && per_second > 0 && most > 0);
  EXPECT(order == MPI_T_SOURCE_ORDERED || order == MPI_T_SOURCE_UNORDERED);
  EXPECT_OK(MPI_Info_get_nkeys(info, &keys));
  EXPECT_INT(keys, 0);
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(MPI_T_source_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_OK(MPI_T_source_get_timestamp(0, &first));
  EXPECT_OK(MPI_T_source_get_timestamp(0, &second));
  EXPECT(second >= first && second <= most);
  EXPECT_INT(MPI_T_source_get_timestamp(count, &first), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_source_get_timestamp(0, NULL), MPI_T_ERR_INVALID);
}

static void all_types_are_complete(void) {
  int count = 0, index;
  EXPECT_OK(MPI_T_event_get_num(&count));
  EXPECT_INT(MPI_T_event_get_num(NULL), MPI_T_ERR_INVALID);
  for (int i = 0; i < count; ++i) {
    char name[64], words[1024];
    int name_length = sizeof name, words_length = sizeof words, verbosity, elements = 8, bind,
        names_count;
    MPI_Datatype types[8];
    MPI_Aint places[8], next = 0;
    MPI_T_enum names;
    MPI_Info info;
    EXPECT_OK(MPI_T_event_get_info(i, name, &name_length, &verbosity, types, places, &elements,
                                   &names, &info, words, &words_length, &bind));
    EXPECT(name_length > 1 && words_length > 1 && words_length <= (int)sizeof words);
    EXPECT(!strchr(words, '{'));
    EXPECT(elements > 0 && elements <= 8);
    for (int e = 0; e < elements; ++e) {
      EXPECT(types[e] == MPI_INT || types[e] == MPI_COUNT);
      EXPECT_INT(places[e], next);
      next += types[e] == MPI_INT ? 4 : 8;
    }
    EXPECT_OK(MPI_T_enum_get_info(names, &names_count, NULL, NULL));
    EXPECT_INT(names_count, elements);
    for (int e = 0; e < elements; ++e) {
      char item[32] = "";
      int value = -1, length = sizeof item;
      EXPECT_OK(MPI_T_enum_get_item(names, e, &value, item, &length));
      EXPECT_INT(value, e);
      EXPECT(length > 1);
    }
    EXPECT_OK(MPI_Info_free(&info));
    EXPECT_OK(MPI_T_event_get_index(name, &index));
    EXPECT_INT(index, i);
    EXPECT_OK(
        MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  }
  /* Fewer places than elements: those are filled. */
  MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  int elements = 1;
  EXPECT_OK(MPI_T_event_get_info(event("collective_entered"), NULL, NULL, NULL, types, NULL,
                                 &elements, NULL, NULL, NULL, NULL, NULL));
  EXPECT_INT(elements, 3);
  EXPECT(types[0] == MPI_INT && types[1] == MPI_DATATYPE_NULL);
  EXPECT_INT(
      MPI_T_event_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
      MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_event_get_index("no such event", &index), MPI_T_ERR_INVALID_NAME);
  EXPECT_INT(MPI_T_event_get_index(NULL, &index), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_get_index("rank_sleeps", NULL), MPI_T_ERR_INVALID);
}

static void ended(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* data) {
  (void)registration;
  EXPECT(safety == MPI_T_CB_REQUIRE_NONE || safety == MPI_T_CB_REQUIRE_THREAD_SAFE);
  ++*(int*)data;
}

static void bad_registrations_are_found(void) {
  const int sleeps = event("rank_sleeps"), bound = event("collective_entered");
  MPI_T_event_registration one = NULL, freed, none = NULL;
  MPI_Info info;
  MPI_Comm null = MPI_COMM_NULL;
  int ends = 0, keys, data;
  MPI_Count time;
  EXPECT_INT(MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &one), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_event_handle_alloc(sleeps, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_handle_alloc(sleeps, NULL, (MPI_Info)&one, &one), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_handle_alloc(bound, NULL, MPI_INFO_NULL, &one), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_handle_alloc(bound, &null, MPI_INFO_NULL, &one), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, "no_such_hint", "1"));
  EXPECT_OK(MPI_T_event_handle_alloc(sleeps, NULL, info, &one));
  EXPECT_OK(MPI_T_event_handle_set_info(one, info));
  EXPECT_OK(MPI_T_event_handle_set_info(one, MPI_INFO_NULL));
  EXPECT_INT(MPI_T_event_handle_set_info(one, (MPI_Info)&one), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_callback_set_info(one, MPI_T_CB_REQUIRE_NONE, info),
             MPI_T_ERR_INVALID); /* none there */
  EXPECT_OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_NONE, info, NULL, never));
  EXPECT_OK(MPI_T_event_callback_set_info(one, MPI_T_CB_REQUIRE_NONE, info));
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_T_event_callback_get_info(one, MPI_T_CB_REQUIRE_NONE, &info));
  EXPECT_OK(MPI_Info_get_nkeys(info, &keys));
  EXPECT_INT(keys, 0); /* ignored hints are not returned */
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_OK(MPI_T_event_handle_get_info(one, &info));
  EXPECT_OK(MPI_Info_free(&info));
  EXPECT_INT(MPI_T_event_handle_get_info(one, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_callback_get_info(one, MPI_T_CB_REQUIRE_NONE, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_callback_get_info(one, MPI_T_CB_REQUIRE_THREAD_SAFE, &info),
             MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_register_callback(one, (MPI_T_cb_safety)5, MPI_INFO_NULL, NULL, never),
             MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_register_callback(none, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, never),
             MPI_T_ERR_INVALID_HANDLE);
  EXPECT_OK(MPI_T_event_set_dropped_handler(one, ignore_dropped));
  EXPECT_OK(MPI_T_event_set_dropped_handler(one, NULL));
  EXPECT_INT(MPI_T_event_set_dropped_handler(none, ignore_dropped), MPI_T_ERR_INVALID_HANDLE);
  freed = one;
  EXPECT_OK(MPI_T_event_handle_free(one, &ends, ended));
  EXPECT_INT(ends, 1);
  EXPECT_INT(MPI_T_event_handle_free(freed, &ends, ended), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_handle_free(none, &ends, ended), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(ends, 1);
  EXPECT_INT(MPI_T_event_handle_set_info(freed, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_handle_get_info(freed, &info), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_callback_get_info(freed, MPI_T_CB_REQUIRE_NONE, &info),
             MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_callback_set_info(freed, MPI_T_CB_REQUIRE_NONE, info),
             MPI_T_ERR_INVALID_HANDLE);
  /* There is no instance outside of callbacks. */
  EXPECT_INT(MPI_T_event_read(NULL, 0, &data), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_copy((MPI_T_event_instance)&data, &data), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_get_timestamp(NULL, &time), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_event_get_source(NULL, &data), MPI_T_ERR_INVALID_HANDLE);
}

static MPI_T_event_registration watch(const char* name, void* object, MPI_T_cb_safety safety,
                                      void* data, MPI_T_event_cb_function* callback) {
  MPI_T_event_registration made = NULL;
  EXPECT_OK(MPI_T_event_handle_alloc(event(name), object, MPI_INFO_NULL, &made));
  EXPECT_OK(MPI_T_event_register_callback(made, safety, MPI_INFO_NULL, data, callback));
  return made;
}

/* Of the program's own calls: the callback that needs least is taken, for the communicator that is
 * meant. */
static void calls_are_told(MPI_T_cb_safety expected) {
  MPI_Comm self = MPI_COMM_SELF, comm;
  struct Seen entered = {0}, left = {0}, other = {0}, safest = {0};
  MPI_Count before, after;
  MPI_Comm_dup(self, &comm);
  MPI_T_event_registration one =
      watch("collective_entered", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, &entered, see);
  MPI_T_event_registration two =
      watch("collective_left", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, &left, see);
  MPI_T_event_registration three =
      watch("collective_entered", &comm, MPI_T_CB_REQUIRE_THREAD_SAFE, &other, see);
  EXPECT_OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL,
                                          &safest, never));
  int value = 3;
  EXPECT_OK(MPI_T_source_get_timestamp(0, &before));
  MPI_Bcast(&value, 1, MPI_INT, 0, self);
  EXPECT_OK(MPI_T_source_get_timestamp(0, &after));
  EXPECT_INT(entered.calls, 1);
  EXPECT_INT(left.calls, 1);
  EXPECT_INT(other.calls, 0);
  EXPECT_INT(entered.kind, 1); /* broadcast */
  EXPECT_INT(entered.root, 0);
  EXPECT_INT(left.kind, 1);
  EXPECT_INT(left.root, MPI_SUCCESS); /* at that place it is the error */
  EXPECT(before <= entered.time && entered.time <= left.time && left.time <= after);
  EXPECT(entered.registration == one && left.registration == two);
  EXPECT_INT(entered.safety, expected);
  MPI_Barrier(comm);
  EXPECT_INT(entered.calls, 1);
  EXPECT_INT(other.calls, 1);
  EXPECT_INT(other.kind, 0); /* barrier */
  EXPECT_INT(other.root, -1);
  MPI_Request request;
  MPI_Ibarrier(self, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_INT(entered.calls, 2);
  EXPECT_INT(left.calls, 2);
  /* Without callbacks nothing is told; with one again, it is. */
  EXPECT_OK(
      MPI_T_event_register_callback(two, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, NULL));
  MPI_Barrier(self);
  EXPECT_INT(left.calls, 2);
  EXPECT_OK(
      MPI_T_event_register_callback(two, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &left, see));
  MPI_Barrier(self);
  EXPECT_INT(left.calls, 3);
  EXPECT_OK(MPI_T_event_handle_free(one, NULL, NULL));
  EXPECT_OK(MPI_T_event_handle_free(two, NULL, NULL));
  MPI_Comm_free(&comm);
  MPI_Barrier(self);
  EXPECT_INT(entered.calls, 4);
  EXPECT_INT(left.calls, 3);
  EXPECT_OK(MPI_T_event_handle_free(three, NULL, NULL));
}

static int nested;

/* At this level a callback may call MPI; what that brings about is dropped. */
static void call_mpi(MPI_T_event_instance instance, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void* data) {
  int kinds[3], read = -1;
  (void)registration;
  EXPECT_INT(safety, MPI_T_CB_REQUIRE_NONE);
  EXPECT_OK(MPI_T_event_copy(instance, kinds));
  EXPECT_OK(MPI_T_event_read(instance, 1, &read));
  EXPECT_INT(kinds[1], read);
  EXPECT_INT(MPI_T_event_read(instance, 3, &read), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_event_read(instance, -1, &read), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_event_read(instance, 0, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_copy(instance, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_get_timestamp(instance, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_event_get_source(instance, NULL), MPI_T_ERR_INVALID);
  ++*(int*)data;
  if (++nested == 1) MPI_Barrier(MPI_COMM_SELF);
  --nested;
}

static MPI_Count dropped;
static MPI_T_cb_safety dropped_safety;

static void count_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                          MPI_T_cb_safety safety, void* data) {
  (void)registration;
  EXPECT_INT(source, 0);
  EXPECT_INT(*(int*)data, 2); /* the data of the callback that is safe enough; two calls so far */
  dropped += count;
  dropped_safety = safety;
}

static void what_callbacks_bring_about_is_dropped(void) {
  MPI_Comm self = MPI_COMM_SELF;
  int calls = 0;
  MPI_T_event_registration one =
      watch("collective_entered", &self, MPI_T_CB_REQUIRE_NONE, &calls, call_mpi);
  MPI_Barrier(self); /* with no handler nothing is recorded */
  EXPECT_INT(calls, 1);
  EXPECT_OK(MPI_T_event_set_dropped_handler(one, count_dropped));
  dropped = 0;
  MPI_Barrier(self);
  EXPECT_INT(calls, 2);
  EXPECT_INT(dropped, 0); /* told before the next event */
  MPI_Barrier(self);
  EXPECT_INT(dropped, 1);
  EXPECT_INT(dropped_safety, MPI_T_CB_REQUIRE_NONE);
  EXPECT_INT(calls, 3);
  EXPECT_OK(MPI_T_event_handle_free(one, NULL, NULL));
}

/* A message that is kept is seen inside the library, where this callback is not safe enough. */
static void what_no_callback_is_safe_for_is_dropped(void) {
  MPI_Comm self = MPI_COMM_SELF;
  int calls = 0, value = 1, got;
  MPI_Request request;
  MPI_T_event_registration one =
      watch("message_unexpected", &self, MPI_T_CB_REQUIRE_NONE, &calls, never);
  MPI_T_event_registration two =
      watch("collective_entered", &self, MPI_T_CB_REQUIRE_NONE, &calls, call_mpi);
  EXPECT_OK(MPI_T_event_set_dropped_handler(one, count_dropped));
  dropped = 0;
  calls = 2;
  for (int i = 0; i < 3; ++i) {
    MPI_Isend(&value, 1, MPI_INT, 0, 3, self, &request);
    MPI_Recv(&got, 1, MPI_INT, 0, 3, self, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  EXPECT_INT(dropped, 0);
  MPI_Barrier(self);
  EXPECT_INT(dropped, 3);
  EXPECT_OK(MPI_T_event_handle_free(one, NULL, NULL));
  EXPECT_OK(MPI_T_event_handle_free(two, NULL, NULL));
}

static int ends_told;

static void free_oneself(MPI_T_event_instance instance, MPI_T_event_registration registration,
                         MPI_T_cb_safety safety, void* data) {
  int kind;
  (void)safety;
  ++*(int*)data;
  EXPECT_OK(MPI_T_event_handle_free(registration, &ends_told, ended));
  EXPECT_INT(ends_told, 0); /* not before this has returned */
  EXPECT_OK(MPI_T_event_read(instance, 0, &kind));
  EXPECT_INT(MPI_T_event_handle_free(registration, &ends_told, ended), MPI_T_ERR_INVALID_HANDLE);
}

static void callbacks_may_free_their_registration(void) {
  MPI_Comm self = MPI_COMM_SELF;
  int calls = 0;
  struct Seen after = {0};
  ends_told = 0;
  MPI_T_event_registration last =
      watch("collective_entered", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, &after, see);
  watch("collective_entered", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, &calls, free_oneself);
  MPI_Barrier(self);
  EXPECT_INT(calls, 1);
  EXPECT_INT(ends_told, 1);
  MPI_Barrier(self);
  EXPECT_INT(calls, 1);
  EXPECT_INT(after.calls, 2);
  EXPECT_OK(MPI_T_event_handle_free(last, NULL, NULL));
}

static void use_variables(MPI_T_event_instance instance, MPI_T_event_registration registration,
                          MPI_T_cb_safety safety, void* data) {
  void** of = data;
  MPI_T_pvar_session session = of[0];
  MPI_T_cvar_handle setting = of[1];
  MPI_T_pvar_handle handle;
  unsigned long long value = 0;
  MPI_Count bytes = 200;
  MPI_Comm self = MPI_COMM_SELF;
  int count;
  (void)instance, (void)registration, (void)safety;
  EXPECT_OK(MPI_T_pvar_handle_alloc(session, pvar("sleeps", MPI_T_PVAR_CLASS_COUNTER), NULL,
                                    &handle, &count));
  EXPECT_OK(MPI_T_pvar_start(session, handle));
  EXPECT_OK(MPI_T_pvar_read(session, handle, &value));
  EXPECT_OK(MPI_T_pvar_handle_free(session, &handle));
  EXPECT_INT(MPI_T_cvar_write(setting, &bytes), MPI_T_ERR_NOT_ACCESSIBLE);
  EXPECT_INT(MPI_T_pvar_handle_alloc(session, pvar("messages_cma", MPI_T_PVAR_CLASS_COUNTER), &self,
                                     &handle, &count),
             MPI_T_ERR_NOT_ACCESSIBLE);
  EXPECT_OK(MPI_T_cvar_read(setting, &bytes));
  of[2] = &of[2];
}

static void callbacks_may_use_the_interface(void) {
  MPI_Comm self = MPI_COMM_SELF;
  MPI_T_pvar_session session;
  MPI_T_cvar_handle setting;
  MPI_Request request;
  int count, value = 1, got;
  EXPECT_OK(MPI_T_pvar_session_create(&session));
  EXPECT_OK(MPI_T_cvar_handle_alloc(cvar("eager_bytes_max"), NULL, &setting, &count));
  void* of[3] = {session, setting, NULL};
  MPI_T_event_registration one =
      watch("message_unexpected", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, of, use_variables);
  MPI_Isend(&value, 1, MPI_INT, 0, 3, self, &request);
  MPI_Recv(&got, 1, MPI_INT, 0, 3, self, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(of[2] != NULL);
  EXPECT_OK(MPI_T_event_handle_free(one, NULL, NULL));
  EXPECT_OK(MPI_T_cvar_handle_free(&setting));
  EXPECT_OK(MPI_T_pvar_session_free(&session));
}

int main(int argc, char** argv) {
  nothing_works_before_it_is_initialized();
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  sources_have_clocks();
  all_types_are_complete();
  bad_registrations_are_found();
  const int many = argc > 1;
  MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  sources_have_clocks();
  bad_registrations_are_found();
  calls_are_told(many ? MPI_T_CB_REQUIRE_THREAD_SAFE : MPI_T_CB_REQUIRE_NONE);
  if (!many) {
    what_callbacks_bring_about_is_dropped();
    what_no_callback_is_safe_for_is_dropped();
  }
  callbacks_may_free_their_registration();
  callbacks_may_use_the_interface();
  MPI_Comm self = MPI_COMM_SELF;
  watch("collective_entered", &self, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, never); /* left behind */
  MPI_Finalize();
  bad_registrations_are_found();
  EXPECT_OK(MPI_T_finalize());
  nothing_works_before_it_is_initialized();
  return expect_result();
}
