#include "launch/reports/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launch/run/outlet.hpp"

namespace baton::launch {

namespace {

constexpr int look_again_ms = 20;  // guess: whether to give up

bool in_background = false;
std::string reporting_host;
constexpr std::string_view start = "mpiexec: ";

}  // namespace

bool write_text(int descriptor, std::string_view text, const std::function<bool()>& give_up) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    if (give_up && give_up()) {
      errno = EAGAIN;
      return false;
    }
    pollfd room{descriptor, POLLOUT, 0};
    ::poll(&room, 1, give_up ? look_again_ms : -1);
  }
  return true;
}

std::expected<int, std::string> open_to_write(const std::string& name, int how) {
  const int file =
      ::open(name.c_str(), how | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (file >= 0) return file;
  const int cause = errno;
  struct stat facts {};
  if (cause == ENXIO && ::stat(name.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode))
    return std::unexpected("nobody reads this pipe; start its reader first, or name a file");
  return std::unexpected(std::strerror(cause));
}

std::string file_of_host(const std::string& name, const std::string& host) {
  std::string text = name;
  if (const std::size_t place = text.find("%h"); place != std::string::npos)
    return text.replace(place, 2, host);
  const std::size_t folder = text.rfind('/'), dot = text.rfind('.');
  const bool ends = dot != std::string::npos && (folder == std::string::npos || dot > folder + 1);
  return text.insert(ends && dot > 0 ? dot : text.size(), '.' + host);
}

void report_from(const std::string& host) {
  reporting_host = host;
}

void report(std::string_view words) {
  std::string text(words);
  if (!reporting_host.empty() && words.starts_with(start))
    text = fmt::format("mpiexec on {}: {}", reporting_host, words.substr(start.size()));
  if (in_background)
    Outlet::of(STDERR_FILENO).put(text);
  else
    (void)write_text(STDERR_FILENO, text);
}

void complain(const std::string& text) {
  report(std::string(start) + text + "\n");
}

void report_in_background() {
  in_background = true;
}

std::string rank_text(int rank, const machine::Placement& placement) {
  const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank)];
  bool one_core = planned.common.core >= 0 && placement.bound_to != machine::Level::machine;
  const int number = placement.first_rank + rank;
  if (!one_core) return fmt::format("rank {}", number);
  return fmt::format("rank {} on core {}", number, planned.common.core);
}

}  // namespace baton::launch
