#include "platform/node_memory.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/cache_line.hpp"
#include "platform/lock.hpp"

namespace baton::platform {

namespace {

constexpr std::uint64_t kib = 1024;

// Returns the number behind "name:" in a meminfo, in bytes.
std::uint64_t meminfo_bytes(const char* text, const char* name) {
  const char* found = std::strstr(text, name);
  return found ? std::strtoull(found + std::strlen(name), nullptr, 10) * kib : 0;
}

// The watermarks change when memory is plugged in, or the administrator says so; they are read
// once.
const NodeKept& kept_by(int node) {
  static NodeKept kept[numa_nodes_max];
  static bool known = false;
  static Lock lock;
  Guard guard(lock);
  if (known) return kept[node];
  known = true;
  std::FILE* file = std::fopen("/proc/zoneinfo", "re");
  char* line = nullptr;
  std::size_t space = 0;
  int at = -1;
  while (file && getline(&line, &space, file) > 0) add_zone_line(line, &at, kept);
  std::free(line);
  if (file) std::fclose(file);
  return kept[node];
}

}  // namespace

void add_zone_line(const char* line, int* node, NodeKept (&kept)[numa_nodes_max]) {
  unsigned long long pages = 0;
  std::sscanf(line, "Node %d, zone", node);
  if (*node < 0 || *node >= numa_nodes_max) return;
  if (std::sscanf(line, " low %llu", &pages) == 1) kept[*node].low_bytes += pages * page_bytes;
  if (std::sscanf(line, " high %llu", &pages) == 1) kept[*node].high_bytes += pages * page_bytes;
}

std::uint64_t space_without_pressure(const NodeSpace& space) {
  if (space.bytes == 0) return ~std::uint64_t{0};            // unknown
  std::uint64_t kept = space.low_bytes + space.bytes / 256;  // the second term is a guess
  return space.free_bytes > kept ? space.free_bytes - kept : 0;
}

std::uint64_t space_under_pressure(const NodeSpace& space) {
  if (space.bytes == 0) return ~std::uint64_t{0};
  // Half of the file pages are in use by somebody, and other processes allocate meanwhile; a guess.
  std::uint64_t kept = space.high_bytes + space.bytes / 256 + (4 << 20);
  std::uint64_t all = space.free_bytes + space.reclaimable_bytes / 2;
  return all > kept ? all - kept : 0;
}

NodeSpace node_space_from(const char* text) {
  NodeSpace space;
  space.bytes = meminfo_bytes(text, " MemTotal:");
  space.free_bytes = meminfo_bytes(text, " MemFree:");
  std::uint64_t file =
      meminfo_bytes(text, " Active(file):") + meminfo_bytes(text, " Inactive(file):");
  std::uint64_t busy = meminfo_bytes(text, " Dirty:") + meminfo_bytes(text, " Writeback:");
  space.reclaimable_bytes = file > busy ? file - busy : 0;
  return space;
}

NodeSpace node_space(int node) {
  char text[4096];
  std::snprintf(text, sizeof text, "/sys/devices/system/node/node%d/meminfo", node);
  int descriptor = open(text, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  ssize_t length = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  text[std::max<ssize_t>(length, 0)] = 0;
  NodeSpace space = node_space_from(text);
  if (node >= 0 && node < numa_nodes_max) {
    space.low_bytes = kept_by(node).low_bytes;
    space.high_bytes = kept_by(node).high_bytes;
  }
  return space;
}

std::uint64_t NodeBytes::total() const {
  std::uint64_t sum = elsewhere;
  for (std::uint64_t bytes : on) sum += bytes;
  return sum;
}

void NodeBytes::add(const NodeBytes& more) {
  for (int i = 0; i < numa_nodes_max; ++i) on[i] += more.on[i];
  elsewhere += more.elsewhere;
}

bool count_pages(const char* address, std::uint64_t bytes, NodeBytes* counts) {
  constexpr unsigned long batch_max = 512;
  const void* pages[batch_max];
  int nodes[batch_max];
  for (std::uint64_t done = 0; done < bytes;) {
    unsigned long batch = 0;
    for (; batch < batch_max && done < bytes; done += page_bytes) pages[batch++] = address + done;
    if (syscall(SYS_move_pages, 0, batch, pages, nullptr, nodes, 0) < 0) return false;
    for (unsigned long i = 0; i < batch; ++i) {
      if (nodes[i] >= 0 && nodes[i] < numa_nodes_max)
        counts->on[nodes[i]] += page_bytes;
      else if (nodes[i] != -ENOENT)
        counts->elsewhere += page_bytes;
    }
  }
  return true;
}

void touch_pages(const char* address, std::uint64_t bytes) {
  // relaxed: only the page fault is wanted, not the value.
  for (std::uint64_t done = 0; done < bytes; done += page_bytes)
    (void)std::atomic_ref<char>(const_cast<char&>(address[done])).load(std::memory_order_relaxed);
}

bool count_file_pages(int descriptor, std::uint64_t offset, const char* address,
                      std::uint64_t bytes, NodeBytes* counts) {
  auto end = static_cast<off_t>(offset + bytes);
  for (auto at = static_cast<off_t>(offset); at < end;) {
    at = lseek(descriptor, at, SEEK_DATA);
    if (at < 0) return errno == ENXIO;  // ENXIO: no more data in the file
    if (at >= end) break;
    off_t hole = std::min(lseek(descriptor, at, SEEK_HOLE), end);
    if (hole <= at) return false;
    const char* here = address + (static_cast<std::uint64_t>(at) - offset);
    touch_pages(here, static_cast<std::uint64_t>(hole - at));
    if (!count_pages(here, static_cast<std::uint64_t>(hole - at), counts)) return false;
    at = hole;
  }
  return true;
}

void count_numa_line(const char* line, const char* but_file, NodeBytes* counts) {
  if (std::strstr(line, but_file)) return;
  const char* size = std::strstr(line, " kernelpagesize_kB=");
  std::uint64_t unit = size ? std::strtoull(size + 19, nullptr, 10) * kib : page_bytes;
  for (const char* word = line; (word = std::strstr(word, " N")) != nullptr;) {
    char* rest = nullptr;
    long node = std::strtol(word + 2, &rest, 10);
    if (rest == word + 2 || *rest != '=') {
      word += 2;
      continue;
    }
    std::uint64_t bytes = std::strtoull(rest + 1, &rest, 10) * unit;
    (node >= 0 && node < numa_nodes_max ? counts->on[node] : counts->elsewhere) += bytes;
    word = rest;
  }
}

bool count_process_pages(const char* but_file, NodeBytes* counts) {
  std::FILE* file = std::fopen("/proc/self/numa_maps", "re");
  if (!file) return false;
  char* line = nullptr;
  std::size_t space = 0;
  while (getline(&line, &space, file) > 0) count_numa_line(line, but_file, counts);
  std::free(line);
  std::fclose(file);
  return true;
}

std::uint64_t process_peak_bytes() {
  char text[4096];
  int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t length = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  text[std::max<ssize_t>(length, 0)] = 0;
  return meminfo_bytes(text, "VmHWM:");
}

}  // namespace baton::platform
