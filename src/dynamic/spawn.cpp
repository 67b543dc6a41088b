#include "dynamic/spawn.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "dynamic/port.hpp"
#include "dynamic/published_name.hpp"
#include "platform/detached_program.hpp"
#include "platform/memory_file.hpp"
#include "platform/own_library.hpp"
#include "platform/process_life.hpp"
#include "transport/node.hpp"
#include "world/process_set.hpp"

extern char** environ;

namespace baton::dynamic {

namespace {

// An info key, and the option of mpiexec that it means.
struct Key {
  const char* key;
  const char* option;
  bool of_job;  // of all programs together: the first program's counts
};
constexpr Key keys[] = {{"soft", "-soft", false},
                        {"wdir", "-wdir", false},
                        {"wd", "-wdir", false},
                        {"path", "-path", false},
                        {"arch", "-arch", false},
                        {"mpi_initial_errhandler", "-initial-errhandler", false},
                        {"host", "-host", true},
                        {"add-host", "-host", true},
                        {"hosts", "-host", true},
                        {"hostfile", "-hostfile", true},
                        {"add-hostfile", "-hostfile", true},
                        {"map_by", "--map-by", true},
                        {"map-by", "--map-by", true},
                        {"bind_to", "--bind-to", true},
                        {"bind-to", "--bind-to", true},
                        {"rank_by", "--rank-by", true},
                        {"ppn", "-ppn", true},
                        {"baton_continue_on_failure", "--with-ft", true}};

std::string value_of(const Info& info, const char* key) {
  std::string value(MPI_MAX_INFO_VAL + 1, 0);
  if (!info.get(key, value.data(), value.size())) return {};
  value.resize(std::strlen(value.c_str()));
  return value;
}

// The words that mpiexec reads, each with a zero behind it. Programs are separated by a word that
// no program can be given.
class Words {
 public:
  void add(const std::string& word) {
    text_ += word;
    text_ += '\0';
  }
  void add_program(const SpawnedProgram& program, bool first) {
    if (!first) add("\x1f");
    add("-n");
    add(std::to_string(program.processes));
    if (program.info) add_options(*program.info, first);
    add("--");
    add(program.command);
    for (char* const* argument = program.arguments; argument && *argument; ++argument)
      add(*argument);
  }
  // Makes a memory file of them; -1 with errno set.
  int make_file() const {
    const int file = platform::make_memory_file("baton-spawn", text_.size());
    if (file >= 0 &&
        ::pwrite(file, text_.data(), text_.size(), 0) != static_cast<ssize_t>(text_.size())) {
      ::close(file);
      return -1;
    }
    return file;
  }

 private:
  void add_options(const Info& info, bool first) {
    for (const Key& key : keys) {
      if (key.of_job && !first) continue;
      const std::string value = value_of(info, key.key);
      if (value.empty()) continue;
      add(key.option);
      add(value);
    }
    // The key `env` has lines of NAME=VALUE, as with Open MPI.
    const std::string variables = value_of(info, "env");
    for (std::size_t begin = 0; begin < variables.size();) {
      const std::size_t end = std::min(variables.find('\n', begin), variables.size());
      const std::string line = variables.substr(begin, end - begin);
      if (const std::size_t equals = line.find('='); equals != std::string::npos) {
        add("-env");
        add(line.substr(0, equals));
        add(line.substr(equals + 1));
      }
      begin = end + 1;
    }
  }
  std::string text_;
};

// Finds mpiexec beside the library, built or installed, else in PATH.
std::string find_mpiexec() {
  if (const char* told = environment_variable("BATON_MPIEXEC")) return told;
  char library[4096];
  platform::own_library(library, sizeof library);
  std::string folder(library);
  folder.resize(std::min(folder.rfind('/'), folder.size()));
  for (const char* way : {"/../bin/mpiexec", "/../../bin/mpiexec", "/../../../bin/mpiexec"})
    if (std::string path = folder + way; ::access(path.c_str(), X_OK) == 0) return path;
  const char* folders = environment_variable("PATH");
  for (std::string left = folders ? folders : ""; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    if (std::string path = left.substr(0, end) + "/mpiexec"; ::access(path.c_str(), X_OK) == 0)
      return path;
    left.erase(0, end + 1);
  }
  return {};
}

Error check(const SpawnedProgram* programs, int count) {
  if (count < 1)
    return fail(MPI_ERR_ARG, "argument count: %d; at least one program is to be started", count);
  for (int i = 0; i < count; ++i) {
    if (!programs[i].command || !*programs[i].command)
      return fail(MPI_ERR_ARG, "argument command of program %d: it is empty", i);
    if (programs[i].processes < 1)
      return fail(MPI_ERR_ARG,
                  "argument maxprocs of program %d (%s): %d; at least 1 is to be started", i,
                  programs[i].command, programs[i].processes);
  }
  return MPI_SUCCESS;
}

// Starts mpiexec, which tells the ranks of the port. Returns its process id; -1, explained.
pid_t start_mpiexec(const SpawnedProgram* programs, int count, const char* port) {
  Words words;
  words.add(port);
  for (int i = 0; i < count; ++i) words.add_program(programs[i], i == 0);
  const std::string mpiexec = find_mpiexec();
  if (mpiexec.empty()) {
    (void)fail(
        MPI_ERR_SPAWN,
        "mpiexec, which starts processes, is neither beside the library nor in PATH; name it "
        "by BATON_MPIEXEC");
    return -1;
  }
  const int file = words.make_file();
  if (file < 0) {
    (void)fail(MPI_ERR_NO_MEM, "no memory for what is to be started: %s", std::strerror(errno));
    return -1;
  }
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  const char* arguments[] = {"mpiexec", "--spawned", name.c_str(), nullptr};
  std::string family = "BATON_FAMILY=" + family_name();
  std::vector<char*> variables{family.data()};
  // It is no rank, whoever looks at it, and its ranks are placed beside those of this job.
  for (char** variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "BATON_FAMILY=", 13) != 0 &&
        std::strncmp(*variable, "BATON_RANK=", 11) != 0)
      variables.push_back(*variable);
  variables.push_back(nullptr);
  const char* end = environment_variable("BATON_FAMILY_FD");
  platform::DetachedProgram program{.path = mpiexec.c_str(),
                                    .arguments = const_cast<char* const*>(arguments),
                                    .environment = variables.data(),
                                    .cpus_of = transport::job().launcher_pid};
  program.inherited[0] = file;
  if (end) program.inherited[1] = std::atoi(end);
  const pid_t started = platform::start_detached(program);
  if (started < 0)
    (void)fail(MPI_ERR_SPAWN, "%s cannot be started: %s", mpiexec.c_str(), std::strerror(errno));
  ::close(file);
  return started;
}

// Asks now and then whether mpiexec still runs.
class MpiexecWatch {
 public:
  explicit MpiexecWatch(pid_t mpiexec) : mpiexec_(mpiexec) {}
  Error operator()() {
    constexpr std::int64_t pause_ms = 20;  // guess
    if (platform::now_ms() < next_ms_) return MPI_SUCCESS;
    next_ms_ = platform::now_ms() + pause_ms;
    if (platform::began_at(mpiexec_)) return MPI_SUCCESS;
    // Its ranks may have connected before it ended, so that is looked at once more.
    if (!has_ended_) {
      has_ended_ = true;
      return MPI_SUCCESS;
    }
    return fail(MPI_ERR_SPAWN,
                "the processes could not be started, or ended before all had called MPI_Init; "
                "mpiexec has said why on standard error");
  }

 private:
  pid_t mpiexec_;
  std::int64_t next_ms_ = 0;
  bool has_ended_ = false;
};

// Returns whether the info names hosts, which may be others than this one.
bool may_be_elsewhere(const SpawnedProgram& first) {
  if (!first.info) return false;
  for (const char* key : {"host", "hosts", "add-host", "hostfile", "add-hostfile"})
    if (!value_of(*first.info, key).empty()) return true;
  return false;
}

// The root's part.
Error start(const Communicator& comm, const SpawnedProgram* programs, int count,
            std::optional<Connection>& channel) {
  OpenPort port;
  const Endpoint anywhere;
  if (port.open(may_be_elsewhere(programs[0]) ? &anywhere : nullptr)) return MPI_ERR_SPAWN;
  const pid_t mpiexec = start_mpiexec(programs, count, port.name.c_str());
  if (mpiexec < 0) return last_explanation().error_class;
  return await_connection(comm, port, 0, MpiexecWatch(mpiexec), channel);
}

// The root tells the others how many processes are asked for, before they are started.
struct Announcement {
  Error error;
  std::int32_t processes;
};

void fill_codes(int* codes, std::int32_t processes, std::int32_t started) {
  for (std::int32_t i = 0; codes && i < processes; ++i)
    codes[i] = i < started ? MPI_SUCCESS : MPI_ERR_SPAWN;
}

}  // namespace

Error spawn(Communicator& comm, int root, const SpawnedProgram* programs, int count, Error problem,
            Communicator** made, int* codes) {
  if (Error error = world::check_open(comm)) return error;
  if (comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument comm: this is an intercommunicator; MPI_Intercomm_merge makes "
                "one group of its two");
  Announcement announcement{};
  const bool leads = comm.rank() == root;
  if (leads) announcement.error = problem ? problem : check(programs, count);
  for (int i = 0; leads && !announcement.error && i < count; ++i)
    announcement.processes += programs[i].processes;
  const world::Members members = comm.members(world::agreement_tag);
  if (Error error = world::agree_broadcast(members, root, &announcement, sizeof announcement))
    return error;
  if (announcement.error)
    return leads ? announcement.error
                 : fail(announcement.error, "the arguments of the root (rank %d) are not valid",
                        root);
  std::optional<Connection> channel;
  if (leads) problem = start(comm, programs, count, channel);
  const Error error =
      world::create_intercommunicator(comm, root, channel ? &*channel : nullptr, problem, made);
  fill_codes(codes, announcement.processes, error ? 0 : (*made)->remote_size());
  if (!error) world::add_spawned_set(**made);
  return error;
}

}  // namespace baton::dynamic
