/* Performance variables of one process: every procedure with good and bad arguments; sessions that
 * do not disturb each other; before MPI_Init, while MPI runs, and after MPI_Finalize. */
#include "expect.h"
#include "tool_names.h"

typedef unsigned long long Value;

static int level;

static void nothing_works_before_it_is_initialized(void) {
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  Value value;
  int number;
  EXPECT_INT(MPI_T_pvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_get_index("sleeps", MPI_T_PVAR_CLASS_COUNTER, &number),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_session_free(&session), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_handle_alloc(session, 0, NULL, &handle, &number),
             MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_handle_free(session, &handle), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_start(session, handle), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_stop(session, handle), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_read(session, handle, &value), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_write(session, handle, &value), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_reset(session, handle), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_INT(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_NOT_INITIALIZED);
}

/* MPI 5.0, "Performance Variable Classes": which datatypes a class may have. */
static int fits(int var_class, MPI_Datatype type) {
  if (var_class == MPI_T_PVAR_CLASS_STATE) return type == MPI_INT;
  const int number =
      type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG;
  return number || (type == MPI_DOUBLE && var_class != MPI_T_PVAR_CLASS_COUNTER);
}

static void all_variables_are_complete(void) {
  int count = 0, index = -1;
  EXPECT_OK(MPI_T_pvar_get_num(&count));
  EXPECT(count > 100);
  for (int i = 0; i < count; ++i) {
    char name[64], words[1024];
    int name_length = sizeof name, words_length = sizeof words;
    int verbosity, var_class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum names;
    EXPECT_OK(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &var_class, &type, &names,
                                  words, &words_length, &bind, &readonly, &continuous, &atomic));
    EXPECT(name_length > 1 && name_length <= (int)sizeof name);
    EXPECT(words_length > 1 && words_length <= (int)sizeof words);
    EXPECT(!strchr(words, '{'));
    EXPECT(fits(var_class, type));
    EXPECT((names != MPI_T_ENUM_NULL) == (var_class == MPI_T_PVAR_CLASS_STATE));
    EXPECT(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
    EXPECT(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM ||
           bind == MPI_T_BIND_MPI_WIN || bind == MPI_T_BIND_MPI_FILE);
    EXPECT(readonly == continuous && atomic == !readonly);
    EXPECT_OK(MPI_T_pvar_get_index(name, var_class, &index));
    EXPECT_INT(index, i);
    EXPECT_OK(MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                  NULL, NULL));
  }
  EXPECT_INT(MPI_T_pvar_get_num(NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_pvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_pvar_get_index("sleeps", MPI_T_PVAR_CLASS_LEVEL, &index),
             MPI_T_ERR_INVALID_NAME);
  EXPECT_INT(MPI_T_pvar_get_index("no such", MPI_T_PVAR_CLASS_COUNTER, &index),
             MPI_T_ERR_INVALID_NAME);
  EXPECT_INT(MPI_T_pvar_get_index(NULL, MPI_T_PVAR_CLASS_COUNTER, &index), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_get_index("sleeps", MPI_T_PVAR_CLASS_COUNTER, NULL), MPI_T_ERR_INVALID);
}

static MPI_T_pvar_session make_session(void) {
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  EXPECT_OK(MPI_T_pvar_session_create(&session));
  EXPECT(session != MPI_T_PVAR_SESSION_NULL);
  return session;
}

static MPI_T_pvar_handle make(MPI_T_pvar_session session, const char* name, int var_class,
                              void* object) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = -1;
  EXPECT_OK(MPI_T_pvar_handle_alloc(session, pvar(name, var_class), object, &handle, &count));
  EXPECT_INT(count, 1);
  return handle;
}

static Value value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  Value value = ~0ull;
  EXPECT_OK(MPI_T_pvar_read(session, handle, &value));
  return value;
}

static void bad_sessions_and_handles_are_found(void) {
  const int sleeps = pvar("sleeps", MPI_T_PVAR_CLASS_COUNTER);
  MPI_T_pvar_session one = make_session(), other = make_session(), none = MPI_T_PVAR_SESSION_NULL,
                     freed;
  MPI_T_pvar_handle handle = make(one, "sleeps", MPI_T_PVAR_CLASS_COUNTER, NULL), gone;
  Value value = 0;
  int count;
  MPI_Comm null = MPI_COMM_NULL;
  EXPECT_INT(MPI_T_pvar_session_create(NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_handle_alloc(none, sleeps, NULL, &gone, &count), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_handle_alloc(one, 100000, NULL, &gone, &count), MPI_T_ERR_INVALID_INDEX);
  EXPECT_INT(MPI_T_pvar_handle_alloc(one, sleeps, NULL, NULL, &count), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_handle_alloc(one, sleeps, NULL, &gone, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_handle_alloc(one, pvar("collectives", MPI_T_PVAR_CLASS_COUNTER), NULL,
                                     &gone, &count),
             MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_handle_alloc(one, pvar("collectives", MPI_T_PVAR_CLASS_COUNTER), &null,
                                     &gone, &count),
             MPI_T_ERR_INVALID_HANDLE);
  /* The handle of one session is none of another. */
  EXPECT_INT(MPI_T_pvar_start(other, handle), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_stop(other, handle), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_write(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_reset(other, handle), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_readreset(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_handle_free(other, &handle), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(none, handle, &value), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_start(none, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_read(one, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_write(one, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_readreset(one, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(one, MPI_T_PVAR_HANDLE_NULL, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(one, (MPI_T_pvar_handle)&value, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(one, handle, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_write(one, handle, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_readreset(one, handle, NULL), MPI_T_ERR_INVALID);
  EXPECT_INT(MPI_T_pvar_handle_free(one, NULL), MPI_T_ERR_INVALID);
  gone = handle;
  EXPECT_OK(MPI_T_pvar_handle_free(one, &handle));
  EXPECT(handle == MPI_T_PVAR_HANDLE_NULL);
  EXPECT_INT(MPI_T_pvar_handle_free(one, &gone), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_start(one, gone), MPI_T_ERR_INVALID_HANDLE);
  /* A session that is freed takes its handles along. */
  gone = make(other, "sleeps", MPI_T_PVAR_CLASS_COUNTER, NULL);
  freed = other;
  EXPECT_OK(MPI_T_pvar_session_free(&other));
  EXPECT(other == MPI_T_PVAR_SESSION_NULL);
  EXPECT_INT(MPI_T_pvar_read(one, gone, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_read(freed, gone, &value), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_session_free(&freed), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_session_free(&none), MPI_T_ERR_INVALID_SESSION);
  EXPECT_INT(MPI_T_pvar_session_free(NULL), MPI_T_ERR_INVALID);
  EXPECT_OK(MPI_T_pvar_session_free(&one));
}

static void what_always_shows_what_is_can_only_be_read(int phase) {
  MPI_T_pvar_session session = make_session();
  MPI_T_pvar_handle state = make(session, "library_phase", MPI_T_PVAR_CLASS_STATE, NULL);
  MPI_T_pvar_handle queued = make(session, "queued_requests", MPI_T_PVAR_CLASS_LEVEL, NULL);
  MPI_T_enum names;
  char text[32];
  int value[2] = {-1, 77}, length = sizeof text;
  EXPECT_OK(MPI_T_pvar_read(session, state, value));
  EXPECT_INT(value[0], phase);
  EXPECT_INT(value[1], 77);
  EXPECT_OK(MPI_T_pvar_get_info(pvar("library_phase", MPI_T_PVAR_CLASS_STATE), NULL, NULL, NULL,
                                NULL, NULL, &names, NULL, NULL, NULL, NULL, NULL, NULL));
  EXPECT_OK(MPI_T_enum_get_item(names, value[0], NULL, text, &length));
  EXPECT_TEXT(text, phase == 0 ? "before_init" : phase == 1 ? "running" : "finalized");
  EXPECT_INT(value_of(session, queued), 0);
  EXPECT_INT(MPI_T_pvar_start(session, state), MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT_INT(MPI_T_pvar_stop(session, queued), MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT_INT(MPI_T_pvar_write(session, queued, value), MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT_INT(MPI_T_pvar_reset(session, state), MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT_INT(MPI_T_pvar_readreset(session, queued, value), MPI_T_ERR_PVAR_NO_ATOMIC);
  /* Where all are meant, such variables are passed over. */
  EXPECT_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_OK(MPI_T_pvar_session_free(&session));
  session = make_session();
  EXPECT_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_OK(MPI_T_pvar_session_free(&session));
}

/* A counter that tests can move at will: barriers of one rank go by messages, of which there are
 * none. */
#define BARRIERS "calls_barrier_dissemination"
static void meet(int times) {
  for (int i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_SELF);
}

static void sessions_do_not_disturb_each_other(void) {
  MPI_T_pvar_session one = make_session(), two = make_session();
  MPI_T_pvar_handle a = make(one, BARRIERS, MPI_T_PVAR_CLASS_COUNTER, NULL);
  MPI_T_pvar_handle b = make(two, BARRIERS, MPI_T_PVAR_CLASS_COUNTER, NULL);
  MPI_T_pvar_handle second = make(one, BARRIERS, MPI_T_PVAR_CLASS_COUNTER, NULL);
  Value value = 1000;
  meet(2);
  EXPECT_INT(value_of(one, a), 0); /* not started yet */
  EXPECT_OK(MPI_T_pvar_start(one, a));
  meet(3);
  EXPECT_INT(value_of(one, a), 3);
  EXPECT_OK(MPI_T_pvar_start(two, b));
  EXPECT_OK(MPI_T_pvar_start(two, b)); /* again: nothing happens */
  meet(4);
  EXPECT_INT(value_of(one, a), 7);
  EXPECT_INT(value_of(two, b), 4);
  EXPECT_INT(value_of(one, second), 0);
  EXPECT_OK(MPI_T_pvar_stop(one, a));
  meet(5);
  EXPECT_INT(value_of(one, a), 7);
  EXPECT_INT(value_of(two, b), 9);
  EXPECT_OK(MPI_T_pvar_reset(two, b));
  EXPECT_INT(value_of(two, b), 0);
  EXPECT_INT(value_of(one, a), 7);
  EXPECT_OK(MPI_T_pvar_start(one, MPI_T_PVAR_ALL_HANDLES));
  meet(6);
  EXPECT_INT(value_of(one, a), 13);
  EXPECT_INT(value_of(one, second), 6);
  EXPECT_OK(MPI_T_pvar_readreset(two, b, &value));
  EXPECT_INT(value, 6);
  EXPECT_INT(value_of(two, b), 0);
  value = 1000;
  EXPECT_OK(MPI_T_pvar_write(one, a, &value));
  meet(1);
  EXPECT_INT(value_of(one, a), 1001);
  EXPECT_INT(value_of(one, second), 7);
  EXPECT_INT(value_of(two, b), 1);
  EXPECT_OK(MPI_T_pvar_reset(one, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_INT(value_of(one, a), 0);
  EXPECT_INT(value_of(one, second), 0);
  EXPECT_OK(MPI_T_pvar_handle_free(one, &a));
  EXPECT_INT(value_of(one, second), 0);
  EXPECT_OK(MPI_T_pvar_session_free(&one));
  meet(1);
  EXPECT_INT(value_of(two, b), 2);
  EXPECT_OK(MPI_T_pvar_session_free(&two));
}

/* The level of a communicator's queue, and its high-water marks in two sessions. */
static void marks_are_each_session_s_own(void) {
  MPI_Comm comm, self = MPI_COMM_SELF, other = MPI_COMM_WORLD;
  MPI_Request requests[5];
  int data[5] = {0};
  MPI_Comm_dup(self, &comm);
  MPI_T_pvar_session one = make_session(), two = make_session();
  MPI_T_pvar_handle now = make(one, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &comm);
  MPI_T_pvar_handle elsewhere = make(one, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &other);
  MPI_T_pvar_handle most = make(one, "unexpected_messages", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
  MPI_T_pvar_handle later = make(two, "unexpected_messages", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
  EXPECT_OK(MPI_T_pvar_start(one, most));
  for (int i = 0; i < 5; ++i) {
    if (i == 4) EXPECT_OK(MPI_T_pvar_start(two, later));
    MPI_Isend(&data[i], 1, MPI_INT, 0, i, comm, &requests[i]);
    EXPECT_INT(value_of(one, now), i + 1);
  }
  EXPECT_INT(value_of(one, elsewhere), 0);
  for (int i = 0; i < 3; ++i) MPI_Recv(&data[i], 1, MPI_INT, 0, i, comm, MPI_STATUS_IGNORE);
  EXPECT_INT(value_of(one, now), 2);
  EXPECT_INT(value_of(one, most), 5);
  EXPECT_INT(value_of(two, later), 5);
  EXPECT_OK(MPI_T_pvar_reset(two, later));
  EXPECT_INT(value_of(two, later), 2);
  EXPECT_INT(value_of(one, most), 5);
  EXPECT_OK(MPI_T_pvar_stop(two, later));
  for (int i = 3; i < 5; ++i) MPI_Recv(&data[i], 1, MPI_INT, 0, i, comm, MPI_STATUS_IGNORE);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  EXPECT_OK(MPI_T_pvar_reset(one, MPI_T_PVAR_ALL_HANDLES));
  EXPECT_INT(value_of(one, most), 0);
  EXPECT_INT(value_of(two, later), 2);
  MPI_Comm_free(&comm);
  /* The communicator is gone, and so are the values; the handles can still be freed. */
  Value value;
  EXPECT_INT(MPI_T_pvar_read(one, now, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_stop(one, most), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_INT(MPI_T_pvar_stop(one, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT_INT(MPI_T_pvar_reset(one, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT_OK(MPI_T_pvar_handle_free(one, &most));
  EXPECT_OK(MPI_T_pvar_session_free(&one));
  EXPECT_OK(MPI_T_pvar_session_free(&two));
}

static void everywhere(int phase) {
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  all_variables_are_complete();
  bad_sessions_and_handles_are_found();
  what_always_shows_what_is_can_only_be_read(phase);
  if (phase == 1) {
    sessions_do_not_disturb_each_other();
    marks_are_each_session_s_own();
  }
  EXPECT_OK(MPI_T_finalize());
}

/* A session that is made before MPI_Init and lives until after MPI_Finalize. */
static void sessions_outlive_mpi(int* argc, char*** argv) {
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  MPI_T_pvar_session session = make_session();
  MPI_T_pvar_handle handle = make(session, BARRIERS, MPI_T_PVAR_CLASS_COUNTER, NULL);
  EXPECT_OK(MPI_T_pvar_start(session, handle));
  MPI_Init(argc, argv);
  meet(3);
  EXPECT_INT(value_of(session, handle), 3);
  everywhere(1);
  const Value before = value_of(session, handle);
  EXPECT(before > 3);
  MPI_Finalize();
  EXPECT_INT(value_of(session, handle), before);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_handle bound;
  int count;
  EXPECT_INT(MPI_T_pvar_handle_alloc(session, pvar("collectives", MPI_T_PVAR_CLASS_COUNTER), &world,
                                     &bound, &count),
             MPI_T_ERR_INVALID_HANDLE);
  /* Left behind: the end of the interface frees them. */
  EXPECT_OK(MPI_T_finalize());
  EXPECT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
  EXPECT_INT(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);
  EXPECT_OK(MPI_T_finalize());
}

int main(int argc, char** argv) {
  nothing_works_before_it_is_initialized();
  everywhere(0);
  sessions_outlive_mpi(&argc, &argv);
  everywhere(2);
  nothing_works_before_it_is_initialized();
  return expect_result();
}
