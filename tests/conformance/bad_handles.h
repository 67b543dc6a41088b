/* Bad handles of every kind: null, freed, of another kind, one bit off a live one, random bits.
 * A row says which argument of a call is bad (the call's text has `bad` there) and which class the
 * standard gives for it; it is tried with all of them. Included by bad_*_test.c; the rows are
 * written from the standard's text and know nothing of the library's own tables. */
#ifndef CONFORMANCE_BAD_HANDLES_H
#define CONFORMANCE_BAD_HANDLES_H

#include "wrong.h"

enum {
  comm_kind,
  type_kind,
  group_kind,
  request_kind,
  op_kind,
  info_kind,
  errhandler_kind,
  session_kind,
  message_kind,
  win_kind,
  file_kind,
  kinds
};
enum { bad_max = 160 };

/* null_bad: MPI_X_NULL is an error like the others; null_good: it means something there. */
enum { null_good, null_bad };

struct BadHandles {
  const char* name;
  int null_class;
  void* values[bad_max];
  const char* hows[bad_max];
  int count;
};
static struct BadHandles bad_handles[kinds];
static void* live_handles[kinds];
static int bad_calls;

/* What all rows may use as right arguments. */
static MPI_Comm live_comm;
static MPI_Group live_group;
static MPI_Session live_session;
static MPI_Info live_info;
static MPI_Datatype live_type;

static inline void try_bad(int line, const char* call, int code, int wanted, int argument,
                           const char* how, const void* bits) {
  char text[MPI_MAX_ERROR_STRING] = "success", place[32];
  int its_class = MPI_SUCCESS, length;
  ++bad_calls;
  if (code != MPI_SUCCESS) {
    MPI_Error_class(code, &its_class);
    MPI_Error_string(code, text, &length);
  }
  snprintf(place, sizeof place, "argument %d (", argument);
  if (its_class == wanted && strstr(text, place)) return;
  ++wrong_failures;
  fprintf(stderr, "line %d: %s with %s (%p): class %d, not %d at argument %d: %s\n", line, call,
          how, bits, its_class, wanted, argument, text);
}

/* Tries `call` with every bad handle, which its explanation has to call argument `argument`. */
#define TRY(type, kind, null, error_class, argument, call)                                  \
  for (int at = null == null_bad ? 0 : 1; at < bad_handles[kind].count; ++at) {             \
    type bad = (type)bad_handles[kind].values[at];                                          \
    try_bad(__LINE__, #call, call, error_class, argument, bad_handles[kind].hows[at], bad); \
  }
#define BAD_COMM(argument, call) TRY(MPI_Comm, comm_kind, null_bad, MPI_ERR_COMM, argument, call)
#define BAD_TYPE(argument, call) \
  TRY(MPI_Datatype, type_kind, null_bad, MPI_ERR_TYPE, argument, call)
#define BAD_GROUP(argument, call) \
  TRY(MPI_Group, group_kind, null_bad, MPI_ERR_GROUP, argument, call)
#define BAD_OP(argument, call) TRY(MPI_Op, op_kind, null_bad, MPI_ERR_OP, argument, call)
#define BAD_ERRHANDLER(argument, call) \
  TRY(MPI_Errhandler, errhandler_kind, null_bad, MPI_ERR_ERRHANDLER, argument, call)
#define BAD_SESSION(argument, call) \
  TRY(MPI_Session, session_kind, null_bad, MPI_ERR_SESSION, argument, call)
#define BAD_MESSAGE(argument, call) \
  TRY(MPI_Message, message_kind, null_bad, MPI_ERR_REQUEST, argument, call)

static inline void add_bad(int kind, const char* how, uint64_t bits) {
  struct BadHandles* list = &bad_handles[kind];
  CHECK(list->count < bad_max);
  list->hows[list->count] = how;
  list->values[list->count++] = (void*)bits;
}

static inline int query(void* extra, MPI_Status* status) {
  (void)extra, (void)status;
  return MPI_SUCCESS;
}
static inline int ended(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static inline int cancelled(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}
static inline void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}
static inline void comm_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
}

/* One object of every kind; windows and files do not exist yet. */
static inline void make_one_of_each(void** handles) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Group group;
  MPI_Request request, send;
  MPI_Op op;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Session session;
  MPI_Message message;
  static int value;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm_group(MPI_COMM_SELF, &group);
  MPI_Grequest_start(query, ended, cancelled, NULL, &request);
  MPI_Op_create(combine, 1, &op);
  MPI_Info_create(&info);
  MPI_Comm_create_errhandler(comm_error, &handler);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Isend(&value, 1, MPI_INT, rank, 77, comm, &send);
  MPI_Mprobe(rank, 77, comm, &message, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  void* all[kinds] = {comm, type, group, request, op, info, handler, session, message, NULL, NULL};
  memcpy(handles, all, sizeof all);
}

static inline void free_one_of_each(void* const* handles) {
  MPI_Comm comm = handles[comm_kind];
  MPI_Datatype type = handles[type_kind];
  MPI_Group group = handles[group_kind];
  MPI_Request request = handles[request_kind];
  MPI_Op op = handles[op_kind];
  MPI_Info info = handles[info_kind];
  MPI_Errhandler handler = handles[errhandler_kind];
  MPI_Session session = handles[session_kind];
  MPI_Message message = handles[message_kind];
  int value;
  CHECK(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS && MPI_Type_free(&type) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&group) == MPI_SUCCESS && MPI_Op_free(&op) == MPI_SUCCESS);
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS && MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

static inline void add_bad_of(int kind, uint64_t null_value, void* freed) {
  void* constants[kinds] = {
      MPI_COMM_WORLD,    MPI_INT, MPI_GROUP_EMPTY,     NULL, MPI_SUM, MPI_INFO_ENV,
      MPI_ERRORS_RETURN, NULL,    MPI_MESSAGE_NO_PROC, NULL, NULL};
  uint64_t state = 1000 + (uint64_t)kind, live = (uint64_t)live_handles[kind];
  add_bad(kind, "the null handle", null_value);
  if (freed) add_bad(kind, "a freed handle", (uint64_t)freed);
  for (int other = 0; other < kinds; ++other) {
    if (other == kind) continue;
    if (live_handles[other]) add_bad(kind, "another kind's", (uint64_t)live_handles[other]);
    if (constants[other]) add_bad(kind, "another kind's constant", (uint64_t)constants[other]);
  }
  add_bad(kind, "zero", 0);
  add_bad(kind, "all ones", ~(uint64_t)0);
  add_bad(kind, "an address", (uint64_t)(void*)&bad_handles);
  /* The lowest bits are left: with one of them changed it may be another live handle. */
  for (int bit = 4; live && bit < 64; ++bit)
    add_bad(kind, "one bit off", live ^ (uint64_t)1 << bit);
  for (int i = 0; i < 16; ++i) add_bad(kind, "random bits", next_random(&state));
  add_bad(kind, "no constant", 0x0fff);
  add_bad(kind, "beyond the constants", 0x1000);
}

static inline void start_bad(int* argc, char*** argv) {
  void* freed[kinds];
  uint64_t nulls[kinds] = {
      (uint64_t)MPI_COMM_NULL,       (uint64_t)MPI_DATATYPE_NULL, (uint64_t)MPI_GROUP_NULL,
      (uint64_t)MPI_REQUEST_NULL,    (uint64_t)MPI_OP_NULL,       (uint64_t)MPI_INFO_NULL,
      (uint64_t)MPI_ERRHANDLER_NULL, (uint64_t)MPI_SESSION_NULL,  (uint64_t)MPI_MESSAGE_NULL,
      (uint64_t)MPI_WIN_NULL,        (uint64_t)MPI_FILE_NULL};
  start_wrong(argc, argv);
  make_one_of_each(freed);
  free_one_of_each(freed);
  make_one_of_each(live_handles);
  for (int kind = 0; kind < kinds; ++kind) add_bad_of(kind, nulls[kind], freed[kind]);
  live_comm = live_handles[comm_kind];
  live_type = live_handles[type_kind];
  live_group = live_handles[group_kind];
  live_info = live_handles[info_kind];
  live_session = live_handles[session_kind];
  MPI_Comm_set_errhandler(live_comm, MPI_ERRORS_RETURN);
}

static inline int finish_bad(int rows_at_least) {
  free_one_of_each(live_handles); /* all of them still live and well */
  CHECK(bad_calls >= rows_at_least * 40);
  return finish_wrong(0);
}

#endif
