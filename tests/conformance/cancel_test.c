/* Cancelling: a cancelled message is never seen again, a completed one stays, and whatever was
 * cancelled, the next message is intact and MPI_Finalize ends.
 * usage: cancel [buffered]   buffered: long standard sends, too, may have left before their match
 */
#include "conformance.h"

enum { go_tag = 90, big = 1200000 }; /* big: beyond what may leave before it is received */

static int was_cancelled(const MPI_Status* status) {
  int flag;
  MPI_Test_cancelled(status, &flag);
  return flag;
}

static void tell(int to) {
  MPI_Send(NULL, 0, MPI_BYTE, to, go_tag, MPI_COMM_WORLD);
}
static void hear(int from) {
  MPI_Recv(NULL, 0, MPI_BYTE, from, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receives(void) {
  int got = 5, value = 6;
  MPI_Status status;
  MPI_Request first, second;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &first);
  MPI_Irecv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &second);
  MPI_Cancel(&first);
  CHECK(first != MPI_REQUEST_NULL);
  CHECK(MPI_Cancel(&first) == MPI_SUCCESS);
  MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&second, &status);
  CHECK(got == 6 && !was_cancelled(&status));
  MPI_Wait(&first, &status);
  CHECK(was_cancelled(&status) && first == MPI_REQUEST_NULL);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &first);
  MPI_Cancel(&first);
  MPI_Request_free(&first);
  CHECK(first == MPI_REQUEST_NULL);
  /* A receive that has its message cannot be cancelled. */
  MPI_Irecv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &first);
  value = 8;
  MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Cancel(&first);
  MPI_Wait(&first, &status);
  CHECK(got == 8 && !was_cancelled(&status));
}

static void persistent_requests(void) {
  int got = 0, value = 3, flag;
  MPI_Status status;
  MPI_Request receive;
  MPI_Recv_init(&got, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &receive);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Start(&receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    CHECK(was_cancelled(&status) && receive != MPI_REQUEST_NULL);
    MPI_Start(&receive);
    MPI_Send(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
    MPI_Wait(&receive, &status);
    CHECK(!was_cancelled(&status) && got == 3);
  }
  MPI_Request_free(&receive);
  MPI_Request send;
  MPI_Ssend_init(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &send);
  MPI_Start(&send);
  MPI_Cancel(&send);
  MPI_Wait(&send, &status);
  CHECK(was_cancelled(&status));
  MPI_Iprobe(rank, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Start(&send);
  MPI_Recv(&got, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&send, &status);
  CHECK(!was_cancelled(&status));
  MPI_Request_free(&send);
}

/* Two sends to oneself: only the cancelled one goes. */
static void sends_to_oneself(void) {
  unsigned char* data = malloc(big);
  int values[] = {1, 2}, got = 0, flag;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Issend(&values[0], 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(&values[1], 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  CHECK(was_cancelled(&status));
  MPI_Recv(&got, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == 2);
  MPI_Wait(&requests[1], &status);
  CHECK(!was_cancelled(&status));
  MPI_Isend(data, big, MPI_BYTE, rank, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Message message;
  MPI_Mprobe(rank, 4, MPI_COMM_WORLD, &message, &status);
  MPI_Cancel(&requests[0]); /* too late: it was matched */
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Mrecv(data, big, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], &status);
  CHECK(!was_cancelled(&status));
  free(data);
}

/* The receiver knows the envelope, looks again after the cancellation, and sees nothing. */
static void a_cancelled_send_is_invisible(int synchronous, int bytes) {
  if (rank > 1) return;
  unsigned char* data = malloc(big);
  MPI_Status status;
  MPI_Request request;
  int flag;
  if (rank == 0) {
    fill_bytes(data, big, 1);
    if (synchronous)
      MPI_Issend(data, bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
    else
      MPI_Isend(data, bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &request);
    hear(1);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status); /* local: the receiver does nothing now */
    CHECK(was_cancelled(&status));
    tell(1);
    hear(1);
    fill_bytes(data, big, 2);
    MPI_Send(data, bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
    tell(0);
    hear(0);
    MPI_Message message;
    for (int i = 0; i < 3; ++i) {
      MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status);
      CHECK(!flag);
      MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
      CHECK(!flag);
    }
    tell(0);
    MPI_Recv(data, big, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == 5 && bytes_are(data, (size_t)bytes, 2));
  }
  free(data);
}

/* Cancelled before the receiver has looked: an earlier posted receive still comes first. */
static void a_receive_keeps_its_place(MPI_Comm comm) {
  if (rank > 1) return;
  unsigned char* data = malloc(big);
  MPI_Status status;
  MPI_Request requests[2];
  if (rank == 0) {
    hear(1);
    MPI_Issend(data, big, MPI_BYTE, 1, 7, comm, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    int cancelled = was_cancelled(&status);
    MPI_Send(&cancelled, 1, MPI_INT, 1, go_tag, MPI_COMM_WORLD);
    int value = 41;
    MPI_Send(&value, 1, MPI_INT, 1, 6, comm);
    value = 42;
    MPI_Send(&value, 1, MPI_INT, 1, 6, comm);
  } else {
    int first = 0, cancelled = 0;
    unsigned char* second = malloc(big);
    MPI_Irecv(&first, 1, MPI_INT, 0, 6, comm, &requests[0]);
    MPI_Irecv(second, big, MPI_BYTE, 0, MPI_ANY_TAG, comm, &requests[1]);
    tell(0);
    /* The second receive gets the big message, unless that was cancelled in time; then 42. */
    MPI_Recv(&cancelled, 1, MPI_INT, 0, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(first == 41);
    int got;
    memcpy(&got, second, sizeof got);
    if (cancelled)
      CHECK(got == 42);
    else
      MPI_Recv(&got, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
    free(second);
  }
  free(data);
}

/* Sends that wait for space in the ring have told nobody of themselves. */
static void sends_behind_a_full_ring(void) {
  enum { messages = 3000 };
  if (rank > 1) return;
  if (rank == 0) {
    int(*data)[30] = calloc(messages, sizeof *data), cancelled = 0;
    MPI_Request* requests = malloc(messages * sizeof *requests);
    for (int i = 0; i < messages; ++i) {
      data[i][0] = i;
      MPI_Isend(data[i], 30, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 1; i < messages; i += 2) MPI_Cancel(&requests[i]);
    for (int i = 1; i < messages; i += 2) {
      MPI_Status status;
      MPI_Wait(&requests[i], &status); /* those that nobody took: local */
      cancelled += was_cancelled(&status);
    }
    int sent = messages - cancelled;
    MPI_Send(&sent, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    free(data);
    free(requests);
  } else {
    int sent, last = -1, data[30];
    MPI_Recv(&sent, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < sent; ++i) {
      MPI_Recv(data, 30, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(data[0] > last);
      last = data[0];
    }
    int flag;
    MPI_Iprobe(0, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
  }
}

/* What a matched probe has taken is received whatever its sender wants then. */
static void a_matched_message_cannot_be_cancelled(void) {
  if (rank > 1) return;
  unsigned char* data = malloc(big);
  MPI_Status status;
  if (rank == 0) {
    MPI_Request request;
    fill_bytes(data, big, 3);
    MPI_Issend(data, big, MPI_BYTE, 1, 10, MPI_COMM_WORLD, &request);
    hear(1);
    MPI_Cancel(&request);
    tell(1);
    MPI_Wait(&request, &status);
    CHECK(!was_cancelled(&status));
  } else {
    MPI_Message message;
    MPI_Mprobe(0, 10, MPI_COMM_WORLD, &message, &status);
    tell(0);
    hear(0);
    MPI_Mrecv(data, big, MPI_BYTE, &message, &status);
    CHECK(bytes_are(data, big, 3));
  }
  free(data);
}

/* On a communicator that goes away, and in the world until the end: nobody ever looks at them. */
static void what_nobody_looks_at_holds_nothing_up(void) {
  static char data[2][big];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Request requests[2];
  MPI_Issend(data[0], big, MPI_BYTE, (rank + 1) % size, 11, comm, &requests[0]);
  MPI_Issend(data[1], big, MPI_BYTE, (rank + 1) % size, 11, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Status status;
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], &status);
    CHECK(was_cancelled(&status));
  }
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int buffered = argc > 1 && strcmp(argv[1], "buffered") == 0;
  receives();
  persistent_requests();
  sends_to_oneself();
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (size > 1) {
    if (!buffered) a_cancelled_send_is_invisible(0, big);
    a_cancelled_send_is_invisible(1, big);
    a_cancelled_send_is_invisible(1, 8);
    for (int i = 0; i < 50; ++i) a_receive_keeps_its_place(comm);
    sends_behind_a_full_ring();
    a_matched_message_cannot_be_cancelled();
  }
  MPI_Comm_free(&comm);
  what_nobody_looks_at_holds_nothing_up();
  return finish();
}
