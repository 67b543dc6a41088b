#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "cli/commands.hpp"
#include "cli/doctor/devices.hpp"
#include "cli/doctor/folder.hpp"
#include "cli/doctor/judge.hpp"
#include "cli/doctor/look.hpp"
#include "cli/print.hpp"
#include "cli/sibling_read.hpp"
#include "lockfree/job.hpp"
#include "machine/discover.hpp"
#include "platform/futex.hpp"
#include "platform/memory_file.hpp"

extern char** environ;

namespace baton::cli {

namespace {

using namespace doctor;

constexpr const char* words[] = {"ok", "slower", "BAD", "note"};

void print_json(const std::vector<Finding>& findings, const char* key, bool bad) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    all.push_back({{"verdict", words[static_cast<int>(finding.verdict)]},
                   {"subject", finding.subject},
                   {"text", finding.text},
                   {"remedy", finding.remedy}});
  write_out("{}\n", nlohmann::ordered_json{{key, !bad}, {"findings", all}}.dump());
}

void print(const Finding& finding) {
  write_out("{:<7} {:<16} {}{}{}\n", words[static_cast<int>(finding.verdict)], finding.subject,
            finding.text, finding.remedy.empty() ? "" : "; ", finding.remedy);
}

// Prints the findings and what they come to; `key` names that in JSON. Returns the exit code.
int tell(const std::vector<Finding>& findings, bool json, const char* key, const char* good_end,
         const char* bad_end) {
  const bool bad = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.verdict == Verdict::bad; });
  if (json) {
    print_json(findings, key, bad);
    return bad ? 1 : 0;
  }
  for (const Finding& finding : findings) print(finding);
  write_out("{}\n", bad ? bad_end : good_end);
  return bad ? 1 : 0;
}

Finding examine_memory_file() {
  const char* subject = "memory file";
  constexpr std::uint64_t bytes = 1 << 20;
  int file = platform::make_memory_file("baton-doctor", bytes);
  if (file < 0)
    return {
        Verdict::bad, subject,
        fmt::format("memfd_create: {}; jobs cannot share memory. A seccomp filter may forbid it",
                    std::strerror(errno))};
  bool reserved = platform::reserve_memory(file, 0, bytes);
  int error = errno;
  void* memory = platform::map_memory_file(file, bytes);
  if (memory) platform::unmap_memory(memory, bytes);
  ::close(file);
  if (!reserved || !memory)
    return {Verdict::bad, subject,
            fmt::format("{}: {}; see the control group's memory.max and ulimit -v",
                        reserved ? "mmap" : "fallocate", std::strerror(reserved ? errno : error))};
  return {Verdict::good, subject, "memfd_create, sealing, fallocate and mmap work"};
}

Finding examine_file_limit() {
  const char* subject = "file size";
  rlimit limit{};
  std::uint64_t needed = lockfree::job_header(64, 64).file_bytes;
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < needed)
    return {Verdict::bad, subject,
            fmt::format("ulimit -f allows {} MiB, a job of 64 ranks spans {} MiB; raise it",
                        limit.rlim_cur >> 20, needed >> 20)};
  return {Verdict::good, subject, "no limit (ulimit -f) in the way of 64 ranks"};
}

Finding examine_cross_memory(int error) {
  const char* subject = "single copy";
  if (error == 0) return {Verdict::good, subject, "one rank may copy from another (CMA)"};
  std::string remedy =
      "in a container start it with --cap-add SYS_PTRACE or a seccomp profile that "
      "allows process_vm_readv";
  std::string scope;
  if (std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope && scope != "0")
    remedy = "sysctl kernel.yama.ptrace_scope=0 permits it (it is " + scope + ")";
  return {Verdict::slower, subject,
          fmt::format("process_vm_readv: {}; long messages use pipelined copies instead. {}",
                      std::strerror(error), remedy)};
}

Finding examine_futex() {
  std::atomic<std::uint32_t> word{0};
  errno = 0;
  platform::futex_wake(word);
  if (errno == ENOSYS || errno == EPERM)
    return {Verdict::bad, "futex",
            fmt::format("{}; waiting ranks cannot sleep", std::strerror(errno))};
  return {Verdict::good, "futex", "waiting ranks can sleep and be woken"};
}

Finding examine_membarrier() {
  if (platform::membarrier_register())
    return {Verdict::good, "membarrier", "senders need no fence"};
  return {Verdict::slower, "membarrier",
          fmt::format("{}; senders fence instead (some 35 ns per message)", std::strerror(errno))};
}

std::vector<Finding> examine_cpus(const machine::Machine& machine) {
  const int cpus = static_cast<int>(machine.cpus.size());
  Finding quota{Verdict::good, "CPU quota", "none"};
  if (machine.quota_cpus > 0) quota.text = fmt::format("{:.2f} CPUs, enough", machine.quota_cpus);
  if (machine.quota_cpus > 0 && machine.quota_cpus < cpus) {
    quota.verdict = Verdict::slower;
    quota.text = fmt::format(
        "the control group grants {:.2f} CPUs of the {} seen; ranks beyond that wait "
        "by sleeping, and mpiexec without -n starts {}",
        machine.quota_cpus, cpus, machine::cpus_usable(machine));
  }
  return {{Verdict::good, "CPUs",
           fmt::format("{} of {} usable, {} cores", cpus, machine.cpus_present,
                       machine::core_count(machine))},
          quota};
}

Finding examine_dev_shm() {
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0)
    return {Verdict::note, "/dev/shm", "absent; Baton does not use it"};
  return {Verdict::note, "/dev/shm",
          fmt::format("{} MiB; Baton does not use it, its size does not matter",
                      status.f_frsize * status.f_blocks >> 20)};
}

Finding examine_processes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < 256 && ::geteuid() != 0)
    return {Verdict::slower, "processes",
            fmt::format("ulimit -u is {}; larger jobs will not start", limit.rlim_cur)};
  return {Verdict::good, "processes", "no limit in the way"};
}

Finding examine_launchers() {
  for (char** entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    for (std::string_view name : {"PMI_FD=", "PMI_PORT=", "PMIX_RANK=", "PMI_RANK="})
      if (text.starts_with(name))
        return {Verdict::slower, "other launcher",
                fmt::format("{} is set: a program started from here believes that it is another "
                            "launcher's rank; start it with Baton's mpiexec",
                            name.substr(0, name.size() - 1))};
  }
  return {Verdict::good, "other launcher", "none in this environment"};
}

}  // namespace

int examine_system(bool json) {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is a result here, not a death
  read_settings(nullptr);
  const int read_error = sibling_read_error();
  std::vector<Finding> findings{
      examine_memory_file(),
      examine_file_limit(),
      examine_cross_memory(read_error),
      judge_windows({read_error, settings.cma != 0, settings.progress_thread != 0}),
      examine_futex(),
      examine_membarrier(),
      examine_processes(),
      examine_dev_shm(),
      examine_launchers()};
  auto add = [&findings](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  add(judge_installation(look_at_installation()));
  add(judge_limits(look_at_limits()));
  auto machine = machine::read_machine();
  if (machine) {
    machine::read_memory_rules(*machine);
    add(examine_cpus(*machine));
    add({judge_memory_limit(*machine), judge_numa_calls(look_at_numa_calls(), *machine)});
    add(judge_page_moving(machine::read_kernel_rules(""), *machine));
  } else {
    add({{Verdict::bad, "topology", machine.error()}});
  }
  add(judge_huge_pages(look_at_huge_pages()));
  add({judge_counters(look_at_counters())});
  add(judge_devices(look_at_devices()));
  return tell(findings, json, "jobs_run", "jobs run here",
              "jobs will not run here until what is BAD is fixed");
}

int examine_folder(const std::string& path, bool json) {
  std::signal(SIGXFSZ, SIG_IGN);  // as above
  return tell(judge_folder(look_at_folder(path)), json, "files_work", "MPI files work there",
              "programs cannot write files there");
}

}  // namespace baton::cli
