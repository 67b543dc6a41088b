#include "platform/output_reader.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "platform/stream.hpp"

namespace {

using baton::platform::now_ms;
using baton::platform::wait_until_read;

constexpr std::int64_t watchdog_ms = 60'000;
constexpr char text[] = "why the job ends";

// Where one writes and another reads.
using Ends = std::array<int, 2>;

bool is_read_when_told_so(const Ends& ends) {
  EXPECT_EQ(write(ends[1], text, sizeof text), static_cast<ssize_t>(sizeof text));
  bool is_read = false;  // the reader sets it before it reads, and the end of reading comes after
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    char found[sizeof text];
    std::atomic_ref(is_read).store(true);
    EXPECT_EQ(read(ends[0], found, sizeof found), static_cast<ssize_t>(sizeof text));
  });
  wait_until_read(ends[1], now_ms() + watchdog_ms);
  const bool found = std::atomic_ref(is_read).load();
  reader.join();
  close(ends[0]);
  close(ends[1]);
  return found;
}

TEST(OutputReader, APipeIsWaitedForUntilItIsRead) {
  Ends ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_TRUE(is_read_when_told_so(ends));
}

TEST(OutputReader, ASocketIsWaitedForUntilItIsRead) {
  Ends ends;
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_TRUE(is_read_when_told_so(ends));
}

TEST(OutputReader, AReaderThatDoesNotReadIsLeftAtTheDeadline) {
  Ends ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], text, sizeof text), static_cast<ssize_t>(sizeof text));
  const std::int64_t deadline = now_ms() + 20;
  wait_until_read(ends[1], deadline);
  EXPECT_GE(now_ms(), deadline);
  close(ends[0]);
  close(ends[1]);
}

TEST(OutputReader, FilesAndClosedDescriptorsHaveNoReader) {
  const std::int64_t start = now_ms();
  char path[] = "/tmp/baton_output_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  unlink(path);
  ASSERT_EQ(write(file, text, sizeof text), static_cast<ssize_t>(sizeof text));
  wait_until_read(file, start + watchdog_ms);
  close(file);
  wait_until_read(file, start + watchdog_ms);
  EXPECT_LT(now_ms(), start + watchdog_ms);
}

}  // namespace
