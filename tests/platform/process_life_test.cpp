#include "platform/process_life.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::platform {
namespace {

TEST(a_process_that_lives, is_found_whatever_its_name_is) {
  char before[16];
  ::prctl(PR_GET_NAME, before);
  const unsigned long long began = began_at(::getpid());
  EXPECT_NE(began, 0u);
  for (const char* name : {"solver", "solver (main)", "a) b) c", ")", "", "1 (2) R 3"}) {
    ::prctl(PR_SET_NAME, name);
    EXPECT_EQ(began_at(::getpid()), began) << name;
  }
  ::prctl(PR_SET_NAME, before);
}

TEST(a_process_that_has_ended, is_none_before_its_parent_looks) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(began_at(child), 0u);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(began_at(child), 0u);
}

}  // namespace
}  // namespace baton::platform
