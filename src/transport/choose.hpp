// Chooses the way that a message takes, and says why no cheaper one. The functions are pure: facts
// go in, way and reason come out. The sender decides what enters a ring; the receiver, who knows
// both buffers, decides between staging and single copy.
#pragma once

#include <cstdint>

#include "base/reason.hpp"
#include "lockfree/ring.hpp"
#include "transport/move/adaptive_choice.hpp"

namespace baton::transport {

struct Choice {
  Way way;
  Reason reason;  // why no cheaper way; none: there is none, or another rank chooses
};

// Makes the sender's choice, before any receive has matched.
constexpr Choice choose_send(std::int64_t bytes, bool synchronous, bool envelopes_only,
                             std::int64_t eager_bytes_max) {
  if (synchronous) return {Way::offered, Reason::synchronous};
  if (envelopes_only) return {Way::offered, Reason::envelopes_only};
  if (bytes <= std::int64_t{lockfree::first_line_payload_bytes})
    return {Way::inline_eager, Reason::none};
  if (bytes <= eager_bytes_max) return {Way::eager, Reason::none};
  return {Way::offered, Reason::above_eager_max};
}

// Returns what a message took of which the sender pushed a part, and guesses what it costs later.
// That part lies in the sender's cache, from which the receiving program's reads must fetch it, and
// no clock around the copy sees that. With plain copies (mapped memory) a fetch takes as long as
// the push; with a system call less of the time was for the data. Longer messages leave the caches
// anyway. (2026-11-21, Sapphire Rapids, 64 KiB cold, half of it pushed by a system call: 9.2 us
// observed, 12.3 with the reads; staged 6.5 and 8.7.)
enum class Pushed { nothing, half, all };
constexpr MoveCost cost_of_copy(std::int64_t bytes, std::int64_t took_ticks, Pushed pushed,
                                bool mapped) {
  constexpr std::int64_t cached_bytes_max = 1 << 20;
  if (bytes > cached_bytes_max || pushed == Pushed::nothing) return {took_ticks};
  return {took_ticks, took_ticks * (mapped ? 5 : pushed == Pushed::all ? 4 : 2) / 5};
}

struct EarlyFacts {
  std::int64_t bytes;
  bool sender_contiguous;
  bool envelopes_only;
  bool may_read;  // cross-memory attach works between the two
  std::int64_t cma_bytes_min;
  bool pull_wished;  // by the receiver, from the times that it has seen
  bool allowed;      // by the setting
};

// Decides whether an offered message sends its first chunk at once, without waiting for a receiver
// who would ask for it anyway.
constexpr Choice choose_early(const EarlyFacts& facts) {
  if (!facts.allowed) return {Way::offered, Reason::early_off};
  if (facts.envelopes_only) return {Way::offered, Reason::envelopes_only};
  if (!facts.sender_contiguous) return {Way::pipelined, Reason::sender_gaps};
  if (facts.bytes < facts.cma_bytes_min) return {Way::pipelined, Reason::below_cma_min};
  if (!facts.may_read) return {Way::pipelined, Reason::cma_refused};
  if (!facts.pull_wished) return {Way::pipelined, Reason::staging_quicker};
  return {Way::offered, Reason::none};
}

struct ReceiveFacts {
  std::int64_t bytes;
  bool sender_contiguous;
  bool receiver_contiguous;
  bool may_read;  // cross-memory attach works from receiver to sender
  std::int64_t cma_bytes_min;
  bool staging_wished;  // by the receiver, and its sender offered it for staging
};

// Makes the receiver's choice, once an offered message has met its receive.
constexpr Choice choose_receive(const ReceiveFacts& facts) {
  if (!facts.sender_contiguous) return {Way::pipelined, Reason::sender_gaps};
  if (!facts.receiver_contiguous) return {Way::pipelined, Reason::receiver_gaps};
  if (facts.bytes < facts.cma_bytes_min) return {Way::pipelined, Reason::below_cma_min};
  if (!facts.may_read) return {Way::pipelined, Reason::cma_refused};
  if (facts.staging_wished) return {Way::pipelined, Reason::staging_quicker};
  return {Way::cma, Reason::none};
}

// Returns the size of the pieces of a message that both sides copy; 0: it is too short for that.
// There are two pieces, so that each side needs one system call; more if a side that lost its CPU
// would otherwise hold up too much. (2026-11-21: at 1 MiB 0.8 of the time of one side alone with
// cold data, warm 0.63; pieces of 64
// KiB and 256 KiB no better. 2026-11-22: warm, 64 KiB 0.84, but 32 KiB 1.4.)
constexpr std::uint32_t piece_bytes(std::int64_t bytes, std::int64_t shared_bytes_min) {
  constexpr std::int64_t page = 4096, segment_bytes_max = 128 << 10;
  if (bytes < shared_bytes_min) return 0;
  std::int64_t half = ((bytes + 1) / 2 + page - 1) / page * page;
  return static_cast<std::uint32_t>(half < segment_bytes_max ? half : segment_bytes_max);
}

}  // namespace baton::transport
