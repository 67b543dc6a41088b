// Sessions (MPI 5.0, "The Sessions Model") are uses of the library that know nothing of each other.
// A session names process sets (world/process_set.hpp), whose groups make communicators; it starts
// and ends with world/process.hpp. They are used by layers 7 to 10. Invariant: a session lives on
// after MPI_Session_finalize while groups and communicators come from it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "message/core/send_buffer.hpp"
#include "world/error_handler.hpp"
#include "world/memory_kind.hpp"

namespace baton::world {

class Session {
 public:
  ErrorTarget errors{ObjectKind::session};
  MPI_Session handle = MPI_SESSION_NULL;
  int thread_level = MPI_THREAD_SINGLE;
  const char* memory_kinds = all_memory_kinds;  // supported, with those asked for
  message::SendBuffer buffer;                   // for buffered sends on its communicators
  std::atomic<std::int32_t> references{1};
};

using SessionTable = HandleTable<Session, HandleTag::session>;
extern SessionTable sessions;

inline void retain(Session& session) {
  // relaxed: the caller already holds a reference.
  session.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Session& session);

// Returns the name of a level, such as "MPI_THREAD_SINGLE".
const char* thread_level_name(int level);

}  // namespace baton::world

namespace baton {
using world::Session;
}
