// A link carries lines between this process and one peer, in both directions. (A line is a cache
// line of a message: the first has its header and envelope, and all have some payload.) The
// protocol (message/) makes one link per peer at first contact; kinds of links are classes of this
// layer (node_link.hpp for shared memory, network/network_link.hpp, and the links of tests). Memory
// that both ranks can reach (node.hpp), copies by one side (move/) and waking (sleep.hpp) go
// without a link. The fast paths do not call the link: where its lines go through lanes (the rings
// of a pair), inlined code fills and empties these, and only looks at `LineSender::attached`.
// Everything else is virtual.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "lockfree/ring.hpp"

namespace baton::transport {

// These are the two lanes (rings) of a pair, for inlined code.
using LineSender = lockfree::SendRing<lockfree::Hardware>;
using LineReceiver = lockfree::ReceiveRing<lockfree::Hardware>;

using lockfree::Envelope;
using lockfree::Header;

// The lines of one message hold at most this many bytes.
inline constexpr std::size_t bytes_in_lines_max = lockfree::ring_bytes;

class Link {
 public:
  virtual ~Link() = default;

  // --- to the peer; the caller holds its send lock.
  // Makes sending possible; explains on failure. The cost depends on the kind of link.
  [[nodiscard]] virtual Error begin() = 0;
  virtual bool has_begun() const = 0;
  // Returns true if this pair is worth a lane of its own, and one with memory is there for it. The
  // caller then puts a line that announces the lane, and calls `use_lane`. The receiver of that
  // line calls `open_lane`.
  virtual bool wants_lane() { return false; }
  virtual void use_lane() {}
  virtual void open_lane() {}
  // Returns whether this many lines would find space now; where other senders use the same ring,
  // the space may be gone when the lines are put.
  virtual bool has_space(std::uint32_t lines) = 0;
  // Puts a message in as many lines as it needs. Returns false, with nothing done, when there is no
  // space.
  virtual bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes) = 0;
  // Returns whether the receiver wants envelopes only, as last seen by `look`.
  virtual bool envelopes_only() const = 0;
  virtual void look() {}
  // Returns whether a line may name a staging buffer chunks, or a receive that was advertised:
  // this needs a lane in which no other sender's lines come between ours. The functions below are
  // called for such links only.
  virtual bool is_exclusive() const = 0;
  // These return the number of lines put since the start, and whether the receiver has taken all
  // lines before `lines`.
  virtual std::uint64_t sent_lines() const = 0;
  virtual bool has_taken(std::uint64_t lines) = 0;
  // Returns whether the receiver may have adverts for us.
  virtual bool has_adverts() const = 0;
  // Returns whether the receiver wants messages of a kind (message/node/observe.hpp) offered, so
  // that it can pull them.
  virtual bool pull_wished(int kind) const = 0;

  // --- from the peer: these tell it our wishes.
  virtual bool is_open() const = 0;  // its lines come this way, so that it sees our wishes
  virtual void set_envelopes_only(bool on) = 0;
  virtual void announce_adverts() = 0;
  virtual bool wishes_pulls() const = 0;
  virtual void wish_pull(int kind, bool on) = 0;
};

// An inbox gives the lines that have come and that no inlined code takes in: those of a ring that
// several senders share, of a network, or of a test. `peek` is called first, then the other
// functions for the line that it has found.
class Inbox {
 public:
  virtual ~Inbox() = default;
  // Returns the header of the first line; its lap() is 0 when nothing is there.
  virtual Header peek() = 0;
  // Returns the sender of the line.
  virtual Process sender() const = 0;
  virtual Envelope envelope() const = 0;
  // Copies the first `wanted` bytes of the first line's payload; the line stays.
  virtual void read(void* target, std::size_t wanted) const = 0;
  // Returns the whole payload in place, where it stays until the line is taken; null where it lies
  // in several parts.
  virtual const void* payload() const { return nullptr; }
  // Takes the message off: of its `bytes`, the first `wanted` are copied.
  virtual void take(void* target, std::size_t wanted, std::size_t bytes) = 0;
  // Asks the senders to send envelopes only, or everything again.
  virtual void set_envelopes_only(bool on) = 0;
};

}  // namespace baton::transport
