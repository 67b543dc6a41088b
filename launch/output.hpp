// Standard output and error of the ranks with the rank before every line (-l). Without -l the ranks
// write straight to the launcher's own and nothing here runs.
// Invariant: a line leaves whole; what has no newline leaves when its writer is gone.
#pragma once

#include <poll.h>

#include <expected>
#include <string>
#include <vector>

namespace baton::launch {

class Output {
 public:
  // Makes both pipes of `rank`; the write ends are for the rank's start and then closed by
  // started().
  struct Ends {
    int standard_output;
    int standard_error;
  };
  std::expected<Ends, std::string> open(int rank);
  static void started(const Ends& ends);

  void add_to(std::vector<pollfd>& polled) const;
  // Forwards what `polled` (as filled by add_to, from `first`) says is there. False: nobody reads
  // us.
  bool forward(const std::vector<pollfd>& polled, std::size_t first);
  // Forwards all that is left; call when the writers are gone.
  void drain();

 private:
  struct Stream {
    int rank;
    int from;  // -1: ended
    int to;
    std::string unfinished;
  };
  bool read_once(Stream& stream);
  static bool write_lines(Stream& stream, bool ended);

  std::vector<Stream> streams_;
};

}  // namespace baton::launch
