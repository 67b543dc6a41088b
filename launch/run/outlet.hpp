// Standard output or error of the launcher as a queue that a thread of its own writes, so that a
// reader that stops delays nobody. Used by reports/report.cpp and the relay of ranks' output
// (output.cpp). A thread, not O_NONBLOCK: the status flags of a terminal or pipe belong to all who
// share it. Nor writes of what poll() has room for: another writer may take that room first.
// Whoever writes to standard output or error holds its turn meanwhile, so that no line is broken by
// another thread's.
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
  // That of standard output (1) or standard error (2). It lasts as long as the process: its thread
  // may never come back from a write.
  static Outlet& of(int descriptor);
  // Readable when an outlet has written or failed; take_news() makes it unreadable again.
  static int news();
  static void take_news();

  // Held while a thread of this process writes there; one for both where they are the same file.
  static std::mutex& turn(int descriptor);

  void put(std::string_view text);
  // Bytes that are not written yet.
  std::size_t waiting();
  // errno of the first write that failed; 0: none.
  int error();
  // Waits until all is written, so long at most. False: it is not.
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
  std::size_t writing_ = 0;  // bytes that the thread has taken
  int error_ = 0;
  bool started_ = false;
};

}  // namespace baton::launch
