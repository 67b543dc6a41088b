/* Generalized requests: which callback is called when, with what, and where its error goes. */
#include "conformance.h"

typedef struct {
  int queries, frees, cancels, last_complete_flag;
  int query_error, free_error, cancel_error;
  int cancelled;
} Log;

static int query(void* extra, MPI_Status* status) {
  Log* log = extra;
  ++log->queries;
  MPI_Status_set_elements(status, MPI_INT, 5);
  MPI_Status_set_cancelled(status, log->cancelled);
  status->MPI_SOURCE = 31;
  status->MPI_TAG = 32;
  return log->query_error;
}
static int end(void* extra) {
  Log* log = extra;
  ++log->frees;
  return log->free_error;
}
static int cancel(void* extra, int complete) {
  Log* log = extra;
  ++log->cancels;
  log->last_complete_flag = complete;
  if (!complete) log->cancelled = 1;
  return log->cancel_error;
}

static MPI_Request new_request(Log* log) {
  MPI_Request request;
  memset(log, 0, sizeof *log);
  CHECK(MPI_Grequest_start(query, end, cancel, log, &request) == MPI_SUCCESS);
  return request;
}

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

static void wait_asks_then_frees(void) {
  Log log;
  MPI_Status status;
  int flag = 1, count;
  MPI_Request request = new_request(&log), copy = request;
  MPI_Test(&request, &flag, &status);
  CHECK(!flag && log.queries == 0 && log.frees == 0);
  MPI_Request_get_status(request, &flag, &status);
  CHECK(!flag && log.queries == 0);
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(class_of(MPI_Grequest_complete(request)) == MPI_ERR_REQUEST);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && log.queries == 1 && log.frees == 0);
  status.MPI_ERROR = 77;
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 5 && status.MPI_SOURCE == 31 && status.MPI_TAG == 32 && status.MPI_ERROR == 77);
  CHECK(request == MPI_REQUEST_NULL && log.queries == 2 && log.frees == 1);
  CHECK(class_of(MPI_Grequest_complete(copy)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Wait(&copy, &status)) == MPI_ERR_REQUEST);
}

static void freeing_and_completing_in_either_order_frees_once(void) {
  Log log;
  MPI_Request request = new_request(&log), copy = request;
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL && log.frees == 0);
  CHECK(class_of(MPI_Wait(&copy, MPI_STATUS_IGNORE)) == MPI_ERR_REQUEST);
  log.free_error = MPI_ERR_OTHER;
  CHECK(class_of(MPI_Grequest_complete(copy)) == MPI_ERR_OTHER);
  CHECK(log.frees == 1 && log.queries == 0);
  request = new_request(&log);
  MPI_Grequest_complete(request);
  CHECK(log.frees == 0);
  log.free_error = MPI_ERR_IO;
  CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_IO);
  CHECK(request == MPI_REQUEST_NULL && log.frees == 1 && log.queries == 0);
}

static void cancelling_is_the_programs_own_business(void) {
  Log log;
  MPI_Status status;
  int flag;
  MPI_Request request = new_request(&log);
  MPI_Cancel(&request);
  CHECK(log.cancels == 1 && !log.last_complete_flag && request != MPI_REQUEST_NULL);
  MPI_Grequest_complete(request);
  log.cancel_error = MPI_ERR_INTERN;
  CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_INTERN);
  CHECK(log.cancels == 2 && log.last_complete_flag);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
}

static void errors_of_callbacks_come_out_of_the_call(void) {
  Log log;
  int index, flag;
  MPI_Request request = new_request(&log);
  MPI_Grequest_complete(request);
  log.query_error = MPI_ERR_ARG;
  CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_ARG);
  CHECK(request == MPI_REQUEST_NULL && log.frees == 1);
  request = new_request(&log);
  MPI_Grequest_complete(request);
  log.query_error = MPI_ERR_ARG;
  log.free_error = MPI_ERR_DIMS;
  CHECK(class_of(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE)) == MPI_ERR_DIMS);
  request = new_request(&log);
  MPI_Grequest_complete(request);
  log.query_error = MPI_ERR_ARG;
  CHECK(class_of(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE)) == MPI_ERR_ARG);
  log.query_error = MPI_SUCCESS;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A failed generalized request among good ones, in all calls that complete several. */
static void many_completions_report_in_their_statuses(void) {
  for (int way = 0; way < 8; ++way) {
    Log logs[2];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int value = 1, got = 0, flag = 0, done = 0, indices[4];
    for (int i = 0; i < 4; ++i) statuses[i].MPI_ERROR = 99;
    MPI_Irecv(&got, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]);
    requests[2] = new_request(&logs[0]);
    requests[3] = new_request(&logs[1]);
    int fails = way % 2;
    logs[0].free_error = fails ? MPI_ERR_FILE : MPI_SUCCESS;
    if (way / 2 == 1) {
      MPI_Testall(4, requests, &flag, statuses);
      CHECK(!flag && logs[0].queries == 0);
    }
    MPI_Grequest_complete(requests[2]);
    MPI_Grequest_complete(requests[3]);
    int code = MPI_SUCCESS;
    if (way / 2 == 0) code = MPI_Waitall(4, requests, statuses);
    if (way / 2 == 1) code = MPI_Testall(4, requests, &flag, statuses);
    if (way / 2 == 2) code = MPI_Waitsome(4, requests, &done, indices, statuses);
    if (way / 2 == 3) code = MPI_Testsome(4, requests, &done, indices, statuses);
    CHECK(way / 2 < 2 || done == 4);
    CHECK(class_of(code) == (fails ? MPI_ERR_IN_STATUS : MPI_SUCCESS));
    for (int i = 0; i < 4; ++i) {
      CHECK(requests[i] == MPI_REQUEST_NULL);
      int expected = !fails ? 99 : i == 2 ? MPI_ERR_FILE : MPI_SUCCESS;
      CHECK(fails ? class_of(statuses[i].MPI_ERROR) == expected : statuses[i].MPI_ERROR == 99);
    }
    CHECK(got == 1 && logs[0].queries == 1 && logs[1].queries == 1);
    CHECK(logs[0].frees == 1 && logs[1].frees == 1 && statuses[3].MPI_SOURCE == 31);
  }
}

static void ignored_statuses_are_asked_for_all_the_same(void) {
  Log logs[2];
  MPI_Request requests[] = {new_request(&logs[0]), new_request(&logs[1])};
  MPI_Grequest_complete(requests[0]);
  MPI_Grequest_complete(requests[1]);
  logs[1].query_error = MPI_ERR_OTHER;
  int flag, index;
  MPI_Request_get_status_any(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == 0 && logs[0].queries == 1);
  CHECK(class_of(MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE)) ==
        MPI_ERR_IN_STATUS);
  CHECK(logs[0].queries == 2 && logs[1].queries == 1);
  CHECK(class_of(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)) == MPI_ERR_IN_STATUS);
  CHECK(logs[0].frees == 1 && logs[1].frees == 1);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  wait_asks_then_frees();
  freeing_and_completing_in_either_order_frees_once();
  cancelling_is_the_programs_own_business();
  errors_of_callbacks_come_out_of_the_call();
  many_completions_report_in_their_statuses();
  ignored_statuses_are_asked_for_all_the_same();
  return finish();
}
