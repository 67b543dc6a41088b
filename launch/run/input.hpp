// Standard input for every rank (--stdin all): what comes is copied to a pipe of each. Without it
// one rank reads the launcher's own and nothing here runs. Invariant: no more is read before every
// rank that still reads has all of what was read last, so the slowest one holds the others up, and
// nothing here waits.
#pragma once

#include <poll.h>

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace baton::launch {

class Input {
 public:
  // The end that a rank reads; for its start, and then to be closed.
  std::expected<int, std::string> open();

  void add_to(std::vector<pollfd>& polled) const;
  // Copies what `polled` says is there and has room.
  void forward(const std::vector<pollfd>& polled);

 private:
  struct Copy {
    int to;
    std::size_t done = 0;  // of `text_`
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
