#include "launch/reports/explain_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "launch/reports/json_text.hpp"
#include "launch/reports/size_text.hpp"

namespace baton::launch {

namespace {

std::string name_of(const FileRecord& file) {
  return {file.name, ::strnlen(file.name, sizeof file.name)};
}

std::string amount(std::int64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

std::string file_text(const FileRecord& file) {
  const FileCounts& counts = file.counts;
  std::string text =
      fmt::format("  {} ({} rank{}", name_of(file), file.ranks, file.ranks == 1 ? "" : "s");
  text += file.openings > 1 ? fmt::format(", opened {} times):\n", file.openings) : "):\n";
  fmt::format_to(std::back_inserter(text),
                 "    reads {}, collective {}, {}; writes {}, collective {}, {}; system calls {}\n",
                 counts.reads, counts.reads_all, amount(counts.read_bytes), counts.writes,
                 counts.writes_all, amount(counts.written_bytes), counts.system_calls);
  for (int i = 0; i < file_way_count; ++i)
    if (counts.bytes[i] > 0)
      fmt::format_to(std::back_inserter(text), "    {:>12} {}\n", amount(counts.bytes[i]),
                     file_way_rows[i].words);
  for (int i = 0; i < file_reason_count; ++i)
    if (const std::int64_t calls = counts.reasons[i])
      fmt::format_to(std::back_inserter(text), "    {:>12} collective access{} {}\n", calls,
                     calls == 1 ? "" : "es", file_reason_rows[i].words);
  return text;
}

std::string file_json(const FileRecord& file) {
  const FileCounts& counts = file.counts;
  std::string ways, reasons;
  for (int i = 0; i < file_way_count; ++i)
    if (counts.bytes[i] > 0)
      fmt::format_to(std::back_inserter(ways), R"({}{{"way": "{}", "bytes": {}}})",
                     ways.empty() ? "" : ", ", file_way_rows[i].name, counts.bytes[i]);
  for (int i = 0; i < file_reason_count; ++i)
    if (counts.reasons[i] > 0)
      fmt::format_to(std::back_inserter(reasons),
                     R"({}{{"reason": "{}", "accesses": {}, "words": "{}"}})",
                     reasons.empty() ? "" : ", ", file_reason_rows[i].name, counts.reasons[i],
                     file_reason_rows[i].words);
  return fmt::format(
      R"({{"name": {}, "ranks": {}, "openings": {}, "reads": {}, "collective_reads": {}, )"
      R"("read_bytes": {}, "writes": {}, "collective_writes": {}, "written_bytes": {}, )"
      R"("system_calls": {}, "ways": [{}], "collective": [{}]}})",
      json_text(name_of(file)), file.ranks, file.openings, counts.reads, counts.reads_all,
      counts.read_bytes, counts.writes, counts.writes_all, counts.written_bytes,
      counts.system_calls, ways, reasons);
}

}  // namespace

void add_files(FileSums& sum, const FileRecords& records) {
  sum.more += records.more;
  for (int i = 0; i < std::clamp(records.known, 0, file_records_max); ++i) {
    const FileRecord& file = records.files[i];
    auto found = std::ranges::find_if(sum.files, [&](const FileRecord& each) {
      return each.ranks == file.ranks && name_of(each) == name_of(file);
    });
    if (found == sum.files.end()) {
      sum.files.push_back(file);
      continue;
    }
    found->openings = std::max(found->openings, file.openings);
    found->counts.add(file.counts);
  }
}

std::string files_text(const FileSums& sum) {
  std::string text;
  for (const FileRecord& file : sum.files) text += file_text(file);
  if (sum.more > 0)
    fmt::format_to(std::back_inserter(text),
                   "  and others: each rank tells of {} names ({} openings are not told)\n",
                   file_records_max, sum.more);
  return text.empty() ? text : "how files were read and written:\n" + text;
}

std::string files_json(const FileSums& sum) {
  std::string json;
  for (const FileRecord& file : sum.files) json += (json.empty() ? "" : ", ") + file_json(file);
  return "[" + json + "]";
}

}  // namespace baton::launch
