#include "world/session.hpp"

namespace baton::world {

constinit SessionTable sessions;

void release(Session& session) {
  // ORDER session.references: release by each, acquire by the last; all uses are over.
  if (session.references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &session;
}

const char* thread_level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

}  // namespace baton::world
