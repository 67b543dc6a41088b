#include "launch/report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>

namespace baton::launch {

namespace {

std::string signal_text(int signal) {
  const char* name = ::sigdescr_np(signal);
  std::string text = name ? name : "unknown";
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return fmt::format("{} (signal {})", text, signal);
}

}  // namespace

void complain(const std::string& text) {
  fmt::print(stderr, "mpiexec: {}\n", text);
}

std::string rank_text(int rank, const machine::Placement& placement) {
  const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank)];
  bool one_core = planned.common.core >= 0 && placement.bound_to != machine::Level::machine;
  if (!one_core) return fmt::format("rank {}", rank);
  return fmt::format("rank {} on core {}", rank, planned.common.core);
}

std::string ending_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return signal_text(WTERMSIG(wait_status)) + (WCOREDUMP(wait_status) ? ", core dumped" : "");
  int code = WEXITSTATUS(wait_status);
  std::string text = fmt::format("ended with exit code {}", code);
  // A shell that started the rank's program passes its death on like this.
  if (code > 128 && code < 128 + 65 && ::sigdescr_np(code - 128))
    text += fmt::format(" (a program it started: {})", signal_text(code - 128));
  return text;
}

int ending_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace baton::launch
