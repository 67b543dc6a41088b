#include "launch/run/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace baton::launch {

namespace {

// This lives in the parent's frame; vfork shares it with the child.
struct ChildFailure {
  int error = 0;
  const char* what = nullptr;
};

struct ChildPlan {
  const char* path;
  char* const* arguments;
  char* const* environment;
  const char* folder;
  const cpu_set_t* cpus;
  std::size_t cpus_bytes;
  const RankStart* rank;
  const Inherited* inherited;
  pid_t parent;
};

bool redirect(int from, int to) {
  return from < 0 || from == to || ::dup2(from, to) >= 0;
}

// This runs in the child on the parent's memory, so it makes system calls only.
void become_rank(const ChildPlan& plan, ChildFailure& failure) {
  auto failed = [&failure](const char* what) {
    failure = {errno, what};
    ::_exit(127);
  };
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) failed("prctl");
  if (::getppid() != plan.parent) ::_exit(127);  // the launcher died meanwhile
  if (plan.rank->own_session && ::setsid() < 0) failed("setsid");
  if (plan.folder && ::chdir(plan.folder) != 0) failed("chdir");
  if (!redirect(plan.rank->standard_input, 0) || !redirect(plan.rank->standard_output, 1) ||
      !redirect(plan.rank->standard_error, 2))
    failed("dup2");
  // A forbidden binding (another affinity since) costs speed, not the run.
  if (plan.cpus) (void)::sched_setaffinity(0, plan.cpus_bytes, plan.cpus);
  // A refused policy costs speed, too; the launcher has checked whether the kernel allows it at
  // all.
  if (plan.rank->memory.mode != platform::MemoryMode::standard)
    (void)platform::bind_process(plan.rank->memory);
  ::setrlimit(RLIMIT_NOFILE, &plan.inherited->open_files);
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &plan.inherited->signals, nullptr);
  ::execve(plan.path, plan.arguments, plan.environment);
  failed("exec");
}

bool runnable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

std::string in_folder(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with("/")) return path;
  return folder + "/" + path;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string explained(const RankStart& rank, const ChildFailure& failure) {
  std::string cause = std::strerror(failure.error);
  if (std::string_view(failure.what) == "chdir")
    return "cannot enter the folder " + rank.folder + ": " + cause;
  std::string text = "cannot run " + rank.arguments.front() + ": " + cause;
  bool local = rank.arguments.front().find('/') == std::string::npos &&
               runnable(in_folder(rank.folder, rank.arguments.front()));
  if (local) text += "; it lies in this folder: did you mean ./" + rank.arguments.front() + "?";
  if (failure.error == ENOEXEC) text += " (a script needs a first line such as #!/bin/sh)";
  return text;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name, const std::string& folder,
                                        const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;  // execve reports errors
  std::string_view paths = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& variable : environment)
    if (variable.starts_with("PATH=")) paths = std::string_view(variable).substr(5);
  while (true) {
    std::size_t colon = paths.find(':');
    std::string place(paths.substr(0, colon));
    std::string path = place.empty() ? name : place + "/" + name;
    if (runnable(in_folder(folder, path))) return path;
    if (colon == std::string_view::npos) break;
    paths.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

std::expected<pid_t, std::string> start_rank(const RankStart& rank, const Inherited& inherited) {
  std::optional<std::string> path =
      find_program(rank.arguments.front(), rank.folder, rank.environment);
  if (!path) return std::unexpected(explained(rank, {ENOENT, "exec"}));
  std::vector<char*> arguments = pointers(rank.arguments);
  std::vector<char*> environment = pointers(rank.environment);

  int highest = 0;
  for (int cpu : rank.cpus) highest = cpu > highest ? cpu : highest;
  std::size_t set_bytes = CPU_ALLOC_SIZE(highest + 1);
  std::vector<char> set_memory(rank.cpus.empty() ? 0 : set_bytes);
  auto* set = reinterpret_cast<cpu_set_t*>(set_memory.data());
  for (int cpu : rank.cpus) CPU_SET_S(cpu, set_bytes, set);

  ChildFailure failure;
  ChildPlan plan{path->c_str(),
                 arguments.data(),
                 environment.data(),
                 rank.folder.empty() ? nullptr : rank.folder.c_str(),
                 rank.cpus.empty() ? nullptr : set,
                 set_bytes,
                 &rank,
                 &inherited,
                 ::getpid()};
  pid_t child = ::vfork();
  if (child == 0) become_rank(plan, failure);
  if (child < 0)
    return std::unexpected(std::string("cannot start another process: ") + std::strerror(errno) +
                           "; see ulimit -u and the control group's pids.max");
  std::atomic_signal_fence(std::memory_order_acquire);  // the child wrote `failure`
  if (failure.what) return std::unexpected(explained(rank, failure));
  return child;
}

}  // namespace baton::launch
