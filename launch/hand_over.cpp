#include "launch/hand_over.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/settings.hpp"
#include "launch/environment.hpp"
#include "launch/report.hpp"

namespace baton::launch {

namespace {

// What the other launchers can be told. All else is done by this mpiexec, which does not run there.
constexpr std::string_view carried[] = {
    "-n",    "-np",          "-c",  "-ppn",   "-perhost", "-N",       "-npernode", "-pernode",
    "-host", "-hosts",       "-H",  "-f",     "-env",     "-genv",    "-x",        "-hostfile",
    "-wdir", "-machinefile", "-wd", "-check", "-envall",  "-genvall", "-dry-run"};

// Spelt with one dash or two.
bool is_carried(std::string_view option) {
  if (option.starts_with("--")) option.remove_prefix(1);
  return std::ranges::find(carried, option) != std::end(carried);
}

// From PATH; empty: not there.
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

// What srun has for ranks: PMIx, if it was built with it.
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

std::string host_list(const Options& options, bool with_slots) {
  std::vector<std::string> names;
  for (const Host& host : options.hosts)
    names.push_back(with_slots && host.slots > 0 ? fmt::format("{}:{}", host.name, host.slots)
                                                 : host.name);
  return fmt::format("{}", fmt::join(names, ","));
}

// How many ranks; 0: the launcher decides.
int ranks_of(const Options& options) {
  const auto hosts = static_cast<int>(options.hosts.size());
  const bool said = std::ranges::any_of(options.given, [](const std::string& option) {
    return option == "-n" || option == "-np" || option == "-c" || option == "--n" ||
           option == "--np";
  });
  // On one node -ppn is the number of ranks; here it is each host's.
  if (said) return options.programs.front().ranks;
  int slots = 0;
  for (const Host& host : options.hosts) slots += std::max(host.slots, 1);
  return options.per_node > 0 && hosts > 0 ? options.per_node * hosts : slots;
}

void add(std::vector<std::string>& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

std::vector<std::string> words_for_srun(const FoundLauncher& launcher, const Options& options) {
  std::vector<std::string> words{launcher.program, "--mpi=" + launcher.pmi, "--distribution=block"};
  if (const int ranks = ranks_of(options)) words.push_back(fmt::format("--ntasks={}", ranks));
  if (options.per_node) words.push_back(fmt::format("--ntasks-per-node={}", options.per_node));
  if (!options.hosts.empty()) {
    words.push_back(fmt::format("--nodes={}", options.hosts.size()));
    words.push_back("--nodelist=" + host_list(options, false));
  }
  if (const std::string& folder = options.programs.front().folder; !folder.empty())
    words.push_back("--chdir=" + folder);
  return words;
}

std::vector<std::string> words_for_prterun(const FoundLauncher& launcher, const Options& options) {
  std::vector<std::string> words{launcher.program};
  if (::geteuid() == 0) words.push_back("--allow-run-as-root");
  Options each = options;
  // It takes a host without a number for one rank.
  for (Host& host : each.hosts)
    if (host.slots == 0) host.slots = options.per_node;
  const int ranks = ranks_of(options), hosts = static_cast<int>(options.hosts.size());
  for (Host& host : each.hosts)
    if (host.slots == 0 && hosts > 0) host.slots = (ranks + hosts - 1) / hosts;
  if (hosts > 0) add(words, {"--host", host_list(each, true)});
  if (ranks > 0) add(words, {"-n", std::to_string(ranks)});
  if (options.per_node) add(words, {"--map-by", fmt::format("ppr:{}:node", options.per_node)});
  if (const std::string& folder = options.programs.front().folder; !folder.empty())
    add(words, {"--wdir", folder});
  return words;
}

std::vector<std::string> words_for_hydra(const FoundLauncher& launcher, const Options& options) {
  std::vector<std::string> words{launcher.program};
  if (!options.hosts.empty()) add(words, {"-hosts", host_list(options, true)});
  if (const int ranks = ranks_of(options)) add(words, {"-n", std::to_string(ranks)});
  const auto hosts = static_cast<int>(options.hosts.size());
  const int each = options.per_node ? options.per_node
                   : hosts > 0      ? (ranks_of(options) + hosts - 1) / hosts
                                    : 0;
  const bool slots = std::ranges::any_of(options.hosts, [](const Host& one) { return one.slots; });
  if (each > 0 && (options.per_node || !slots)) add(words, {"-ppn", std::to_string(each)});
  if (const std::string& folder = options.programs.front().folder; !folder.empty())
    add(words, {"-wdir", folder});
  return words;
}

// What the ranks' environment has beyond this process's: told by words, since launchers differ in
// what they pass on.
std::vector<std::string> variables_for(const Options& options) {
  std::vector<std::string> variables;
  for (const std::string& entry : program_environment(options, options.programs.front())) {
    const std::string name = entry.substr(0, entry.find('='));
    const char* own = environment_variable(name.c_str());
    const bool same = own && entry.substr(name.size() + 1) == own;
    const bool ours = name.starts_with("BATON_") && name != "BATON_LIBRARY_FOLDER";
    if ((!same || ours) && name != "BATON_LIBRARY_FOLDER") variables.push_back(entry);
  }
  return variables;
}

}  // namespace

bool is_for_other_hosts(const Options& options) {
  if (std::ranges::any_of(options.hosts, [](const Host& host) { return host.elsewhere; }))
    return true;
  return options.hosts.empty() && allocated_nodes() > 1;
}

std::expected<std::vector<std::string>, std::string> command_for(
    const FoundLauncher& launcher, const Options& options,
    const std::vector<std::string>& variables) {
  for (const std::string& option : options.given)
    if (!is_carried(option))
      return std::unexpected(fmt::format(
          "{}: other hosts are left to {}, which this option cannot be carried to yet; leave it "
          "out, or run on one node",
          option, launcher.program));
  if (options.programs.size() != 1)
    return std::unexpected("other hosts take one program only, so far; start the second apart");
  std::vector<std::string> words =
      launcher.kind == OtherLauncher::srun      ? words_for_srun(launcher, options)
      : launcher.kind == OtherLauncher::prterun ? words_for_prterun(launcher, options)
                                                : words_for_hydra(launcher, options);
  if (!variables.empty()) {
    words.push_back("env");
    words.insert(words.end(), variables.begin(), variables.end());
  }
  const std::vector<std::string>& program = options.programs.front().arguments;
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::string hand_over(const Options& options) {
  auto launcher = find_launcher();
  if (!launcher) return launcher.error();
  auto words = command_for(*launcher, options, variables_for(options));
  if (!words) return words.error();
  const std::string line = fmt::format("{}", fmt::join(*words, " "));
  if (options.dry_run) {
    std::puts(line.c_str());
    std::exit(0);
  }
  complain("other hosts: handing over to " + launcher->program);
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
  return fmt::format("{}: {}", launcher->program, std::strerror(errno));
}

}  // namespace baton::launch
