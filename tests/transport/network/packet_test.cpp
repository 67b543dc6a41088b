#include "transport/network/packet.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <vector>

namespace baton::transport::network {
namespace {

using Bytes = std::vector<char>;
constexpr Key job{0x1122334455667788, 0x99aabbccddeeff00};
constexpr std::uint64_t here = 0xfeed, there = 0xbeef;
constexpr Key key = pair_key(job, there, here);
constexpr std::uint32_t number = 7, sender = 3;

Bytes packet_of(std::span<const std::size_t> payloads, std::uint32_t packet_number = number,
                std::uint16_t skip = 0) {
  Bytes packet(sizeof(PacketHeader) + skip);
  for (std::size_t bytes : payloads) {
    const PacketMessage message{{lockfree::make_header(5, bytes, 2).bits | lockfree::first_lap},
                                {9, -4}};
    const std::size_t at = packet.size();
    packet.resize(at + packet_message_bytes(bytes), 'p');
    std::memcpy(packet.data() + at, &message, sizeof message);
  }
  PacketHeader header{
      0, packet_number, sender, static_cast<std::uint32_t>(packet.size() - sizeof header), 0,
      0, skip};
  header.proof = proof_of(key, header);
  std::memcpy(packet.data(), &header, sizeof header);
  return packet;
}

Bytes packet_of(std::initializer_list<std::size_t> payloads, std::uint32_t packet_number = number) {
  return packet_of(std::span(payloads.begin(), payloads.size()), packet_number);
}

const std::vector<std::vector<std::size_t>> shapes = {{},
                                                      {0},
                                                      {1},
                                                      {7},
                                                      {8},
                                                      {9},
                                                      {8, 8, 8},
                                                      {0, 0},
                                                      {1000},
                                                      {3, 0, 65, 2000, 1},
                                                      {payload_bytes_max}};

// What a receiver does with a packet that it believes: reads every byte of every message.
std::size_t read_all(const char* packet, std::size_t bytes) {
  std::size_t messages = 0;
  unsigned sum = 0;
  PacketHeader header;
  std::memcpy(&header, packet, sizeof header);
  for (std::size_t at = sizeof header + header.skip; at < bytes; ++messages) {
    PacketMessage message;
    std::memcpy(&message, packet + at, sizeof message);
    for (std::size_t i = 0; i < message.header.bytes(); ++i)
      sum += static_cast<unsigned char>(packet[at + sizeof message + i]);
    at += packet_message_bytes(message.header.bytes());
  }
  return sum == ~0u ? ~messages : messages;
}

// In memory that ends with the packet: a page that cannot be read follows.
class Edge {
 public:
  Edge()
      : memory_(static_cast<char*>(::mmap(nullptr, space + page(), PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ::mprotect(memory_ + space, page(), PROT_NONE);
  }
  ~Edge() { ::munmap(memory_, space + page()); }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;
  const char* put(const Bytes& packet) {
    char* place = memory_ + space - packet.size();
    if (!packet.empty()) std::memcpy(place, packet.data(), packet.size());
    return place;
  }

 private:
  static constexpr std::size_t space = 1 << 18;
  static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  char* memory_;
};

// Twice: on a heap that a sanitizer watches, and before a page that nobody may read.
PacketFault check(const Bytes& packet, Key with = key, std::uint32_t due = number) {
  static Edge edge;
  const auto heap = std::make_unique<char[]>(packet.size());
  if (!packet.empty()) std::memcpy(heap.get(), packet.data(), packet.size());
  const PacketFault fault = check_packet(heap.get(), packet.size(), with, due);
  const char* place = edge.put(packet);
  EXPECT_EQ(check_packet(place, packet.size(), with, due), fault);
  if (fault == PacketFault::none) {
    EXPECT_EQ(read_all(heap.get(), packet.size()), read_all(place, packet.size()));
  }
  return fault;
}

Bytes flipped(Bytes packet, std::size_t bit) {
  packet[bit / 8] = static_cast<char>(packet[bit / 8] ^ 1 << bit % 8);
  return packet;
}

TEST(check_packet, whole_packets_of_their_sender_are_believed) {
  for (const auto& shape : shapes) EXPECT_EQ(check(packet_of(shape)), PacketFault::none);
  EXPECT_EQ(packet_of({payload_bytes_max}).size() + skip_bytes_max, packet_bytes_max);
  const Bytes many = packet_of({3, 0, 65, 2000, 1});
  EXPECT_EQ(read_all(many.data(), many.size()), 5u);
}

TEST(check_packet, messages_may_begin_later) {
  const std::size_t payloads[] = {5, 0, 40};
  EXPECT_EQ(check(packet_of(payloads, number, skip_bytes_max)), PacketFault::none);
  EXPECT_EQ(check(packet_of({}, number, 8)), PacketFault::none);
  Bytes beyond = packet_of({});
  PacketHeader header{0, number, sender, 0, 0, 0, 8};
  header.proof = proof_of(key, header);
  std::memcpy(beyond.data(), &header, sizeof header);
  EXPECT_EQ(check(beyond), PacketFault::torn);
}

TEST(check_packet, each_flipped_bit_of_the_header_is_refused) {
  for (const auto& shape : shapes) {
    const Bytes packet = packet_of(shape);
    for (std::size_t bit = 0; bit < 8 * sizeof(PacketHeader); ++bit)
      EXPECT_EQ(check(flipped(packet, bit)), PacketFault::unproven) << "bit " << bit;
  }
}

// Neither is what lies between the header and the end proven (what carries packets has checksums),
// but a receiver that follows it stays in the packet: `check` reads what is believed.
TEST(check_packet, no_flipped_bit_of_the_messages_leads_out_of_the_packet) {
  for (const auto& shape : shapes) {
    const Bytes packet = packet_of(shape);
    const std::size_t bits = 8 * (packet.size() < 4096 ? packet.size() : 64);
    for (std::size_t bit = 8 * sizeof(PacketHeader); bit < bits; ++bit) {
      const PacketFault fault = check(flipped(packet, bit));
      EXPECT_TRUE(fault == PacketFault::none || fault == PacketFault::torn) << "bit " << bit;
    }
  }
}

TEST(check_packet, truncated_and_extended_packets_are_refused) {
  for (const auto& shape : shapes) {
    const Bytes packet = packet_of(shape);
    for (std::size_t bytes = 0; bytes < packet.size(); bytes += bytes < 300 ? 1 : 97)
      EXPECT_EQ(check({packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(bytes)}),
                bytes < sizeof(PacketHeader) ? PacketFault::too_short : PacketFault::torn)
          << bytes << " of " << packet.size();
    for (std::size_t more : {1, 7, 8, 16, 24, 40, 1000}) {
      Bytes longer = packet;
      longer.resize(packet.size() + more, 1);
      EXPECT_EQ(check(longer), PacketFault::torn) << more << " more";
    }
  }
}

TEST(check_packet, other_runs_pairs_and_directions_have_other_keys) {
  const Bytes packet = packet_of({40});
  EXPECT_EQ(check(packet, pair_key(job, here, there)), PacketFault::unproven);
  EXPECT_EQ(check(packet, pair_key(job, there, here + 1)), PacketFault::unproven);
  EXPECT_EQ(check(packet, pair_key(job, there + 1, here)), PacketFault::unproven);
  EXPECT_EQ(check(packet, pair_key({job.low ^ 1, job.high}, there, here)), PacketFault::unproven);
  EXPECT_EQ(check(packet, pair_key({job.low, job.high ^ 1}, there, here)), PacketFault::unproven);
  EXPECT_EQ(check(packet, {key.high, key.low}), PacketFault::unproven);
  EXPECT_EQ(check(packet, {}), PacketFault::unproven);
}

TEST(check_packet, a_packet_that_came_before_or_early_is_out_of_turn) {
  for (std::uint32_t due : {0u, number - 1, number + 1, number + 1000, ~0u})
    EXPECT_EQ(check(packet_of({40}), key, due), PacketFault::out_of_turn);
  EXPECT_EQ(check(packet_of({40}, ~0u), key, ~0u), PacketFault::none);
  // Proven and whole, or it is not even early.
  Bytes torn = packet_of({40});
  torn.pop_back();
  EXPECT_EQ(check(torn, key, 0), PacketFault::torn);
}

// A proven packet whose messages' lengths are wrong: its sender's fault, but our memory.
TEST(check_packet, messages_that_do_not_fill_the_packet_are_torn) {
  const auto with_length = [](std::size_t payload, std::uint64_t told) {
    Bytes packet = packet_of({payload});
    const std::uint64_t bits = told << lockfree::Header::bytes_bit | lockfree::first_lap;
    std::memcpy(packet.data() + sizeof(PacketHeader), &bits, sizeof bits);
    return packet;
  };
  EXPECT_EQ(check(with_length(40, 40)), PacketFault::none);
  for (std::uint64_t told : {41, 48, 64, 65536, 0xffffff})
    EXPECT_EQ(check(with_length(40, told)), PacketFault::torn) << told;
  // 8 left: not even a message's beginning.
  EXPECT_EQ(check(with_length(40, 32)), PacketFault::torn);
  // A message without a lap was never written, though its length be right.
  Bytes unwritten = packet_of({8});
  unwritten[sizeof(PacketHeader)] = static_cast<char>(unwritten[sizeof(PacketHeader)] & ~3);
  EXPECT_EQ(check(unwritten), PacketFault::torn);
}

TEST(check_packet, tens_of_thousands_of_broken_packets_lead_nowhere) {
  std::mt19937_64 random(20240711);
  std::size_t refused = 0;
  constexpr std::size_t rounds = 60000;
  for (std::size_t round = 0; round < rounds; ++round) {
    Bytes packet = packet_of(shapes[random() % (shapes.size() - 1)]);
    for (std::size_t change = 1 + random() % 4; change > 0; --change) {
      const std::size_t at = packet.empty() ? 0 : random() % packet.size();
      const auto middle = packet.begin() + static_cast<std::ptrdiff_t>(at);
      switch (random() % 5) {
        case 0:
          if (!packet.empty()) packet = flipped(packet, 8 * at + random() % 8);
          break;
        case 1:
          if (!packet.empty()) packet[at] = static_cast<char>(random());
          break;
        case 2:
          packet.resize(at);
          break;
        case 3:
          packet.insert(middle, random() % 40, static_cast<char>(random()));
          break;
        default:  // Bits of messages' lengths, in a header that is proven again.
          if (packet.size() >= sizeof(PacketHeader) + sizeof(PacketMessage)) {
            packet[sizeof(PacketHeader) + 1 + random() % 3] = static_cast<char>(random());
            PacketHeader header{0,
                                number,
                                sender,
                                static_cast<std::uint32_t>(packet.size() - sizeof header),
                                0,
                                0,
                                static_cast<std::uint16_t>(random() % 100)};
            header.proof = proof_of(key, header);
            std::memcpy(packet.data(), &header, sizeof header);
          }
      }
    }
    refused += check(packet) != PacketFault::none;
  }
  EXPECT_GT(refused, rounds / 2);
}

TEST(check_packet, random_bytes_are_not_proven) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20000; ++round) {
    Bytes packet(random() % 200);
    for (char& byte : packet) byte = static_cast<char>(random());
    EXPECT_EQ(check(packet), packet.size() < sizeof(PacketHeader) ? PacketFault::too_short
                                                                  : PacketFault::unproven);
  }
}

}  // namespace
}  // namespace baton::transport::network
