// How far a command is, on standard error: one line that changes on a terminal, else a plain line
// every few seconds. Also where an interruption (SIGINT, SIGTERM) is noticed: step() throws
// Interrupted. Nothing is printed to standard output.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace baton::bus {

struct Interrupted {
  int signal = 0;
};

/// From now on SIGINT and SIGTERM end the next step().
void catch_interruptions();

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();

  /// A new part of the work, of so many steps.
  void begin(const std::string& part, std::uint64_t steps);
  void step();
  /// Ends the line on a terminal.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  void print(bool last);

  bool quiet_;
  bool is_terminal_;
  bool is_open_ = false;
  std::string part_;
  std::uint64_t steps_ = 0, done_ = 0;
  Clock::time_point began_, printed_;
};

}  // namespace baton::bus
