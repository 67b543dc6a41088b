#include "launch/report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "base/counters.hpp"
#include "machine/draw.hpp"

namespace baton::launch {

namespace {

std::string signal_text(int signal) {
  const char* name = ::sigdescr_np(signal);
  std::string text = name ? name : "unknown";
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return fmt::format("{} (signal {})", text, signal);
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{:.0f} B", bytes);
}

struct Total {
  std::uint64_t sum = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
};

Total total_of(const JobFile& job, const CounterRow& counter) {
  Total total;
  for (std::uint32_t rank = 0; rank < job.header->ranks; ++rank) {
    std::uint64_t value = job.row(static_cast<int>(rank)).counters.*counter.field;
    total.sum += value;
    total.least = value < total.least ? value : total.least;
    total.most = value > total.most ? value : total.most;
  }
  return total;
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

std::string explanation(const JobFile& job, const machine::Machine& machine,
                        const machine::Placement& placement) {
  std::string text = "where the ranks ran: " + machine::draw_placement(machine, placement);
  std::string ways;
  std::string events;
  std::span<const CounterRow> rows = counter_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string_view name = rows[i].name;
    Total total = total_of(job, rows[i]);
    bool is_way = name.ends_with("_messages") && i + 1 < rows.size();
    if (total.sum == 0 || name.ends_with("_bytes")) continue;
    std::string bytes =
        is_way ? bytes_text(static_cast<double>(total_of(job, rows[i + 1]).sum)) : "";
    if (is_way) name.remove_suffix(std::string_view("_messages").size());
    (is_way ? ways : events) +=
        fmt::format("  {:<16} {:>12} {:>12}   {:<24} {}\n", name, total.sum, bytes,
                    fmt::format("{} to {} a rank", total.least, total.most), rows[i].what);
  }
  if (ways.empty() && events.empty())
    return text + "no message was counted: no rank came to the end of MPI_Finalize\n";
  return text + "which way the messages took (messages, payload):\n" + ways +
         "what else happened:\n" + events;
}

}  // namespace baton::launch
