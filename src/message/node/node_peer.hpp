// A process of this node as the node's protocol knows it: the link to it, what was observed of
// messages, and what of its staging we hold. Used by the files of this folder and the deposit
// models. Invariant: as of message/core/peer.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "lockfree/staging.hpp"
#include "message/core/peer.hpp"
#include "message/node/timings.hpp"

namespace baton::message {

// The state of pushing into receives of a peer. Under the send lock.
struct Pushes {
  std::uint64_t first_advert = 1;  // those before are closed, or claimed by us
  std::uint64_t end = 0;           // of the lines we put, behind the last one
  std::uint64_t others_end = 0;    // behind the last line of another kind before it
};

// An estimate whether the other side will copy, too: not while it is found to be busy.
struct SharedCopyStats {
  std::atomic<std::uint8_t> alone = 0;  // messages in a row of which it copied nothing
  bool expected() {
    constexpr std::uint8_t enough = 2, long_enough = 34;  // guess
    // relaxed: a guess that threads may spoil for each other.
    std::uint8_t seen = alone.load(std::memory_order_relaxed);
    if (seen < enough) return true;
    bool again = seen + 1 >= long_enough;
    alone.store(again ? 1 : static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
    return again;
  }
  void saw(bool together) {
    std::uint8_t seen = alone.load(std::memory_order_relaxed);  // relaxed: as above
    alone.store(together ? 0 : static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
  }
};

// An estimate whether this rank and a peer send each other long messages at the same time: by those
// that we staged there and that came from there since. All relaxed: guesses that threads may spoil
// for each other.
struct BidirectionalStats {
  std::atomic<std::uint8_t> ahead = 0;                // sent, less received
  std::atomic<std::uint8_t> sends = 0, receives = 0;  // lately
  std::atomic<bool> both = false;

  void sent() {
    constexpr std::uint8_t lately = 32;  // guess
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen < 64) ahead.store(static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
    seen = static_cast<std::uint8_t>(sends.load(std::memory_order_relaxed) + 1);
    if (seen == lately) {
      both.store(receives.load(std::memory_order_relaxed) > 0, std::memory_order_relaxed);
      receives.store(0, std::memory_order_relaxed);
      seen = 0;
    }
    sends.store(seen, std::memory_order_relaxed);
  }
  // Returns whether we sent more than we received before this one.
  bool received() {
    receives.store(1, std::memory_order_relaxed);
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen > 0) ahead.store(static_cast<std::uint8_t>(seen - 1), std::memory_order_relaxed);
    return seen > 0;
  }
};

// A peer's staging buffer that we keep from message to message, so that the next finds its way
// prepared: for a term, and then until another sender wants one. Under the send lock; only `holder`
// may be let go without.
struct Lease {
  lockfree::StagingBuffer buffer;
  std::int64_t position = 0;  // bytes that went through, in whole lines
  std::int64_t emptied = 0;   // how far the receiver was when we last looked
  std::int64_t end = 0;       // of the last message in it, which may not fill its last line
  Request* holder = nullptr;  // a send that is part of the way through
  int messages = 0;           // in this term; without a buffer: sends until we may ask for one
  std::int16_t had = 0;       // so many terms before, up to a bound
  bool ending = false;        // nothing more goes in
};

// Staging buffers that change hands: one of us gives one to the other with a message that fits, and
// gets it back with a later one: a rank writes where it has read last, which its core still has
// (docs/decisions/ownership-transfer.md). Each of the two adds one. Under the send lock.
struct TransferredBuffers {
  static constexpr int chunks_each = 4;     // guess
  static constexpr int few_others_max = 8;  // guess: who has more on its node does without
  struct Buffer {
    lockfree::StagingBuffer chunks;
    std::int64_t position;  // of the next message, in the staging buffer's progress
    bool here;              // in our staging; else in the peer's
  };
  Buffer mine[2];  // the last one has come last
  int count = 0;
  bool asked_for = false;  // ours; once is enough
};

struct NodePeer : Peer {
  // The short members first: they fill the end of Peer.
  bool refuses_pushes = false;    // our kernel does not let us write to its memory
  bool adverts_refused = false;   // no memory for them
  SharedCopyStats shared_copies;  // of what we push, and of what we pull
  std::uint8_t early_sends = 0;   // since we last looked whether it wants envelopes only
  std::uint8_t for_device = 0;    // so many long sends, guessed, go to its device memory
  // After a receive that was late: how many short sends from device memory are still buffered at
  // once, and how many are in all. Under the send lock.
  std::uint16_t buffered_left = 0, buffered_term = 0;
  BidirectionalStats bidirectional;
  platform::Lock history_lock;        // of what is observed
  transport::Link* link = nullptr;    // never null; ours
  Timings timings;                    // under the history lock, but for what its functions say
  std::uint64_t reserved_chunks = 0;  // of its staging, that are known to have memory
  Lease lease;
  TransferredBuffers transferred;
  Request* streaming = nullptr;  // the one of its streams that goes on; under the progress lock
  StoreChoice stores;            // changed under the history lock
  Pushes pushes;
  std::uint64_t last_advert = 0;   // of our receives, to it
  Request** advertised = nullptr;  // by the slot of the advert; null: none
};

// Returns whether a long send to a peer is likely to be copied to its device memory, as the last
// ones were (device_send.hpp). Under the send lock.
inline bool expects_device(NodePeer& receiver) {
  const std::uint8_t left = platform::load_shared(receiver.for_device);
  if (BATON_LIKELY(left == 0)) return false;
  platform::store_shared(receiver.for_device, static_cast<std::uint8_t>(left - 1));
  return true;
}

// Returns whether a short send from device memory had better be buffered at once, since receives
// were late (device_receive.hpp). Under the send lock.
inline bool buffers_device(NodePeer& receiver) {
  if (receiver.buffered_left == 0) return false;
  --receiver.buffered_left;
  return true;
}

}  // namespace baton::message
