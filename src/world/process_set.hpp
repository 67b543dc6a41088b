// These are the process sets that sessions name (MPI 5.0, "The Sessions Model"): "mpi://WORLD" and
// "mpi://SELF"; in a job that was spawned "baton://PARENT", which are those that spawned it; and
// where it was spawned "baton://JOB/NUMBER", which are its processes. The groups belong to the
// session, and communicators are made of groups without a parent. They are used by layer 10.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"
#include "world/session.hpp"

namespace baton::world {

inline constexpr int process_set_name_max = 32;  // bytes, with the terminating zero

// From now on the remote group of an intercommunicator is a set, as long as that exists.
void add_parent_set(const Communicator& inter);
void add_spawned_set(const Communicator& inter);

// Writes the name of the set at a place; false beyond the last.
bool process_set_name(int place, char (&name)[process_set_name_max]);
// Returns the group of a set; null, unexplained: there is no such set, or no memory.
Group* process_set_group(const char* name, Session* session);
std::int32_t process_set_size(const char* name);  // -1: no such set

// Creates a communicator, collectively over `group`; the text keeps concurrent creations apart.
Error create_from_group(Group& group, const char* text, ErrorHandler& handler, Communicator** made);

}  // namespace baton::world
