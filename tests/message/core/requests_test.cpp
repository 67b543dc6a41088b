// The life of a request: its handle, who releases it, what its status says.
#include "message/core/requests.hpp"

#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "base/status_fields.hpp"
#include "message/core/context.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct lives : protocol {
  static inline int disposals;
  Usage usage{1, false, [](void*) { ++disposals; }, nullptr};
  lives() { disposals = 0; }
};

TEST_F(lives, a_released_request_is_not_found_and_comes_back_as_new_with_another_handle) {
  Request* request = new_request();
  const MPI_Request handle = request->handle;
  EXPECT_EQ(requests.find(handle), request);
  request->tag = 7;
  request->stage = Stage::offered;
  request->cancelled = true;
  complete(*request, MPI_ERR_OTHER);
  release_request(*request);
  EXPECT_EQ(requests.find(handle), nullptr);
  Request* again = new_request();
  ASSERT_EQ(again, request);
  EXPECT_NE(again->handle, handle);
  EXPECT_EQ(requests.find(again->handle), again);
  EXPECT_FALSE(is_complete(*again) || is_freed(*again) || again->cancelled);
  EXPECT_EQ(again->stage, Stage::fresh);
  EXPECT_EQ(again->tag, 0);
  EXPECT_EQ(again->error, MPI_SUCCESS);
  release_request(*again);
}

TEST_F(lives, one_that_was_given_up_is_released_when_it_completes) {
  Request* request = new_request();
  const MPI_Request handle = request->handle;
  EXPECT_FALSE(give_up(*request));
  EXPECT_EQ(requests.find(handle), request);
  complete(*request, MPI_SUCCESS);
  EXPECT_EQ(requests.find(handle), nullptr);
}

TEST_F(lives, one_that_is_complete_is_released_by_who_gives_it_up) {
  Request* request = new_request();
  const MPI_Request handle = request->handle;
  complete(*request, MPI_SUCCESS);
  EXPECT_TRUE(is_complete(*request));
  EXPECT_TRUE(give_up(*request));
  EXPECT_EQ(requests.find(handle), request) << "the caller has it";
  release_request(*request);
}

TEST_F(lives, whoever_marks_one_complete_hears_whether_it_was_given_up) {
  for (const bool given_up : {false, true}) {
    Request* request = new_request();
    if (given_up) give_up(*request);
    EXPECT_EQ(mark_complete(*request, MPI_ERR_TRUNCATE), given_up);
    EXPECT_EQ(request->error, MPI_ERR_TRUNCATE);
    EXPECT_EQ(requests.find(request->handle), request);
    release_request(*request);
  }
}

TEST_F(lives, the_same_holds_with_several_threads) {
  Ranks ranks(1);  // whose waiters are woken
  ranks.as(0, [] {
    platform::threads_multiple = true;
    Request* request = new_request();
    const MPI_Request handle = request->handle;
    EXPECT_FALSE(give_up(*request));
    complete(*request, MPI_SUCCESS);
    EXPECT_EQ(requests.find(handle), nullptr);
    request = new_request();
    complete(*request, MPI_SUCCESS);
    EXPECT_TRUE(give_up(*request));
    release_request(*request);
    platform::threads_multiple = false;
  });
}

TEST_F(lives, a_request_on_the_stack_is_never_released) {
  EXPECT_FALSE(give_up(sending));
  sending.tag = 7;
  complete(sending, MPI_SUCCESS);
  EXPECT_EQ(sending.tag, 7);
  EXPECT_TRUE(is_complete(sending));
}

TEST_F(lives, a_communicator_lives_until_the_last_request_and_the_handle_have_gone) {
  Context context;
  context.usage = &usage;
  Request* two[2] = {new_request(), new_request()};
  for (Request* request : two) hold(*request, context);
  EXPECT_EQ(usage.uses, 3);
  complete(*two[0], MPI_SUCCESS);
  release_request(*two[0]);
  drop_usage(&usage);  // the handle
  EXPECT_EQ(disposals, 0);
  EXPECT_FALSE(give_up(*two[1]));
  Ranks ranks(1);
  ranks.as(0, [&] {
    complete(*two[1], MPI_SUCCESS);
    EXPECT_EQ(disposals, 0) << "who completes it may still be at its queue";
    progress_alone();
  });
  EXPECT_EQ(disposals, 1);
  drop_usage(nullptr);
  EXPECT_EQ(disposals, 1);
}

TEST_F(lives, one_that_was_waited_for_is_gone_but_a_persistent_one_stays_inactive) {
  Request* request = new_request();
  MPI_Request handle = request->handle;
  complete(*request, MPI_SUCCESS);
  EXPECT_FALSE(retire_request(*request));
  EXPECT_EQ(requests.find(handle), nullptr);
  request = new_request();
  handle = request->handle;
  request->recipe = static_cast<Recipe*>(std::calloc(1, sizeof(Recipe)));
  complete(*request, MPI_SUCCESS);
  EXPECT_TRUE(is_active(*request));
  EXPECT_TRUE(retire_request(*request));
  EXPECT_EQ(requests.find(handle), request);
  EXPECT_FALSE(is_active(*request));
  release_request(*request);
  EXPECT_EQ(requests.find(handle), nullptr);
}

TEST_F(lives, who_recycles_requests_gets_them_with_another_handle_and_nothing_held) {
  static Request* recycled;
  recycled = nullptr;
  Context context;
  context.usage = &usage;
  Request* request = new_request();
  const MPI_Request handle = request->handle;
  hold(*request, context);
  request->recycle = [](Request& one) { recycled = &one; };
  request->inactive = true;
  complete(*request, MPI_SUCCESS);
  release_request(*request);
  ASSERT_EQ(recycled, request);
  EXPECT_EQ(usage.uses, 1);
  EXPECT_EQ(request->usage, nullptr);
  EXPECT_FALSE(request->inactive);
  EXPECT_TRUE(is_freed(*request));
  EXPECT_EQ(requests.find(handle), nullptr);
  EXPECT_EQ(requests.find(request->handle), request);
  EXPECT_NE(new_request(), request) << "it is not in the pool";
  request->recycle = nullptr;
  release_request(*request);
}

TEST_F(lives, what_one_thread_has_too_many_of_another_uses) {
  std::vector<Request*> many(400);
  for (Request*& request : many) request = new_request();
  for (Request* request : many) release_request(*request);
  const std::set<Request*> known(many.begin(), many.end());
  bool found = false;
  std::thread other([&] {
    Request* request = new_request();
    found = known.contains(request);
    release_request(*request);
  });
  other.join();
  EXPECT_TRUE(found);
}

TEST_F(lives, what_a_thread_had_that_has_ended_others_use) {
  Request* lost = nullptr;
  std::thread other([&] {
    lost = new_request();
    release_request(*lost);
  });
  other.join();
  std::vector<Request*> taken;
  bool found = false;
  for (int i = 0; i < 2000 && !found; ++i) {
    taken.push_back(new_request());
    found = taken.back() == lost;
  }
  EXPECT_TRUE(found);
  for (Request* request : taken) release_request(*request);
}

TEST_F(lives, the_handle_of_what_was_over_at_once_is_always_complete) {
  make_completed_request();
  const MPI_Request handle = completed_handle();
  Request* request = requests.find(handle);
  ASSERT_NE(request, nullptr);
  EXPECT_TRUE(is_complete(*request));
  EXPECT_FALSE(retire_request(*request));
  EXPECT_EQ(requests.find(handle), request) << "it is never freed";
}

TEST_F(lives, a_status_tells_of_receives_what_came_and_of_others_nothing) {
  MPI_Status status;
  status.MPI_ERROR = 77;
  receiving.kind = RequestKind::receive;
  receiving.source = 3;
  receiving.tag = 4;
  receiving.bytes = 5;
  fill_status(receiving, &status);
  EXPECT_EQ(status.MPI_SOURCE, 3);
  EXPECT_EQ(status.MPI_TAG, 4);
  EXPECT_EQ(status_bytes(status), 5);
  EXPECT_FALSE(status_cancelled(status));
  sending.source = 3;
  sending.tag = 4;
  sending.bytes = 5;
  sending.cancelled = true;
  fill_status(sending, &status);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(status_bytes(status), 0);
  EXPECT_TRUE(status_cancelled(status));
  EXPECT_EQ(status.MPI_ERROR, 77);
  fill_status(sending, nullptr);
}

}  // namespace
}  // namespace baton::message
