// Sends and receives that a program has begun and not yet completed, by their requests, and
// messages that MPI_Mprobe has taken: what the record of time has to know of them when they end.
// Used by timing.cpp only.
#pragma once

#include <cstdint>

#include "tool/known_communicators.hpp"

namespace baton::tool {

struct OpenMessage {
  std::uint64_t key = 0;              // bits of the handle; 0: no entry, 1: was one
  KnownCommunicator* comm = nullptr;  // never null in what is kept
  std::int64_t began = 0;
  std::uint64_t order = 0;  // of a receive
  std::uint64_t bytes = 0;  // of a send
  std::int32_t tag = 0;
  std::int32_t peer = -1;  // of a send, and of a receive that names its source; in MPI_COMM_WORLD
  std::uint16_t call = 0;  // row of the procedure that began it
  bool sends = false;
  bool receives = false;
  bool persistent = false;
};

// Adds or replaces. Without memory the message is not kept.
void keep(const OpenMessage& message);
// A copy; false: there is none.
bool look_up(std::uint64_t key, OpenMessage* message);
void drop(std::uint64_t key);

}  // namespace baton::tool
