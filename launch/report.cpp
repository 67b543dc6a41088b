#include "launch/report.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "launch/outlet.hpp"

namespace baton::launch {

namespace {

bool in_background = false;

}  // namespace

bool write_text(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    pollfd room{descriptor, POLLOUT, 0};
    if (written < 0 && errno == EAGAIN)
      ::poll(&room, 1, -1);
    else if (written < 0 && errno != EINTR)
      return false;
    else if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void report(std::string_view text) {
  if (in_background)
    Outlet::of(STDERR_FILENO).put(text);
  else
    (void)write_text(STDERR_FILENO, text);
}

void complain(const std::string& text) {
  report("mpiexec: " + text + "\n");
}

void report_in_background() {
  in_background = true;
}

std::string rank_text(int rank, const machine::Placement& placement) {
  const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank)];
  bool one_core = planned.common.core >= 0 && placement.bound_to != machine::Level::machine;
  if (!one_core) return fmt::format("rank {}", rank);
  return fmt::format("rank {} on core {}", rank, planned.common.core);
}

}  // namespace baton::launch
