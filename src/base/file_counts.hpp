// These counts say how accesses to files moved their bytes, and why collective ones did or did not
// exchange data. Each rank keeps them for each open file (file/); in jobs under mpiexec --explain
// they are published when the file is closed, and the launcher adds up and prints.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/traffic.hpp"

namespace baton {

// clang-format off
// These are the ways of bytes.
#define BATON_FILE_WAYS(X)                                              \
  X(whole,     "by calls for bytes that lie together")                  \
  X(each_run,  "by a call for each run")                                \
  X(sieved,    "through a sieve (with what lies between the runs)")     \
  X(mapped,    "through a mapping of the file")                         \
  X(exchanged, "exchanged through memory that the ranks share")         \
  X(sent,      "exchanged by messages with one rank of each node")      \
  X(queued,    "read in the background by the kernel's queue (io_uring)")

// These are the reasons for which a collective access went its way.
#define BATON_FILE_REASONS(X)                                                                        \
  X(chosen,       "exchanged: short runs, and together the ranks have all bytes")                    \
  X(no_bytes,     "nothing to move")                                                                 \
  X(not_possible, "each rank alone: a rank may not exchange (atomic mode, a data representation, a " \
                  "filetype that does not ascend, a hint)")                                          \
  X(all_map,      "each rank alone: the file lies in memory, and all can map it")          \
  X(long_runs,    "each rank alone: the runs are long enough for calls of their own")                \
  X(sparse,       "each rank alone: the ranks want few of the bytes between the first and the last") \
  X(holes,        "each rank alone: some bytes between the first and the last are nobody's, or of "  \
                  "several ranks")                                                                   \
  X(mixed,        "each rank alone: some ranks read and some write")
// clang-format on

#define BATON_NAME(name, words) name,
enum class FileWay : std::uint8_t { BATON_FILE_WAYS(BATON_NAME) };
enum class FileReason : std::uint8_t { BATON_FILE_REASONS(BATON_NAME) };
#undef BATON_NAME
#define BATON_ROW(name, words) {#name, words},
inline constexpr NameRow file_way_rows[] = {BATON_FILE_WAYS(BATON_ROW)};
inline constexpr NameRow file_reason_rows[] = {BATON_FILE_REASONS(BATON_ROW)};
#undef BATON_ROW
inline constexpr int file_way_count = std::size(file_way_rows);
inline constexpr int file_reason_count = std::size(file_reason_rows);

struct FileCounts {
  std::int64_t reads, writes;          // calls of one rank
  std::int64_t reads_all, writes_all;  // collective ones
  std::int64_t read_bytes, written_bytes;
  std::int64_t bytes[file_way_count];
  std::int64_t system_calls;
  std::int64_t reasons[file_reason_count];  // collective accesses; counted by the file's first rank

  // Threads in the background count, too.
  static void add(std::int64_t& counter, std::int64_t change) {
    // relaxed: a counter orders nothing.
    std::atomic_ref(counter).fetch_add(change, std::memory_order_relaxed);
  }
  void add(const FileCounts& counts) {
    auto* sums = reinterpret_cast<std::int64_t*>(this);
    const auto* each = reinterpret_cast<const std::int64_t*>(&counts);
    for (std::size_t i = 0; i < sizeof(FileCounts) / sizeof(std::int64_t); ++i) sums[i] += each[i];
  }
  void add_moved(FileWay way, std::int64_t moved, std::int64_t calls) {
    add(bytes[static_cast<int>(way)], moved);
    add(system_calls, calls);
  }
};
static_assert(sizeof(FileCounts) % sizeof(std::int64_t) == 0);

// These are what a rank publishes of the files that it has closed. A file that was opened several
// times by equally many ranks is one.
struct FileRecord {
  char name[224];  // the end of a longer one
  std::int32_t ranks;
  std::int32_t openings;
  FileCounts counts;
};
inline constexpr int file_records_max = 16;
struct FileRecords {
  FileRecord files[file_records_max];
  std::int32_t known;  // of these
  std::int32_t more;   // openings of files that found no place
};

}  // namespace baton
