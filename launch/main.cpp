// mpiexec consists of two processes: this one, which people signal and wait for, and below it the
// manager, which starts the ranks. Both are subreapers. If this one is killed, the manager kills
// all below it; if the manager is killed, all below it comes up to this one and is killed here; if
// both are, the kernel kills the ranks (parent-death signal), the library ends MPI processes below
// them (lifeline), and the sweeper ends what else they have started.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "base/environment.hpp"
#include "base/selection.hpp"
#include "launch/hosts/hand_over.hpp"
#include "launch/hosts/node_job.hpp"
#include "launch/hosts/other_jobs.hpp"
#include "launch/manager.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/environment.hpp"
#include "launch/options/family_options.hpp"
#include "launch/options/foreign_variables.hpp"
#include "launch/options/option_table.hpp"
#include "launch/reports/memory_warnings.hpp"
#include "launch/reports/profile_in_use.hpp"
#include "launch/reports/report.hpp"
#include "launch/reports/trace.hpp"
#include "launch/run/debugger.hpp"
#include "launch/run/descendants.hpp"
#include "launch/run/export_heap.hpp"
#include "launch/run/family.hpp"
#include "launch/run/guard.hpp"
#include "launch/run/library_check.hpp"
#include "launch/run/library_folder.hpp"
#include "launch/run/memory.hpp"
#include "launch/run/near_classes.hpp"
#include "launch/run/outlet.hpp"
#include "launch/run/signals.hpp"
#include "launch/run/sweeper.hpp"
#include "launch/run/threads.hpp"
#include "launch/run/write_text.hpp"
#include "machine/configuration.hpp"
#include "machine/devices.hpp"
#include "machine/discover.hpp"
#include "machine/draw.hpp"
#include "machine/draw_svg.hpp"
#include "machine/kernel.hpp"
#include "platform/line_time.hpp"
#include "platform/memory_file.hpp"
#include "platform/name_board.hpp"
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
  policy.by_device = options.by_device;
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
  if (!placement) return placement;
  if (options.node_job.spans_nodes()) placement->first_rank = options.node_job.first_rank();
  if (!options.dry_run) others.claim(*placement);
  return placement;
}

// Leaves the machine those devices that the job's first program sees.
void find_devices(const Options& options, machine::Machine& machine) {
  const auto environment = program_environment(options, options.programs.front());
  machine.devices =
      machine::visible_devices(machine.devices, find_variable(environment, "CUDA_VISIBLE_DEVICES"));
}

// Applies --config, as if the user had given the options that it stands for.
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
  const NodeJob& node = options.node_job;
  const std::string name =
      node.spans_nodes() ? file_of_part(options.binding_file, node.host) : options.binding_file;
  auto file = open_to_write(name, O_TRUNC);
  if (file && write_text(*file, machine::draw_placement_svg(machine, placement))) return true;
  complain(
      fmt::format("--report-binding={}: {}", name, file ? std::strerror(errno) : file.error()));
  return false;
}

void warn(const Options& options, const machine::Machine& machine,
          const machine::Placement& placement, const MemoryPlan& memory) {
  std::vector<std::string> warnings = options.warnings;
  warnings.insert(warnings.end(), placement.warnings.begin(), placement.warnings.end());
  for (std::string& warning : thread_warnings(options, placement))
    warnings.push_back(std::move(warning));
  const bool huge_granted = memory.policies.heap.huge && platform::grants_huge_memory();
  for (std::string& warning :
       memory_warnings(memory, machine, placement, machine::read_kernel_rules(""), huge_granted))
    warnings.push_back(std::move(warning));
  for (const std::string& warning : warnings) complain("warning: " + warning);
}

// Finds out which ranks are near each other, where rows of the selection want to know.
std::uint32_t find_near_classes(const Options& options, const ProfileInUse& profile,
                                const JobFile& file) {
  const auto environment = program_environment(options, options.programs.front());
  const std::string rows =
      profile.collectives + "," + find_variable(environment, "BATON_COLLECTIVES").value_or("");
  if (!selection_names_distance(rows.c_str())) return 0;
  return near_classes(near_ranks(options), file.places, platform::line_time_ns);
}

// Makes the job's memory file, with the data that ranks need in it.
std::optional<JobFile> prepare_file(const Options& options, const machine::Machine& machine,
                                    const machine::Placement& placement,
                                    const ProfileInUse& profile, MemoryPlan& memory) {
  JobFeatures features{.continues = options.continues,
                       .explain = options.explains(),
                       .held = started_by_debugger(),
                       .export_heap = options.export_heap,
                       .timed = options.is_timed(),
                       .ranks_per_node = ranks_per_node(options),
                       .node_job = options.node_job};
  if (!options.trace_file.empty())
    features.event_bytes = event_bytes_of_rank(options.trace_bytes, placement.ranks.size());
  auto file = make_job_file(placement, ring_plan(options), features);
  if (!file) {
    complain(file.error());
    return std::nullopt;
  }
  file->header->memory_report = options.memory_report;
  file->made.near_classes = find_near_classes(options, profile, *file);
  file->header->near_classes = file->made.near_classes;
  if (options.export_heap && file->header->program_heap_bytes == 0)
    complain(
        "--export-heap: the limit on file sizes leaves no space for the programs' memory in the "
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

// Returns whether all ranks of a job have begun MPI.
bool have_begun(const JobFile& file) {
  for (std::uint32_t rank = 0; rank < file.made.ranks; ++rank)
    // relaxed: the ranks have ended.
    if (file.row(static_cast<int>(rank)).state.uses.load(std::memory_order_relaxed) == 0)
      return false;
  return true;
}

// Runs in the manager's process; returns its exit code. A full standard error does not stop it.
int prepare_and_manage(const Options& options, const machine::Machine& machine,
                       const machine::Placement& placement, const ProfileInUse& profile,
                       MemoryPlan& memory, const Connection& connection,
                       const Inherited& inherited) {
  report_in_background();
  if (auto file = prepare_file(options, machine, placement, profile, memory)) {
    const int code =
        manage({options, machine, placement, *file, profile, memory}, connection, inherited);
    platform::tidy_board();  // ranks may have died that had published names
    // Parents that have got an error from MPI_Comm_spawn decide what that means.
    const bool is_told = !options.spawned_by.empty() && options.on_node.empty();
    return is_told && !have_begun(*file) ? 0 : code;
  }
  Outlet::of(STDERR_FILENO).finish(last_words);
  return 1;
}

int run(const Options& options, const machine::Machine& machine,
        const machine::Placement& placement, const ProfileInUse& profile, MemoryPlan& memory,
        std::span<char*> words) {
  Inherited inherited{};
  const sigset_t signals = heeded_signals();
  ::sigprocmask(SIG_BLOCK, &signals, &inherited.signals);
  ::getrlimit(RLIMIT_NOFILE, &inherited.open_files);
  become_subreaper();
  int guard_pipe[2], ranks_pipe[2];
  const int signals_read = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  const bool connected = signals_read >= 0 && ::pipe2(guard_pipe, O_CLOEXEC) == 0 &&
                         ::pipe2(ranks_pipe, O_CLOEXEC) == 0;
  Sweeper sweeper(placement.ranks.size(), words);
  pid_t manager = connected ? ::fork() : -1;
  if (manager < 0) {
    complain(fmt::format("cannot start the process manager: {}", std::strerror(errno)));
    return 1;
  }
  if (manager == 0) {
    ::prctl(PR_SET_NAME, "baton-keeper");  // distinguishes it from a loader that is asked
    ::close(guard_pipe[1]);
    ::close(ranks_pipe[0]);
    ::close(signals_read);
    ::_exit(prepare_and_manage(options, machine, placement, profile, memory,
                               {guard_pipe[0], ranks_pipe[1]}, inherited));
  }
  ::close(guard_pipe[0]);
  ::close(ranks_pipe[1]);
  const JobEnd end = guard({manager, signals_read, ranks_pipe[0], guard_pipe[1],
                            placement.ranks.size(), options.timeout_seconds, sweeper});
  sweeper.end();
  std::string left = kill_descendants(end.ranks);
  report_in_background();
  if (!end.problem.empty()) complain(end.problem);
  if (!left.empty()) complain(left);
  Outlet::of(STDERR_FILENO).finish(last_words);
  if (end.code != 0) show_failure(fmt::format("the job ended with code {}", end.code));
  if (end.code != 0 && options.node_job.spans_nodes()) tell_launcher_of_failure(end.code);
  return end.code;
}

// Prints text that was asked for on standard output; returns the exit code.
int print(std::string_view text) {
  if (write_text(STDOUT_FILENO, text)) return 0;
  complain(fmt::format("standard output: {}", std::strerror(errno)));
  return 1;
}

// Finds the files of Baton that ranks load.
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

// Reads --on-node: the part of this mpiexec in a job over several nodes.
std::expected<void, std::string> find_own_node(Options& options) {
  if (options.on_node.empty()) return {};
  auto node = find_node(options.on_node);
  if (!node) return std::unexpected(node.error());
  if (ranks_per_node(options) > 0)
    return std::unexpected(
        "BATON_RANKS_PER_NODE is for one host; leave it out where there are several");
  options.node_job = *node;
  options.programs.front().ranks = node->ranks();
  report_from("on " + node->host);
  // The first mpiexec of a spawned job has told the others where the parents wait.
  if (const char* port = environment_variable("BATON_SPAWN_PORT")) {
    options.spawned_by = port;
    options.spawned_number = ::getpid();
  }
  return {};
}

// Reads the command line, and options from the variables of other MPIs that the command line does
// not have. In a job on several hosts the first mpiexec passes these options to the others. A job
// that is spawned has the options for reports of the job that spawns it.
std::expected<Options, std::string> read_options(std::vector<std::string> words) {
  auto options = parse_options(words);
  if (options && !options->spawned_by.empty()) {
    const std::vector<std::string> more = inherited_options();
    words.insert(words.begin(), more.begin(), more.end());
    options = parse_options(words);
    if (!options) return options;
    options->spawned_number = ::getpid();
    report_from(fmt::format("of spawned job {}", options->spawned_number));
  }
  if (!options || options->help != HelpForm::none || options->version || !options->on_node.empty())
    return options;
  const ForeignVariables variables = read_foreign_variables(*options);
  if (!variables.options.empty()) {
    words.insert(words.begin(), variables.options.begin(), variables.options.end());
    options = parse_options(words);
  }
  if (options && !variables.without_effect.empty())
    options->warnings.push_back("variables of other MPIs without effect here: " +
                                variables.without_effect);
  return options;
}

int mpiexec(int count, char** words) {
  ::signal(SIGPIPE, SIG_IGN);  // ranks begin with the default
  auto options = read_options(std::vector<std::string>(words + 1, words + count));
  if (!options) {
    complain(options.error());
    return usage_code;
  }
  if (options->help != HelpForm::none) return print(help_text(options->help));
  if (options->version) return print("mpiexec (Baton) " BATON_VERSION "\n");
  options->continues |= !options->dies_together && continues_by_setting(*options);
  if (auto found = find_own_files(*options); !found) {
    complain(found.error());
    return 1;
  }
  if (auto known = find_own_node(*options); !known) {
    complain(known.error());
    return usage_code;
  }
  if (is_for_other_hosts(*options)) {
    complain(hand_over(*options));
    return usage_code;
  }
  const LibraryQuestions questions = ask_for_libraries(*options);
  auto machine = machine::read_machine();
  if (!machine) {
    complain(machine.error());
    return 1;
  }
  find_devices(*options, *machine);
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
    if (memory->policies.asks()) drawing += plan_text(*memory, *machine);
    drawing = "mpiexec: " + drawing;
    if (!options->dry_run)
      report(drawing);
    else if (print(drawing) != 0)
      return 1;
  }
  if (!options->binding_file.empty() && !draw_into_file(*options, *machine, *placement)) return 1;
  warn(*options, *machine, *placement, *memory);
  if (!options->spawned_by.empty() && options->on_node.empty()) join_family();
  return options->dry_run ? 0
                          : run(*options, *machine, *placement, profile, *memory,
                                std::span(words, static_cast<std::size_t>(count)));
}

}  // namespace

}  // namespace baton::launch

int main(int count, char** words) {
  baton::platform::open_standard_descriptors();
  return baton::launch::mpiexec(count, words);
}
