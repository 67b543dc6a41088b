// That the fake provider does what it is for: it delivers everything whole, in any order, and
// refuses now and then.
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/network/fake_provider/opened.hpp"

namespace fake_test {
namespace {

constexpr std::size_t messages = 40, message_bytes = 500;

// Sends numbered messages to itself; the numbers in the order in which their completions came.
std::vector<int> exchange(const char* personality, int seed) {
  Opened provider(personality, seed);
  Memory out = provider.memory(messages * message_bytes, FI_SEND);
  Memory in = provider.memory(messages * message_bytes, FI_RECV);
  std::array<fi_context2, messages> sends;
  std::array<fi_context2, messages> receives;
  std::size_t posted = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    std::memset(out.at(i * message_bytes), static_cast<int>(i), message_bytes);
    provider.send(out, i * message_bytes, message_bytes, sends[i]);
    for (; posted <= i; ++posted)
      provider.receive(in, posted * message_bytes, message_bytes, receives[posted]);
  }
  provider.read_until(2 * messages);
  std::vector<int> came;
  for (const fi_cq_data_entry& entry : provider.done) {
    if (!(entry.flags & FI_RECV)) continue;
    const char* data = static_cast<const char*>(entry.buf);
    EXPECT_EQ(entry.len, message_bytes);
    for (std::size_t i = 1; i < entry.len; ++i) EXPECT_EQ(data[i], data[0]);
    came.push_back(data[0]);
  }
  provider.close({&out, &in});
  return came;
}

int out_of_turn(const std::vector<int>& came) {
  int count = 0;
  for (std::size_t i = 0; i < came.size(); ++i) count += came[i] != static_cast<int>(i);
  return count;
}

TEST(FakeProvider, messages_come_whole_and_in_order_unless_they_may_overtake) {
  int overtaken = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    for (const char* personality : {"", "loose"})
      EXPECT_EQ(out_of_turn(exchange(personality, seed)), 0) << "seed " << seed;
    const std::vector<int> came = exchange("overtake", seed);
    EXPECT_EQ(came.size(), messages);
    overtaken += out_of_turn(came);
  }
  EXPECT_GT(overtaken, 0);
}

TEST(FakeProvider, what_crosses_may_be_lost_until_something_has_come) {
  constexpr std::size_t later = 20, bytes = 64;
  std::size_t lost_before = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    Opened provider("loose,crossing", seed);
    EXPECT_EQ(provider.info->ep_attr->protocol, FI_PROTO_XNET);
    Memory out = provider.memory(bytes, FI_SEND);
    Memory in = provider.memory((later + 1) * bytes, FI_RECV);
    std::array<fi_context2, later + 1> receives;
    for (std::size_t i = 0; i <= later; ++i) provider.receive(in, i * bytes, bytes, receives[i]);
    fi_context2 first, others[later];
    const auto come = [&provider] {
      return std::count_if(provider.done.begin(), provider.done.end(),
                           [](const fi_cq_data_entry& entry) { return entry.flags & FI_RECV; });
    };
    std::size_t left = 0;
    while (come() == 0) {
      provider.send(out, 0, bytes, first);
      ++left;
      for (int i = 0; i < 1000 && come() == 0; ++i) provider.read();
    }
    lost_before += left - 1;
    for (fi_context2& context : others) provider.send(out, 0, bytes, context);
    provider.read_until(left + later + 1 + later);
    EXPECT_EQ(come(), static_cast<std::ptrdiff_t>(1 + later)) << "seed " << seed;
    provider.close({&out, &in});
  }
  EXPECT_GT(lost_before, 0U);
}

TEST(FakeProvider, equal_seeds_do_the_same) {
  EXPECT_EQ(exchange("overtake", 3), exchange("overtake", 3));
  EXPECT_NE(exchange("overtake", 3), exchange("overtake", 4));
}

// What a write has placed after each look at it, from the first byte to the last completion.
TEST(FakeProvider, a_write_is_placed_in_any_order_and_told_when_all_is_there) {
  int from_the_end = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    constexpr std::size_t bytes = 200000;
    Opened provider(seed % 2 ? "" : "loose", seed);
    Memory from = provider.memory(bytes, FI_WRITE);
    Memory to = provider.memory(bytes, FI_REMOTE_WRITE);
    std::memset(from.at(), 9, bytes);
    fi_context2 context;
    provider.post([&] {
      return fi_writedata(provider.endpoint, from.at(), bytes, from.description(), 77,
                          provider.self, provider.address_of(to), to.region->key, &context);
    });
    bool seen = false;
    while (provider.done.size() < 2) {
      provider.read();
      from_the_end += !seen && *to.at(bytes - 1) == 9 && *to.at(0) != 9;
      seen |= *to.at(0) == 9;
      for (const fi_cq_data_entry& entry : provider.done)
        if (entry.flags & FI_REMOTE_WRITE) {
          EXPECT_EQ(entry.data, 77);
          EXPECT_EQ(to.bytes, from.bytes);
        }
    }
    provider.close({&from, &to});
  }
  EXPECT_GT(from_the_end, 0);
}

// Remote accesses of an opened provider with itself, by rma's two calls.
ssize_t access_memory(Opened& provider, bool writes, Memory& here, Memory& there,
                      fi_context2& context) {
  const iovec part{here.at(), here.bytes.size()};
  const fi_rma_iov place{provider.address_of(there), here.bytes.size(), there.region->key};
  void* description = here.description();
  const fi_msg_rma message{&part, &description, 1, provider.self, &place, 1, &context, 0};
  return writes ? fi_writemsg(provider.endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE)
                : fi_readmsg(provider.endpoint, &message, FI_COMPLETION);
}

// By itself a target is told nothing; its origin when the data is there, and not before.
TEST(FakeProvider, a_delivered_write_and_a_read_are_told_at_the_origin_when_all_is_there) {
  int looks_after_it_was_there = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    constexpr std::size_t bytes = 100000;
    Opened provider(seed % 2 ? "rma" : "rma,loose", seed);
    Memory from = provider.memory(bytes, FI_WRITE);
    Memory to = provider.memory(bytes, FI_REMOTE_WRITE | FI_REMOTE_READ);
    Memory back = provider.memory(bytes, FI_READ);
    std::memset(from.at(), 9, bytes);
    fi_context2 context;
    provider.post([&] { return access_memory(provider, true, from, to, context); });
    while (provider.done.empty()) {
      looks_after_it_was_there += to.bytes == from.bytes;
      provider.read();
    }
    EXPECT_EQ(to.bytes, from.bytes);
    EXPECT_EQ(provider.done[0].flags, FI_RMA | FI_WRITE);
    provider.post([&] { return access_memory(provider, false, back, to, context); });
    provider.read_until(2);
    EXPECT_EQ(back.bytes, from.bytes);
    EXPECT_EQ(provider.done[1].flags, FI_RMA | FI_READ);
    provider.close({&from, &to, &back});
  }
  EXPECT_GT(looks_after_it_was_there, 0);
}

TEST(FakeProvider, calls_are_refused_now_and_then) {
  Opened provider;
  Memory memory = provider.memory(100, FI_RECV);
  fi_context2 contexts[100];
  int taken = 0;
  while (taken < 6) {  // so many find space
    const ssize_t code = fi_recv(provider.endpoint, memory.at(), 1, memory.description(),
                                 FI_ADDR_UNSPEC, &contexts[taken]);
    taken += code == 0;
  }
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(fi_recv(provider.endpoint, memory.at(), 1, memory.description(), FI_ADDR_UNSPEC,
                      &contexts[50]),
              -FI_EAGAIN);
  // A process's place among its launcher's children is part of the chance: how often is not known.
  int seed = 2;
  for (bool sends_refused = false; !sends_refused; ++seed) {
    ASSERT_LT(seed, 1000) << "one send in six is refused";
    Opened other("", seed);
    char data[8] = {};
    sends_refused = fi_inject(other.endpoint, data, sizeof data, other.self) == -FI_EAGAIN;
    other.close({});
  }
  fi_close(&provider.endpoint->fid);
  fi_close(&memory.region->fid);
}

TEST(FakeProvider, who_cannot_meet_its_demands_does_not_get_it) {
  ::setenv("FAKE_PROVIDER", "", 1);
  fi_info *wanted = hints(), *info = nullptr;
  wanted->domain_attr->mr_mode &= ~FI_MR_LOCAL;
  EXPECT_EQ(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, wanted, &info), -FI_ENODATA);
  wanted->domain_attr->mr_mode |= FI_MR_LOCAL;
  wanted->mode = FI_CONTEXT;
  EXPECT_EQ(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, wanted, &info), -FI_ENODATA);
  wanted->mode = FI_CONTEXT2;
  wanted->caps |= FI_READ | FI_REMOTE_READ;
  EXPECT_EQ(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, wanted, &info), -FI_ENODATA);
  fi_freeinfo(wanted);
}

TEST(FakeProvider, its_descriptor_tells_of_what_comes) {
  Opened provider;
  fi_cq_attr for_queue{};
  for_queue.format = FI_CQ_FORMAT_DATA;
  for_queue.wait_obj = FI_WAIT_FD;
  fid_cq* queue = nullptr;
  ASSERT_EQ(fi_cq_open(provider.domain, &for_queue, &queue, nullptr), 0);
  int descriptor = -1;
  ASSERT_EQ(fi_control(&queue->fid, FI_GETWAIT, &descriptor), 0);
  pollfd end{descriptor, POLLIN, 0};
  fid* waited = &queue->fid;
  EXPECT_EQ(fi_trywait(provider.fabric, &waited, 1), 0);
  EXPECT_EQ(::poll(&end, 1, 0), 0);
  const char data[8] = {};
  provider.post([&] { return fi_inject(provider.endpoint, data, sizeof data, provider.self); });
  // Looked at until it has left; from then on the descriptor tells.
  while (fi_trywait(provider.fabric, &waited, 1) == -FI_EAGAIN && ::poll(&end, 1, 0) == 0)
    provider.read();
  EXPECT_EQ(::poll(&end, 1, 0), 1);

  Opened blind("blind");
  EXPECT_EQ(fi_cq_open(blind.domain, &for_queue, &queue, nullptr), -FI_ENOSYS);
}

}  // namespace
}  // namespace fake_test
