// This is a ring of cache lines from one sending rank to one receiving rank, in the receiver's
// slice.
// Every line opens with a header word that payload never touches, so that a line tells by itself
// whether it is new: its lap bits alternate. The sender never reads a tail, and re-reads the
// receiver's head only when the ring looks full (lazy pointers; source: "deposit", MPI over VMMC).
// Invariant: a ring has one sender and one receiver; a message's lines are consecutive, the first
// one describes it. The budget of a message in one line is no system call, no read-modify-write,
// and one line written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lockfree/ring_line.hpp"

namespace baton::lockfree {

// This is an end's position as lines since the start. It gives the line of the ring, and its lap.
template <std::uint32_t lines_in_ring>
struct RingPosition {
  static_assert((lines_in_ring & (lines_in_ring - 1)) == 0);
  std::uint64_t lines = 0;
  std::uint64_t index() const { return lines % lines_in_ring; }
  std::uint64_t lap() const { return (lines / lines_in_ring) % 2 + first_lap; }
};

// This is the sender's end. It lives in the sender's private memory.
template <class Atomics, std::uint32_t lines_in_ring = ring_lines>
class SendRing {
  using Position = RingPosition<lines_in_ring>;

 public:
  void attach(Line<Atomics>* lines, ConsumerLines<Atomics>* consumer) {
    lines_ = lines;
    consumer_ = consumer;
  }
  bool attached() const { return lines_ != nullptr; }

  // Returns whether `lines` more lines fit now. A full ring is a normal outcome: the caller makes
  // progress and asks again.
  bool has_space(std::uint32_t lines) {
    if (BATON_LIKELY(position_.lines + lines - cached_head_ <= lines_in_ring)) return true;
    return has_space_slow(lines);
  }

  // Fetches the receiver's head if the next send may have to look at it. A caller that is about to
  // copy a received long message calls this, so that the line has arrived by the time of the send.
  void prefetch_head() const {
    if (position_.lines - cached_head_ > lines_in_ring / 4)
      __builtin_prefetch(&consumer_->head.lines);
  }

  // Returns the place of the next first line's payload, for callers that fill it before put(.., 0).
  char* next_payload() { return lines_[position_.index()].payload; }

  // Writes a message of at most one line. The caller has asked has_space(1).
  BATON_INLINE void put(Header header, Envelope envelope, const void* payload, std::size_t bytes) {
    Line<Atomics>& line = lines_[position_.index()];
    Atomics::store_payload(&line.envelope, &envelope, sizeof envelope);
    if (bytes) Atomics::store_payload(line.payload, payload, bytes);
    // ORDER ring.publish: release here, acquire in ReceiveRing::peek; payload and envelope become
    // visible.
    line.header.store(header.bits | position_.lap(), std::memory_order_release);
    ++position_.lines;
  }

  // Writes a message in as many lines as it needs. Each line is visible at once, so the receiver
  // copies while we write. The caller has asked has_space(lines_for(bytes)).
  void put_long(Header header, Envelope envelope, const char* payload, std::size_t bytes) {
    std::size_t first = std::min(bytes, first_line_payload_bytes);
    put(header, envelope, payload, first);
    Position at = position_;  // in registers: payload could alias this object
    std::size_t offset = first;
    for (; offset + next_line_payload_bytes <= bytes; offset += next_line_payload_bytes)
      put_continuation(at, payload + offset, next_line_payload_bytes);
    if (offset < bytes) put_continuation(at, payload + offset, bytes - offset);
    position_ = at;
  }

  // Returns whether the receiver asked for envelopes only, as of the last time the head was read.
  bool envelopes_only() const { return envelopes_only_; }
  // Returns whether the receiver wants messages of a kind (message/node/observe.hpp) offered, so
  // that it can pull them, rather than staged. It has measured which is quicker.
  bool pull_wished(int kind) const {
    // relaxed: a hint.
    return consumer_->wish.pulled_sizes.load(std::memory_order_relaxed) >> kind & 1;
  }
  // Returns whether the receiver may have adverts for us.
  bool has_adverts() const {
    // ORDER ring.adverts: acquire here, release in announce_adverts; their places have memory.
    return consumer_->wish.adverts.load(std::memory_order_acquire) != 0;
  }
  // These tell the lines sent since the start, and whether the receiver has consumed all before
  // `lines`.
  std::uint64_t sent_lines() const { return position_.lines; }
  bool has_taken(std::uint64_t lines) {
    if (cached_head_ < lines) look();
    return cached_head_ >= lines;
  }
  // Re-reads the receiver's head and wishes now.
  void look() { (void)has_space_slow(0); }

 private:
  BATON_COLD bool has_space_slow(std::uint32_t lines) {
    // ORDER ring.consume: acquire here, release in ReceiveRing::release; lines before the head are
    // free.
    cached_head_ = consumer_->head.lines.load(std::memory_order_acquire);
    // relaxed: a hint; a late look costs some memory, nothing else.
    envelopes_only_ = consumer_->wish.envelopes_only.load(std::memory_order_relaxed) != 0;
    return position_.lines + lines - cached_head_ <= lines_in_ring;
  }
  BATON_INLINE void put_continuation(Position& at, const char* payload, std::size_t bytes) {
    Line<Atomics>& line = lines_[at.index()];
    Atomics::store_payload(line.continuation(), payload, bytes);
    // ORDER ring.publish: release here, acquire in ReceiveRing::wait_line; this line's payload
    // becomes visible.
    line.header.store(at.lap(), std::memory_order_release);
    ++at.lines;
  }

  Line<Atomics>* lines_ = nullptr;
  ConsumerLines<Atomics>* consumer_ = nullptr;
  Position position_;
  std::uint64_t cached_head_ = 0;
  bool envelopes_only_ = false;
};

// This is the receiver's end. It lives in the receiver's private memory.
template <class Atomics, std::uint32_t lines_in_ring = ring_lines>
class ReceiveRing {
  using Position = RingPosition<lines_in_ring>;

 public:
  void attach(Line<Atomics>* lines, ConsumerLines<Atomics>* consumer) {
    lines_ = lines;
    consumer_ = consumer;
  }
  bool attached() const { return lines_ != nullptr; }

  // Returns the header at the head of the ring; its lap() is 0 when nothing is there.
  BATON_INLINE Header peek() const {
    // ORDER ring.publish: acquire here, release in SendRing::put; the first line's payload is
    // visible.
    Header header{lines_[position_.index()].header.load(std::memory_order_acquire)};
    return header.lap() == position_.lap() ? header : Header{0};
  }
  // Returns the envelope of the message that peek returned.
  Envelope envelope() const {
    Envelope envelope;
    Atomics::load_payload(&envelope, &lines_[position_.index()].envelope, sizeof envelope);
    return envelope;
  }
  const char* first_payload() const { return lines_[position_.index()].payload; }

  // Copies the first `wanted` bytes of that message's first line without consuming it.
  void read(void* target, std::size_t wanted) const {
    Atomics::load_payload(target, first_payload(), wanted);
  }

  // Consumes a message of one line, copying the first `wanted` bytes of its payload.
  BATON_INLINE void take(void* target, std::size_t wanted) {
    if (wanted) Atomics::load_payload(target, lines_[position_.index()].payload, wanted);
    ++position_.lines;
    release();
  }

  // Consumes a message of `bytes`, copying the first `wanted` of them. It follows the sender line
  // by line, and calls `pause` while a line is not there yet. False when that returns false, since
  // the sender will write no more: what there was of the message is gone.
  template <class Pause>
  bool take_long(char* target, std::size_t wanted, std::size_t bytes, Pause&& pause) {
    std::size_t first = std::min(bytes, first_line_payload_bytes);
    Atomics::load_payload(target, first_payload(), std::min(first, wanted));
    Position at = position_;  // in registers: the target could alias this object
    ++at.lines;
    std::size_t offset = first;
    Line<Atomics>* line = nullptr;
    for (; offset + next_line_payload_bytes <= wanted && (line = wait_line(at, pause));
         offset += next_line_payload_bytes, ++at.lines)
      Atomics::load_payload(target + offset, line->continuation(), next_line_payload_bytes);
    for (; offset < bytes && (line = wait_line(at, pause));
         offset += next_line_payload_bytes, ++at.lines)
      if (offset < wanted)
        Atomics::load_payload(target + offset, line->continuation(),
                              std::min(wanted - offset, next_line_payload_bytes));
    position_ = at;
    release();
    return offset >= bytes;
  }

  // Asks the sender for envelopes only, or withdraws that.
  void set_envelopes_only(bool on) {
    // relaxed: a hint; see has_space_slow.
    consumer_->wish.envelopes_only.store(on, std::memory_order_relaxed);
  }
  // Tells the sender once that there will be adverts.
  void announce_adverts() {
    // ORDER ring.adverts: release here, acquire in has_adverts.
    consumer_->wish.adverts.store(1, std::memory_order_release);
  }
  // Returns whether messages of any kind shall be offered.
  bool wishes_pulls() const {
    // relaxed: only we write it.
    return consumer_->wish.pulled_sizes.load(std::memory_order_relaxed) != 0;
  }
  // Tells the sender whether messages of a kind shall be offered; see pull_wished.
  void wish_pull(int kind, bool on) {
    // relaxed: a hint; only we write it.
    auto& word = consumer_->wish.pulled_sizes;
    std::uint64_t bit = std::uint64_t{1} << kind;
    std::uint64_t old = word.load(std::memory_order_relaxed);
    word.store(on ? old | bit : old & ~bit, std::memory_order_relaxed);
  }

 private:
  template <class Pause>
  BATON_INLINE Line<Atomics>* wait_line(Position at, Pause&& pause) {
    Line<Atomics>& line = lines_[at.index()];
    // ORDER ring.publish: acquire here, release in SendRing::put_continuation.
    while ((line.header.load(std::memory_order_acquire) & lap_mask) != at.lap())
      if (!pause()) return nullptr;
    return &line;
  }
  BATON_INLINE void release() {
    // ORDER ring.consume: release here, acquire in SendRing::has_space_slow; our reads of the lines
    // are over.
    consumer_->head.lines.store(position_.lines, std::memory_order_release);
  }

  Line<Atomics>* lines_ = nullptr;
  ConsumerLines<Atomics>* consumer_ = nullptr;
  Position position_;
};

}  // namespace baton::lockfree
