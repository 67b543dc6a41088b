// Stress between real processes that share a memory file, as ranks do: random sizes, random delays,
// a real futex. usage: lockfree_stress [seconds for each kind] [seed]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "lockfree/ring.hpp"
#include "lockfree/room.hpp"
#include "lockfree/staging.hpp"
#include "tests/lockfree/stress.hpp"

namespace baton::stress {
namespace {

using lockfree::Hardware;
using Line = lockfree::Line<Hardware>;
constexpr int senders_max = 3;
constexpr int chunks = 2;  // few, so that senders must wait for each other
constexpr std::int32_t last_tag = -7;
constexpr unsigned payload_kind = 1, chunk_kind = 2, end_kind = 3;

struct Shared {
  lockfree::Doorbell<Hardware> doorbells[4];
  lockfree::ConsumerLines<Hardware> consumers[senders_max];
  Line lines[senders_max][lockfree::ring_lines];
  lockfree::Progress<Hardware> progress[chunks];
  char staging[chunks][lockfree::chunk_bytes];
  alignas(64) char room[lockfree::room_bytes(4)];
};
Shared& make_shared_part() {
  auto& shared = *reinterpret_cast<Shared*>(shared_memory(sizeof(Shared)));
  shared.doorbells[0].chunks.free.store((1 << chunks) - 1, std::memory_order_release);
  return shared;
}

// What byte i of a sender's message holds.
char byte_of(std::uint32_t sender, std::int32_t message, std::size_t i) {
  return static_cast<char>(i * 131 + static_cast<std::size_t>(message) * 7 + sender * 31 +
                           (i >> 8));
}
void fill(char* bytes, std::size_t count, std::uint32_t sender, std::int32_t message) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = byte_of(sender, message, i);
}
void compare(const char* bytes, std::size_t count, std::uint32_t sender, std::int32_t message) {
  for (std::size_t i = 0; i < count; ++i)
    check(bytes[i] == byte_of(sender, message, i), "a message is not intact");
}

std::size_t random_size(Random& random) {
  static constexpr std::size_t limits[] = {9, 49, 200, 6145};
  return random() % limits[random() % 4];
}

struct Sender {
  Sender(Shared& its, std::uint32_t its_number, bool its_fences)
      : shared(its), number(its_number), fences(its_fences) {
    ring.attach(its.lines[number], &its.consumers[number]);
  }
  void wait_space(std::uint32_t lines) {
    while (!ring.has_space(lines)) platform::yield_cpu();
  }
  void send_payload(std::int32_t message, std::size_t bytes) {
    char buffer[6144];
    fill(buffer, bytes, number, message);
    wait_space(lockfree::lines_for(bytes));
    ring.put_long(lockfree::make_header(payload_kind, bytes, 0), {number, message}, buffer, bytes);
    notify(shared.doorbells[0], number, fences);
  }
  void send_chunk(Random& random, std::int32_t message) {
    auto& free = shared.doorbells[0].chunks.free;
    lockfree::StagingBuffer buffer;
    while ((buffer = lockfree::take_chunks(free, 1)).empty()) platform::yield_cpu();
    std::uint32_t chunk = buffer.first();
    std::size_t bytes = 1 + random() % lockfree::chunk_bytes;
    lockfree::open_staging_buffer(shared.progress[chunk]);
    wait_space(1);
    std::uint32_t line[] = {chunk, static_cast<std::uint32_t>(bytes)};
    ring.put(lockfree::make_header(chunk_kind, 0, 0), {number, message}, line, sizeof line);
    notify(shared.doorbells[0], number, fences);
    for (std::size_t done = 0; done < bytes;) {
      std::size_t part = std::min<std::size_t>(bytes - done, 1 + random() % 3000);
      for (std::size_t i = done; i < done + part; ++i)
        shared.staging[chunk][i] = byte_of(number, message, i);
      done += part;
      lockfree::publish_filled(shared.progress[chunk], done);
    }
  }
  void send_until_time_is_over(Random& random) {
    std::int32_t message = 0;
    for (; !time_is_over(); ++message) {
      if (random() % 8 == 0)
        send_chunk(random, message);
      else
        send_payload(message, random_size(random));
      dawdle(random);
    }
    wait_space(1);
    ring.put(lockfree::make_header(end_kind, 0, 0), {number, last_tag}, nullptr, 0);
    notify(shared.doorbells[0], number, fences);
  }
  Shared& shared;
  std::uint32_t number;
  bool fences;
  lockfree::SendRing<Hardware> ring;
};

struct Receiver {
  explicit Receiver(Shared& its) : shared(its) {
    for (int s = 0; s < senders_max; ++s) rings[s].attach(its.lines[s], &its.consumers[s]);
  }
  void take_chunk_of(std::uint32_t sender) {
    std::uint32_t line[2];
    rings[sender].take(line, sizeof line);
    std::vector<char> bytes(line[1]);
    for (std::uint64_t done = 0; done < bytes.size();) {
      std::uint64_t there = lockfree::filled_bytes(shared.progress[line[0]]);
      check(there >= done && there <= bytes.size(), "a chunk's progress is not its own");
      std::memcpy(bytes.data() + done, shared.staging[line[0]] + done, there - done);
      if (there == done) platform::yield_cpu();
      done = there;
    }
    lockfree::give_back_chunks(shared.doorbells[0].chunks.free, {std::uint64_t{1} << line[0]});
    compare(bytes.data(), bytes.size(), sender, next[sender]);
  }
  bool take_one(Random& random, std::uint32_t sender) {
    lockfree::Header header = rings[sender].peek();
    if (header.lap() == 0) return false;
    lockfree::Envelope envelope = rings[sender].envelope();
    check(envelope.context == sender, "a message is in the wrong ring");
    if (header.kind() == end_kind) {
      rings[sender].take(nullptr, 0);
      ++ended;
      return true;
    }
    check(envelope.tag == next[sender], "a message is lost or out of order");
    if (header.kind() == chunk_kind) {
      take_chunk_of(sender);
    } else {
      check(header.kind() == payload_kind, "a message of no kind");
      char buffer[6144];
      std::size_t wanted = random() % 4 ? header.bytes() : random() % (header.bytes() + 1);
      rings[sender].take_long(buffer, wanted, header.bytes(),
                              [] { return platform::yield_cpu(), true; });
      compare(buffer, wanted, sender, next[sender]);
    }
    ++next[sender];
    return true;
  }
  // Of each ring that rang, one message; it rings again for the others.
  bool look_where_it_rang(Random& random) {
    bool any = false;
    for (std::uint64_t bits = lockfree::take_doorbells(shared.doorbells[0], 0); bits;
         bits &= bits - 1) {
      auto sender = static_cast<std::uint32_t>(std::countr_zero(bits));
      if (!take_one(random, sender)) continue;
      any = true;
      (void)lockfree::ring_doorbell(shared.doorbells[0], sender);
    }
    return any;
  }
  void receive(Random& random, int senders, bool fences, bool trusts) {
    Waiter waiter(shared.doorbells[0], fences);
    auto look_everywhere = [&] {
      bool any = false;
      for (int s = 0; s < senders; ++s) any |= take_one(random, static_cast<std::uint32_t>(s));
      return any;
    };
    if (trusts) {
      waiter.trust_doorbells();
      while (look_everywhere()) continue;
    }
    while (ended < senders) {
      bool any = look_where_it_rang(random);
      if (!trusts) any |= look_everywhere();
      if (any)
        waiter.reset();
      else
        waiter.idle();
      if (any) dawdle(random);
    }
    std::printf("  %d %d %d messages, %llu sleeps\n", next[0], next[1], next[2],
                static_cast<unsigned long long>(waiter.sleeps));
    check(next[0] > 10, "next to nothing was sent");
  }
  Shared& shared;
  lockfree::ReceiveRing<Hardware> rings[senders_max];
  std::int32_t next[senders_max] = {};
  int ended = 0;
};

bool stress_messages(const char* name, double seconds, std::uint64_t seed, int senders, bool fences,
                     bool trusts) {
  Shared& shared = make_shared_part();
  std::vector<Process> processes;
  processes.push_back([&shared, senders, fences, trusts](Random& random) {
    Receiver(shared).receive(random, senders, fences, trusts);
  });
  for (int s = 0; s < senders; ++s)
    processes.push_back([&shared, s, fences](Random& random) {
      Sender(shared, static_cast<std::uint32_t>(s), fences).send_until_time_is_over(random);
    });
  return run(name, seconds, seed, processes);
}

// Each rank brings a number; the sum ends the run: everybody must see the same one.
void meet_until_time_is_over(Shared& shared, std::uint32_t rank, std::uint32_t ranks, bool fences,
                             Random& random) {
  lockfree::Room<Hardware> room;
  room.attach(shared.room, ranks);
  Waiter waiter(shared.doorbells[rank], fences);
  std::uint64_t operations = 0;
  for (std::uint64_t over = 0; over < ranks; ++operations) {
    std::uint64_t mine[] = {time_is_over(), operations * 10 + rank};
    lockfree::Round round = room.open(lockfree::RoomSpace::lines);
    auto wake_others = [&] {
      for (std::uint32_t other = 0; other < ranks; ++other)
        if (other != rank && lockfree::wants_attention(shared.doorbells[other]) &&
            lockfree::end_sleep(shared.doorbells[other]))
          platform::futex_wake(shared.doorbells[other].wake.word);
    };
    while (!room.may_write(rank, round)) waiter.idle();
    waiter.reset();
    Hardware::store_payload(room.payload(rank, round), mine, sizeof mine);
    room.publish(rank, round);
    if (fences) Hardware::full_fence();
    if (!fences || room.first_missing(0, ranks, round) == ranks) wake_others();
    while (room.first_missing(0, ranks, round) != ranks) waiter.idle();
    waiter.reset();
    over = 0;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      std::uint64_t its[2];
      Hardware::load_payload(its, room.payload(other, round), sizeof its);
      over += its[0];
      check(its[1] == operations * 10 + other, "a line of another operation");
    }
    // Often not: who then writes must look at the lines of what is finished.
    if (operations % 3) room.learn(round);
    if (room.finish(rank, round)) {
      if (fences) Hardware::full_fence();
      wake_others();
    }
    dawdle(random);
  }
  check(operations > 10, "next to nothing happened");
  if (rank == 0)
    std::printf("  %llu operations, %llu sleeps of rank 0\n",
                static_cast<unsigned long long>(operations),
                static_cast<unsigned long long>(waiter.sleeps));
}

bool stress_room(const char* name, double seconds, std::uint64_t seed, std::uint32_t ranks,
                 bool fences) {
  Shared& shared = make_shared_part();
  std::vector<Process> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    processes.push_back([&shared, rank, ranks, fences](Random& random) {
      meet_until_time_is_over(shared, rank, ranks, fences, random);
    });
  return run(name, seconds, seed, processes);
}

}  // namespace
}  // namespace baton::stress

int main(int argc, char** argv) {
  using namespace baton::stress;
  double seconds = argc > 1 ? std::atof(argv[1]) : 0.7;
  std::uint64_t seed =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : static_cast<std::uint64_t>(time(nullptr));
  bool fine = stress_messages("one sender, fences", seconds, seed, 1, true, false);
  fine &= stress_messages("three senders, fences", seconds, seed, 3, true, false);
  fine &= stress_messages("three senders, fences, doorbells", seconds, seed, 3, true, true);
  fine &= stress_room("a room of two, fences", seconds, seed, 2, true);
  fine &= stress_room("a room of four, fences", seconds, seed, 4, true);
  fine &= stress_turns("turns of two, fences", seconds, seed, 2, true);
  fine &= stress_turns("turns of four, fences", seconds, seed, 4, true);
  fine &= stress_elements("elements, fences", seconds, seed, 3, true);
  fine &= stress_regions("attached memory", seconds, seed);
  // Where the kernel or a filter refuses membarrier, senders always fence.
  if (baton::platform::membarrier_register()) {
    fine &= stress_messages("one sender, membarrier", seconds, seed, 1, false, false);
    fine &= stress_messages("three senders, membarrier", seconds, seed, 3, false, false);
    fine &= stress_messages("three senders, membarrier, doorbells", seconds, seed, 3, false, true);
    fine &= stress_room("a room of four, membarrier", seconds, seed, 4, false);
    fine &= stress_turns("turns of four, membarrier", seconds, seed, 4, false);
    fine &= stress_elements("elements, membarrier", seconds, seed, 3, false);
  } else {
    std::printf("no membarrier here: that half is left out\n");
  }
  return fine ? 0 : 1;
}
