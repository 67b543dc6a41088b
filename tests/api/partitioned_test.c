/* What is wrong with calls of partitioned communication: each has its class, and its text names the
 * argument and what to do. One process, which is both sides. */
#include "expect.h"

static char text[MPI_MAX_ERROR_STRING];
static int out[12], in[12];

static const char* explain(int code) {
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

static MPI_Request make_send(int partitions, MPI_Count count, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Psend_init(out, partitions, count, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request));
  return request;
}

static MPI_Request make_receive(int partitions, MPI_Count count, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Precv_init(in, partitions, count, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request));
  return request;
}

static int send_init(const void* buffer, int partitions, MPI_Count count, int rank, int tag) {
  MPI_Request request;
  return MPI_Psend_init(buffer, partitions, count, MPI_INT, rank, tag, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &request);
}
static int receive_init(int rank, int tag) {
  MPI_Request request;
  return MPI_Precv_init(in, 2, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void making(void) {
  EXPECT_INT(send_init(out, -1, 1, 0, 0), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG),
            "MPI_Psend_init: argument 2 (partitions) is -1; it must be at least 0");
  EXPECT_INT(send_init(out, 1, -1, 0, 0), MPI_ERR_COUNT);
  EXPECT_INT(send_init(NULL, 1, 1, 0, 0), MPI_ERR_BUFFER);
  EXPECT_INT(send_init(out, 1, 1, 1, 0), MPI_ERR_RANK);
  EXPECT_INT(send_init(out, 1, 1, 0, MPI_ANY_TAG), MPI_ERR_TAG);
  EXPECT_INT(send_init(out, 3, (MPI_Count)1 << 61, 0, 0), MPI_ERR_COUNT);
  EXPECT_IN(explain(MPI_ERR_COUNT), "more bytes than 63 bits can count");
  EXPECT_INT(receive_init(MPI_ANY_SOURCE, 0), MPI_ERR_RANK);
  EXPECT_IN(explain(MPI_ERR_RANK), "MPI_Precv_init: argument 5 (source): MPI_ANY_SOURCE is for");
  EXPECT_INT(receive_init(0, MPI_ANY_TAG), MPI_ERR_TAG);
  EXPECT_IN(explain(MPI_ERR_TAG), "MPI_Precv_init: argument 6 (tag): MPI_ANY_TAG is for");
}

static void marking(void) {
  MPI_Request send = make_send(3, 2, 1), receive = make_receive(2, 3, 1), none = MPI_REQUEST_NULL;
  int list[2] = {0, 3}, flag = 0;
  EXPECT_INT(MPI_Pready(0, send), MPI_ERR_REQUEST);
  EXPECT_IN(explain(MPI_ERR_REQUEST),
            "MPI_Pready: argument 2 (request): this partitioned send is not active; start it");
  EXPECT_INT(MPI_Pready(0, receive), MPI_ERR_REQUEST);
  EXPECT_IN(explain(MPI_ERR_REQUEST), "only partitions of a partitioned send");
  EXPECT_INT(MPI_Pready(0, none), MPI_ERR_REQUEST);
  EXPECT_OK(MPI_Start(&send));
  EXPECT_INT(MPI_Start(&send), MPI_ERR_REQUEST);
  EXPECT_INT(MPI_Pready(3, send), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG),
            "MPI_Pready: argument 1 (partition): there is no partition 3; the request has 3");
  EXPECT_INT(MPI_Pready(-1, send), MPI_ERR_ARG);
  EXPECT_INT(MPI_Pready_range(2, 1, send), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG), "argument 1 (partition_low): 2 is greater");
  EXPECT_INT(MPI_Pready_range(0, 3, send), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG), "argument 2 (partition_high): there is no partition 3");
  EXPECT_INT(MPI_Pready_list(-1, list, send), MPI_ERR_ARG);
  EXPECT_INT(MPI_Pready_list(2, NULL, send), MPI_ERR_ARG);
  EXPECT_INT(MPI_Pready_list(2, list, send), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG), "argument 2 (array_of_partitions): there is no partition 3");
  EXPECT_OK(MPI_Pready_list(0, NULL, send));
  EXPECT_OK(MPI_Pready(0, send)); /* none of the above has marked it */
  EXPECT_INT(MPI_Pready(0, send), MPI_ERR_ARG);
  EXPECT_IN(explain(MPI_ERR_ARG), "partition 0 was marked ready before since the request was");
  EXPECT_OK(MPI_Start(&receive));
  EXPECT_INT(MPI_Parrived(receive, 2, &flag), MPI_ERR_ARG);
  EXPECT_INT(MPI_Parrived(receive, 0, NULL), MPI_ERR_ARG);
  EXPECT_INT(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
  EXPECT_OK(MPI_Pready_range(1, 2, send));
  EXPECT_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Request_free(&send));
  EXPECT_OK(MPI_Request_free(&receive));
}

static void ending(void) {
  MPI_Request send = make_send(2, 1, 2), receive = make_receive(1, 2, 2);
  EXPECT_INT(MPI_Cancel(&send), MPI_ERR_REQUEST);
  EXPECT_OK(MPI_Start(&send));
  EXPECT_OK(MPI_Start(&receive));
  EXPECT_INT(MPI_Cancel(&receive), MPI_ERR_REQUEST);
  EXPECT_IN(explain(MPI_ERR_REQUEST), "a partitioned request that is active cannot be cancelled");
  EXPECT_INT(MPI_Request_free(&send), MPI_ERR_REQUEST);
  EXPECT_IN(explain(MPI_ERR_REQUEST), "this partitioned request is active; complete it before");
  EXPECT(send != MPI_REQUEST_NULL);
  EXPECT_OK(MPI_Pready_range(0, 1, send));
  EXPECT_OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Request_free(&send));
  EXPECT_OK(MPI_Request_free(&receive));
}

/* Sides of different lengths: the receive says so in each iteration, the send ends as ever. */
static void lengths_that_differ(int partitions, int error_class, const char* said) {
  MPI_Request send = make_send(partitions, 2, 3), receive = make_receive(4, 1, 3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(MPI_Start(&receive));
    EXPECT_OK(MPI_Start(&send));
    EXPECT_OK(MPI_Pready_range(0, partitions - 1, send));
    EXPECT_INT(MPI_Wait(&receive, MPI_STATUS_IGNORE), error_class);
    EXPECT_IN(explain(error_class), said);
    EXPECT_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  }
  EXPECT_OK(MPI_Request_free(&send));
  EXPECT_OK(MPI_Request_free(&receive));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  making();
  marking();
  ending();
  lengths_that_differ(3, MPI_ERR_TRUNCATE,
                      "has 24 bytes in all its partitions and this receive 16");
  lengths_that_differ(1, MPI_ERR_COUNT, "has 8 bytes in all its partitions and this receive 16");
  MPI_Finalize();
  return expect_result();
}
