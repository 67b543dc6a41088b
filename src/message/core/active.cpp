#include "message/core/active.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/contact.hpp"
#include "message/core/protocol.hpp"
#include "message/core/queue.hpp"

namespace baton::message {

static_assert(active_bytes_max <= transport::bytes_in_lines_max / 2);

namespace {

ActiveHandler handlers[static_cast<std::size_t>(ActiveKind::count)];

}  // namespace

void handle_active(ActiveKind kind, ActiveHandler handler) {
  handlers[static_cast<std::size_t>(kind)] = handler;
}

Error send_active(Process process, ActiveKind kind, std::int32_t word, const void* payload,
                  std::size_t bytes) {
  BATON_INVARIANT(bytes <= active_bytes_max);
  Peer* peer = contact(process);
  if (!peer) return MPI_ERR_NO_MEM;
  if (Error error = peer->protocol->carries_active()) return error;
  return submit_active(*peer, {static_cast<std::uint32_t>(kind), word}, payload, bytes);
}

void arrive_active(Process sender, lockfree::Envelope envelope, const void* payload,
                   std::size_t bytes) {
  BATON_INVARIANT(envelope.context < std::size(handlers) && handlers[envelope.context] != nullptr);
  handlers[envelope.context]({sender, envelope.tag, payload, bytes});
}

}  // namespace baton::message
