// What the library tells, into a pipe that nobody reads.
#include "base/report.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace {

// Standard error is another descriptor meanwhile.
class Redirected {
 public:
  explicit Redirected(int to) : before_(::dup(STDERR_FILENO)) { ::dup2(to, STDERR_FILENO); }
  ~Redirected() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int before_;
};

bool is_pending(int number) {
  sigset_t pending;
  ::sigpending(&pending);
  return sigismember(&pending, number) == 1;
}

bool is_blocked(int number) {
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, number) == 1;
}

int closed_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  ::close(ends[0]);
  return ends[1];
}

TEST(Report, a_closed_pipe_raises_no_signal_and_leaves_errno_and_the_mask) {
  const int pipe = closed_pipe();
  {
    Redirected error(pipe);
    errno = ENOENT;
    baton::report("nobody reads %s", "this");
    EXPECT_EQ(errno, ENOENT);
  }
  EXPECT_FALSE(is_pending(SIGPIPE));
  EXPECT_FALSE(is_blocked(SIGPIPE));
  ::close(pipe);
}

TEST(Report, a_signal_that_was_held_back_before_stays) {
  const int pipe = closed_pipe();
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  ::raise(SIGPIPE);
  {
    Redirected error(pipe);
    baton::report("nobody reads this");
  }
  EXPECT_TRUE(is_pending(SIGPIPE));
  EXPECT_TRUE(is_blocked(SIGPIPE));
  int number = 0;
  ::sigwait(&one, &number);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(pipe);
}

TEST(Report, a_line_has_its_start_and_end_also_when_it_is_cut) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Redirected error(ends[1]);
    baton::report("%d", 7);
    baton::report("%s", std::string(5000, 'x').c_str());
  }
  ::close(ends[1]);
  char text[8192];
  const ssize_t length = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ASSERT_GT(length, 0);
  const std::string all(text, static_cast<std::size_t>(length));
  EXPECT_EQ(all.substr(0, 16), "baton: 7\nbaton: ");
  EXPECT_EQ(all.size(), 9u + 1024u - 1u);
  EXPECT_EQ(all.back(), '\n');
  EXPECT_EQ(all.find('\0'), std::string::npos);
}

}  // namespace
