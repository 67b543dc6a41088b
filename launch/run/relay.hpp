// A relay carries the output of several ranks to the one place that they share, byte for byte, so
// that no line is broken by another rank's. output.cpp uses one for each place that is not a
// terminal. A thread of the relay reads the ranks' pipes and writes whole lines as soon as it has
// them, so a reader that stops holds up the ranks, as on any pipe, and nobody else.
// An unfinished line is written when its rank has been silent for a short time (a prompt), when it
// is longer than whole_line_bytes, or at the end. A part that ends where a full buffer of a
// runtime ends is no prompt, and waits longer for its rest. Invariant: each rank's bytes leave in
// order, and none is added.
#pragma once

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace baton::launch {

// Lines up to this length stay whole.
inline constexpr std::size_t whole_line_bytes = 64 << 10;

class Relay {
 public:
  // `to` lasts as long as the process. Writers to `to` hold `turn`.
  Relay(int to, std::mutex& turn) : to_(to), turn_(turn) {}
  // Starts the thread. False: there can be none.
  bool start();

  // Returns the end of a new pipe for one rank to write to; -1: there is none. `behind_last`: it
  // belongs to the rank of the last pipe, and text that the rank wrote there earlier comes first.
  int add(bool behind_last);

  // Waits until all is written that the ranks had written before, at most this long.
  void catch_up(std::chrono::milliseconds most);
  // Writes the rest, unfinished lines, too, when the ranks are gone. False: not all is written yet.
  bool finish(std::chrono::milliseconds most);
  // Returns the errno of the first write that failed; 0: none.
  int error();

 private:
  using Clock = std::chrono::steady_clock;
  struct NewPipe {
    int from;
    bool behind_last;
  };
  struct Stream {
    int from;  // -1: ended
    bool behind_last;
    std::string tail = {};        // the unfinished line
    bool is_full_buffer = false;  // the tail ends where a buffer was full
    Clock::time_point since = {};
    bool wrote = false;
  };

  void run();
  void wait_for_news();
  void take_new();
  int milliseconds_to_wait() const;
  std::size_t read_once(std::size_t stream);
  void read_what_is_there(std::size_t stream);
  void take(std::size_t stream, std::string_view text);
  // Returns when an unfinished line is written all the same.
  Clock::time_point due(std::size_t stream) const;
  void read_all();
  void write_due(bool all);
  void write_tail(std::size_t stream);
  void write(std::string_view first, std::string_view second);
  void fail(int error);
  void wake() const;

  const int to_;
  std::mutex& turn_;
  int news_ = -1;  // an eventfd: there are requests
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<NewPipe> new_pipes_;
  std::uint64_t asked_ = 0, answered_ = 0;  // numbers of requests to catch up
  bool finishing_ = false;
  bool finished_ = false;
  int error_ = 0;

  // Only the thread uses these.
  std::vector<Stream> streams_;
  std::vector<pollfd> polled_;
  std::vector<char> buffer_;
  std::ptrdiff_t open_ = -1;  // the stream whose unfinished line ends the output
  int writers_ = 0;           // streams that have written
};

}  // namespace baton::launch
