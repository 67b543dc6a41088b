/* A program that forgets to free what its first word says: nothing, one of each, or many; with
 * "session" as the second word in the sessions model. Run by leak_report_test.py. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static int query(void* extra, MPI_Status* status) {
  (void)extra, (void)status;
  return MPI_SUCCESS;
}
static int done(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int stopped(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}
static void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}
static void failed(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
}

/* One of each; freed again unless they are to be forgotten. */
static void each(MPI_Comm world, int forget) {
  int value = 3, got = 0;
  MPI_Comm comm;
  MPI_Datatype type, kind;
  MPI_Group group;
  MPI_Request generalized, persistent, sent;
  MPI_Op op;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Message message;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_name(comm, "halo");
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_name(type, "triple");
  MPI_Type_create_f90_integer(4, &kind); /* not to be freed */
  MPI_Comm_group(comm, &group);
  MPI_Grequest_start(query, done, stopped, NULL, &generalized);
  MPI_Recv_init(&got, 1, MPI_INT, rank, 5, comm, &persistent);
  MPI_Op_create(combine, 0, &op);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Comm_create_errhandler(failed, &handler);
  MPI_Isend(&value, 1, MPI_INT, rank, 9, comm, &sent);
  MPI_Mprobe(rank, 9, comm, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  if (forget) return;
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Errhandler_free(&handler);
  MPI_Info_free(&info);
  MPI_Op_free(&op);
  MPI_Request_free(&persistent);
  MPI_Grequest_complete(generalized);
  MPI_Wait(&generalized, MPI_STATUS_IGNORE);
  MPI_Group_free(&group);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

static void many(void) {
  MPI_Info info;
  MPI_Comm comm;
  for (int i = 0; i < 1000; ++i) MPI_Info_create(&info);
  for (int i = 0; i < 6; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comm);
  (void)info, (void)comm;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "nothing";
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  if (argc > 2) {
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "leaks", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Group_free(&group);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (strcmp(what, "many") == 0)
    many();
  else if (strcmp(what, "open") == 0)
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  else
    each(world, strcmp(what, "each") == 0 || (strcmp(what, "first") == 0 && rank == 0));
  if (rank == 0) printf("came to the end\n");
  if (argc > 2) {
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
  } else {
    MPI_Finalize();
    if (session != MPI_SESSION_NULL) MPI_Session_finalize(&session);
  }
  return 0;
}
