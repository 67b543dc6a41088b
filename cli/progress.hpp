// This shows the progress of a command that takes some time.
#pragma once

#include <string>

namespace baton::cli {

// It is a bar on a terminal, and a line every few seconds elsewhere. It goes to standard error.
class Progress {
 public:
  explicit Progress(const char* command);  // "baton tune"
  void show(double seconds, double budget, const std::string& text);
  void end() const;

 private:
  const char* command_;
  bool terminal_;
  double next_line_ = 0;
};

// Returns "the machine is busy (load 1.3)"; empty: it is not.
std::string busy_text();

}  // namespace baton::cli
