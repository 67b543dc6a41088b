// mpiexec. Two processes: this one, which people signal and wait for, and below it the manager,
// which starts the ranks. Both are subreapers. If this one is killed, the manager kills all below
// it; if the manager is killed, all below it comes up to this one and is killed here; if both are,
// the kernel kills the ranks (parent-death signal) and the library ends the others (lifeline).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "launch/debugger.hpp"
#include "launch/descendants.hpp"
#include "launch/ending.hpp"
#include "launch/environment.hpp"
#include "launch/export_heap.hpp"
#include "launch/library_check.hpp"
#include "launch/library_folder.hpp"
#include "launch/manager.hpp"
#include "launch/memory.hpp"
#include "launch/memory_warnings.hpp"
#include "launch/option_table.hpp"
#include "launch/other_jobs.hpp"
#include "launch/outlet.hpp"
#include "launch/report.hpp"
#include "launch/signals.hpp"
#include "launch/threads.hpp"
#include "machine/configuration.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/draw_svg.hpp"
#include "machine/kernel.hpp"
#include "platform/memory_file.hpp"
#include "platform/standard_descriptors.hpp"

namespace baton::launch {

namespace {

constexpr int usage_code = 2;
constexpr auto last_words = std::chrono::milliseconds(500);  // guess: for a reader that stopped

std::expected<machine::Placement, std::string> plan(const Options& options,
                                                    const machine::Machine& machine,
                                                    OtherJobs& others) {
  machine::PlacementPolicy policy;
  policy.width = rank_width(options);
  policy.map_by = options.map_by;
  policy.bind_to = options.bind_to;
  policy.cores = options.cores;
  policy.master = options.layout && options.layout->master;
  policy.per_object = options.per_object;
  policy.ranking = options.ranking;
  policy.hwthreads = options.hwthreads;
  policy.may_share = options.may_share;
  policy.may_not_share = options.may_not_share;
  policy.acceptable = options.programs.front().acceptable;
  for (const Program& program : options.programs) policy.ranks += program.ranks;
  auto placement = machine::place_beside(machine, policy, others.look(machine));
  if (placement && !options.dry_run) others.claim(*placement);
  return placement;
}

// What --config means here, as if the user had said it.
std::expected<void, std::string> configure(Options& options, const machine::Machine& machine) {
  if (options.config.empty()) return {};
  int ranks = 0;
  for (const Program& program : options.programs) ranks += program.ranks;
  auto meant = machine::configure(machine, options.config, ranks, rank_width(options));
  if (!meant) return std::unexpected("--config " + meant.error());
  options.cores = meant->cores;
  options.memory = meant->memory;
  if (ranks == 0) options.programs.front().ranks = meant->ranks;
  return {};
}

bool draw_into_file(const Options& options, const machine::Machine& machine,
                    const machine::Placement& placement) {
  std::ofstream file(options.binding_file);
  file << machine::draw_placement_svg(machine, placement);
  file.close();
  if (!file)
    complain(fmt::format("--report-binding={}: {}", options.binding_file, std::strerror(errno)));
  return !file.fail();
}

void warn(const Options& options, const machine::Machine& machine,
          const machine::Placement& placement, const MemoryPlan& memory) {
  std::vector<std::string> warnings = options.warnings;
  warnings.insert(warnings.end(), placement.warnings.begin(), placement.warnings.end());
  for (std::string& warning : thread_warnings(options, placement))
    warnings.push_back(std::move(warning));
  const bool huge_granted = memory.policy.heap.huge && platform::grants_huge_memory();
  for (std::string& warning :
       memory_warnings(memory, machine, placement, machine::read_kernel_rules(""), huge_granted))
    warnings.push_back(std::move(warning));
  for (const std::string& warning : warnings) complain("warning: " + warning);
}

// Waits for the manager, passing signals on to it. Returns its wait status. One that does not obey
// is killed; a second signal says that people do not want to wait.
int guard(pid_t manager, const sigset_t& signals) {
  constexpr timespec patience{10, 0};  // guess: it may have much to report at the end
  bool told_to_end = false;
  while (true) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == manager) return status;
    siginfo_t info{};
    int signal =
        told_to_end ? ::sigtimedwait(&signals, &info, &patience) : ::sigwaitinfo(&signals, &info);
    if (signal < 0 && errno == EAGAIN) ::kill(manager, SIGKILL);
    if (signal <= 0 || signal == SIGCHLD) continue;
    // A terminal's Ctrl-C has reached the manager already; its hang-up goes to us alone if we lead
    // the session.
    if (info.si_code != SI_KERNEL || signal == SIGHUP) ::kill(manager, signal);
    if (!ends_the_job(signal, info.si_code)) continue;
    ::kill(manager, SIGCONT);  // a stopped process could not obey
    told_to_end = true;
  }
}

// Waits until the manager has started all ranks; none when it could not.
std::vector<pid_t> started_ranks(int pipe_end, std::size_t count) {
  std::vector<pid_t> processes(count);
  char* bytes = reinterpret_cast<char*>(processes.data());
  std::size_t left = count * sizeof(pid_t);
  while (left > 0) {
    ssize_t got = ::read(pipe_end, bytes, left);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    bytes += got;
    left -= static_cast<std::size_t>(got);
  }
  return processes;
}

// Ranks that are held wait for the byte.
void show_and_release(const std::vector<pid_t>& processes, int manager_end) {
  if (!processes.empty()) show_ranks(processes);
  char byte = 1;
  [[maybe_unused]] ssize_t written = ::write(manager_end, &byte, 1);
}

// The job's memory file, with what ranks need to find in it.
std::optional<JobFile> prepare_file(const Options& options, const machine::Machine& machine,
                                    const machine::Placement& placement, MemoryPlan& memory) {
  auto file = make_job_file(placement, deposit_plan(options),
                            {options.explains(), started_by_debugger(), options.export_heap});
  if (!file) {
    complain(file.error());
    return std::nullopt;
  }
  file->header->memory_report = options.memory_report;
  if (options.export_heap && file->header->program_heap_bytes == 0)
    complain(
        "--export-heap: the limit on file sizes leaves no room for the programs' memory in the "
        "job's; they keep their own malloc's way of getting it. Raise it with ulimit -f");
  if (options.export_heap) {
    const machine::KernelRules kernel = machine::read_kernel_rules("");
    file->header->program_heap_huge =
        kernel.huge_private == "always" && !machine::shares_huge_unasked(kernel);
  }
  if (auto placed = place_job(memory, machine, *file); !placed) {
    complain(placed.error());
    return std::nullopt;
  }
  for (const std::string& note : memory.notes) complain(fmt::format("{}: {}", memory.asked, note));
  return *file;
}

int run(const Options& options, const machine::Machine& machine,
        const machine::Placement& placement, const ProfileInUse& profile, MemoryPlan& memory) {
  Inherited inherited{};
  const sigset_t signals = heeded_signals();
  ::sigprocmask(SIG_BLOCK, &signals, &inherited.signals);
  ::getrlimit(RLIMIT_NOFILE, &inherited.open_files);
  become_subreaper();
  int guard_pipe[2], ranks_pipe[2];
  bool connected = ::pipe2(guard_pipe, O_CLOEXEC) == 0 && ::pipe2(ranks_pipe, O_CLOEXEC) == 0;
  pid_t manager = connected ? ::fork() : -1;
  if (manager < 0) {
    complain(fmt::format("cannot start the process manager: {}", std::strerror(errno)));
    return 1;
  }
  if (manager == 0) {
    ::prctl(PR_SET_NAME, "baton-keeper");  // by which it is told from a loader that is asked
    ::close(guard_pipe[1]);
    ::close(ranks_pipe[0]);
    auto file = prepare_file(options, machine, placement, memory);
    Connection connection{guard_pipe[0], ranks_pipe[1]};
    int code = 1;
    if (file)
      code = manage({options, machine, placement, *file, profile, memory}, connection, inherited);
    ::_exit(code);
  }
  ::close(guard_pipe[0]);
  ::close(ranks_pipe[1]);
  std::vector<pid_t> known = started_ranks(ranks_pipe[0], placement.ranks.size());
  show_and_release(known, guard_pipe[1]);
  ::close(ranks_pipe[0]);
  int status = guard(manager, signals);
  std::string left = kill_descendants(known);
  report_in_background();
  if (WIFSIGNALED(status))
    complain(fmt::format("the process manager died: {}; ended the job", ending_text(status)));
  if (!left.empty()) complain(left);
  Outlet::of(STDERR_FILENO).finish(last_words);
  int code = ending_code(status);
  if (code != 0) show_failure(fmt::format("the job ended with code {}", code));
  return code;
}

// What was asked for on standard output; returns the exit code.
int print(std::string_view text) {
  if (write_text(STDOUT_FILENO, text)) return 0;
  complain(fmt::format("standard output: {}", std::strerror(errno)));
  return 1;
}

// What of Baton ranks load.
std::expected<void, std::string> find_own_files(Options& options) {
  LibraryFolder folder = find_library_folder();
  options.library_folder = folder.path;
  if (!folder.warning.empty()) options.warnings.push_back(folder.warning);
  if (!options.export_heap) return {};
  auto file = find_preload();
  if (!file) return std::unexpected(file.error());
  options.preload = *file;
  return {};
}

int mpiexec(int count, char** words) {
  ::signal(SIGPIPE, SIG_IGN);  // ranks begin with the default
  auto options = parse_options(std::vector<std::string>(words + 1, words + count));
  if (!options) {
    complain(options.error());
    return usage_code;
  }
  if (options->help != HelpForm::none) return print(help_text(options->help));
  if (options->version) return print("mpiexec (Baton) " BATON_VERSION "\n");
  if (auto found = find_own_files(*options); !found) {
    complain(found.error());
    return 1;
  }
  const LibraryQuestions questions = ask_for_libraries(*options);
  auto machine = machine::read_machine();
  if (!machine) {
    complain(machine.error());
    return 1;
  }
  if (auto configured = configure(*options, *machine); !configured) {
    complain(configured.error());
    return usage_code;
  }
  OtherJobs others;  // our claim lasts as long as it does
  auto placement = plan(*options, *machine, others);
  if (!placement) {
    complain(placement.error());
    return usage_code;
  }
  if (placement->ranks.size() > lockfree::ranks_max) {
    complain("more ranks than one job can have; say how many with -n");
    return usage_code;
  }
  auto memory = plan_memory(*options, *machine, *placement);
  if (!memory) {
    complain(memory.error());
    return usage_code;
  }
  if (auto checked = check_libraries(questions, *options); !checked) {
    complain(checked.error());
    return usage_code;
  }
  ProfileInUse profile = find_profile(options->profile, *machine);
  if (options->report_binding || options->dry_run) {
    std::string drawing = machine::draw_placement(*machine, *placement) + words_of(profile);
    if (memory->policy.asks()) drawing += plan_text(*memory, *machine);
    drawing = "mpiexec: " + drawing;
    if (!options->dry_run)
      report(drawing);
    else if (print(drawing) != 0)
      return 1;
  }
  if (!options->binding_file.empty() && !draw_into_file(*options, *machine, *placement)) return 1;
  warn(*options, *machine, *placement, *memory);
  return options->dry_run ? 0 : run(*options, *machine, *placement, profile, *memory);
}

}  // namespace

}  // namespace baton::launch

int main(int count, char** words) {
  baton::platform::open_standard_descriptors();
  return baton::launch::mpiexec(count, words);
}
