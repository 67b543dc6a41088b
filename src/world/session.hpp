// Sessions (MPI 5.0, "The Sessions Model"): uses of the library that know nothing of each other. A
// session names process sets, whose groups make communicators. Used by layers 7 to 10.
// Invariant: a session lives on after MPI_Session_finalize while groups and communicators come from
// it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "message/core/send_buffer.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"
#include "world/memory_kind.hpp"

namespace baton::world {

class Session {
 public:
  ErrorTarget errors{ObjectKind::session};
  MPI_Session handle = MPI_SESSION_NULL;
  int thread_level = MPI_THREAD_SINGLE;
  const char* memory_kinds = all_memory_kinds;  // supported, and asked for or said anyway
  message::SendBuffer buffer;                   // of buffered sends on its communicators
  std::atomic<std::int32_t> references{1};
};

using SessionTable = HandleTable<Session, HandleTag::session>;
extern SessionTable sessions;

inline void retain(Session& session) {
  // relaxed: whoever retains already holds a reference.
  session.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Session& session);

// Begins and ends one; the thread level is the one wanted. MPI_ERR_NO_MEM, or why the library
// cannot start.
Error start_session(int thread_level, ErrorHandler& handler, Session** made);
Error end_session(Session& session);

// The process sets: "mpi://WORLD" and "mpi://SELF". Null beyond the last.
const char* process_set_name(int place);
// The group of a set; null, without an explanation, when there is no such set.
Group* process_set_group(const char* name, Session* session);
std::int32_t process_set_size(const char* name);  // -1: no such set

// Collective over `group`: a communicator; the text keeps concurrent creations apart.
Error create_from_group(Group& group, const char* text, ErrorHandler& handler, Communicator** made);

const char* thread_level_name(int level);

}  // namespace baton::world

namespace baton {
using world::Session;
}
