#include "api/communicator.hpp"

#include <cstdio>
#include <cstring>

#include "world/process.hpp"

namespace baton::api {

namespace {

// Hands a new communicator out, or MPI_COMM_NULL where this process is not in it.
Error give(Error error, const Communicator* made, MPI_Comm* handle) {
  if (!error) *handle = made ? made->handle : MPI_COMM_NULL;
  return error;
}

Error check_group(const Communicator& comm, const Group& group) {
  for (std::int32_t i = 0; i < group.size; ++i)
    if (comm.local->rank_of(group.job_ranks[i]) == MPI_UNDEFINED)
      return fail(
          MPI_ERR_GROUP,
          "argument 2 (group): its rank %d is not in this communicator; a new communicator's "
          "group must be a part of the old one's",
          i);
  return MPI_SUCCESS;
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
  // The user's group is an object of its own: its handle may be freed any time.
  Group* copy = world::new_group(comm.local->size);
  if (!copy) return fail(MPI_ERR_NO_MEM, "no memory for a group");
  std::memcpy(copy->job_ranks, comm.local->job_ranks,
              static_cast<std::size_t>(copy->size) * sizeof copy->job_ranks[0]);
  world::belong_to(*copy, comm.local->session);
  copy->identity = comm.local->identity;
  copy->rank = comm.local->rank;
  Error error = world::publish_group(*copy);
  if (!error) *group = copy->handle;
  return error;
}

Error comm_compare(Communicator& first, Communicator& second, int* result) {
  *result = world::compare(first, second);
  return MPI_SUCCESS;
}

Error comm_dup(Communicator& comm, MPI_Comm* handle) {
  Communicator* made = nullptr;
  Error error = world::duplicate(comm, true, &made);
  return give(error, made, handle);
}

Error comm_dup_with_info(Communicator& comm, const Info*, MPI_Comm* handle) {
  // Hints are advice: none concerns us yet, so that accepting them changes nothing.
  return comm_dup(comm, handle);
}

Error comm_split(Communicator& comm, int color, int key, MPI_Comm* handle) {
  if (color < 0 && color != MPI_UNDEFINED)
    return fail(MPI_ERR_ARG,
                "argument 2 (color): %d is negative; a color is 0 or more, or "
                "MPI_UNDEFINED to stay out",
                color);
  Communicator* made = nullptr;
  Error error = world::split(comm, color, key, &made);
  return give(error, made, handle);
}

Error comm_split_type(Communicator& comm, int type, int key, const Info*, MPI_Comm* handle) {
  Communicator* made = nullptr;
  if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) {
    bool known = type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_HW_UNGUIDED ||
                 type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    if (!known)
      return fail(MPI_ERR_ARG, "argument 2 (split_type): %d is no MPI_COMM_TYPE_ constant", type);
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "argument 2 (split_type): only MPI_COMM_TYPE_SHARED is built so far");
  }
  Error error = world::split_by_node(comm, type != MPI_UNDEFINED, key, &made);
  return give(error, made, handle);
}

Error comm_create(Communicator& comm, Group& group, MPI_Comm* handle) {
  if (Error error = check_group(comm, group)) return error;
  Communicator* made = nullptr;
  Error error = world::create(comm, group, &made);
  return give(error, made, handle);
}

Error comm_create_group(Communicator& comm, Group& group, int tag, MPI_Comm* handle) {
  if (Error error = check_group(comm, group)) return error;
  Communicator* made = nullptr;
  Error error = world::create_from_members(comm, group, tag, &made);
  return give(error, made, handle);
}

Error comm_free(MPI_Comm* handle) {
  Communicator* comm = world::communicators.find(*handle);
  if (!comm)
    return fail(MPI_ERR_COMM, "argument 1 (comm): this is not a communicator that is alive");
  if (is_predefined(*comm))
    return fail(MPI_ERR_COMM, "argument 1 (comm): %s is predefined and cannot be freed",
                comm->name);
  if (Error error = world::free_communicator(*comm)) return error;
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

// All communication of ours is over when its request is: disconnecting is freeing.
Error comm_disconnect(MPI_Comm* handle) {
  return comm_free(handle);
}

Error comm_set_name(Communicator& comm, const char* name) {
  std::snprintf(comm.name, sizeof comm.name, "%s", name);
  return MPI_SUCCESS;
}

Error comm_get_name(Communicator* comm, char* name, int* length) {
  *length = std::snprintf(name, MPI_MAX_OBJECT_NAME, "%s", comm ? comm->name : "MPI_COMM_NULL");
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
