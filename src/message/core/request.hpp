// Requests: one operation under way. Made by layer 6 and by the schedules above; blocking calls
// keep theirs on the stack. Completed in one place: `complete`. Invariant: a request is on at most
// one list at a time, through `next`.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "base/identity.hpp"
#include "datatype/datatype.hpp"
#include "message/core/part.hpp"
#include "platform/lock.hpp"

namespace baton::message {

struct Peer;
struct MatchQueue;
struct Request;

enum class RequestKind : std::uint8_t {
  send,
  receive,
  active,
  schedule,
  generalized,
  partitioned_send,
  partitioned_receive
};

// Where a request stands in its protocol.
enum class Stage : std::uint8_t {
  fresh,
  posted,     // a receive in a match queue
  queued,     // waits for space in a peer's ring
  offered,    // a send whose receiver has not come yet
  streaming,  // chunks through staging, either side
};

// The arguments by which a persistent request is started again.
struct Recipe {
  Error (*start)(Request& request);
  const void* context;  // the communicator's message::Context
  std::int64_t count;
  std::int32_t rank;  // destination or source
  std::int32_t tag;
  bool synchronous;
};

// How many requests use a communicator: it lives on after it is freed until the last has gone.
struct Usage {
  std::int32_t uses = 1;  // requests, and the program's own handle
  bool freed = false;     // the handle is gone
  void (*dispose)(void* owner) = nullptr;
  void* owner = nullptr;
};

struct Request {
  RequestKind kind = RequestKind::send;
  Stage stage = Stage::fresh;
  bool synchronous = false;
  bool cancelled = false;
  bool inactive = false;  // a persistent request between its starts
  bool watched = false;   // the progress thread is to go on with it
  bool heap = false;      // from new_request; freed by release_request
  bool is_run = true;     // its data is one run of bytes of host memory; else it is packed
  bool is_host = false;   // its data is host memory for certain: nobody need ask
  // The bits `completed` and `freed` (whoever sets the second releases the request), `interrupted`.
  std::uint8_t ending = 0;
  Error error = MPI_SUCCESS;

  // Envelope. Ranks are those of the communicator; MPI_ANY_SOURCE and MPI_ANY_TAG in receives.
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  Process process{};  // destination of a send, or the matched sender

  void* buffer = nullptr;
  Datatype* datatype = nullptr;
  std::int64_t bytes = 0;        // to send; or capacity, then received
  std::int64_t position = 0;     // packed bytes already moved
  std::int64_t outstanding = 0;  // so much of it is in the engine's outstanding bytes
  Part<96> part;                 // what its peer's protocol keeps of it

  Request* next = nullptr;
  std::uint64_t order = 0;      // position among posted receives
  std::uint64_t advert = 0;     // of a posted receive that its sender knows of: its number; or 0
  MatchQueue* queue = nullptr;  // a posted receive's
  void* owner = nullptr;        // the communicator whose error handler is due; opaque here
  // Advances a schedule alone, or null; false when that takes other progress.
  bool (*advance)(Request&) = nullptr;
  // Or null: takes the released request, with a new handle, instead of the pool.
  void (*recycle)(Request&) = nullptr;
  void* state = nullptr;
  Recipe* recipe = nullptr;  // persistent ones; owned
  Usage* usage = nullptr;    // held until the request is released
  MPI_Request handle = MPI_REQUEST_NULL;
};

inline constexpr std::uint8_t completed = 1;
inline constexpr std::uint8_t freed = 2;  // MPI_Request_free on an active request
// A receive from any source waits until the program has acknowledged a failure: a wait ends, and
// the request stays.
inline constexpr std::uint8_t interrupted = 4;

BATON_INLINE bool is_complete(const Request& request) {
  // ORDER request.ending: acquire here, release in mark; what the operation wrote is visible.
  auto& ending = const_cast<std::uint8_t&>(request.ending);
  return std::atomic_ref(ending).load(std::memory_order_acquire) & completed;
}
// Returns whether a wait for the request ends: it is complete, or interrupted.
BATON_INLINE bool is_settled(const Request& request) {
  // ORDER request.ending: acquire here, release in mark; what the operation wrote is visible.
  auto& ending = const_cast<std::uint8_t&>(request.ending);
  return std::atomic_ref(ending).load(std::memory_order_acquire) & (completed | interrupted);
}
inline bool is_freed(const Request& request) {
  return platform::load_shared(request.ending) & freed;
}
// Returns whether waiting for it means anything.
inline bool is_active(const Request& request) {
  return !request.inactive;
}

}  // namespace baton::message

namespace baton {
using message::Request;
}
