// Open messages are sends and receives that a program has begun and not yet completed, by their
// requests, and messages that MPI_Mprobe has taken. This keeps the facts that the record of time
// needs when they end. Only timing.cpp uses it.
#pragma once

#include <cstdint>

#include "tool/known_communicators.hpp"

namespace baton::tool {

struct OpenMessage {
  std::uint64_t key = 0;              // bits of the handle; 0: no entry, 1: removed entry
  KnownCommunicator* comm = nullptr;  // never null in an entry that is kept
  std::int64_t began = 0;
  std::uint64_t order = 0;  // for a receive
  std::uint64_t bytes = 0;  // for a send
  std::int32_t tag = 0;
  std::int32_t peer = -1;  // for a send, and a receive that names its source; in MPI_COMM_WORLD
  std::uint16_t call = 0;  // row of the procedure that began it
  bool sends = false;
  bool receives = false;
  bool persistent = false;
};

// Adds or replaces a message. Without memory it is not kept.
void keep(const OpenMessage& message);
// Copies the message of a key; false: there is none.
bool look_up(std::uint64_t key, OpenMessage* message);
void drop(std::uint64_t key);

}  // namespace baton::tool
