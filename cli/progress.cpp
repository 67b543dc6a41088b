#include "cli/progress.hpp"
#include "cli/print.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace baton::cli {

Progress::Progress(const char* command) : command_(command), terminal_(::isatty(2) == 1) {}

void Progress::show(double seconds, double budget, const std::string& text) {
  double share = std::clamp(seconds / budget, 0.0, 1.0);
  if (terminal_) {
    constexpr int width = 30;
    auto full = static_cast<std::size_t>(share * width);
    std::string bar;
    for (std::size_t i = 0; i < width; ++i) bar += i < full ? "█" : " ";
    write_error("\r\033[K[{}] {:.0f} of {:.0f} s, {}", bar, seconds, budget, text);
  } else if (seconds >= next_line_) {
    constexpr double line_every_seconds = 5;
    write_error("{}: {:.0f} of {:.0f} s, {}\n", command_, seconds, budget, text);
    next_line_ = seconds + line_every_seconds;
  }
  std::fflush(stderr);
}

void Progress::end() const {
  if (terminal_) write_error("\r\033[K");
}

std::string busy_text() {
  double load = 0;
  constexpr double idle_load = 0.5;  // guess
  if (::getloadavg(&load, 1) != 1 || load <= idle_load) return {};
  return fmt::format("the machine is busy (load {:.1f})", load);
}

}  // namespace baton::cli
