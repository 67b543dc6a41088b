#include "api/dynamic.hpp"

#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

#include "dynamic/parent.hpp"
#include "dynamic/port.hpp"
#include "dynamic/published_name.hpp"
#include "dynamic/spawn.hpp"

namespace baton::api {

namespace {

// An argument that means something at the root alone is checked there: a root that left would leave
// the others waiting, so it has its error reported by all.
Error missing(const char* argument) {
  return fail(MPI_ERR_ARG, "argument %s: it is a null pointer", argument);
}

// Looks up an info that means something here, at the root; `*found` is null for MPI_INFO_NULL.
Error find_info(MPI_Info handle, const Info** found) {
  *found = infos.find(handle);
  if (*found || handle == MPI_INFO_NULL) return MPI_SUCCESS;
  return fail(MPI_ERR_INFO, "argument info: this is not an info that is alive");
}

// Reads the info key `timeout`, in seconds; 0: there is none.
Error read_timeout(MPI_Info handle, double* seconds) {
  const Info* info = nullptr;
  if (Error error = find_info(handle, &info)) return error;
  char text[64];
  if (!info || !info->get("timeout", text, sizeof text)) return MPI_SUCCESS;
  char* end = nullptr;
  *seconds = std::strtod(text, &end);
  if (end != text && *end == 0 && std::isfinite(*seconds) && *seconds >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_INFO_VALUE, "info key timeout: \"%s\" is no number of seconds", text);
}

bool leads(const Communicator& comm, int root) {
  return !comm.is_inter() && comm.rank() == root;
}

// Reads the root's arguments of an accept or a connect.
dynamic::RootArguments read_arguments(const Communicator& comm, int root, const char* port,
                                      MPI_Info info) {
  dynamic::RootArguments read{port, 0, MPI_SUCCESS};
  if (!leads(comm, root)) return read;
  read.problem = port ? read_timeout(info, &read.seconds) : missing("port_name");
  return read;
}

// Gives the program the communicator that `make(&made)` has made.
template <class Make>
Error give(MPI_Comm* handle, Make&& make) {
  Communicator* made = nullptr;
  if (Error error = make(&made)) return error;
  *handle = made->handle;
  return MPI_SUCCESS;
}

}  // namespace

Error comm_get_parent(MPI_Comm* parent) {
  *parent = dynamic::parent();
  return MPI_SUCCESS;
}

Error comm_spawn(const char* command, char** arguments, int processes, MPI_Info info, int root,
                 Communicator& comm, MPI_Comm* handle, int* codes) {
  dynamic::SpawnedProgram program{command, arguments, processes, nullptr};
  const Error problem = leads(comm, root) ? find_info(info, &program.info) : MPI_SUCCESS;
  return give(handle, [&](Communicator** made) {
    return dynamic::spawn(comm, root, &program, 1, problem, made, codes);
  });
}

Error comm_spawn_multiple(int count, char** commands, char*** arguments, const int* processes,
                          const MPI_Info* given, int root, Communicator& comm, MPI_Comm* handle,
                          int* codes) {
  std::vector<dynamic::SpawnedProgram> programs;
  Error problem = MPI_SUCCESS;
  if (leads(comm, root) && count > 0) {
    if (!commands) problem = missing("array_of_commands");
    if (!processes) problem = missing("array_of_maxprocs");
    if (!given) problem = missing("array_of_info");
    for (int i = 0; !problem && i < count; ++i) {
      programs.push_back({commands[i], arguments ? arguments[i] : nullptr, processes[i], nullptr});
      problem = find_info(given[i], &programs.back().info);
    }
  }
  return give(handle, [&](Communicator** made) {
    return dynamic::spawn(comm, root, programs.data(), count, problem, made, codes);
  });
}

Error open_port(const Info* info, char* name) {
  dynamic::Endpoint wanted;
  char text[MPI_MAX_INFO_VAL + 1];
  if (info && info->get("ip_address", text, sizeof text)) wanted.address = text;
  if (info && info->get("ip_port", text, sizeof text)) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    constexpr long numbers_max = 65535;
    if (end == text || *end || number < 0 || number > numbers_max)
      return fail(MPI_ERR_INFO_VALUE, "info key ip_port: \"%s\" is no number of a port", text);
    wanted.number = static_cast<int>(number);
  }
  return dynamic::open_port(wanted, name);
}

Error close_port(const char* name) {
  return dynamic::close_port(name);
}

Error comm_accept(const char* port, MPI_Info info, int root, Communicator& comm, MPI_Comm* handle) {
  return give(handle, [&](Communicator** made) {
    return dynamic::accept(comm, root, read_arguments(comm, root, port, info), made);
  });
}

Error comm_connect(const char* port, MPI_Info info, int root, Communicator& comm,
                   MPI_Comm* handle) {
  return give(handle, [&](Communicator** made) {
    return dynamic::connect(comm, root, read_arguments(comm, root, port, info), made);
  });
}

Error comm_join(int descriptor, MPI_Comm* handle) {
  return give(handle, [&](Communicator** made) { return dynamic::join(descriptor, made); });
}

Error publish_name(const char* service, const Info* info, const char* port) {
  return dynamic::publish(service, info, port);
}

Error unpublish_name(const char* service, const Info* info, const char* port) {
  return dynamic::unpublish(service, info, port);
}

Error lookup_name(const char* service, const Info* info, char* port) {
  return dynamic::look_up(service, info, port);
}

}  // namespace baton::api
