// Receiver-initiated rendezvous between nodes: a long receive that was posted first is advertised
// to the rank that it names, and answers that rank's envelope before it has come. Both sides match
// the sender's messages in order, the receiver in its queue, the sender among the adverts it knows,
// and come to the same result: before an advertised receive none stands in the queue that is not
// advertised and could match the same messages (docs/decisions/network-adverts.md).
#pragma once

#include <cstdint>

#include "message/core/match.hpp"
#include "transport/link.hpp"
#include "transport/network/choose_provider.hpp"

namespace baton::message {

struct NetworkAdvertLine {
  std::uint64_t address;
  std::uint64_t keys[transport::network::rails_max];  // for each of the receiver's interfaces
  std::int64_t bytes;                                 // of the receive
  std::uint32_t receive;   // the receiver's number of it, told with each write
  std::uint32_t number;    // of its adverts to this sender, from 1 on
  std::uint32_t taken;     // messages of this sender that it had matched, or kept, before
  std::uint32_t refusals;  // of its adverts by this sender, that it had heard of
  std::int32_t rails;      // so many keys
};
inline constexpr int adverts_max = 16;                 // guess: of a pair and direction, at a time
inline constexpr std::uint32_t remembered_sends = 32;  // guess

// A sender's view: its latest messages to a peer, and that peer's receives that none has matched.
class KnownAdverts {
 public:
  static constexpr std::uint32_t no_rendezvous = ~0u;  // all of the message goes with its envelope

  // The advert that a message is going to match; null: it is not known.
  const NetworkAdvertLine* find(lockfree::Envelope envelope) const;
  // The message has left, and matches that.
  void sent(lockfree::Envelope envelope, std::uint32_t rendezvous,
            const NetworkAdvertLine* matched);

  enum class Arrived { kept, matched, refused, ignored };
  // An advert has come. `matched`: by an earlier message, whose rendezvous is told.
  Arrived arrive(lockfree::Envelope wanted, const NetworkAdvertLine& line, bool usable,
                 std::uint32_t& rendezvous);
  // Returns whether it is neither matched nor refused; and its receiver wants it back, which is
  // answered behind all messages so far.
  bool has(std::uint32_t number) const;
  void drop(std::uint32_t number);

 private:
  struct Message {
    lockfree::Envelope envelope;
    std::uint32_t rendezvous;
    bool matched;
  };
  struct Known {
    lockfree::Envelope wanted;
    NetworkAdvertLine line;
  };
  void take_out(const NetworkAdvertLine* line);

  Message latest_[remembered_sends];
  std::uint32_t sent_ = 0;
  std::uint32_t refusals_ = 0;
  Known known_[adverts_max];
  int count_ = 0;
};

// A receiver's view: its receives that a peer knows and no message has matched; and whether telling
// more is worth it.
class OwnAdverts {
 public:
  bool wants_more();
  // The number of the receive's advert.
  std::uint32_t open(Request& receive);
  Request* find(std::uint32_t number) const;  // null: it is not open
  void close(const Request& receive);
  // A message came that waited for an answer; or it needed none, or the advert was refused.
  void used() { credit_ = credit_max; }
  void wasted() { credit_ = credit_ > 0 ? credit_ - 1 : 0; }

  int count() const { return count_; }
  Request& at(int i) { return *open_[i]; }

 private:
  static constexpr int credit_max = 4;         // guess
  static constexpr int receives_skipped = 32;  // guess: then it is tried again
  Request* open_[adverts_max] = {};
  int count_ = 0;
  int credit_ = 1;
  int skipped_ = 0;
  std::uint32_t last_number_ = 0;
};

struct NetworkAdverts {
  KnownAdverts known;
  OwnAdverts own;
  std::uint32_t taken = 0;     // messages of the peer that were matched, or kept
  std::uint32_t refusals = 0;  // by it
};

}  // namespace baton::message
