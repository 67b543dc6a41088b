// With --stdin all every rank gets standard input: it is copied to a pipe of each. Without it one
// rank reads the launcher's own and nothing here runs. Invariant: nothing is read before every rank
// that still reads has all data read before, so the slowest rank holds the others up, and nothing
// here waits.
#pragma once

#include <poll.h>

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace baton::launch {

class Input {
 public:
  // Opens a pipe and returns the end that a rank reads. It is for the rank's start, and then to be
  // closed.
  std::expected<int, std::string> open();

  void add_to(std::vector<pollfd>& polled) const;
  // Copies as far as `polled` says that there is data and space.
  void forward(const std::vector<pollfd>& polled);

 private:
  struct Copy {
    int to;
    std::size_t done = 0;  // bytes of `text_` that have been written
  };
  bool lagging() const;
  void read_more();
  void write_more(Copy& copy);
  void end();

  std::vector<Copy> copies_;
  std::string text_;
  bool ended_ = false;
};

}  // namespace baton::launch
