#include "file/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/report.hpp"
#include "world/words.hpp"

namespace baton::file {

namespace {

constexpr const char* moved_words[] = {"by calls for bytes that lie together",
                                       "by a call for each run",
                                       "through a sieve (with what lies between the runs)",
                                       "through a mapping of the file",
                                       "exchanged through memory that the ranks share",
                                       "exchanged by messages with one rank of each node"};
static_assert(std::size(moved_words) == static_cast<int>(Moved::count));

constexpr const char* why_words[] = {
    "exchanged: short runs, and together the ranks have all bytes",
    "nothing to move",
    "each rank alone: a rank may not exchange (atomic mode, a data representation, a filetype that "
    "does not ascend, a hint)",
    "each rank alone: the runs are long enough for calls of their own",
    "each rank alone: the ranks want few of the bytes between the first and the last",
    "each rank alone: some bytes between the first and the last are nobody's, or of several ranks",
    "each rank alone: some ranks read and some write"};
static_assert(std::size(why_words) == static_cast<int>(Why::count));

// Returns an amount of bytes in words.
struct Amount {
  explicit Amount(std::int64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto number = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; number >= 1024 && unit + 1 < std::size(units); ++unit) number /= 1024;
    std::snprintf(words, sizeof words, unit ? "%.1f %s" : "%.0f %s", number, units[unit]);
  }
  char words[24];
};

void tell(const File& file, const Counts& all) {
  char report[4000];
  world::Words text(report, sizeof report);
  text.add("baton: file %.300s, %d rank%s:\n", file.name, file.ranks(),
           file.ranks() == 1 ? "" : "s");
  text.add(
      "  reads %lld, collective %lld, %s; writes %lld, collective %lld, %s; "
      "system calls for them %lld\n",
      static_cast<long long>(all.reads), static_cast<long long>(all.reads_all),
      Amount(all.read_bytes).words, static_cast<long long>(all.writes),
      static_cast<long long>(all.writes_all), Amount(all.written_bytes).words,
      static_cast<long long>(all.system_calls));
  for (int i = 0; i < static_cast<int>(Moved::count); ++i)
    if (all.bytes[i] > 0) text.add("  %12s %s\n", Amount(all.bytes[i]).words, moved_words[i]);
  for (int i = 0; i < static_cast<int>(Why::count); ++i)
    if (all.ways[i] > 0)
      text.add("  %12lld collective calls %s\n", static_cast<long long>(all.ways[i]) / file.ranks(),
               why_words[i]);
  write_report(report, std::strlen(report));
}

}  // namespace

void explain(File& file) {
  constexpr std::size_t numbers = sizeof(Counts) / sizeof(std::int64_t);
  const auto ranks = static_cast<std::size_t>(file.ranks());
  auto* each = static_cast<std::int64_t*>(std::malloc(ranks * sizeof(Counts)));
  if (!each) return;
  if (!gather(file, &file.counts, sizeof(Counts), each) && file.rank() == 0) {
    std::int64_t sums[numbers] = {};
    for (std::size_t i = 0; i < ranks * numbers; ++i) sums[i % numbers] += each[i];
    Counts all;
    std::memcpy(&all, sums, sizeof all);
    tell(file, all);
  }
  std::free(each);
}

}  // namespace baton::file
