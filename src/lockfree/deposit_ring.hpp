// This is the byte ring of the deposit models (source: "deposit", MPI over VMMC, 2000): one for
// each ordered pair of ranks, in the receiver's slice. Messages lie in it as fragments: a line that
// describes the fragment, then the data, contiguous. Only message/deposit/ uses it.
// A fragment is valid when its line holds its number, counted from 1. Lines stand where data stood
// a lap ago; so the sender clears the place of the next line before it publishes a fragment, and
// data can never be taken for a line. Invariant: one sender and one receiver; a fragment never goes
// round the ring's end. The models leave parts of this out, to show their price: without `lazy` the
// sender looks at the receiver's head each time, with `tail` a fragment counts only when a second
// line, behind its data, has come, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

inline constexpr std::int32_t no_deposit_slot = -1;

// This describes a fragment.
struct DepositHeader {
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;
  std::int32_t slot =
      no_deposit_slot;  // of the sender's rendezvous entries, if it must learn of the match
  std::uint64_t message_bytes = 0;
  std::uint64_t bytes =
      0;                 // of this fragment; the space it takes, even when the data went elsewhere
  bool is_first = true;  // the first fragment of its message
  bool is_filler = false;    // no message: the line fills the ring up to its end
  bool redirected = false;   // the data lie in the advertised buffer already
  bool cancellable = false;  // by the sender, until it is matched
};

template <class Atomics>
struct alignas(cache_line_bytes) DepositLine {
  typename Atomics::template Atomic<std::uint64_t> number;
  DepositHeader header;
};
static_assert(sizeof(DepositLine<Hardware>) == cache_line_bytes);

// The receiver writes this line.
template <class Atomics>
struct alignas(cache_line_bytes) DepositHead {
  typename Atomics::template Atomic<std::uint64_t> bytes;  // consumed since the start
};

struct DepositRules {
  bool lazy = true;
  bool tail = false;
  bool delayed =
      false;  // a message that would be split waits for contiguous space, if that can ever be
};

// This is the position of one end in the ring.
class DepositPosition {
 public:
  void attach(char* memory, std::uint64_t ring_length, DepositRules rules) {
    memory_ = memory;
    ring_bytes_ = ring_length;
    rules_ = rules;
  }
  bool attached() const { return memory_ != nullptr; }

 protected:
  static constexpr std::uint64_t line_bytes = cache_line_bytes;

  template <class Atomics>
  DepositLine<Atomics>& line_at(std::uint64_t offset) const {
    return *reinterpret_cast<DepositLine<Atomics>*>(memory_ + offset);
  }
  std::uint64_t overhead() const { return rules_.tail ? 2 * line_bytes : line_bytes; }
  std::uint64_t to_end() const { return ring_bytes_ - offset_; }
  std::uint64_t space_of(std::uint64_t bytes) const {
    return overhead() + round_up(bytes, line_bytes);
  }
  std::uint64_t tail_offset(std::uint64_t bytes) const {
    return offset_ + line_bytes + round_up(bytes, line_bytes);
  }
  std::uint64_t after(std::uint64_t space) const { return space == to_end() ? 0 : offset_ + space; }
  void advance(std::uint64_t space) {
    offset_ = after(space);
    bytes_ += space;
    ++number_;
  }

  char* memory_ = nullptr;
  std::uint64_t ring_bytes_ = 0;
  DepositRules rules_;
  std::uint64_t offset_ = 0;  // bytes from the ring's start
  std::uint64_t bytes_ = 0;   // bytes since the job's start
  std::uint64_t number_ = 1;  // of the fragment here
};

// This is the sender's end, in its private memory.
template <class Atomics>
class DepositSender : public DepositPosition {
 public:
  void attach(char* memory, std::uint64_t ring_length, DepositHead<Atomics>* head,
              DepositRules rules) {
    DepositPosition::attach(memory, ring_length, rules);
    head_ = head;
  }

  // Finds how many of `left` bytes may go as the next fragment, at most up to the ring's end.
  // False: there is no space now, which is a normal outcome.
  bool make_space(std::uint64_t left, std::uint64_t* fragment) {
    const bool holds_nothing = to_end() < overhead() + (left ? line_bytes : 0);
    const bool would_split =
        space_of(left) > to_end() && space_of(left) + line_bytes <= ring_bytes_;
    if ((holds_nothing || (rules_.delayed && would_split)) && !put_filler()) return false;
    std::uint64_t longest = std::min(to_end(), ring_bytes_ - line_bytes) - overhead();
    *fragment = std::min(left, longest);
    return has_space(space_of(*fragment));
  }

  // Returns the address to which the next fragment's data go.
  char* payload() const { return memory_ + offset_ + line_bytes; }

  // The sender calls this before it writes the data. With a tail the header line is published
  // first.
  void begin(const DepositHeader& header) {
    if (!rules_.tail) return;
    // relaxed: the line below is published afterwards.
    line_at<Atomics>(tail_offset(header.bytes)).number.store(0, std::memory_order_relaxed);
    put_line(header);
  }
  // The sender calls this when the data has been written.
  void end(const DepositHeader& header) {
    clear_next(space_of(header.bytes));
    if (rules_.tail)
      // ORDER deposit.publish: release here, acquire in DepositReceiver::peek; the data.
      line_at<Atomics>(tail_offset(header.bytes)).number.store(number_, std::memory_order_release);
    else
      put_line(header);
    advance(space_of(header.bytes));
    messages_end_ = bytes_;
  }
  // Returns whether the receiver has consumed every fragment of a message that we have put.
  bool all_consumed() {
    // ORDER deposit.consume: acquire here, release in DepositReceiver::take; what it did with them
    // before.
    cached_head_ = head_->bytes.load(std::memory_order_acquire);
    return cached_head_ >= messages_end_;
  }
  // Returns the number of fragments that have been put, fillers included.
  std::uint64_t fragments() const { return number_ - 1; }

 private:
  void put_line(const DepositHeader& header) {
    DepositLine<Atomics>& line = line_at<Atomics>(offset_);
    Atomics::store_payload(&line.header, &header, sizeof header);
    // ORDER deposit.publish: release here, acquire in DepositReceiver::peek; header and data.
    line.number.store(number_, std::memory_order_release);
  }
  void clear_next(std::uint64_t space) {
    // relaxed: whoever looks there has seen this fragment's number, which is published afterwards.
    line_at<Atomics>(after(space)).number.store(0, std::memory_order_relaxed);
  }
  // Fills the rest up to the ring's end, where no data fit.
  bool put_filler() {
    if (!has_space(to_end())) return false;
    std::uint64_t space = to_end();
    clear_next(space);
    DepositHeader header;
    header.is_filler = true;
    header.bytes = space - line_bytes;
    put_line(header);
    advance(space);
    return true;
  }
  // Returns whether there is space for `space` bytes, and for the next line.
  bool has_space(std::uint64_t space) {
    std::uint64_t needed = bytes_ + space + line_bytes;
    if (rules_.lazy && needed - cached_head_ <= ring_bytes_) return true;
    // ORDER deposit.consume: acquire here, release in DepositReceiver::take; what lies before the
    // head is free.
    cached_head_ = head_->bytes.load(std::memory_order_acquire);
    return needed - cached_head_ <= ring_bytes_;
  }

  DepositHead<Atomics>* head_ = nullptr;
  std::uint64_t cached_head_ = 0;
  std::uint64_t messages_end_ = 0;  // end of the last fragment that is no filler
};

// This is the receiver's end, in its private memory.
template <class Atomics>
class DepositReceiver : public DepositPosition {
 public:
  void attach(char* memory, std::uint64_t ring_length, DepositHead<Atomics>* head,
              DepositRules rules) {
    DepositPosition::attach(memory, ring_length, rules);
    head_ = head;
  }

  // Returns whether a complete fragment stands here, and describes it.
  bool peek(DepositHeader* header) {
    for (;; take(*header)) {
      if (!load(header)) return false;
      if (!header->is_filler) return true;
    }
  }
  const char* payload() const { return memory_ + offset_ + line_bytes; }
  // Consumes the fragment that peek has described.
  void take(const DepositHeader& header) {
    advance(header.is_filler ? line_bytes + header.bytes : space_of(header.bytes));
    // ORDER deposit.consume: release here, acquire in DepositSender::has_space; our reads are over.
    head_->bytes.store(bytes_, std::memory_order_release);
  }
  std::uint64_t fragments() const { return number_ - 1; }

 private:
  bool load(DepositHeader* header) const {
    const DepositLine<Atomics>& line = line_at<Atomics>(offset_);
    // ORDER deposit.publish: acquire here, release in DepositSender::put_line.
    if (line.number.load(std::memory_order_acquire) != number_) return false;
    Atomics::load_payload(header, &line.header, sizeof *header);
    if (!rules_.tail || header->is_filler) return true;
    // ORDER deposit.publish: acquire here, release in DepositSender::end.
    return line_at<Atomics>(tail_offset(header->bytes)).number.load(std::memory_order_acquire) ==
           number_;
  }

  DepositHead<Atomics>* head_ = nullptr;
};

}  // namespace baton::lockfree
