// Several threads of one rank, for tests that stop one where another one must not go on. The other
// thread is joined before the rank's turn ends.
#pragma once

#include <atomic>
#include <thread>

#include "platform/lock.hpp"

namespace baton::message {

// Another thread of the rank whose turn it is, or of which it is a part.
class OtherThread {
 public:
  // Does something, to its end or until it waits for a lock, in which case the rest is done once
  // that is free. A thread that is slower is taken for one that waits.
  template <class Do>
  explicit OtherThread(Do what) : thread_([this, what] { what(), over_ = true; }) {
    constexpr int looks_max = 20000;
    for (int look = 0; look < looks_max && !over_; ++look) std::this_thread::yield();
  }
  bool is_over() const { return over_; }
  void join() { thread_.join(); }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};
// Locks are taken while there is one of these.
struct Threads {
  Threads() { platform::threads_multiple = true; }
  ~Threads() { platform::threads_multiple = false; }
};

}  // namespace baton::message
