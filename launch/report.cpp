#include "launch/report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

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

void complain(const std::string& text) { fmt::print(stderr, "mpiexec: {}\n", text); }

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
  text += "which way the messages took (all ranks together, and the least and most of one rank):\n";
  bool any = false;
  for (const CounterRow& counter : counter_rows()) {
    Total total = total_of(job, counter);
    if (total.sum == 0) continue;
    any = true;
    bool bytes = std::string_view(counter.name).ends_with("_bytes");
    auto shown = [bytes](std::uint64_t value) {
      return bytes ? bytes_text(static_cast<double>(value)) : std::to_string(value);
    };
    text += fmt::format("  {:<18} {:>12}  ({} to {})  {}\n", counter.name, shown(total.sum),
                        shown(total.least), shown(total.most), counter.what);
  }
  if (!any) text += "  none was counted: no rank came to the end of MPI_Finalize\n";
  return text;
}

}  // namespace baton::launch
