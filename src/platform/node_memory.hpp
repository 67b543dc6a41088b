// These functions tell how much memory the nodes have left, and on which nodes pages lie; they
// change nothing. The launcher calls them before it binds strictly and for --memory-report, and
// transport/ calls them for blocks of the heap.
#pragma once

#include <cstdint>

#include "base/numa_policy.hpp"

namespace baton::platform {

struct NodeSpace {
  std::uint64_t bytes = 0;  // all of the node's memory; 0: the kernel does not say (no sysfs here)
  std::uint64_t free_bytes = 0;
  std::uint64_t reclaimable_bytes = 0;  // file pages that the kernel would drop for our pages
  std::uint64_t low_bytes = 0;   // with less left, allocations that prefer the node go to another
  std::uint64_t high_bytes = 0;  // free memory that the kernel then tries to restore
};
// Reads the node's meminfo anew.
NodeSpace node_space(int node);
// Returns how much a node can give without pressure. Beyond that the kernel itself uses other
// nodes.
std::uint64_t space_without_pressure(const NodeSpace& space);
// Returns how much a node can give to memory that must lie there: the kernel makes space by
// dropping file pages. A larger reserve is left, since exceeding the limit gets processes killed.
std::uint64_t space_under_pressure(const NodeSpace& space);
// Parses the text of a node's meminfo.
NodeSpace node_space_from(const char* text);
// This is the memory that the kernel keeps back on a node, added up line by line from
// /proc/zoneinfo. `*node` is the node of the zone that was named last.
struct NodeKept {
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
};
void add_zone_line(const char* line, int* node, NodeKept (&kept)[numa_nodes_max]);

struct NodeBytes {
  std::uint64_t on[numa_nodes_max] = {};
  std::uint64_t elsewhere = 0;  // on nodes above 63, or the kernel would not tell

  std::uint64_t total() const;
  void add(const NodeBytes& more);
};

// Adds the pages of a range (whole pages) that this process has mapped. False with errno set when
// the kernel refuses to tell.
bool count_pages(const char* address, std::uint64_t bytes, NodeBytes* counts);

// Maps the pages of a range, so that they can be counted. The caller knows that they have been
// reserved.
void touch_pages(const char* address, std::uint64_t bytes);

// Adds the pages of a file's range that somebody has written or read; `address` is where the range
// is mapped here. Pages that are only reserved are not seen. False as above.
bool count_file_pages(int descriptor, std::uint64_t offset, const char* address,
                      std::uint64_t bytes, NodeBytes* counts);

// Adds all pages that this process has mapped, but those of memory files called `but_file`. False
// with errno set when there is no /proc/self/numa_maps.
bool count_process_pages(const char* but_file, NodeBytes* counts);
// Adds the pages of one line of numa_maps, as count_process_pages does.
void count_numa_line(const char* line, const char* but_file, NodeBytes* counts);

// Returns the most memory, of all kinds, that was resident in this process at a time; 0: unknown.
std::uint64_t process_peak_bytes();

}  // namespace baton::platform
