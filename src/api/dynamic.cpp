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

// Gives the program the communicator that `make(&made)` has made.
template <class Make>
Error give(MPI_Comm* handle, Make&& make) {
  Communicator* made = nullptr;
  if (Error error = make(&made)) return error;
  *handle = made->handle;
  return MPI_SUCCESS;
}

bool leads(const Communicator& comm, int root) {
  return !comm.is_inter() && comm.rank() == root;
}

}  // namespace

Error comm_get_parent(MPI_Comm* parent) {
  *parent = dynamic::parent();
  return MPI_SUCCESS;
}

Error comm_spawn(const char* command, char** arguments, int processes, MPI_Info info, int root,
                 Communicator& comm, MPI_Comm* handle, int* codes) {
  dynamic::SpawnedProgram program{command, arguments, processes, nullptr};
  // A root that left here would leave the others waiting, so its info counts as none.
  const Error unknown = leads(comm, root) ? find_info(info, &program.info) : MPI_SUCCESS;
  if (unknown) program.command = nullptr;
  return give(handle, [&](Communicator** made) {
    return dynamic::spawn(comm, root, &program, 1, made, codes);
  });
}

Error comm_spawn_multiple(int count, char** commands, char*** arguments, const int* processes,
                          const MPI_Info* given, int root, Communicator& comm, MPI_Comm* handle,
                          int* codes) {
  std::vector<dynamic::SpawnedProgram> programs;
  for (int i = 0; leads(comm, root) && i < count; ++i) {
    dynamic::SpawnedProgram program{commands[i], arguments ? arguments[i] : nullptr, processes[i],
                                    nullptr};
    if (find_info(given[i], &program.info) != MPI_SUCCESS) program.command = nullptr;
    programs.push_back(program);
  }
  return give(handle, [&](Communicator** made) {
    return dynamic::spawn(comm, root, programs.data(), count, made, codes);
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
  double seconds = 0;
  const Error problem = leads(comm, root) ? read_timeout(info, &seconds) : MPI_SUCCESS;
  return give(handle, [&](Communicator** made) {
    return dynamic::accept(comm, root, {port, seconds, problem}, made);
  });
}

Error comm_connect(const char* port, MPI_Info info, int root, Communicator& comm,
                   MPI_Comm* handle) {
  double seconds = 0;
  const Error problem = leads(comm, root) ? read_timeout(info, &seconds) : MPI_SUCCESS;
  return give(handle, [&](Communicator** made) {
    return dynamic::connect(comm, root, {port, seconds, problem}, made);
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
