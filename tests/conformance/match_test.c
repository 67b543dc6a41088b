/* Matching: wildcards, probes, matched probes, PROC_NULL, truncation, cancel, self, many unexpected
 * messages. */
#include "conformance.h"

static void truncation_is_an_error_and_the_next_message_is_intact(void) {
  if (rank > 1) return;
  const int sizes[] = {40, 400, 4000, 20000, 200000};
  for (int i = 0; i < 5; ++i) {
    unsigned char* data = malloc((size_t)sizes[i]);
    if (rank == 0) {
      fill_bytes(data, (size_t)sizes[i], 5);
      MPI_Send(data, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Send(data, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      memset(data, 0xee, (size_t)sizes[i]);
      int code = MPI_Recv(data, sizes[i] / 2, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status), kind;
      MPI_Error_class(code, &kind);
      CHECK(kind == MPI_ERR_TRUNCATE);
      char text[MPI_MAX_ERROR_STRING];
      int length;
      MPI_Error_string(code, text, &length);
      CHECK(strstr(text, "larger count") != NULL);
      for (int b = sizes[i] / 2; b < sizes[i]; ++b) CHECK(data[b] == 0xee);
      MPI_Recv(data, sizes[i], MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
      CHECK(bytes_are(data, (size_t)sizes[i], 5));
    }
    free(data);
  }
}

static void matched_probe_takes_exactly_the_message_it_found(void) {
  if (rank > 1) return;
  for (int bytes = 10; bytes <= 100000; bytes *= 10) {
    unsigned char* data = malloc((size_t)bytes);
    if (rank == 0) {
      /* The second is found before the first is received: neither send may wait for the other. */
      unsigned char* other = malloc((size_t)bytes);
      MPI_Request requests[2];
      fill_bytes(data, (size_t)bytes, 0);
      fill_bytes(other, (size_t)bytes, 1);
      MPI_Isend(data, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(other, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      free(other);
    } else {
      MPI_Message first, second;
      MPI_Status status;
      MPI_Mprobe(0, 2, MPI_COMM_WORLD, &first, &status);
      int flag = 0;
      while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &status);
      MPI_Mrecv(data, bytes, MPI_BYTE, &second, &status);
      CHECK(second == MPI_MESSAGE_NULL && bytes_are(data, (size_t)bytes, 1));
      MPI_Request request;
      MPI_Imrecv(data, bytes, MPI_BYTE, &first, &request);
      MPI_Wait(&request, &status);
      CHECK(bytes_are(data, (size_t)bytes, 0));
    }
    free(data);
  }
}

static void null_process_and_self_work(void) {
  MPI_Status status;
  int value = 7, got = 0, flag;
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0,
               MPI_COMM_WORLD, &status);
  CHECK(got == 0 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Request request;
  MPI_Issend(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
  CHECK(got == 7 && status.MPI_SOURCE == rank);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
}

/* Far more than rings and staging hold, long before anyone receives; then in another order. */
static void a_flood_arrives_whole(void) {
  enum { messages = 20000 };
  if (size < 2) return;
  if (rank == 0) {
    int(*data)[40] = malloc(messages * sizeof *data);
    MPI_Request* requests = malloc(messages * sizeof *requests);
    for (int i = 0; i < messages; ++i) {
      for (int j = 0; j < 40; ++j) data[i][j] = i + j;
      MPI_Isend(data[i], 40, MPI_INT, 1, i % 2, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    free(data);
    free(requests);
  } else if (rank == 1) {
    for (int tag = 1; tag >= 0; --tag)
      for (int i = tag; i < messages; i += 2) {
        int data[40];
        MPI_Recv(data, 40, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int j = 0; j < 40; ++j) CHECK(data[j] == i + j);
      }
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (size > 1) {
    truncation_is_an_error_and_the_next_message_is_intact();
    matched_probe_takes_exactly_the_message_it_found();
  }
  null_process_and_self_work();
  MPI_Barrier(MPI_COMM_WORLD);
  a_flood_arrives_whole();
  return finish();
}
