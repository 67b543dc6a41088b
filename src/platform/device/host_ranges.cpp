#include "platform/device/host_ranges.hpp"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace baton::platform {

namespace {

// The first thing that the loader lists is the program. Its data is the segment that can be
// written.
int take_program(dl_phdr_info* info, std::size_t, void* range) {
  auto* ends = static_cast<std::uintptr_t*>(range);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_W)) continue;
    ends[0] = info->dlpi_addr + part.p_vaddr;
    ends[1] = ends[0] + part.p_memsz;
  }
  return 1;
}

// Calls see(start, end, line) for each line of the process's mappings.
template <class See>
void each_mapping(See see) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return;
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    if (std::sscanf(line, "%lx-%lx", &start, &end) == 2) see(start, end, line);
  }
  std::fclose(maps);
}

}  // namespace

void HostRanges::find() {
  std::uintptr_t ends[2] = {};
  ::dl_iterate_phdr(take_program, ends);
  program_ = {ends[0], ends[1]};
  each_mapping([this](std::uintptr_t start, std::uintptr_t end, const char* line) {
    if (std::strstr(line, "[stack]")) first_stack_ = {start, end};
    if (std::strstr(line, "[heap]")) heap_start_ = std::min(heap_start_, start);
  });
}

void HostRanges::note(const void* start, std::size_t bytes) {
  const int count = noted_count_.load(std::memory_order_relaxed);  // relaxed: our own
  if (count == noted_max || bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  noted_[count] = {first, first + bytes};
  // ORDER host_ranges.count: release here, acquire in contain; the range.
  noted_count_.store(count + 1, std::memory_order_release);
}

// The first thread's is not found here: glibc would give all that it may grow into.
HostRanges::Range HostRanges::find_own_stack() {
  pthread_attr_t attributes;
  if (::gettid() == ::getpid() || ::pthread_getattr_np(::pthread_self(), &attributes) != 0)
    return {};
  void* start = nullptr;
  std::size_t bytes = 0;
  ::pthread_attr_getstack(&attributes, &start, &bytes);
  ::pthread_attr_destroy(&attributes);
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  return {first, first + bytes};
}

bool HostRanges::contain(const void* place) const {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  if (first_stack_.contains(address) || program_.contains(address)) return true;
  // sbrk(0) makes no system call in glibc. Below the break all is mapped.
  if (address >= heap_start_ && address < reinterpret_cast<std::uintptr_t>(::sbrk(0))) return true;
  // ORDER host_ranges.count: acquire here, release in note.
  const int noted = noted_count_.load(std::memory_order_acquire);
  for (int i = 0; i < noted; ++i)
    if (noted_[i].contains(address)) return true;
  static thread_local constinit bool is_known = false;
  static thread_local constinit Range own_stack;
  if (!is_known) {
    own_stack = find_own_stack();
    is_known = true;
  }
  return own_stack.contains(address);
}

}  // namespace baton::platform
