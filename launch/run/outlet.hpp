// An outlet is the launcher's standard output or error as a queue that a thread of its own writes,
// so that a reader that stops delays nobody. reports/report.cpp and the relay of ranks' output
// (output.cpp) use it. It is a thread and not O_NONBLOCK, since the status flags of a terminal or
// pipe belong to all who share it. Writing only when poll() reports space does not help either:
// another writer may take that space first. Whoever writes to standard output or error holds its
// turn meanwhile, so that no line is broken by another thread's.
// Invariant: after a failed write nothing more is written; the first error stays.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace baton::launch {

class Outlet {
 public:
  // Returns the outlet of standard output (1) or standard error (2). It lasts as long as the
  // process: its thread may never come back from a write.
  static Outlet& of(int descriptor);
  // Returns a descriptor that is readable when an outlet has written or failed, until take_news().
  static int news();
  static void take_news();

  // Returns the mutex to hold while writing there; it is the same one where both are the same file.
  static std::mutex& turn(int descriptor);

  void put(std::string_view text);
  // Returns the number of bytes that are not written yet.
  std::size_t waiting();
  // Returns the errno of the first write that failed; 0: none.
  int error();
  // Waits until all is written, at most this long. False: it is not.
  bool finish(std::chrono::milliseconds most);

 private:
  explicit Outlet(int descriptor) : descriptor_(descriptor) {}
  bool start();
  void write_for_ever();
  void write_what_fits(std::string_view text);
  void fail(int error);

  const int descriptor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string queue_;
  std::size_t writing_ = 0;  // bytes that the thread is writing
  int error_ = 0;
  bool started_ = false;
};

}  // namespace baton::launch
