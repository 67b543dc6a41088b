// These are the process sets that sessions name (MPI 5.0, "The Sessions Model"): "mpi://WORLD" and
// "mpi://SELF". Their groups belong to the session, and communicators are made of groups without a
// parent. They are used by layer 10.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"
#include "world/session.hpp"

namespace baton::world {

// Returns the name of the set at a place; null beyond the last.
const char* process_set_name(int place);
// Returns the group of a set; null, without an explanation, when there is no such set.
Group* process_set_group(const char* name, Session* session);
std::int32_t process_set_size(const char* name);  // -1: no such set

// Creates a communicator, collectively over `group`; the text keeps concurrent creations apart.
Error create_from_group(Group& group, const char* text, ErrorHandler& handler, Communicator** made);

}  // namespace baton::world
