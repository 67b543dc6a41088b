// Generalized requests: which callback is called when, and where its error goes.
#include "message/core/generalized.hpp"

#include "base/status_fields.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// What the callbacks give, and what was done with them.
struct Operation {
  int query_error = MPI_SUCCESS, free_error = MPI_SUCCESS, cancel_error = MPI_SUCCESS;
  int queries = 0, frees = 0, cancels = 0;
  int told_complete = -1;  // of the last cancel
};

int query(void* extra, MPI_Status* status) {
  auto& operation = *static_cast<Operation*>(extra);
  ++operation.queries;
  status->MPI_SOURCE = 11;
  status->MPI_TAG = 12;
  status->MPI_ERROR = 13;  // which a program may do, and must not reach the caller
  set_status_bytes(*status, 14);
  return operation.query_error;
}
int free_it(void* extra) {
  auto& operation = *static_cast<Operation*>(extra);
  ++operation.frees;
  return operation.free_error;
}
int cancel_it(void* extra, int is_complete) {
  auto& operation = *static_cast<Operation*>(extra);
  ++operation.cancels;
  operation.told_complete = is_complete;
  return operation.cancel_error;
}

struct generalized : testing::Test {
  generalized() {
    EXPECT_EQ(start_generalized(query, free_it, cancel_it, &operation, &handle), MPI_SUCCESS);
    request = requests.find(handle);
  }
  Operation operation;
  MPI_Request handle = MPI_REQUEST_NULL;
  Request* request = nullptr;
  MPI_Status status{};
};

TEST_F(generalized, completes_when_the_program_says_so_and_is_freed_once_by_who_ends_it) {
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->kind, RequestKind::generalized);
  EXPECT_FALSE(is_complete(*request));
  EXPECT_EQ(complete_generalized(*request), MPI_SUCCESS);
  EXPECT_TRUE(is_complete(*request));
  EXPECT_EQ(operation.frees, 0) << "the program still has it";
  EXPECT_EQ(end_generalized(*request), MPI_SUCCESS);
  EXPECT_EQ(operation.frees, 1);
  release_request(*request);
  EXPECT_EQ(requests.find(handle), nullptr);
  EXPECT_EQ(operation.queries + operation.cancels, 0);
}

TEST_F(generalized, given_up_before_is_freed_when_it_completes_and_tells_the_error) {
  operation.free_error = MPI_ERR_FILE;
  EXPECT_FALSE(give_up(*request));
  EXPECT_EQ(operation.frees, 0);
  EXPECT_EQ(complete_generalized(*request), MPI_ERR_FILE);
  EXPECT_EQ(operation.frees, 1);
  EXPECT_EQ(requests.find(handle), nullptr);
}

TEST_F(generalized, fills_its_status_by_the_callback_but_not_the_error_field) {
  status.MPI_ERROR = 77;
  EXPECT_EQ(query_generalized(*request, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, 11);
  EXPECT_EQ(status.MPI_TAG, 12);
  EXPECT_EQ(status_bytes(status), 14);
  EXPECT_EQ(status.MPI_ERROR, 77);
  EXPECT_EQ(query_generalized(*request, nullptr), MPI_SUCCESS);
  EXPECT_EQ(operation.queries, 2) << "also for who wants no status";
  complete_generalized(*request);
  end_generalized(*request);
  release_request(*request);
}

TEST_F(generalized, returns_each_callbacks_error_as_its_own) {
  operation.query_error = MPI_ERR_ARG;
  operation.cancel_error = MPI_ERR_PENDING;
  operation.free_error = MPI_ERR_IO;
  EXPECT_EQ(query_generalized(*request, &status), MPI_ERR_ARG);
  EXPECT_EQ(cancel_generalized(*request), MPI_ERR_PENDING);
  EXPECT_EQ(complete_generalized(*request), MPI_SUCCESS);
  EXPECT_EQ(end_generalized(*request), MPI_ERR_IO);
  release_request(*request);
}

TEST_F(generalized, tells_its_cancel_callback_whether_it_has_ended) {
  EXPECT_EQ(cancel_generalized(*request), MPI_SUCCESS);
  EXPECT_EQ(operation.told_complete, 0);
  EXPECT_FALSE(is_complete(*request)) << "the program completes what it cancels";
  complete_generalized(*request);
  EXPECT_EQ(cancel_generalized(*request), MPI_SUCCESS);
  EXPECT_EQ(operation.told_complete, 1);
  EXPECT_EQ(operation.cancels, 2);
  end_generalized(*request);
  release_request(*request);
}

}  // namespace
}  // namespace baton::message
