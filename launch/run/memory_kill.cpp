#include "launch/run/memory_kill.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace baton::launch {

namespace {

// Returns the kernel's words about a process that it has killed for memory; empty: the record is
// another one.
std::string_view kill_words(std::string_view record) {
  const std::size_t begin = record.find(';');
  record = record.substr(begin == std::string_view::npos ? 0 : begin + 1);
  record = record.substr(0, record.find('\n'));
  return record.find("Killed process ") == std::string_view::npos ? std::string_view() : record;
}

}  // namespace

MemoryKillWatch::MemoryKillWatch()
    : before_(machine::read_memory_kills("")),
      log_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (log_ >= 0) ::lseek(log_, 0, SEEK_END);
}

MemoryKillWatch::~MemoryKillWatch() {
  if (log_ >= 0) ::close(log_);
}

std::string MemoryKillWatch::logged(pid_t process) {
  char record[8192];  // one record a read; no record is longer
  while (log_ >= 0) {
    const ssize_t length = ::read(log_, record, sizeof record);
    // EPIPE: the next records have been overwritten; reading goes on with the oldest that is left.
    if (length < 0 && (errno == EPIPE || errno == EINTR)) continue;
    if (length <= 0) break;
    const auto words = kill_words({record, static_cast<std::size_t>(length)});
    if (!words.empty()) kills_.emplace_back(words);
  }
  const std::string wanted = fmt::format("Killed process {} ", process);
  for (const std::string& kill : kills_)
    if (kill.find(wanted) != std::string::npos) return kill;
  return {};
}

std::string MemoryKillWatch::reason(pid_t process) {
  if (std::string words = logged(process); !words.empty())
    return fmt::format("out of memory, according to the kernel: {}", words);
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
