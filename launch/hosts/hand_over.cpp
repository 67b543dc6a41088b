#include "launch/hosts/hand_over.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/environment.hpp"
#include "launch/options/environment.hpp"
#include "launch/options/option_table.hpp"
#include "launch/options/value_text.hpp"
#include "launch/reports/report.hpp"
#include "launch/run/family.hpp"

namespace baton::launch {

namespace {

// Returns the option of "--option=VALUE", without its dashes.
std::string_view bare_name(const std::string& word) {
  std::string_view name = std::string_view(word).substr(0, word.find('='));
  name.remove_prefix(name.starts_with("--") ? 2 : 1);
  return name;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, bare_name(word)) != names.end();
}

// Returns whether an option is for the launcher, or for this process, and not for the mpiexec of
// each host.
bool is_done_here(const std::string& word) {
  return is_one_of(word, {"n", "np", "c", "ppn", "perhost", "N", "npernode", "pernode", "host",
                          "hosts", "H", "hostfile", "machinefile", "f", "configfile", "app",
                          "dry-run", "do-not-launch", "allow-run-as-root", "spawned"});
}

// Returns what one mpiexec a host cannot do, and what to do instead; empty: it can do all.
std::string obstacle(const Options& options) {
  if (options.programs.size() != 1)
    return "several programs (':'): other hosts take one, so far; let it be a script "
           "that chooses by BATON_RANK";
  const OutputForm& output = options.output;
  auto is_shared = [](const std::string& pattern) {
    return !pattern.empty() && pattern.find("%r") == std::string::npos &&
           pattern.find("%h") == std::string::npos;
  };
  if (is_shared(output.output_file) || is_shared(output.error_file))
    return "-outfile-pattern, -errfile-pattern: the hosts would write over each other's file; put "
           "%h (the host) or %r (the rank) into its name";
  if (options.input != 0 && options.input != no_rank)
    return "--stdin: launchers give standard input to rank 0 alone; leave it out, or let ranks "
           "read a file";
  if (options.per_object > 0)
    return "ppr, -npersocket: how many ranks that makes is known only on the hosts; say -ppn N";
  if (options.layout && options.layout->master)
    return "--layout 1+MxN: each host would have a master; say --layout MxN";
  if (!options.programs.front().acceptable.empty())
    return "-soft: how many ranks fit is known only on the hosts; say -n N";
  return {};
}

// Returns the options for each host's mpiexec. Ignored ones have been reported.
std::vector<std::string> options_for_hosts(const Options& options) {
  std::vector<std::string> words;
  for (const std::vector<std::string>& given : options.given) {
    const OptionRow* row =
        find_option(std::string_view(given.front()).substr(0, given.front().find('=')));
    if (!is_done_here(given.front()) && row->group != Group::ignored)
      words.insert(words.end(), given.begin(), given.end());
  }
  return words;
}

// Finds a program in PATH; empty: it is not there.
std::string find_in_path(const std::string& name) {
  const char* path = environment_variable("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = std::string(rest.substr(0, end)) + '/' + name;
    if (end > 0 && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

int allocated_nodes() {
  if (!environment_variable("SLURM_JOB_ID") || environment_variable("SLURM_STEP_ID")) return 0;
  const char* nodes = environment_variable("SLURM_JOB_NUM_NODES");
  return nodes ? std::atoi(nodes) : 0;
}

// Returns the kind of process manager that srun has for ranks: PMIx, if srun was built with it.
std::string pmi_of(const std::string& srun) {
  std::string listed;
  const std::string question = srun + " --mpi=list 2>&1";
  if (std::FILE* answer = ::popen(question.c_str(), "re")) {
    std::array<char, 4096> bytes;
    listed.assign(bytes.data(), std::fread(bytes.data(), 1, bytes.size(), answer));
    ::pclose(answer);
  }
  return listed.find("pmix") != std::string::npos ? "pmix" : "pmi2";
}

std::expected<FoundLauncher, std::string> find_launcher() {
  if (environment_variable("SLURM_JOB_ID"))
    if (const std::string srun = find_in_path("srun"); !srun.empty())
      return FoundLauncher{OtherLauncher::srun, srun, pmi_of(srun)};
  if (const std::string found = find_in_path("prterun"); !found.empty())
    return FoundLauncher{OtherLauncher::prterun, found, {}};
  if (const std::string found = find_in_path("mpiexec.hydra"); !found.empty())
    return FoundLauncher{OtherLauncher::hydra, found, {}};
  return std::unexpected(
      "this mpiexec starts ranks on the node it runs on and leaves other hosts to srun (in a Slurm "
      "allocation), prterun or mpiexec.hydra; none of them is in PATH. Install one (Open MPI has "
      "prterun, MPICH and Intel MPI have mpiexec.hydra)");
}

// Reads "2(x3),1", as Slurm tells the tasks of its nodes, as 2, 2, 2, 1.
std::vector<int> slurm_tasks(const std::string& told) {
  std::vector<int> tasks;
  for (const std::string& part : parts_of(told, ",")) {
    int each = 1, nodes = 1;
    std::sscanf(part.c_str(), "%d(x%d)", &each, &nodes);
    tasks.insert(tasks.end(), static_cast<std::size_t>(std::clamp(nodes, 1, 1 << 16)), each);
  }
  return tasks;
}

// Returns the ranks of each host: each host's share, or all of -n in turn as long as hosts have
// space.
std::expected<std::vector<int>, std::string> ranks_by_host(const Options& options,
                                                           std::vector<int> slots) {
  const auto hosts = static_cast<int>(slots.size());
  const bool said = std::ranges::any_of(options.given, [](const auto& words) {
    return is_one_of(words.front(), {"n", "np", "c"});
  });
  if (options.layout) return std::vector<int>(slots.size(), options.layout->all_ranks());
  const bool too_few =
      std::accumulate(slots.begin(), slots.end(), 0) < options.programs.front().ranks;
  if (options.hosts.empty() && said && too_few) slots.assign(slots.size(), 0);
  if (options.per_node > 0) slots.assign(slots.size(), options.per_node);
  const bool none = std::ranges::all_of(slots, [](int some) { return some == 0; });
  int left = options.programs.front().ranks;
  for (int& some : slots) some = some ? some : said && none ? (left + hosts - 1) / hosts : 1;
  if (!said) return slots;
  for (int& some : slots) left -= some = std::min(some, left);
  if (left > 0)
    return std::unexpected(fmt::format(
        "-n {}: the hosts are said to take {} ranks; raise -ppn, or the numbers behind the hosts",
        options.programs.front().ranks, options.programs.front().ranks - left));
  while (slots.back() == 0) slots.pop_back();
  return slots;
}

constexpr char spawn_port[] = "BATON_SPAWN_PORT";

void add(std::vector<std::string>& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

// Returns the launcher's own words: one process on each of these hosts, or on this many, not bound.
std::vector<std::string> words_for(const FoundLauncher& launcher,
                                   const std::vector<std::string>& hosts, std::size_t count,
                                   const Options& options) {
  const bool is_spawned = !options.spawned_by.empty();
  std::vector<std::string> words{launcher.program};
  const std::string number = std::to_string(count), list = fmt::format("{}", fmt::join(hosts, ","));
  switch (launcher.kind) {
    case OtherLauncher::srun:
      add(words, {"--mpi=" + launcher.pmi, "--nodes=" + number, "--ntasks=" + number,
                  "--ntasks-per-node=1", "--cpu-bind=none"});
      if (options.continues)
        add(words, {"--kill-on-bad-exit=0", "--no-kill"});
      else
        words.push_back("--kill-on-bad-exit=1");
      // The parents' step has the CPUs.
      if (is_spawned) words.push_back("--overlap");
      if (!hosts.empty()) words.push_back("--nodelist=" + list);
      break;
    case OtherLauncher::prterun:
      if (::geteuid() == 0) words.push_back("--allow-run-as-root");
      if (!hosts.empty()) add(words, {"--host", fmt::format("{}:1", fmt::join(hosts, ":1,"))});
      add(words, {"-n", number, "--map-by", "ppr:1:node", "--bind-to", "none"});
      if (options.continues) add(words, {"--runtime-options", "recoverable"});
      if (is_spawned) add(words, {"-x", spawn_port, "-x", "BATON_FAMILY"});
      break;
    case OtherLauncher::hydra:
      if (!hosts.empty()) add(words, {"-hosts", list});
      add(words, {"-n", number, "-ppn", "1"});
  }
  return words;
}

// Returns the variables that the mpiexec of each host must find in its environment, since launchers
// differ in what they pass on. Of -x NAME and the like that mpiexec has the option, but not the
// value.
std::vector<std::string> variables_for(const Options& options) {
  std::vector<std::string> variables;
  const Program& program = options.programs.front();
  for (const std::string& entry : program_environment(options, program))
    if (entry.starts_with("BATON_") && !entry.starts_with("BATON_LIBRARY_FOLDER="))
      variables.push_back(entry);
  for (const auto& [name, value] : options.variables)
    if (const char* own = environment_variable(name.c_str()); own && value == own)
      set_variable(variables, name, value);
  return variables;
}

// Lets the launcher's environment say where the parents of a spawned job wait: the port has a
// secret, which is not for a command line.
void tell_parents(const Options& options) {
  join_family();
  ::unsetenv("BATON_FAMILY_FD");
  ::setenv(spawn_port, options.spawned_by.c_str(), 1);
}

std::string own_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "mpiexec" : path.string();
}

}  // namespace

bool is_for_other_hosts(const Options& options) {
  if (!options.on_node.empty()) return false;
  // Spawned processes are on this host unless the info names others.
  if (!options.spawned_by.empty() && options.hosts.empty()) return false;
  if (std::ranges::any_of(options.hosts, [](const Host& host) { return host.elsewhere; }))
    return true;
  return options.hosts.empty() && allocated_nodes() > 1;
}

std::expected<std::vector<std::string>, std::string> command_for(const FoundLauncher& launcher,
                                                                 const Options& options,
                                                                 const Surroundings& surroundings) {
  if (std::string problem = obstacle(options); !problem.empty())
    return std::unexpected("other hosts are left to " + launcher.program + "; " + problem);
  std::vector<std::string> hosts;
  std::vector<int> slots = surroundings.slurm_tasks;
  if (!options.hosts.empty()) slots.clear();
  for (const Host& host : options.hosts) {
    hosts.push_back(host.name);
    slots.push_back(host.slots);
  }
  auto counts = ranks_by_host(options, slots);
  if (!counts) return std::unexpected(counts.error());
  hosts.resize(std::min(hosts.size(), counts->size()));
  std::vector<std::string> words = words_for(launcher, hosts, counts->size(), options);
  if (!surroundings.variables.empty()) {
    words.push_back("env");
    words.insert(words.end(), surroundings.variables.begin(), surroundings.variables.end());
  }
  std::string nodes;
  for (std::size_t i = 0; i < counts->size(); ++i)
    nodes += fmt::format("{}{}{}", nodes.empty() ? "" : ",", hosts.empty() ? "" : hosts[i] + ':',
                         (*counts)[i]);
  add(words, {surroundings.mpiexec, "--on-node", nodes});
  for (const std::vector<std::string>& more :
       {options_for_hosts(options), options.programs.front().arguments})
    words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string hand_over(const Options& options) {
  auto launcher = find_launcher();
  if (!launcher) return launcher.error();
  const char* tasks = environment_variable("SLURM_TASKS_PER_NODE");
  std::vector<int> slurm(static_cast<std::size_t>(allocated_nodes()), 1);
  if (tasks && slurm_tasks(tasks).size() == slurm.size()) slurm = slurm_tasks(tasks);
  auto words = command_for(*launcher, options, {own_program(), variables_for(options), slurm});
  if (!words) return words.error();
  const std::string line = fmt::format("{}", fmt::join(*words, " "));
  for (const std::string& warning : options.warnings) complain("warning: " + warning);
  if (options.dry_run) {
    std::puts(line.c_str());
    std::exit(0);
  }
  complain("other hosts: handing over to " + launcher->program);
  if (!options.spawned_by.empty()) tell_parents(options);
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
  return fmt::format("{}: {}", launcher->program, std::strerror(errno));
}

}  // namespace baton::launch
