// This decides where standard output and error of the ranks go. A rank that shares them with no
// other rank, or shares only a terminal, writes straight to the launcher's own, or into a file of a
// pattern's name. Ranks that share a pipe or a file come through a relay each, by whole lines and
// otherwise untouched (relay.hpp). With the rank or the time before every line (-l), or files for
// each rank, they come through pipes that are read here.
// Invariant of these pipes: a line leaves whole; an unfinished line leaves when its writer is gone.
// Nothing here waits for a reader: while too much is unread, no more is taken from the ranks, which
// then wait as they would on a pipe.
#pragma once

#include <poll.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "launch/run/relay.hpp"

namespace baton::launch {

class Output {
 public:
  Output(const OutputForm& form, int ranks) : form_(form), ranks_(ranks) {}

  // These are the descriptors of a rank; -1: the launcher's. They are for its start; started()
  // closes them.
  struct Ends {
    int standard_output = -1;
    int standard_error = -1;
  };
  std::expected<Ends, std::string> open(int rank);
  static void started(const Ends& ends);

  void add_to(std::vector<pollfd>& polled) const;
  // Forwards data as `polled` (as filled by add_to, from `first`) says that it is there. False:
  // nobody reads us.
  bool forward(const std::vector<pollfd>& polled, std::size_t first);
  // Waits until the data that the ranks have written so far has left, though not for a reader that
  // stops. It is called before words about the ranks, which are to come behind that data.
  void catch_up();
  // Forwards all remaining data, when the writers are gone, until it is written or `give_up` says
  // so.
  void drain(const std::function<bool()>& give_up);
  // Returns which output of the ranks was not written, and why; empty: all was written.
  std::string lost() const;

 private:
  struct Stream {
    int rank;
    int from;  // -1: ended
    int to;    // standard output or error; -1: only into the file
    int file;  // -1: none
    std::string unfinished = {};
    std::string unwritten = {};  // whole lines, where the file is a pipe that is full
  };
  // This is a place that ranks share: standard output or error, or a file.
  struct Shared {
    int to;
    std::string name;        // of a file
    Relay* relay = nullptr;  // it lasts as long as the process: its thread may never come back
    int last_rank = -1;      // the last rank that was added
  };
  std::expected<int, std::string> open_file_of(int rank, const std::string& pattern);
  int end_of_relay(int rank, int to, const std::string& name);
  int end_to_own(int rank, int descriptor);
  std::expected<Ends, std::string> open_files(int rank);
  std::expected<Ends, std::string> open_pipes(int rank);
  std::expected<int, std::string> add_stream(int rank, int to, const char* name);
  std::expected<int, std::string> open_file(const std::string& name);
  std::string line_start(int rank) const;
  static bool has_space(const Stream& stream);
  void read_once(Stream& stream);
  void write_lines(Stream& stream, bool ended);
  void write_file(Stream& stream);

  const OutputForm& form_;
  const int ranks_;
  std::vector<Stream> streams_;
  std::vector<Shared> shared_;
  std::vector<std::string> files_;  // files that were made: later ranks with the name add to them
  int file_error_ = 0;
  std::size_t unwritten_ = 0;  // bytes, when drain() gave up
  bool used_[3] = {};          // by descriptor: something was written there
};

}  // namespace baton::launch
