#include "launch/memory_kill.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

namespace baton::launch {

namespace {

// The kernel's own words of the kill; empty: it has none, or they may not be read.
std::string logged(pid_t process) {
  const int log = ::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (log < 0) return {};
  const std::string wanted = fmt::format("Killed process {} ", process);
  std::string found;
  char record[8192];  // one a read; no record is longer
  for (ssize_t length; (length = ::read(log, record, sizeof record)) > 0;) {
    std::string_view text(record, static_cast<std::size_t>(length));
    const std::size_t begin = text.find(';');
    text = text.substr(begin == std::string_view::npos ? 0 : begin + 1);
    if (text.find(wanted) != std::string_view::npos) found = text.substr(0, text.find('\n'));
  }
  ::close(log);
  return found;
}

}  // namespace

std::string MemoryKillWatch::reason(pid_t process) const {
  if (std::string words = logged(process); !words.empty())
    return fmt::format("out of memory, says the kernel: {}", words);
  const machine::MemoryKills now = machine::read_memory_kills("");
  const std::uint64_t limit = machine::read_memory_limit_bytes("");
  if (now.in_group > before_.in_group && limit)
    return fmt::format(
        "out of memory: the control group has a limit of {} MiB, and the kernel "
        "killed {} of its processes meanwhile",
        limit >> 20, now.in_group - before_.in_group);
  if (now.in_group > before_.in_group || now.on_machine > before_.on_machine)
    return "out of memory: the kernel killed processes meanwhile because the machine had none left";
  return {};
}

}  // namespace baton::launch
