// Which words of the kernel's log are taken for the death of a rank.
#include "launch/run/memory_kill.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

using baton::launch::MemoryKillWatch;

namespace {

constexpr pid_t nobody = 99999999;  // beyond all process ids

// As the kernel says it, into its log. False: we may not.
bool log_kill(pid_t process) {
  const int log = ::open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  if (log < 0) return false;
  const std::string text =
      "<7>baton's test: Killed process " + std::to_string(process) + " (nothing)\n";
  const bool written = ::write(log, text.data(), text.size()) > 0;
  ::close(log);
  return written;
}

bool log_can_be_read() {
  const int log = ::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  char record[8192];
  const bool read = log >= 0 && ::read(log, record, sizeof record) > 0;
  if (log >= 0) ::close(log);
  return read;
}

TEST(MemoryKill, what_the_log_said_before_the_job_is_another_process_of_that_number) {
  if (!log_kill(nobody) || !log_can_be_read()) GTEST_SKIP() << "the kernel's log is not ours";
  MemoryKillWatch watch;
  EXPECT_EQ(watch.reason(nobody), "");
}

TEST(MemoryKill, what_the_log_says_meanwhile_is_told_and_stays_told) {
  MemoryKillWatch watch;
  if (!log_kill(nobody + 1) || !log_kill(nobody + 2) || !log_can_be_read())
    GTEST_SKIP() << "the kernel's log is not ours";
  EXPECT_NE(watch.reason(nobody + 2).find("according to the kernel: baton's test"),
            std::string::npos);
  EXPECT_NE(watch.reason(nobody + 1).find("Killed process 100000000 "), std::string::npos);
  EXPECT_EQ(watch.reason(nobody + 3), "");
}

}  // namespace
