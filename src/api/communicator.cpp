#include "api/communicator.hpp"

#include <strings.h>

#include <cstdio>
#include <cstring>

#include "api/group.hpp"
#include "api/name.hpp"
#include "dynamic/port.hpp"
#include "message/core/engine.hpp"
#include "world/memory_kind.hpp"
#include "world/process.hpp"
#include "world/session.hpp"

namespace baton::api {

namespace {

// Returns a new communicator to the program, or MPI_COMM_NULL where this process is not in it.
Error give(Error error, const Communicator* made, MPI_Comm* handle) {
  if (!error) *handle = made ? made->handle : MPI_COMM_NULL;
  return error;
}

Error check_group(const Communicator& comm, const Group& group) {
  for (std::int32_t i = 0; i < group.size; ++i)
    if (comm.local->rank_of(group.processes[i]) == MPI_UNDEFINED)
      return fail(MPI_ERR_GROUP,
                  "argument 2 (group): its rank %d is not in this communicator's own group; a new "
                  "communicator's group must be a part of the old one's",
                  i);
  return MPI_SUCCESS;
}

constexpr char hardware_key[] = "mpi_hw_resource_type";
constexpr char process_set_key[] = "mpi_pset_name";

// This is the result of how MPI_Comm_split_type divides: our color, and the resource where the
// caller wants to know it.
struct SplitColor {
  int color = MPI_UNDEFINED;
  bool named = false;
  world::Resource resource{};
};

// Returns a color that the ranks of this rank's job have, and those of other jobs have not.
int own_job(const Communicator& comm) {
  const Group& all = comm.is_inter() ? *comm.both : *comm.local;
  int first = 0;
  while (!message::is_of_own_job(all.processes[first])) ++first;
  return first;
}

// Returns a color for the ranks that share memory: those of a node, or, where ranks are of several
// jobs, those of a job on a node.
int sharing_memory(const Communicator& comm) {
  const std::int32_t node = message::place_of(message::engine.self).node;
  if (!comm.spans_jobs()) return node;
  const Group& all = comm.is_inter() ? *comm.both : *comm.local;
  int first = own_job(comm);
  while (!message::is_of_own_job(all.processes[first]) ||
         message::place_of(all.processes[first]).node != node)
    ++first;
  return first;
}

int color_of_hardware(const Communicator& comm, const char* name) {
  if (std::strcmp(name, "mpi_shared_memory") == 0) return sharing_memory(comm);
  world::Resource resource;
  return world::find_resource(name, &resource) ? world::color_by(comm, resource) : MPI_UNDEFINED;
}

int color_of_process_set(const Communicator& comm, const char* name) {
  // The standard compares the names of its own sets without regard to case.
  if (::strcasecmp(name, "mpi://WORLD") == 0) return own_job(comm);
  const bool alone = ::strcasecmp(name, "mpi://SELF") == 0;
  const int own_place = comm.is_inter() ? comm.both->rank : comm.rank();
  return alone ? own_place : MPI_UNDEFINED;
}

Error choose_color(const Communicator& comm, int type, const Info* info, SplitColor* chosen) {
  char hardware[MPI_MAX_INFO_VAL], process_set[MPI_MAX_INFO_VAL];
  bool by_hardware = info && info->get(hardware_key, hardware, sizeof hardware);
  bool by_set = info && info->get(process_set_key, process_set, sizeof process_set);
  switch (type) {
    case MPI_UNDEFINED:
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_SHARED:
      chosen->color = sharing_memory(comm);
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_HW_GUIDED:
      if (by_hardware) chosen->color = color_of_hardware(comm, hardware);
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      if (by_hardware && by_set)
        return fail(MPI_ERR_INFO,
                    "argument 4 (info): it has both %s and %s; only one can guide a split",
                    hardware_key, process_set_key);
      if (by_hardware) chosen->color = color_of_hardware(comm, hardware);
      if (by_set) chosen->color = color_of_process_set(comm, process_set);
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_HW_UNGUIDED:
      chosen->named = world::find_dividing(comm, &chosen->resource);
      if (chosen->named) chosen->color = world::color_by(comm, chosen->resource);
      return MPI_SUCCESS;
    default:
      return fail(MPI_ERR_ARG, "argument 2 (split_type): %d is no MPI_COMM_TYPE_ constant", type);
  }
}

bool is_predefined(const Communicator& comm) {
  return comm.handle == MPI_COMM_WORLD || comm.handle == MPI_COMM_SELF;
}

}  // namespace

Error comm_size(Communicator& comm, int* size) {
  *size = comm.size();
  return MPI_SUCCESS;
}

Error comm_rank(Communicator& comm, int* rank) {
  *rank = comm.rank();
  return MPI_SUCCESS;
}

Error comm_remote_size(Communicator& comm, int* size) {
  if (!comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 (comm): this is no intercommunicator; MPI_Comm_size tells "
                "the size of its one group");
  *size = comm.remote_size();
  return MPI_SUCCESS;
}

Error comm_test_inter(Communicator& comm, int* flag) {
  *flag = comm.is_inter();
  return MPI_SUCCESS;
}

Error comm_group(Communicator& comm, MPI_Group* group) {
  return give_copy(*comm.local, group);
}

Error comm_remote_group(Communicator& comm, MPI_Group* group) {
  if (!comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 (comm): this is no intercommunicator; MPI_Comm_group gives its one "
                "group");
  return give_copy(*comm.remote, group);
}

Error comm_compare(Communicator& first, Communicator& second, int* result) {
  *result = world::compare(first, second);
  return MPI_SUCCESS;
}

// Duplicates with the hints of the info, and otherwise the defaults: a duplicate gets none of the
// old communicator's hints (MPI 5.0, "Communicator Info").
Error comm_dup_with_info(Communicator& comm, const Info* info, MPI_Comm* handle) {
  world::Hints hints;
  world::update_hints(hints, info);
  Communicator* made = nullptr;
  Error error = world::duplicate(comm, hints, &made);
  return give(error, made, handle);
}

Error comm_dup(Communicator& comm, MPI_Comm* handle) {
  return comm_dup_with_info(comm, nullptr, handle);
}

Error comm_idup_with_info(Communicator& comm, const Info* info, MPI_Comm* handle,
                          MPI_Request* request) {
  world::Hints hints;
  world::update_hints(hints, info);
  return world::start_duplicate(comm, hints, handle, request);
}

Error comm_idup(Communicator& comm, MPI_Comm* handle, MPI_Request* request) {
  return comm_idup_with_info(comm, nullptr, handle, request);
}

Error comm_get_info(Communicator& comm, MPI_Info* handle) {
  Info* info = nullptr;
  if (Error error = create_info(&info)) return error;
  if (Error error = world::describe_hints(comm.hints, world::memory_kinds_of(*comm.local), *info)) {
    free_info(*info);
    return error;
  }
  *handle = info->handle;
  return MPI_SUCCESS;
}

Error comm_set_info(Communicator& comm, const Info* info) {
  world::update_hints(comm.hints, info);
  return MPI_SUCCESS;
}

Error comm_split(Communicator& comm, int color, int key, MPI_Comm* handle) {
  if (color < 0 && color != MPI_UNDEFINED)
    return fail(MPI_ERR_ARG,
                "argument 2 (color): %d is negative; a color is 0 or more, or "
                "MPI_UNDEFINED to stay out",
                color);
  Communicator* made = nullptr;
  Error error = world::split(comm, 0, color, key, &made);
  return give(error, made, handle);
}

Error comm_split_type(Communicator& comm, int type, int key, Info* info, MPI_Comm* handle) {
  SplitColor chosen;
  if (Error error = choose_color(comm, type, info, &chosen)) return error;
  Communicator* made = nullptr;
  Error error = world::split(comm, type, chosen.color, key, &made);
  if (!error && made) {
    world::update_hints(made->hints, info);
    if (chosen.named && info && !info->read_only)
      error = info->set(hardware_key, world::resource_uri(chosen.resource));
    if (error) (void)world::free_communicator(*made);
  }
  return give(error, made, handle);
}

Error comm_create(Communicator& comm, Group& group, MPI_Comm* handle) {
  if (Error error = check_group(comm, group)) return error;
  Communicator* made = nullptr;
  Error error = world::create(comm, group, &made);
  return give(error, made, handle);
}

Error comm_create_group(Communicator& comm, Group& group, int tag, MPI_Comm* handle) {
  if (comm.is_inter())
    return fail(MPI_ERR_COMM,
                "argument 1 (comm): this is an intercommunicator; MPI_Comm_create divides those");
  if (Error error = check_group(comm, group)) return error;
  Communicator* made = nullptr;
  Error error = world::create_from_members(comm, group, tag, &made);
  return give(error, made, handle);
}

namespace {

// Ends a communicator by one of the two ways to do that.
Error end(MPI_Comm* handle, Error (*way)(Communicator& comm)) {
  Communicator* comm = world::communicators.find(*handle);
  if (!comm)
    return fail(MPI_ERR_COMM, "argument 1 (comm): this is not a communicator that is alive");
  if (is_predefined(*comm))
    return fail(MPI_ERR_COMM, "argument 1 (comm): %s is predefined and cannot be freed",
                comm->name);
  if (Error error = way(*comm)) return error;
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace

Error comm_free(MPI_Comm* handle) {
  return end(handle, world::free_communicator);
}

Error comm_disconnect(MPI_Comm* handle) {
  return end(handle, dynamic::disconnect);
}

Error comm_set_name(Communicator& comm, const char* name) {
  set_name(comm.name, name);
  return MPI_SUCCESS;
}

Error comm_get_name(Communicator* comm, char* name, int* length) {
  *length = comm ? copy_name(comm->name, name)
                 : std::snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_COMM_NULL");
  return MPI_SUCCESS;
}

Error abort(Communicator& comm, int code) {
  char text[128];
  std::snprintf(text, sizeof text, "MPI_Abort(%s, %d) ends the job",
                comm.name[0] ? comm.name : "a communicator", code);
  print_message(text);
  world::abort_process(code);
}

}  // namespace baton::api
