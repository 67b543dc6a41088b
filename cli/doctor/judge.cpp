#include "cli/doctor/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "machine/cores.hpp"

namespace baton::cli::doctor {

namespace {

using machine::KernelRules;
using machine::Machine;

constexpr const char* huge_folder = "/sys/kernel/mm/transparent_hugepage";
constexpr const char* no_huge_kernel = "it takes a kernel with CONFIG_TRANSPARENT_HUGEPAGE";

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{} MiB", bytes >> 20);
}

Finding judge_private_huge(const KernelRules& kernel) {
  const char* subject = "huge pages";
  if (kernel.huge_private.empty())
    return {Verdict::note, subject, "programs get none: this kernel has none", no_huge_kernel};
  if (kernel.huge_private == "never")
    return {Verdict::note, subject,
            fmt::format("programs get none: {}/enabled is never", huge_folder),
            "as root write madvise there, and those that ask get some"};
  return {Verdict::good, subject,
          kernel.huge_private == "always" ? "programs get them unasked (always)"
                                          : "programs that ask get them (madvise)"};
}

Finding judge_file_huge(const HugePages& facts) {
  const char* subject = "huge in files";
  const std::string& word = facts.kernel.huge_shared;
  if (facts.files_have_them)
    return {Verdict::good, subject,
            fmt::format("MPI_Alloc_mem gets them with --memory heap=...,huge (shmem_enabled is {})",
                        word.empty() ? "not there" : word)};
  if (word.empty())
    return {Verdict::note, subject, "MPI_Alloc_mem gets none: this kernel has none",
            no_huge_kernel};
  return {Verdict::note, subject,
          fmt::format("MPI_Alloc_mem gets none: {}/shmem_enabled is {}", huge_folder, word),
          "as root write advise there"};
}

Finding judge_collapse(int error) {
  const char* subject = "MADV_COLLAPSE";
  if (error == 0) return {Verdict::good, subject, "small pages can be merged into huge ones"};
  if (error == EINVAL)
    return {Verdict::note, subject, "small pages cannot be merged into huge ones",
            "it takes Linux 6.1 or later"};
  return {Verdict::note, subject,
          fmt::format("small pages are not merged into huge ones: {}", std::strerror(error)),
          error == ENOMEM || error == EAGAIN
              ? "memory is short or fragmented: as root write 1 to /proc/sys/vm/compact_memory"
              : "in a container use a seccomp profile that allows madvise"};
}

Finding judge_pool(long pages) {
  const char* subject = "hugetlb pool";
  if (pages == 0) return {Verdict::good, subject, "nothing set aside; Baton does not need it"};
  return {
      Verdict::note, subject,
      fmt::format("{} huge pages are set aside, which Baton does not use and others cannot", pages),
      "if nobody uses them: sysctl vm.nr_hugepages=0"};
}

Finding judge_address_space(const Limits& facts) {
  const char* subject = "address space";
  if (facts.address_bytes < facts.job_bytes)
    return {facts.address_bytes < facts.pair_bytes ? Verdict::bad : Verdict::slower, subject,
            fmt::format("ulimit -v allows {}, a job of 64 ranks maps {}",
                        mebibytes(facts.address_bytes), mebibytes(facts.job_bytes)),
            "ulimit -v unlimited"};
  return {Verdict::good, subject, "no limit (ulimit -v) in the way of 64 ranks"};
}

Finding judge_open_files(std::uint64_t limit) {
  constexpr std::uint64_t needed = 64 * 2 + 32;  // for mpiexec -l: two pipes a rank
  const char* subject = "open files";
  if (limit < needed)
    return {Verdict::slower, subject,
            fmt::format("ulimit -n is {}; mpiexec -l of 64 ranks opens {}", limit, needed),
            "ulimit -n 1024, as root where it is refused"};
  return {Verdict::good, subject, "no limit (ulimit -n) in the way"};
}

Finding judge_core_files(std::uint64_t limit) {
  const char* subject = "core files";
  if (limit == 0)
    return {Verdict::note, subject, "a rank that crashes leaves none (ulimit -c is 0)",
            "ulimit -c unlimited before mpiexec, to look at it in a debugger"};
  return {Verdict::good, subject, "a rank that crashes may leave one (ulimit -c)"};
}

Finding judge_balancing(const KernelRules& kernel, const Machine& machine) {
  const char* subject = "AutoNUMA";
  if (!kernel.balances) return {Verdict::good, subject, "off: pages stay where they are"};
  if (machine::nodes_with_cpus(machine).size() < 2)
    return {Verdict::good, subject, "on, with one NUMA node that has CPUs: nothing moves"};
  return {Verdict::note, subject,
          "on: it interrupts programs to see which pages they use, and moves those that no policy "
          "holds (--memory all=... holds them)",
          "as root: sysctl kernel.numa_balancing=0"};
}

Finding judge_demotion(const KernelRules& kernel, const Machine& machine) {
  const char* subject = "demotion";
  if (!kernel.demotes)
    return {Verdict::good, subject, "off: full nodes give no pages to slower ones"};
  const auto& nodes = machine.memory;
  const bool one_tier = std::ranges::all_of(
      nodes, [&](const machine::NumaNode& node) { return node.tier == nodes.front().tier; });
  if (one_tier) return {Verdict::good, subject, "on, but all memory is of one tier: nothing moves"};
  return {Verdict::note, subject,
          "on: pages of a full node go to slower memory, also those that --memory has placed",
          "as root write false to /sys/kernel/mm/numa/demotion_enabled"};
}

Finding judge_weights(const Machine& machine) {
  const char* subject = "interleaving";
  const auto& nodes = machine.memory;
  if (nodes.size() < 2) return {Verdict::good, subject, "one NUMA node: nothing to interleave"};
  const bool one_tier = std::ranges::all_of(
      nodes, [&](const machine::NumaNode& node) { return node.tier == nodes.front().tier; });
  if (machine::weighs(machine)) {
    std::string text;
    for (const machine::NumaNode& node : nodes)
      text += fmt::format("{}node {} {}", text.empty() ? "weighted: " : ", ", node.os, node.weight);
    return {Verdict::good, subject, text};
  }
  if (one_tier) return {Verdict::good, subject, "page by page, all nodes being of one tier"};
  if (nodes.front().weight == 0)
    return {Verdict::note, subject,
            "this kernel has no weighted interleaving, so `interleave` uses DRAM only",
            "Linux 6.9 has weights"};
  return {
      Verdict::note, subject,
      "all nodes have the same weight though their tiers differ, so `interleave` uses DRAM only",
      "as root write weights like the bandwidths that `baton topo` shows to "
      "/sys/kernel/mm/mempolicy/weighted_interleave/nodeN"};
}

Finding judge_file(const char* subject, const char* name, const InstalledFile& file) {
  if (file.path.empty())
    return {Verdict::bad, subject, fmt::format("there is no {} beside this tool", name),
            "install Baton again"};
  if (!file.ours)
    return {Verdict::bad, subject,
            fmt::format("{} is another MPI's: its package was installed over Baton's", file.path),
            "keep one of the two in an environment: uninstall the other, then install Baton again"};
  return {Verdict::good, subject, file.path};
}

}  // namespace

std::vector<Finding> judge_installation(const Installation& facts) {
  std::vector<Finding> findings{judge_file("mpiexec", "mpiexec", facts.mpiexec),
                                judge_file("library", "libmpi_abi.so.1", facts.library)};
  if (facts.mpiexec.ours && !facts.first_on_path.path.empty() && !facts.first_on_path.ours)
    findings.push_back(
        {Verdict::note, "PATH",
         fmt::format("a shell finds another MPI's mpiexec first, {}", facts.first_on_path.path),
         fmt::format("name {}, or put its folder first in PATH", facts.mpiexec.path)});
  return findings;
}

std::vector<Finding> judge_huge_pages(const HugePages& facts) {
  return {judge_private_huge(facts.kernel), judge_file_huge(facts),
          judge_collapse(facts.collapse_error), judge_pool(facts.kernel.huge_pool)};
}

Finding judge_counters(const Counters& facts) {
  const char* subject = "counters";
  const int error = facts.process_error;
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return {Verdict::note, subject,
            "this processor shows no performance counters here, as in most virtual machines",
            "give the virtual machine a PMU, or measure on the machine itself"};
  if (error != 0)
    return {Verdict::note, subject,
            fmt::format("perf_event_open: {}; programs' cycles and cache misses cannot be counted",
                        std::strerror(error)),
            facts.paranoid > 2
                ? fmt::format("sysctl kernel.perf_event_paranoid=2 (it is {})", facts.paranoid)
                : "in a container start it with --cap-add PERFMON, or a seccomp "
                  "profile that allows perf_event_open"};
  if (facts.machine_error != 0)
    return {Verdict::note, subject,
            fmt::format("cycles and cache misses of own programs can be counted, traffic of memory "
                        "controllers not (perf_event_paranoid is {})",
                        facts.paranoid),
            "as root: sysctl kernel.perf_event_paranoid=0, or give the tool CAP_PERFMON"};
  return {Verdict::good, subject, "those of programs and of the whole machine can be read"};
}

std::vector<Finding> judge_limits(const Limits& facts) {
  const Finding locked{
      Verdict::good, "locked memory",
      facts.locked_bytes == unlimited
          ? "no limit (ulimit -l)"
          : fmt::format("{} KiB (ulimit -l); Baton locks none", facts.locked_bytes >> 10)};
  return {judge_address_space(facts), locked, judge_open_files(facts.open_files),
          judge_core_files(facts.core_bytes)};
}

Finding judge_windows(const PrivateWindows& facts) {
  const char* subject = "windows";
  if (facts.cma && facts.read_error == 0)
    return {Verdict::good, subject,
            "memory of MPI_Win_create and MPI_Win_attach is reached through the kernel (CMA), "
            "without help of the target"};
  const std::string cause =
      facts.cma ? fmt::format("process_vm_readv: {}", std::strerror(facts.read_error))
                : "BATON_CMA=0";
  return {Verdict::slower, subject,
          fmt::format("operations on memory of MPI_Win_create and MPI_Win_attach go as messages "
                      "({}): a target carries them out {}",
                      cause,
                      facts.progress_thread ? "in its progress thread (BATON_PROGRESS_THREAD=1)"
                                            : "only while it is in MPI"),
          facts.progress_thread ? "MPI_Win_allocate gives memory that all ranks of a node map"
                                : "use MPI_Win_allocate, whose memory all ranks of a node map, or "
                                  "BATON_PROGRESS_THREAD=1"};
}

Finding judge_memory_limit(const Machine& machine) {
  const char* subject = "memory limit";
  std::uint64_t all = 0;
  for (const machine::NumaNode& node : machine.memory) all += node.bytes;
  const std::uint64_t limit = machine.memory_limit_bytes;
  if (limit == 0 || (all > 0 && limit >= all)) return {Verdict::good, subject, "none"};
  return {Verdict::note, subject,
          fmt::format("the control group grants {} of {}; what wants more is killed",
                      mebibytes(limit), mebibytes(all)),
          "raise its memory.max, of a container --memory, or start fewer ranks"};
}

Finding judge_numa_calls(const NumaCalls& facts, const Machine& machine) {
  const char* subject = "NUMA calls";
  struct Call {
    const char* name;
    int error;
  };
  for (const Call& call :
       {Call{"set_mempolicy", facts.set_mempolicy_error}, Call{"mbind", facts.mbind_error},
        Call{"move_pages", facts.move_pages_error}}) {
    if (call.error == 0) continue;
    const bool matters = machine.memory.size() > 1;
    return {matters ? Verdict::slower : Verdict::note, subject,
            fmt::format("{}: {}; {}", call.name, std::strerror(call.error),
                        matters ? "--memory places nothing, or --memory-report cannot look"
                                : "with one NUMA node that hardly matters"),
            call.error == ENOSYS
                ? "it takes a kernel with CONFIG_NUMA"
                : "in a container start it with --cap-add SYS_NICE, or a seccomp profile that "
                  "allows these calls"};
  }
  return {Verdict::good, subject, "set_mempolicy, mbind and move_pages work"};
}

std::vector<Finding> judge_page_moving(const KernelRules& kernel, const Machine& machine) {
  return {judge_balancing(kernel, machine), judge_demotion(kernel, machine),
          judge_weights(machine)};
}

}  // namespace baton::cli::doctor
