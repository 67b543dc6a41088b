// This is the format of a packet, which goes over the network as one message of the provider and
// carries messages of ranks, one behind the other; and the rules by which a received packet is
// accepted.
// Invariant: nothing of a packet is used before `check_packet` has found that it is whole and from
// its sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/keyed_hash.hpp"
#include "lockfree/ring_line.hpp"

namespace baton::transport::network {

// A packet begins with this header.
struct PacketHeader {
  std::uint64_t proof;   // keyed hash of what follows, by the key of this pair and direction
  std::uint32_t number;  // counts the sender's packets to this receiver, from 0 on
  std::uint32_t sender;  // as its receiver counts it: in a job, its rank in MPI_COMM_WORLD
  std::uint32_t bytes;   // length behind the header
  std::uint8_t wishes;   // of the sender, as a receiver: see below
  std::uint8_t channel;  // its load on the status board, as a class (lockfree/channel.hpp)
  std::uint16_t skip;    // bytes of the packet before the messages
};
static_assert(sizeof(PacketHeader) == 24);
inline constexpr std::uint8_t wish_envelopes_only = 1;
// This wish says that the reader of the packet has reached the sender's own interface of that
// number (from 1 on).
constexpr std::uint8_t wish_rail(int rail) {
  return static_cast<std::uint8_t>(1 << rail);
}
// A packet with one of these wishes is not part of the sequence: it says that its sender is there,
// and `asks` wants a packet that says the same of its receiver (Network::greet).
inline constexpr std::uint8_t greeting_asks = 0x40, greeting_answers = 0x80;
inline bool is_greeting(const PacketHeader& header) {
  return header.wishes & (greeting_asks | greeting_answers);
}

// This is the longest skip.
inline constexpr std::size_t skip_bytes_max = 72;

// This is a message in a packet: this header, then its payload, filled up to whole words.
struct PacketMessage {
  lockfree::Header header;  // `bytes` is the payload's length, for all kinds
  lockfree::Envelope envelope;
};
static_assert(sizeof(PacketMessage) == 16);

// This is the longest payload of a packet, and of a message that is sent before it is matched.
inline constexpr std::size_t payload_bytes_max = 131072;
inline constexpr std::size_t packet_bytes_max =
    sizeof(PacketHeader) + skip_bytes_max + sizeof(PacketMessage) + payload_bytes_max;

constexpr std::size_t packet_message_bytes(std::size_t payload) {
  return sizeof(PacketMessage) + ((payload + 7) & ~std::size_t{7});
}

// Returns the hash that a header should carry.
inline std::uint64_t proof_of(Key key, const PacketHeader& header) {
  const std::uint64_t words[] = {
      (std::uint64_t{header.number} << 32) | header.sender,
      (std::uint64_t{header.bytes} << 32) | (std::uint64_t{header.skip} << 16) |
          (std::uint64_t{header.channel} << 8) | header.wishes,
  };
  return keyed_hash(key, words);
}

// Returns the key of one direction of a pair, from the job's key and the random numbers of the two
// for this run: a packet of another run, pair or direction has another proof.
constexpr Key pair_key(Key job, std::uint64_t sender_nonce, std::uint64_t receiver_nonce) {
  const std::uint64_t low[] = {sender_nonce, receiver_nonce, 0};
  const std::uint64_t high[] = {sender_nonce, receiver_nonce, 1};
  return {keyed_hash(job, low), keyed_hash(job, high)};
}

enum class PacketFault { none, too_short, unproven, out_of_turn, torn };

// Checks whether the bytes are a packet of the sender whose key this is; `number` is the next one
// due. A packet that came before its turn is `out_of_turn`, proven and whole.
inline PacketFault check_packet(const char* packet, std::size_t bytes, Key key,
                                std::uint32_t number) {
  if (bytes < sizeof(PacketHeader)) return PacketFault::too_short;
  PacketHeader header;
  std::memcpy(&header, packet, sizeof header);
  if (header.proof != proof_of(key, header)) return PacketFault::unproven;
  if (header.bytes != bytes - sizeof header) return PacketFault::torn;
  if (header.skip > header.bytes) return PacketFault::torn;
  for (std::size_t at = header.skip; at < header.bytes;) {
    PacketMessage message;
    if (header.bytes - at < sizeof message) return PacketFault::torn;
    std::memcpy(&message, packet + sizeof header + at, sizeof message);
    const std::size_t whole = packet_message_bytes(message.header.bytes());
    if (message.header.lap() == 0 || whole > header.bytes - at) return PacketFault::torn;
    at += whole;
  }
  return header.number == number ? PacketFault::none : PacketFault::out_of_turn;
}

}  // namespace baton::transport::network
