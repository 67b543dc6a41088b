#include "platform/own_memory.hpp"

#include <cstdio>

namespace baton::platform {

bool is_mapped_now(std::uint64_t address, std::uint64_t bytes) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return false;
  const std::uint64_t end = address + bytes;
  std::uint64_t known = address;  // up to here it is writable memory
  char line[512];                 // a longer line is read in parts that are no ranges
  while (known < end && std::fgets(line, sizeof line, maps)) {
    unsigned long long first, last;
    char readable, writable;
    if (std::sscanf(line, "%llx-%llx %c%c", &first, &last, &readable, &writable) != 4) continue;
    if (last <= known) continue;
    // Ranges are listed in ascending order.
    if (first > known || readable != 'r' || writable != 'w') break;
    known = last;
  }
  std::fclose(maps);
  return known >= end;
}

}  // namespace baton::platform
