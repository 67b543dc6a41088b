/* Whose error handler a failed call reaches: that of the communicator or session it was about; for
 * a call about neither, MPI_COMM_SELF's; for an object that could not be made, the one given for
 * it. One process. */
#include "expect.h"

enum { no_handler, of_world, of_self, of_copy, of_session, of_unmade, of_unmade_comm };
static int reached, reached_times;
static MPI_Comm its_comm;
static MPI_Session its_session;

static void reach(int who) {
  reached = who;
  ++reached_times;
}
static void world_failed(MPI_Comm* comm, int* code, ...) {
  (void)code;
  its_comm = *comm;
  reach(of_world);
}
static void self_failed(MPI_Comm* comm, int* code, ...) {
  (void)code;
  its_comm = *comm;
  reach(of_self);
}
static void copy_failed(MPI_Comm* comm, int* code, ...) {
  (void)code;
  its_comm = *comm;
  reach(of_copy);
}
static void unmade_comm_failed(MPI_Comm* comm, int* code, ...) {
  (void)code;
  its_comm = *comm;
  reach(of_unmade_comm);
}
static void session_failed(MPI_Session* session, int* code, ...) {
  (void)code;
  its_session = *session;
  reach(of_session);
}

/* `call` fails and calls one handler once. */
#define REACHES(call, who)         \
  do {                             \
    reached = no_handler;          \
    reached_times = 0;             \
    EXPECT((call) != MPI_SUCCESS); \
    EXPECT_INT(reached, who);      \
    EXPECT_INT(reached_times, 1);  \
  } while (0)

static MPI_Comm copy;
static MPI_Session session;

static void hang(MPI_Comm comm, MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  EXPECT_OK(MPI_Comm_create_errhandler(function, &handler));
  EXPECT_OK(MPI_Comm_set_errhandler(comm, handler));
  EXPECT_OK(MPI_Errhandler_free(&handler));
}

static void about_communicators(void) {
  int value = 0, flag, two[2] = {0, 0};
  void* pointer;
  MPI_Request request;
  MPI_Status status;
  REACHES(MPI_Send(&value, 1, MPI_INT, 17, 0, MPI_COMM_WORLD), of_world);
  EXPECT(its_comm == MPI_COMM_WORLD);
  REACHES(MPI_Send(&value, 1, MPI_INT, 17, 0, MPI_COMM_SELF), of_self);
  REACHES(MPI_Send(&value, 1, MPI_INT, 17, 0, copy), of_copy);
  EXPECT(its_comm == copy);
  REACHES(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, copy), of_copy);
  REACHES(MPI_Send(&value, -1, MPI_INT, 0, 0, copy), of_copy);
  REACHES(MPI_Irecv(&value, 1, MPI_INT, 0, -9, copy, &request), of_copy);
  REACHES(MPI_Allreduce(&value, &flag, 1, MPI_INT, MPI_OP_NULL, copy), of_copy);
  REACHES(MPI_Bcast(&value, 1, MPI_INT, 5, copy), of_copy);
  REACHES(MPI_Comm_dup(copy, NULL), of_copy);
  REACHES(MPI_Comm_create(copy, MPI_GROUP_NULL, &its_comm), of_copy);
  REACHES(MPI_Comm_set_attr(copy, MPI_KEYVAL_INVALID, &value), of_copy);
  REACHES(MPI_Comm_get_attr(copy, MPI_KEYVAL_INVALID, &pointer, &flag), of_copy);
  REACHES(MPI_Comm_set_errhandler(copy, MPI_ERRHANDLER_NULL), of_copy);
  REACHES(MPI_Comm_flush_buffer(copy), of_copy);
  reached = no_handler;
  EXPECT_OK(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
  EXPECT_INT(reached, of_copy);
  /* What a request finds out belongs to its communicator. */
  EXPECT_OK(MPI_Isend(two, 2, MPI_INT, 0, 1, copy, &request));
  REACHES(MPI_Recv(&value, 1, MPI_INT, 0, 1, copy, &status), of_copy);
  EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Irecv(&value, 1, MPI_INT, 0, 1, copy, &request));
  EXPECT_OK(MPI_Send(two, 2, MPI_INT, 0, 1, copy));
  REACHES(MPI_Wait(&request, &status), of_copy);
  EXPECT_OK(MPI_Irecv(&value, 1, MPI_INT, 0, 1, copy, &request));
  EXPECT_OK(MPI_Send(two, 2, MPI_INT, 0, 1, copy));
  REACHES(MPI_Waitall(1, &request, &status), of_copy);
}

static void about_nothing(void) {
  int value = 0, flag;
  void* memory;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Request request = (MPI_Request)0x7777777777u;
  MPI_Session none = MPI_SESSION_NULL;
  char name[MPI_MAX_OBJECT_NAME];
  REACHES(MPI_Comm_size(comm, &value), of_self);
  EXPECT(its_comm == MPI_COMM_SELF);
  REACHES(MPI_Send(&value, 1, MPI_INT, 0, 0, comm), of_self);
  REACHES(MPI_Barrier(comm), of_self);
  REACHES(MPI_Type_commit(&type), of_self);
  REACHES(MPI_Type_contiguous(-1, MPI_INT, &type), of_self);
  REACHES(MPI_Group_size(group, &value), of_self);
  REACHES(MPI_Op_free(&op), of_self);
  REACHES(MPI_Info_set(info, "key", "value"), of_self);
  REACHES(MPI_Errhandler_free(&handler), of_self);
  REACHES(MPI_Wait(&request, MPI_STATUS_IGNORE), of_self);
  REACHES(MPI_Grequest_start(NULL, NULL, NULL, NULL, &request), of_self);
  REACHES(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), of_self);
  REACHES(MPI_Error_class(-5, &value), of_self);
  REACHES(MPI_Buffer_attach(NULL, 100), of_self);
  REACHES(MPI_Comm_create_keyval(NULL, NULL, NULL, NULL), of_self);
  REACHES(MPI_Type_set_attr(MPI_INT, MPI_KEYVAL_INVALID, &value), of_self);
  REACHES(MPI_Session_get_num_psets(none, MPI_INFO_NULL, &value), of_self);
  REACHES(MPI_Win_get_name((MPI_Win)0x3333333333u, name, &value), of_self);
  REACHES(MPI_Initialized(NULL), of_self);
  REACHES(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &flag), of_self);
}

static void about_sessions_and_unmade_objects(void) {
  int length = 0;
  char name[8], long_tag[MPI_MAX_STRINGTAG_LEN + 10];
  MPI_Group group;
  MPI_Comm comm;
  MPI_Errhandler handler;
  memset(long_tag, 't', sizeof long_tag);
  long_tag[sizeof long_tag - 1] = 0;
  REACHES(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name), of_session);
  EXPECT(its_session == session);
  REACHES(MPI_Group_from_session_pset(session, "none", &group), of_session);
  REACHES(MPI_Session_flush_buffer(session), of_session);
  EXPECT_OK(MPI_Comm_create_errhandler(unmade_comm_failed, &handler));
  EXPECT_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
  REACHES(MPI_Comm_create_from_group(group, long_tag, MPI_INFO_NULL, handler, &comm),
          of_unmade_comm);
  EXPECT(its_comm == MPI_COMM_NULL && comm == MPI_COMM_NULL);
  /* What comes after is no business of that handler. */
  REACHES(MPI_Comm_size(MPI_COMM_NULL, &length), of_self);
  EXPECT_OK(MPI_Errhandler_free(&handler));
  EXPECT_OK(MPI_Group_free(&group));
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  hang(MPI_COMM_WORLD, world_failed);
  hang(MPI_COMM_SELF, self_failed);
  hang(copy, copy_failed);
  EXPECT_OK(MPI_Session_create_errhandler(session_failed, &handler));
  EXPECT_OK(MPI_Session_init(MPI_INFO_NULL, handler, &session));
  EXPECT_OK(MPI_Errhandler_free(&handler));
  about_communicators();
  about_nothing();
  about_sessions_and_unmade_objects();
  EXPECT_OK(MPI_Session_finalize(&session));
  EXPECT_OK(MPI_Comm_free(&copy));
  MPI_Finalize();
  return expect_result();
}
