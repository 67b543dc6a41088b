// This is a ring in which many ranks send to one, in the receiver's mailbox: for senders that have
// no ring of their own there (yet). Its receiver is a ReceiveRing of as many lines. Lines are those
// of ring.hpp; a sender first moves the tail, by compare-and-swap, over the lines that it will
// write. Invariant: between that and its last store a sender does nothing else, since lines behind
// its own wait for it.
// The budget of a message in one line is one read-modify-write, no system call, and two lines
// written.
#pragma once

#include "lockfree/ring.hpp"

namespace baton::lockfree {

// These lines are shared by the senders, or tell them the receiver's head and wishes.
template <class Atomics>
struct SharedRingControl {
  struct alignas(cache_line_bytes) TailLine {                // written by all senders
    typename Atomics::template Atomic<std::uint64_t> lines;  // taken since the start
  } tail;
  struct alignas(cache_line_bytes) RingsLine {  // written by senders that get a ring of their own
    typename Atomics::template Atomic<std::uint32_t> own;  // number of senders that have one
  } rings;
  ConsumerLines<Atomics> consumer;
};
static_assert(sizeof(SharedRingControl<Hardware>) == 4 * cache_line_bytes);

// This is a sender's end. It lives in the sender's private memory.
template <class Atomics, std::uint32_t lines_in_ring = shared_ring_lines>
class SharedSendRing {
  using Position = RingPosition<lines_in_ring>;

 public:
  void attach(Line<Atomics>* lines, SharedRingControl<Atomics>* control, std::uint32_t sender) {
    lines_ = lines;
    control_ = control;
    sender_ = sender;
  }
  bool attached() const { return lines_ != nullptr; }

  // Writes a message in as many lines as it needs. False, and nothing is written, when these are
  // not free.
  bool put(Header header, Envelope envelope, const void* payload, std::size_t bytes) {
    Position first;
    const std::uint32_t lines = lines_for(bytes);
    if (!take_lines(lines, &first.lines)) return false;
    auto* data = static_cast<const char*>(payload);
    Position at = first;
    for (std::size_t offset = first_line_payload_bytes; offset < bytes;
         offset += next_line_payload_bytes) {
      ++at.lines;
      Line<Atomics>& line = lines_[at.index()];
      Atomics::store_payload(line.continuation(), data + offset,
                             std::min(next_line_payload_bytes, bytes - offset));
      // relaxed: the first line's store, which is the last, orders it.
      line.header.store(at.lap(), std::memory_order_relaxed);
    }
    Line<Atomics>& line = lines_[first.index()];
    Atomics::store_payload(&line.envelope, &envelope, sizeof envelope);
    if (bytes)
      Atomics::store_payload(line.payload, data, std::min(bytes, first_line_payload_bytes));
    // ORDER ring.publish: release here, acquire in ReceiveRing::peek; all lines become visible.
    line.header.store(add_sender(header, sender_).bits | first.lap(), std::memory_order_release);
    return true;
  }

  // Returns whether the receiver asks all senders of the ring for envelopes only.
  bool envelopes_only() const {
    // relaxed: a hint; a late look costs some memory, nothing else.
    return control_->consumer.wish.envelopes_only.load(std::memory_order_relaxed) != 0;
  }

 private:
  bool take_lines(std::uint32_t lines, std::uint64_t* first) {
    // relaxed: the tail says only which lines are ours.
    std::uint64_t tail = control_->tail.lines.load(std::memory_order_relaxed);
    do {
      if (!is_free(tail + lines)) return false;
    } while (!control_->tail.lines.compare_exchange_weak(
        tail, tail + lines, std::memory_order_relaxed, std::memory_order_relaxed));
    *first = tail;
    return true;
  }
  // Returns whether the receiver has consumed the lines before `end`. The tail may be older than
  // the head: then the compare-and-swap fails.
  bool is_free(std::uint64_t end) {
    auto fits = [&] {
      return static_cast<std::int64_t>(end - head_) <= std::int64_t{lines_in_ring};
    };
    if (BATON_LIKELY(fits())) return true;
    // ORDER ring.consume: acquire here, release in ReceiveRing::release; lines before the head are
    // free.
    head_ = control_->consumer.head.lines.load(std::memory_order_acquire);
    return fits();
  }

  Line<Atomics>* lines_ = nullptr;
  SharedRingControl<Atomics>* control_ = nullptr;
  std::uint64_t head_ = 0;  // the head as we last read it
  std::uint32_t sender_ = 0;
};

}  // namespace baton::lockfree
