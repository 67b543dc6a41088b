// Active messages: one line carries the number of a handler, which the receiver's progress calls
// with the payload. For what no rank can do alone from its side: one-sided operations on memory
// that cannot be reached, file aggregators, tools. Handlers are registered by the layers above,
// with the same numbers on all ranks.
// Invariant: a handler runs in progress, under no matching or send lock, and never waits; it may
// send. From one rank to another they come in the order of all that was sent there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "transport/link.hpp"

namespace baton::message {

struct ActiveMessage {
  Process sender;
  std::int32_t word;    // the sender's, as is
  const void* payload;  // until the handler returns
  std::size_t bytes;
};
using ActiveHandler = void (*)(const ActiveMessage& message);

// Who has which number.
enum class ActiveKind : std::uint32_t {
  test,
  one_sided,
  file,
  tool,
  network_cancel,
  network_loss,
  network_transit,
  network_goodbye,
  agreement,
  revocation,
  count
};

// Before the first message of that kind can come: at start, or, for the kinds of an operation that
// all ranks begin together, before that. Once a kind.
void handle_active(ActiveKind kind, ActiveHandler handler);

inline constexpr std::size_t active_bytes_max = 4096;

// Sends one to a process, this one included. The payload may be used again at once: where
// there is no space on the way, a copy waits. Errors, explained: MPI_ERR_NO_MEM,
// MPI_ERR_UNSUPPORTED_OPERATION in a job that repeats the deposit study.
Error send_active(Process process, ActiveKind kind, std::int32_t word, const void* payload,
                  std::size_t bytes);

// --- for arrivals and protocols.
// One has come.
void arrive_active(Process sender, lockfree::Envelope envelope, const void* payload,
                   std::size_t bytes);

}  // namespace baton::message
