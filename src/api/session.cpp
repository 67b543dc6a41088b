#include "api/session.hpp"

#include <cstdio>
#include <cstring>

#include "api/error.hpp"
#include "collective/check/deadlock.hpp"
#include "collective/check/describe_wait.hpp"
#include "platform/clock.hpp"
#include "tool/timing.hpp"
#include "world/memory_kind.hpp"
#include "world/process.hpp"
#include "world/process_set.hpp"

namespace baton::api {

namespace {

// Returns the thread level that an info asks for; if it asks for none, the level of the process.
int wanted_thread_level(const Info* info) {
  char text[32] = "";
  if (info) info->get("thread_level", text, sizeof text);
  for (int level :
       {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE})
    if (std::strcmp(text, world::thread_level_name(level)) == 0) return level;
  return world::highest_thread_level();
}

Error no_such_set(const char* name) {
  return fail(MPI_ERR_ARG,
              "argument 2 (pset_name): there is no process set \"%.100s\"; "
              "MPI_Session_get_nth_pset gives the names",
              name);
}

}  // namespace

Error session_init(Info* info, ErrorHandler& errhandler, MPI_Session* session) {
  if (Error error = check_kind(errhandler, 2, ObjectKind::session, "MPI_Session_create_errhandler"))
    return error;
  Session* made = nullptr;
  const std::int64_t began = platform::now_ticks();
  Error error = world::start_session(wanted_thread_level(info), errhandler, &made);
  if (error) return error;
  collective::watch_waits();
  collective::describe_long_waits();
  tool::begin_timing(began, made->thread_level);
  char kinds[MPI_MAX_INFO_VAL] = "";
  if (info) info->get(world::memory_kinds_key, kinds, sizeof kinds);
  made->memory_kinds = world::memory_kinds_with(kinds);
  *session = made->handle;
  return MPI_SUCCESS;
}

Error session_finalize(MPI_Session* session) {
  Session* found = world::sessions.find(*session);
  if (!found)
    return fail(MPI_ERR_SESSION, "argument 1 (session): this is no session that is alive");
  const std::int64_t asked = platform::now_ticks();
  Error error = world::end_session(*found);
  tool::end_timing(asked);
  if (!error) *session = MPI_SESSION_NULL;
  return error;
}

Error session_get_info(Session& session, MPI_Info* info_used) {
  Info* made = nullptr;
  if (Error error = create_info(&made)) return error;
  Error error = made->set("thread_level", world::thread_level_name(session.thread_level));
  if (!error) error = made->set(world::memory_kinds_key, session.memory_kinds);
  if (error) {
    baton::free_info(*made);
    return error;
  }
  *info_used = made->handle;
  return MPI_SUCCESS;
}

Error session_get_num_psets(Session&, Info*, int* npset_names) {
  int count = 0;
  char name[world::process_set_name_max];
  while (world::process_set_name(count, name)) ++count;
  *npset_names = count;
  return MPI_SUCCESS;
}

// Gives the name of a set. A length of 0 asks for the one that is needed, the terminating zero
// included.
Error session_get_nth_pset(Session&, Info*, int n, int* pset_len, char* pset_name) {
  char name[world::process_set_name_max];
  if (!world::process_set_name(n, name))
    return fail(MPI_ERR_ARG, "argument 3 (n): there is no process set %d", n);
  if (*pset_len < 0)
    return fail(MPI_ERR_ARG, "argument 4 (pset_len) is %d; it must be at least 0", *pset_len);
  if (*pset_len > 0 && !pset_name)
    return fail(MPI_ERR_ARG, "argument 5 (pset_name) is a null pointer");
  if (*pset_len > 0) std::snprintf(pset_name, static_cast<std::size_t>(*pset_len), "%s", name);
  *pset_len = static_cast<int>(std::strlen(name)) + 1;
  return MPI_SUCCESS;
}

Error session_get_pset_info(Session&, const char* pset_name, MPI_Info* info) {
  std::int32_t size = world::process_set_size(pset_name);
  if (size < 0) return no_such_set(pset_name);
  Info* made = nullptr;
  if (Error error = create_info(&made)) return error;
  char text[16];
  std::snprintf(text, sizeof text, "%d", size);
  if (Error error = made->set("mpi_size", text)) {
    baton::free_info(*made);
    return error;
  }
  *info = made->handle;
  return MPI_SUCCESS;
}

Error group_from_session_pset(Session& session, const char* pset_name, MPI_Group* group) {
  *group = MPI_GROUP_NULL;
  if (world::process_set_size(pset_name) < 0) return no_such_set(pset_name);
  Group* made = world::process_set_group(pset_name, &session);
  if (!made) return fail(MPI_ERR_NO_MEM, "no memory for a group");
  Error error = world::publish_group(*made);
  if (!error) *group = made->handle;
  return error;
}

Error comm_create_from_group(Group& group, const char* stringtag, Info* info,
                             ErrorHandler& errhandler, MPI_Comm* comm) {
  if (Error error = check_kind(errhandler, 4, ObjectKind::comm, "MPI_Comm_create_errhandler"))
    return error;
  *comm = MPI_COMM_NULL;
  if (group.size == 0) return MPI_SUCCESS;
  if (group.rank == MPI_UNDEFINED)
    return fail(MPI_ERR_GROUP, "argument 1 (group): this process is not in it");
  if (std::strlen(stringtag) >= MPI_MAX_STRINGTAG_LEN)
    return fail(MPI_ERR_ARG, "argument 2 (stringtag) is longer than MPI_MAX_STRINGTAG_LEN - 1 (%d)",
                MPI_MAX_STRINGTAG_LEN - 1);
  Communicator* made = nullptr;
  Error error = world::create_from_group(group, stringtag, errhandler, &made);
  if (error) return error;
  world::update_hints(made->hints, info);
  *comm = made->handle;
  return MPI_SUCCESS;
}

Error session_create_errhandler(MPI_Session_errhandler_function* function,
                                MPI_Errhandler* errhandler) {
  return create_error_handler(ObjectKind::session,
                              reinterpret_cast<ErrorHandler::Function>(function), errhandler);
}

Error session_set_errhandler(Session& session, ErrorHandler& errhandler) {
  if (Error error = check_kind(errhandler, 2, ObjectKind::session, "MPI_Session_create_errhandler"))
    return error;
  attach_error_handler(session.errors, &errhandler);
  return MPI_SUCCESS;
}

Error session_get_errhandler(Session& session, MPI_Errhandler* errhandler) {
  return get_error_handler(session.errors, errhandler);
}

Error session_call_errhandler(Session& session, int errorcode) {
  return call_errhandler(session.errors, "MPI_Session_call_errhandler", errorcode);
}

Error session_detach_buffer(Session& session, void* address, std::int64_t* bytes) {
  if (!address)
    return fail(MPI_ERR_ARG,
                "argument 2 (buffer_addr) is a null pointer; pass the address of a pointer");
  return session.buffer.detach(static_cast<void**>(address), bytes);
}

}  // namespace baton::api
