// A link: how lines get from this process to one other, and from it here. Made by the protocol at
// first contact (message/), one a peer; kinds of links are classes of this layer (shared memory
// here; a network's and a test's are others). What needs no link: memory that both can reach
// (node.hpp), direct copies (single_copy.hpp), and who is woken how.
// The fast paths ask a link nothing: where its lines go through lanes, which inlined code fills and
// empties, `LineSender::attached` is all that they look at. Everything else is virtual.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "lockfree/ring.hpp"

namespace baton::transport {

// The lanes of a pair: for inlined code.
using LineSender = lockfree::SendRing<lockfree::Hardware>;
using LineReceiver = lockfree::ReceiveRing<lockfree::Hardware>;

using lockfree::Envelope;
using lockfree::Header;

// So many bytes at most are in the lines of one message.
inline constexpr std::size_t bytes_in_lines_max = lockfree::ring_bytes;

class Link {
 public:
  virtual ~Link() = default;

  // --- to the peer; the caller holds its send lock.
  // Makes sending possible; explains on failure. What it costs depends on the link.
  [[nodiscard]] virtual Error begin() = 0;
  virtual bool has_begun() const = 0;
  // Whether this pair had better have a lane of its own, and there is one, which has memory: then a
  // line that says so is put, and behind it `use_lane`. Its receiver answers by `open_lane`.
  virtual bool wants_lane() { return false; }
  virtual void use_lane() {}
  virtual void open_lane() {}
  // Whether so many lines would find room; where others use the same way, they may be gone when
  // put.
  virtual bool has_room(std::uint32_t lines) = 0;
  // Puts a message in as many lines as it needs; false, and nothing has happened, when there is no
  // room.
  virtual bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes) = 0;
  // Whether the receiver wants envelopes only, as last seen; and sees anew.
  virtual bool envelopes_only() const = 0;
  virtual void look() {}
  // Whether a line may name a window of staging, or a receive that was advertised: nobody else's
  // lines come between ours. All below is asked of such links only.
  virtual bool is_exclusive() const = 0;
  // Lines put since the start, and whether the receiver has taken in all before `lines`.
  virtual std::uint64_t sent_lines() const = 0;
  virtual bool has_taken(std::uint64_t lines) = 0;
  // Whether the receiver may have adverts for us.
  virtual bool has_adverts() const = 0;
  // Whether it wants messages of a kind (message/node/observe.hpp) offered, so that it can pull
  // them.
  virtual bool pull_wished(int kind) const = 0;

  // --- from the peer: what it shall know of our wishes.
  virtual bool is_open() const = 0;  // its lines come this way, so that it looks
  virtual void set_envelopes_only(bool on) = 0;
  virtual void announce_adverts() = 0;
  virtual bool wishes_pulls() const = 0;
  virtual void wish_pull(int kind, bool on) = 0;
};

// Lines that came and that no inlined code takes in: at the head of a queue which several senders
// share, or a network's, or a test's. `peek` first, then the rest for what it has found.
class Inbox {
 public:
  virtual ~Inbox() = default;
  // lap() of 0 when nothing is there.
  virtual Header peek() = 0;
  // Whose line it is.
  virtual Process sender() const = 0;
  virtual Envelope envelope() const = 0;
  // Copies the first `wanted` bytes of the first line's payload; the line stays.
  virtual void read(void* target, std::size_t wanted) const = 0;
  // The whole payload where it lies, until it is taken; null where it lies in several pieces.
  virtual const void* payload() const { return nullptr; }
  // The message is taken: of its `bytes`, the first `wanted` are copied.
  virtual void take(void* target, std::size_t wanted, std::size_t bytes) = 0;
  // Its senders shall send envelopes only, or everything again.
  virtual void set_envelopes_only(bool on) = 0;
};

}  // namespace baton::transport
