// One copy of which both sides take pieces, each as soon as it looks: if one of them computes or
// has lost its CPU, it takes none. The receiver's entry tells the sender where the data goes;
// whoever takes a piece copies it, the receiver from the front, the sender from the end. Invariant:
// a piece is copied by who has taken it; the receiver waits for the sender's.
#pragma once

#include <cstdint>

#include "transport/move/memory.hpp"

namespace baton::transport {

// The receiver's part.
struct PulledPieces {
  bool good;    // else the kernel refused us a piece
  bool pushed;  // the sender took part
};
PulledPieces pull_pieces(RendezvousEntry& entry, const Memory& theirs, void* ours,
                         std::int64_t bytes);

// The sender's part: pieces while there are any, or `most` of them.
struct PushedPieces {
  std::uint64_t count;
  bool refused;  // by the kernel; the receiver copies all
};
PushedPieces push_pieces(RendezvousEntry& entry, const Memory& theirs, const void* ours,
                         std::uint64_t most);

}  // namespace baton::transport
