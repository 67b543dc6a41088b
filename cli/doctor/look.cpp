#include "cli/doctor/look.hpp"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "base/environment.hpp"
#include "cli/installed_file.hpp"
#include "lockfree/job.hpp"
#include "platform/file_text.hpp"
#include "platform/memory_file.hpp"
#include "platform/memory_policy.hpp"
#include "platform/node_memory.hpp"

namespace baton::cli::doctor {

namespace {

constexpr std::uint64_t page_bytes = 4096;

// Returns 0, or the errno with which the kernel refuses a counter of this process or of CPU 0.
int counter_error(std::uint32_t type, std::uint64_t event, bool whole_cpu) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = type;
  wanted.config = event;
  wanted.disabled = 1;
  wanted.exclude_kernel = whole_cpu ? 0 : 1;
  const long file = ::syscall(SYS_perf_event_open, &wanted, whole_cpu ? -1 : 0, whole_cpu ? 0 : -1,
                              -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) return errno;
  ::close(static_cast<int>(file));
  return 0;
}

std::uint64_t limit_of(__rlimit_resource_t resource, bool hard) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return unlimited;
  const rlim_t value = hard ? limit.rlim_max : limit.rlim_cur;
  return value == RLIM_INFINITY ? unlimited : value;
}

}  // namespace

HugePages look_at_huge_pages() {
  return {machine::read_kernel_rules(""), platform::grants_huge_memory(),
          platform::collapse_error()};
}

Counters look_at_counters() {
  Counters facts;
  facts.process_error = counter_error(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
  facts.machine_error = counter_error(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> facts.paranoid;
  return facts;
}

Limits look_at_limits() {
  return {.locked_bytes = limit_of(RLIMIT_MEMLOCK, false),
          .address_bytes = limit_of(RLIMIT_AS, false),
          .open_files = limit_of(RLIMIT_NOFILE, true),  // mpiexec raises its own limit to that
          .core_bytes = limit_of(RLIMIT_CORE, false),
          .pair_bytes = lockfree::job_header(2, 2).file_bytes,
          .job_bytes = lockfree::job_header(64, 64).file_bytes};
}

NumaCalls look_at_numa_calls() {
  NumaCalls facts;
  if (!platform::bind_process({})) facts.set_mempolicy_error = errno;
  void* page = platform::make_private_memory(page_bytes, page_bytes);
  if (!page) return facts;
  if (!platform::bind_memory(page, page_bytes, {})) facts.mbind_error = errno;
  platform::reserve_private_memory(page, page_bytes);
  platform::NodeBytes counts;
  if (!platform::count_pages(static_cast<char*>(page), page_bytes, &counts))
    facts.move_pages_error = errno;
  platform::unmap_memory(page, page_bytes);
  return facts;
}

Installation look_at_installation() {
  // Baton's own files name Baton; files of others do not.
  auto look_at = [](const std::string& path) {
    const std::string bytes = platform::file_text(path).value_or("");
    return InstalledFile{path, bytes.find("Baton") != std::string::npos};
  };
  Installation facts{
      look_at(installed_file("mpiexec")), look_at(installed_file("libmpi_abi.so.1")), {}};
  const char* path = environment_variable("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string file = folder + "/mpiexec"; ::access(file.c_str(), X_OK) == 0) {
      facts.first_on_path = look_at(file);
      break;
    }
  return facts;
}

}  // namespace baton::cli::doctor
