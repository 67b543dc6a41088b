#include "window/epoch.hpp"

#include "tests/window/windows.hpp"

namespace baton::window {
namespace {

bool says(const char* words) {
  return std::strstr(last_explanation().text, words) != nullptr;
}

TEST(an_epoch_in_the_way, is_named_with_the_call_that_ends_it) {
  EXPECT_EQ(refuse(Epoch::fence), MPI_ERR_RMA_SYNC);
  EXPECT_TRUE(says("MPI_Win_fence"));
  EXPECT_EQ(refuse(Epoch::started), MPI_ERR_RMA_SYNC);
  EXPECT_TRUE(says("MPI_Win_complete"));
  EXPECT_EQ(refuse(Epoch::locked), MPI_ERR_RMA_SYNC);
  EXPECT_TRUE(says("MPI_Win_unlock ends"));
  EXPECT_EQ(refuse(Epoch::locked_all), MPI_ERR_RMA_SYNC);
  EXPECT_TRUE(says("MPI_Win_unlock_all"));
}

TEST(an_epoch_of_a_fence, is_in_the_way_once_an_operation_has_followed_the_fence) {
  Window window;
  EXPECT_TRUE(is_free(window));
  window.epoch = Epoch::fence;
  EXPECT_TRUE(is_free(window));
  window.all_open = true;
  EXPECT_FALSE(is_free(window));
  window.epoch = Epoch::locked;
  window.all_open = false;
  EXPECT_FALSE(is_free(window));
}

TEST(an_assertion, may_have_only_bits_that_mean_something_there) {
  EXPECT_EQ(check_assertion(0, MPI_MODE_NOCHECK), MPI_SUCCESS);
  EXPECT_EQ(check_assertion(MPI_MODE_NOCHECK, MPI_MODE_NOCHECK), MPI_SUCCESS);
  EXPECT_EQ(check_assertion(MPI_MODE_NOCHECK | MPI_MODE_NOPUT, MPI_MODE_NOCHECK), MPI_ERR_ASSERT);
  char bits[32];
  std::snprintf(bits, sizeof bits, "%#x ", static_cast<unsigned>(MPI_MODE_NOPUT));
  EXPECT_TRUE(says(bits)) << last_explanation().text;
}

TEST(the_end_of_an_epoch, keeps_the_first_error) {
  Error error = MPI_SUCCESS;
  for (Error next : {MPI_SUCCESS, MPI_ERR_OP, MPI_ERR_TYPE, MPI_SUCCESS}) note_first(error, next);
  EXPECT_EQ(error, MPI_ERR_OP);
}

TEST(the_end_of_an_epoch, settles_stores) {
  Window window;
  window.dirty = true;
  settle(window);
  EXPECT_FALSE(window.dirty);
}

}  // namespace
}  // namespace baton::window
