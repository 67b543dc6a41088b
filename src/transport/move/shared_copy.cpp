#include "transport/move/shared_copy.hpp"

#include "transport/move/copy.hpp"
#include "transport/peer_wait.hpp"

namespace baton::transport {

PulledPieces pull_pieces(RendezvousEntry& entry, const Memory& theirs, void* ours,
                         std::int64_t bytes) {
  auto* target = static_cast<char*>(ours);
  std::uint64_t own = 0;
  bool good = true;
  while (good) {
    const lockfree::Piece piece = lockfree::take_piece(entry, lockfree::Taker::receiver);
    if (piece.bytes == 0) break;
    ++own;
    good = copy_from(theirs.behind(static_cast<std::int64_t>(piece.begin)), target + piece.begin,
                     static_cast<std::int64_t>(piece.bytes));
  }
  const std::uint64_t of_sender = lockfree::close_pieces(entry) - own;
  bool all = true;
  for (PeerWait wait(theirs.owner);
       all && lockfree::pushed_pieces(entry) < of_sender && !lockfree::was_refused(entry);)
    all = wait();
  good = good && all;
  // A refused piece could be anywhere. It happens once a pair.
  if (good && lockfree::was_refused(entry)) good = copy_from(theirs, target, bytes);
  return {good, of_sender > 0};
}

PushedPieces push_pieces(RendezvousEntry& entry, const Memory& theirs, const void* ours,
                         std::uint64_t most) {
  auto* source = static_cast<const char*>(ours);
  for (std::uint64_t pushed = 0;; ++pushed) {
    if (pushed == most) return {pushed, false};
    const lockfree::Piece piece = lockfree::take_piece(entry, lockfree::Taker::sender);
    if (piece.bytes == 0) return {pushed, false};
    if (!copy_to(theirs.behind(static_cast<std::int64_t>(piece.begin)), source + piece.begin,
                 static_cast<std::int64_t>(piece.bytes))) {
      lockfree::push_refused(entry);
      return {pushed, true};
    }
    lockfree::push_done(entry);
  }
}

}  // namespace baton::transport
