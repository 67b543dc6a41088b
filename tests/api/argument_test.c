/* The checks of communication procedures: each wrong argument has its class, each text its
 * argument and cause; what looks wrong but is legal passes. One process. */
#include "expect.h"

static char text[MPI_MAX_ERROR_STRING];

static const char* explain(int code) {
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

static void ranks_and_tags(void) {
  int value = 0;
  MPI_Status status;
  EXPECT_INT(MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  EXPECT_IN(explain(MPI_ERR_RANK),
            "MPI_Send: argument 4 (dest): rank 7 is not in this communicator of 1 rank "
            "[MPI_ERR_RANK]");
  EXPECT_INT(MPI_Send_c(&value, 1, MPI_INT, -9, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  EXPECT_IN(explain(MPI_ERR_RANK), "MPI_Send_c: argument 4 (dest): rank -9");
  EXPECT_INT(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  EXPECT_IN(explain(MPI_ERR_RANK), "MPI_ANY_SOURCE is for receives");
  EXPECT_INT(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
  EXPECT_INT(MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
  EXPECT_INT(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
  EXPECT_IN(explain(MPI_ERR_TAG), "MPI_ANY_TAG is for receives");
  EXPECT_INT(MPI_Recv(&value, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
  EXPECT_OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  EXPECT_OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  EXPECT_INT(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void buffers_counts_and_types(void) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_INT(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  EXPECT_IN(explain(MPI_ERR_BUFFER), "MPI_Send: argument 1 (buf) is a null pointer");
  EXPECT_INT(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  EXPECT_OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  EXPECT_INT(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  EXPECT_IN(explain(MPI_ERR_COUNT), "argument 2 (count) is -1; it must be at least 0");
  EXPECT_INT(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  EXPECT_INT(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT_INT(MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  EXPECT_INT(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  EXPECT_INT(MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
  MPI_Request invented = (MPI_Request)0x7777777777;
  EXPECT_INT(MPI_Wait(&invented, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
}

static void derived_types_must_be_committed(void) {
  int values[4] = {1, 2, 3, 4}, received[4] = {0};
  MPI_Datatype pair;
  EXPECT_OK(MPI_Type_contiguous(2, MPI_INT, &pair));
  EXPECT_INT(MPI_Send(values, 1, pair, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  EXPECT_IN(explain(MPI_ERR_TYPE), "is not committed; call MPI_Type_commit");
  EXPECT_OK(MPI_Type_commit(&pair));
  EXPECT_OK(MPI_Sendrecv(values, 2, pair, 0, 5, received, 2, pair, 0, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE));
  EXPECT_INT(received[3], 4);
  EXPECT_OK(MPI_Type_free(&pair));
  EXPECT(pair == MPI_DATATYPE_NULL);
  EXPECT_INT(MPI_Type_free(&pair), MPI_ERR_TYPE);
}

/* MPI_BOTTOM is the null pointer, so null is legal with a type of absolute addresses. */
static void absolute_types_have_no_buffer(void) {
  int value = 42, received = 0, length = 1;
  MPI_Aint address;
  MPI_Datatype from, to, basic = MPI_INT;
  EXPECT_OK(MPI_Get_address(&value, &address));
  EXPECT_OK(MPI_Type_create_struct(1, &length, &address, &basic, &from));
  EXPECT_OK(MPI_Get_address(&received, &address));
  EXPECT_OK(MPI_Type_create_struct(1, &length, &address, &basic, &to));
  EXPECT_OK(MPI_Type_commit(&from));
  EXPECT_OK(MPI_Type_commit(&to));
  EXPECT_OK(MPI_Sendrecv(MPI_BOTTOM, 1, from, 0, 1, MPI_BOTTOM, 1, to, 0, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE));
  EXPECT_INT(received, 42);
  EXPECT_OK(MPI_Type_free(&from));
  EXPECT_OK(MPI_Type_free(&to));
}

static void collectives(void) {
  int a = 1, b = 0, counts[1] = {-1}, displacements[1] = {0};
  EXPECT_INT(MPI_Bcast(&a, 1, MPI_INT, 1, MPI_COMM_WORLD), MPI_ERR_ROOT);
  EXPECT_IN(explain(MPI_ERR_ROOT), "MPI_Bcast: argument 4 (root): root 1 is not in");
  EXPECT_INT(MPI_Bcast(&a, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD), MPI_ERR_ROOT);
  EXPECT_INT(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
  EXPECT_INT(MPI_Alltoall(&a, 1, MPI_INT, &a, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  EXPECT_IN(explain(MPI_ERR_BUFFER), "pass MPI_IN_PLACE");
  EXPECT_OK(MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  EXPECT_INT(MPI_Allreduce(&a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  EXPECT_INT(MPI_Gatherv(&a, 1, MPI_INT, &b, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD),
             MPI_ERR_COUNT);
  EXPECT_IN(explain(MPI_ERR_COUNT), "argument 5 (recvcounts): element 0 is -1");
  /* What MPI_IN_PLACE replaces is not looked at. */
  EXPECT_OK(MPI_Allgather(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, &a, 1, MPI_INT, MPI_COMM_WORLD));
  EXPECT_INT(MPI_Allgather(&a, 1, MPI_DATATYPE_NULL, &b, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TYPE);
}

static void freed_communicators_are_found_out(void) {
  MPI_Comm copy, dead;
  int rank = -1;
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  dead = copy;
  EXPECT_OK(MPI_Comm_rank(copy, &rank));
  EXPECT_OK(MPI_Comm_free(&copy));
  EXPECT(copy == MPI_COMM_NULL);
  EXPECT_INT(MPI_Comm_rank(dead, &rank), MPI_ERR_COMM);
  EXPECT_INT(MPI_Comm_rank((MPI_Comm)MPI_INT, &rank), MPI_ERR_COMM);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  ranks_and_tags();
  buffers_counts_and_types();
  derived_types_must_be_committed();
  absolute_types_have_no_buffer();
  collectives();
  freed_communicators_are_found_out();
  MPI_Finalize();
  return expect_result();
}
