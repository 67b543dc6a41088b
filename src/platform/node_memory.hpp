// How much memory the nodes have left, and on which nodes pages lie: looks only, nothing changes.
// Called by the launcher before it binds strictly and for --memory-report, and by transport/ for
// blocks of the heap.
#pragma once

#include <cstdint>

#include "base/memory_place.hpp"

namespace baton::platform {

struct NodeRoom {
  std::uint64_t bytes = 0;  // of the node in all; 0: the kernel does not say (no sysfs here)
  std::uint64_t free_bytes = 0;
  std::uint64_t reclaimable_bytes = 0;  // file pages that the kernel would drop for ours
};
NodeRoom node_room(int node);
// The same from the text of a node's meminfo.
NodeRoom node_room_from(const char* text);

struct NodeBytes {
  std::uint64_t on[memory_nodes_max] = {};
  std::uint64_t elsewhere = 0;  // nodes above 63, or pages the kernel would not tell

  std::uint64_t total() const;
  void add(const NodeBytes& more);
};

// Adds the pages of a range (whole pages) that this process has mapped. False with errno set when
// the kernel refuses to tell.
bool count_pages(const char* address, std::uint64_t bytes, NodeBytes* counts);

// Maps those pages of a range of memory that have been reserved, so that they can be counted. The
// caller knows that they are.
void touch_pages(const char* address, std::uint64_t bytes);

// Adds the pages of a file's range that somebody has written or read; `address` is where the range
// is mapped here. Pages that are only reserved are not seen. False as above.
bool count_file_pages(int descriptor, std::uint64_t offset, const char* address,
                      std::uint64_t bytes, NodeBytes* counts);

// Adds all pages that this process has mapped, but those of memory files called `but_file`. False
// with errno set when there is no /proc/self/numa_maps.
bool count_process_pages(const char* but_file, NodeBytes* counts);
// The same of one line of numa_maps.
void count_numa_line(const char* line, const char* but_file, NodeBytes* counts);

// The most memory this process ever had mapped, of all kinds; 0: unknown.
std::uint64_t process_peak_bytes();

}  // namespace baton::platform
