#include "status/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/machine/fake_root.hpp"

namespace {

using namespace baton::status;

TEST(process, a_name_with_spaces_and_brackets_is_no_state) {
  FakeRoot root;
  root.write("/proc/7/stat", "7 (a) R (b) S 1 7 7 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0\n");
  const ProcessLook look = look_at_process(7, root.path);
  EXPECT_EQ(look.state, 'S');
  EXPECT_EQ(look.cpu_ticks, 42u);
  EXPECT_EQ(look.system_call, "");
}

TEST(process, the_system_call_is_named) {
  FakeRoot root;
  root.write("/proc/7/stat", "7 (p) S 1 7 7 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0\n");
  root.write("/proc/7/syscall", "0 0x5 0x7ffd 0x400 0x0 0x0 0x0 0x7ffd 0x7f00\n");
  EXPECT_EQ(look_at_process(7, root.path).system_call, "read, descriptor 5");
  root.write("/proc/7/syscall", "running\n");
  EXPECT_EQ(look_at_process(7, root.path).system_call, "");
  root.write("/proc/7/syscall", "999 0x5 0x7ffd\n");
  EXPECT_EQ(look_at_process(7, root.path).system_call, "system call 999");
}

TEST(process, one_that_ends_while_it_is_looked_at_has_no_state) {
  FakeRoot root;
  root.write("/proc/7/stat/there", "it opens, and reading it fails");
  EXPECT_EQ(look_at_process(7, root.path).state, 0);
}

TEST(process, one_that_is_not_there_has_no_state) {
  EXPECT_EQ(look_at_process(7, "/no/such/root").state, 0);
  EXPECT_NE(look_at_process(::getpid()).state, 0);
}

}  // namespace
