// A ring has lines, and control lines by which the receiver tells the sender its head and wishes.
// ring.hpp uses them, and the code that lays out a slice. Invariant: header words stand only where
// payload never does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"
#include "lockfree/job.hpp"

namespace baton::lockfree {

inline constexpr std::uint32_t ring_lines = ring_bytes / cache_line_bytes;
inline constexpr std::size_t first_line_payload_bytes = 48;
inline constexpr std::size_t next_line_payload_bytes = 56;
inline constexpr std::uint64_t lap_mask = 3;
inline constexpr std::uint64_t first_lap = 1;  // then 2, 1, 2 ...; 0 is a line never written

// This is the first word of a line. Continuation lines carry only their lap.
struct Header {
  std::uint64_t bits;
  std::uint64_t lap() const { return bits & lap_mask; }
  unsigned kind() const { return (bits >> 2) & 0x3f; }
  std::size_t bytes() const { return (bits >> bytes_bit) & 0xffffff; }
  // Returns the sender's local rank; only lines in a shared ring have it.
  std::uint32_t sender() const { return (bits >> 32) & (ranks_max - 1); }
  // Returns the sender's rank in the communicator.
  std::int32_t source() const { return static_cast<std::int32_t>(bits >> source_bit); }
  static constexpr int bytes_bit = 8;
  static constexpr int source_bit = 44;
};
static_assert(std::uint64_t{ranks_max} << 32 == std::uint64_t{1} << Header::source_bit);
// This is the most ranks that a communicator may have.
inline constexpr std::int32_t sources_max = 1 << (64 - Header::source_bit);
// Makes a header without its lap, which the ring adds. Messages below 65536 bytes travel in the
// ring itself.
constexpr Header make_header(unsigned kind, std::size_t bytes, std::int32_t source) {
  return {(std::uint64_t{kind} << 2) | (std::uint64_t{bytes} << Header::bytes_bit) |
          (static_cast<std::uint64_t>(source) << Header::source_bit)};
}
constexpr Header add_sender(Header header, std::uint32_t sender) {
  return {header.bits | std::uint64_t{sender} << 32};
}

// This is the second word of a message's first line.
struct Envelope {
  std::uint32_t context;
  std::int32_t tag;
};

// Returns the number of lines that a payload of `bytes` occupies.
constexpr std::uint32_t lines_for(std::size_t bytes) {
  if (bytes <= first_line_payload_bytes) return 1;
  std::size_t rest = bytes - first_line_payload_bytes;
  return static_cast<std::uint32_t>(1 +
                                    (rest + next_line_payload_bytes - 1) / next_line_payload_bytes);
}

template <class Atomics>
struct alignas(cache_line_bytes) Line {
  typename Atomics::template Atomic<std::uint64_t> header;
  Envelope envelope;  // in a first line; a continuation line's payload starts here
  char payload[first_line_payload_bytes];

  char* continuation() { return reinterpret_cast<char*>(&envelope); }
};

// Only the receiver writes these lines.
template <class Atomics>
struct ConsumerLines {
  struct alignas(cache_line_bytes) HeadLine {  // read by the sender when the ring looks full
    typename Atomics::template Atomic<std::uint64_t> lines;  // consumed since the start
  } head;
  struct alignas(cache_line_bytes) WishLine {  // seldom written: it stays in the sender's cache
    typename Atomics::template Atomic<std::uint64_t>
        envelopes_only;  // 1: memory for unexpected messages is used up
    typename Atomics::template Atomic<std::uint64_t> pulled_sizes;  // bit by kind: see pull_wished
    typename Atomics::template Atomic<std::uint64_t> adverts;       // 1: their places have memory
  } wish;
};

static_assert(sizeof(Line<Hardware>) == cache_line_bytes);
static_assert(offsetof(Line<Hardware>, envelope) == 8 && offsetof(Line<Hardware>, payload) == 16);
static_assert(sizeof(ConsumerLines<Hardware>) == 2 * cache_line_bytes);

}  // namespace baton::lockfree
