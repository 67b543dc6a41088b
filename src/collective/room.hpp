// Short collectives in a shared room: everyone writes one line, everyone reads the lines it needs.
#pragma once

#include "collective/collective.hpp"

namespace baton::collective {

void barrier_in_room(Communicator& comm);
void broadcast_in_room(Communicator& comm, void* buffer, std::int64_t bytes, int root);
void allreduce_in_room(Communicator& comm, const void* send, void* receive, std::int64_t count,
                       Datatype& type, Operation& operation);

}  // namespace baton::collective
