// These functions tell the CPU time and the memory that control groups (v1 or v2) grant this
// process, and how many processes were killed for memory. They take text and return numbers, so
// that captured systems can be tested.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::machine {

// Returns "max 100000" or "150000 100000" (cpu.max) in CPUs; 0 when there is no limit.
double quota_from_cpu_max(std::string_view text);

// Returns cpu.cfs_quota_us and cpu.cfs_period_us in CPUs; 0 when there is no limit.
double quota_from_cfs(std::string_view quota_us, std::string_view period_us);

// Returns the tightest limit in CPUs on the way from this process's group to the root. `root` is ""
// on a live system; tests pass a folder that holds proc/self/cgroup and sys/fs/cgroup.
double read_quota_cpus(const std::string& root);

// Returns memory.max or memory.limit_in_bytes in bytes; 0 when there is no limit.
double memory_limit_from(std::string_view text);

// Returns the tightest limit on memory on the way to the root; 0 when there is none.
std::uint64_t read_memory_limit_bytes(const std::string& root);

// This counts processes that the kernel has killed for want of memory: in this process's group, and
// on the machine. A count that cannot be read is 0.
struct MemoryKills {
  std::uint64_t in_group = 0;
  std::uint64_t on_machine = 0;
};
MemoryKills read_memory_kills(const std::string& root);

}  // namespace baton::machine
