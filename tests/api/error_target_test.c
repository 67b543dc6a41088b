/* Whose error handler a failed call reaches: that of the communicator or session it was about; for
 * a call about neither, MPI_COMM_SELF's; for an object that could not be made, the one given for
 * it. One process. */
#include "expect.h"

enum { no_handler, of_world, of_self, of_copy, of_session, of_unmade, of_unmade_comm, of_file };
static int reached, reached_times;
static MPI_Comm its_comm;
static MPI_Session its_session;
static MPI_File its_file;

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

static void unmade_session_failed(MPI_Session* session, int* code, ...) {
  (void)code;
  its_session = *session;
  reach(of_unmade);
}
static void file_failed(MPI_File* file, int* code, ...) {
  (void)code;
  its_file = *file;
  reach(of_file);
}
static void win_failed(MPI_Win* win, int* code, ...) {
  (void)win, (void)code;
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

/* Also where an argument is wrong: the handler given for what is to be made is the one to tell. */
static void about_arguments_of_unmade_objects(void) {
  MPI_Errhandler for_sessions, for_comms;
  MPI_Session made_session;
  MPI_Comm made;
  MPI_Group group;
  int value;
  const MPI_Info bad_info = (MPI_Info)0x5555555555u;
  EXPECT_OK(MPI_Session_create_errhandler(unmade_session_failed, &for_sessions));
  EXPECT_OK(MPI_Comm_create_errhandler(unmade_comm_failed, &for_comms));
  EXPECT_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
  its_session = session;
  REACHES(MPI_Session_init(bad_info, for_sessions, &made_session), of_unmade);
  EXPECT(its_session == MPI_SESSION_NULL);
  REACHES(MPI_Session_init(MPI_INFO_NULL, for_sessions, NULL), of_unmade);
  its_comm = MPI_COMM_SELF;
  REACHES(MPI_Comm_create_from_group(MPI_GROUP_NULL, "t", MPI_INFO_NULL, for_comms, &made),
          of_unmade_comm);
  EXPECT(its_comm == MPI_COMM_NULL);
  REACHES(MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, for_comms, &made), of_unmade_comm);
  REACHES(MPI_Comm_create_from_group(group, "t", bad_info, for_comms, &made), of_unmade_comm);
  REACHES(MPI_Comm_create_from_group(group, "t", MPI_INFO_NULL, for_comms, NULL), of_unmade_comm);
  REACHES(MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, group, 0, "t", MPI_INFO_NULL,
                                           for_comms, &made),
          of_unmade_comm);
  REACHES(MPI_Intercomm_create_from_groups(group, 0, group, 0, "t", bad_info, for_comms, &made),
          of_unmade_comm);
  REACHES(
      MPI_Intercomm_create_from_groups(group, 9, group, 0, "t", MPI_INFO_NULL, for_comms, &made),
      of_unmade_comm);
  REACHES(MPI_Intercomm_create_from_groups(group, 0, group, 0, "t", MPI_INFO_NULL, for_comms, NULL),
          of_unmade_comm);
  /* A handler that is none, or for other objects, cannot be asked. */
  REACHES(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &made_session), of_self);
  REACHES(MPI_Session_init(bad_info, for_comms, &made_session), of_self);
  REACHES(MPI_Session_init(MPI_INFO_NULL, for_comms, &made_session), of_self);
  REACHES(MPI_Comm_create_from_group(group, "t", MPI_INFO_NULL, for_sessions, &made), of_self);
  REACHES(MPI_Comm_create_from_group(group, "t", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &made),
          of_self);
  /* What comes after is no business of theirs. */
  REACHES(MPI_Comm_size(MPI_COMM_NULL, &value), of_self);
  reached_times = 0;
  EXPECT_INT(MPI_Session_init(bad_info, MPI_ERRORS_RETURN, &made_session), MPI_ERR_INFO);
  EXPECT_INT(reached_times, 0);
  EXPECT_OK(MPI_Errhandler_free(&for_sessions));
  EXPECT_OK(MPI_Errhandler_free(&for_comms));
  EXPECT_OK(MPI_Group_free(&group));
}

/* MPI_FILE_NULL holds the handler with which files are opened, at first MPI_ERRORS_RETURN, and
 * errors about files that are not open go there. */
static void about_files(void) {
  MPI_Errhandler handler, got;
  MPI_File file = MPI_FILE_NULL;
  const MPI_File invented = (MPI_File)0x6666666666u;
  EXPECT_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
  EXPECT(got == MPI_ERRORS_RETURN);
  reached_times = 0;
  EXPECT(MPI_File_close(&file) != MPI_SUCCESS);
  EXPECT_INT(reached_times, 0);
  EXPECT_OK(MPI_File_create_errhandler(file_failed, &handler));
  EXPECT_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  EXPECT_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
  EXPECT(got == handler);
  EXPECT_OK(MPI_Errhandler_free(&got));
  EXPECT_OK(MPI_Errhandler_free(&handler));
  its_file = invented;
  reached_times = 0;
  EXPECT_OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
  EXPECT_INT(reached, of_file);
  EXPECT_INT(reached_times, 1);
  EXPECT(its_file == MPI_FILE_NULL);
  REACHES(MPI_File_call_errhandler(invented, MPI_ERR_IO), of_file);
  REACHES(MPI_File_call_errhandler(MPI_FILE_NULL, -7), of_file);
  REACHES(MPI_File_get_errhandler(invented, &got), of_file);
  REACHES(MPI_File_get_errhandler(MPI_FILE_NULL, NULL), of_file);
  REACHES(MPI_File_set_errhandler(invented, MPI_ERRORS_RETURN), of_file);
  REACHES(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRHANDLER_NULL), of_file);
  EXPECT_OK(MPI_Comm_create_errhandler(unmade_comm_failed, &handler));
  REACHES(MPI_File_set_errhandler(MPI_FILE_NULL, handler), of_file);
  EXPECT_OK(MPI_Errhandler_free(&handler));
  REACHES(MPI_File_open(copy, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), of_file);
  REACHES(MPI_File_create_errhandler(NULL, &handler), of_self);
  EXPECT_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  EXPECT_INT(MPI_File_call_errhandler(invented, MPI_ERR_IO), MPI_ERR_FILE);
}

/* No window can exist yet, but handlers for them can. */
static void about_windows(void) {
  MPI_Errhandler handler, got;
  EXPECT_OK(MPI_Win_create_errhandler(win_failed, &handler));
  REACHES(MPI_Win_set_errhandler(MPI_WIN_NULL, handler), of_self);
  REACHES(MPI_Win_get_errhandler(MPI_WIN_NULL, &got), of_self);
  REACHES(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_WIN), of_self);
  REACHES(MPI_Win_create_errhandler(NULL, &got), of_self);
  REACHES(MPI_Comm_set_errhandler(copy, handler), of_copy);
  REACHES(MPI_Session_set_errhandler(session, handler), of_session);
  EXPECT_OK(MPI_Errhandler_free(&handler));
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
  about_arguments_of_unmade_objects();
  about_files();
  about_windows();
  EXPECT_OK(MPI_Session_finalize(&session));
  EXPECT_OK(MPI_Comm_free(&copy));
  MPI_Finalize();
  return expect_result();
}
