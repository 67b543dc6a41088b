// How far a command that takes its time has come.
#pragma once

#include <string>

namespace baton::cli {

// A bar on a terminal; a line every few seconds elsewhere. On standard error.
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

// "the machine is busy (load 1.3)"; empty: it is not.
std::string busy_text();

}  // namespace baton::cli
