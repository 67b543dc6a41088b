// Records of data between ranks of a window that goes beside the messages that announce it: what
// the origin (window/transfer.hpp) and the target (window/transfer_target.hpp) keep of each.
#pragma once

#include <cstdint>
#include <new>

#include "message/core/match.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

// The announcement of a transfer as it comes to the target.
struct Announcement {
  RemoteHeader header;  // its number is the transfer's
  RemoteRange range;
  Window* window;
  int rank;  // the origin's rank
};

// At the origin, a transfer is one that it has begun, or an answer that it expects; at the target,
// one that was announced.
struct Transfer {
  virtual ~Transfer() = default;
  virtual bool is_over() const;
  // Returns the error of a transfer that is over.
  virtual Error error() const;

  message::Request request;
  Window* window = nullptr;
  int rank = 0;              // the other rank
  std::uint32_t number = 0;  // in the order in which this rank has begun transfers
  Transfer* next = nullptr;
  const Datatype* type = nullptr;  // held, at the origin; null: the transfer waits for an answer
  std::int64_t bytes = 0;
  Expected expected;
  bool is_access = false;   // of the target's memory, without its help
  char* data = nullptr;     // data of an accumulate, at the target
  bool is_scratch = false;  // and it is memory of the device that the elements lie in
  Announcement announcement{};
};

// Returns the tag of a transfer. Data that origins send and data that they get have different tags.
inline std::int32_t tag_of(std::uint32_t number, bool got) {
  constexpr std::uint32_t numbers = 1 << 22;
  return static_cast<std::int32_t>(number % numbers * 2 + got);
}

// Returns a new transfer, or null: no memory.
inline Transfer* new_transfer(Window& window, int rank) {
  auto* transfer = new (std::nothrow) Transfer;
  if (!transfer) return nullptr;
  transfer->window = &window;
  transfer->rank = rank;
  return transfer;
}

}  // namespace baton::window
