#include "launch/reports/explain_windows.hpp"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "launch/reports/size_text.hpp"

namespace baton::launch {

namespace {

void replace(std::string& text, std::string_view name, const std::string& value) {
  if (std::size_t at = text.find(name); at != std::string::npos)
    text.replace(at, name.size(), value);
}

std::string words_of(int reason, const OneSidedCounts& sum, int probe_errno) {
  std::string words = reach_reason_rows[reason].words;
  if (static_cast<ReachReason>(reason) != ReachReason::kernel_refuses) return words;
  const bool known = sum.refusal < static_cast<std::uint64_t>(reason_count);
  std::string refusal = known ? reason_rows[sum.refusal].words : "single copy (CMA)";
  const char* cause = ::strerrorname_np(probe_errno);
  replace(refusal, "{errno}", cause ? cause : std::to_string(probe_errno));
  replace(words, "{refusal}", refusal);
  return words;
}

template <class Do>
void each_tally(const OneSidedCounts& sum, int memory, Do&& act) {
  for (int way = 0; way < reach_way_count; ++way)
    for (int operation = 0; operation < window_operation_count; ++operation)
      if (const Tally& tally = sum.tally[memory][way][operation]; tally.messages)
        act(way, operation, tally);
}

template <class Do>
void each_reason(const OneSidedCounts& sum, int memory, Do&& act) {
  for (int reason = 0; reason < reach_reason_count; ++reason)
    if (const std::uint64_t operations = sum.reasons[memory][reason]) act(reason, operations);
}

}  // namespace

void add_counts(OneSidedCounts& sum, const OneSidedCounts& counts) {
  for (int memory = 0; memory < window_memory_count; ++memory) {
    each_tally(counts, memory, [&](int way, int operation, const Tally& tally) {
      sum.tally[memory][way][operation].messages += tally.messages;
      sum.tally[memory][way][operation].bytes += tally.bytes;
    });
    each_reason(counts, memory, [&](int reason, std::uint64_t operations) {
      sum.reasons[memory][reason] += operations;
    });
  }
  if (counts.refusal) sum.refusal = counts.refusal;
}

std::string windows_text(const OneSidedCounts& sum, int probe_errno) {
  std::string text;
  for (int memory = 0; memory < window_memory_count; ++memory) {
    std::string rows;
    int last_way = -1;
    each_tally(sum, memory, [&](int way, int operation, const Tally& tally) {
      fmt::format_to(std::back_inserter(rows), "    {:<12} {:<18} {:>12} {:>12}{}{}\n",
                     way == last_way ? "" : reach_way_rows[way].name,
                     window_operation_names[operation], tally.messages,
                     bytes_text(static_cast<double>(tally.bytes)), way == last_way ? "" : "   ",
                     way == last_way ? "" : reach_way_rows[way].words);
      last_way = way;
    });
    each_reason(sum, memory, [&](int reason, std::uint64_t operations) {
      fmt::format_to(std::back_inserter(rows), "      why not {} ({} operation{})\n",
                     words_of(reason, sum, probe_errno), operations, operations == 1 ? "" : "s");
    });
    if (!rows.empty()) text += fmt::format("  {}:\n{}", window_memory_rows[memory].words, rows);
  }
  return text.empty() ? text : "how windows were reached (operations, data):\n" + text;
}

std::string windows_json(const OneSidedCounts& sum, int probe_errno) {
  std::string json;
  for (int memory = 0; memory < window_memory_count; ++memory) {
    std::string ways, reasons;
    each_tally(sum, memory, [&](int way, int operation, const Tally& tally) {
      fmt::format_to(std::back_inserter(ways),
                     R"({}{{"way": "{}", "operation": "{}", "operations": {}, "bytes": {}}})",
                     ways.empty() ? "" : ", ", reach_way_rows[way].name,
                     window_operation_names[operation], tally.messages, tally.bytes);
    });
    each_reason(sum, memory, [&](int reason, std::uint64_t operations) {
      fmt::format_to(std::back_inserter(reasons),
                     R"({}{{"reason": "{}", "operations": {}, "words": "{}"}})",
                     reasons.empty() ? "" : ", ", reach_reason_rows[reason].name, operations,
                     words_of(reason, sum, probe_errno));
    });
    if (ways.empty() && reasons.empty()) continue;
    fmt::format_to(std::back_inserter(json),
                   R"({}{{"memory": "{}", "ways": [{}], "why_not_cheaper": [{}]}})",
                   json.empty() ? "" : ", ", window_memory_rows[memory].name, ways, reasons);
  }
  return "[" + json + "]";
}

}  // namespace baton::launch
