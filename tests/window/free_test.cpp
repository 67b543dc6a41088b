// Freeing a window: what is waited for before its memory goes. What it needs of the layers between
// stands here.
#include "window/free.hpp"

#include "base/failure_class.hpp"
#include "tests/window/windows.hpp"
#include "window/window.hpp"
#include "world/failure/recovery.hpp"

namespace baton {

Error delete_attributes(AttributeSet&, void*) {
  return MPI_SUCCESS;
}

}  // namespace baton

namespace baton::world {

Error agree(Communicator&, int*) {
  return error_process_failed;  // which is no reason not to free
}

}  // namespace baton::world

namespace baton::window {

static const Window* gone;
static bool was_over;  // what others had announced, when it went

void dispose(Window& window) {
  gone = &window;
  was_over = are_accepted_over(window);
}

namespace {

struct a_window_that_is_freed : windows_test {
  a_window_that_is_freed() {
    windows.use(mapped_reach);
    gone = nullptr;
    windows.announce_put(7, sizeof data);
    ranks.send(0, 1, data, sizeof data, tag_of(7, false), sending);
  }
  void free() {
    EXPECT_EQ(ranks.as(1, [&] { return free_window(windows.window(1)); }), MPI_SUCCESS);
    EXPECT_EQ(gone, &windows.window(1));
  }
  message::Request sending;
  char data[100] = {};
};

TEST_F(a_window_that_is_freed, stays_until_the_transfers_of_others_are_over) {
  the_others_meet = true;
  free();
  the_others_meet = false;
  EXPECT_TRUE(was_over);
}

TEST_F(a_window_that_is_freed, stays_as_long_where_the_job_goes_on_without_the_dead) {
  ranks.as(1, [] { transport::job().continues = true; });
  free();
  EXPECT_TRUE(was_over);
}

}  // namespace
}  // namespace baton::window
