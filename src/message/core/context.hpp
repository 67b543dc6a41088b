// A communicator as layer 6 knows it: ids, ranks, and where its messages are matched.
// Filled by world/ for each plane of a communicator; layer 6 only reads it.
#pragma once

#include <cstdint>

#include "base/identity.hpp"
#include "message/core/match.hpp"
#include "platform/lock.hpp"
#include "platform/memory_kind.hpp"

namespace baton::message {

// The planes of a context id: its lowest bits.
enum class Plane : std::uint32_t {
  point_to_point,
  collective,
  one_sided,
  partitioned,
  node,    // collectives among a node's ranks
  column,  // and among ranks that have the same number on their nodes
};
inline constexpr std::uint32_t plane_count = 8;

class SendBuffer;

struct Context {
  std::uint32_t send_id = 0;           // as the receivers know it
  std::uint32_t receive_id = 0;        // as we know it; differs only in intercommunicators
  std::int32_t rank = 0;               // ours in our own group: the source that receivers see
  std::int32_t size = 0;               // ranks that can be addressed
  const Process* processes = nullptr;  // of the addressable ranks; null: the same numbers
  MatchQueue* queue = nullptr;         // of receive_id
  void* owner = nullptr;               // the communicator; opaque here
  Usage* usage = nullptr;              // its count of requests
  // The buffers of buffered sends: this communicator's own, and its session's (null: it has no
  // session).
  SendBuffer* buffer = nullptr;
  SendBuffer* session_buffer = nullptr;
  // True: the program has promised that its buffers are host memory
  // (mpi_assert_memory_alloc_kinds). Null: nobody can promise it.
  const bool* promises_host = nullptr;

  // Returns whether buffers are host memory without asking. It need not say so where all are.
  BATON_INLINE bool is_host() const {
    return BATON_UNLIKELY(platform::memory_kinds.any()) && promises_host &&
           platform::load_shared(*promises_host);
  }

  BATON_INLINE Process process(std::int32_t r) const {
    return processes ? processes[r] : static_cast<Process>(r);
  }
};

// A request with a handle keeps the communicator alive.
inline void hold(Request& request, const Context& context) {
  request.usage = context.usage;
  if (request.usage) platform::add_shared(request.usage->uses, 1);
}

}  // namespace baton::message
