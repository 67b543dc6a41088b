// That the fake provider ends whoever breaks a rule: were it blind to one, no test over it would
// mean anything. Each rule is broken once, in a process of its own.
#include <array>
#include <atomic>
#include <thread>

#include "tests/network/fake_provider/opened.hpp"

namespace fake_test {
namespace {

constexpr std::size_t bytes = 3000;

TEST(FakeProviderRules, unregistered_memory_is_not_sent_or_received_into) {
  EXPECT_DEATH(
      {
        Opened provider;
        char data[bytes] = {};
        fi_context2 context;
        fi_send(provider.endpoint, data, bytes, nullptr, provider.self, &context);
      },
      "a send of 3000 bytes with the description .*, which no open region has");
  EXPECT_DEATH(
      {
        Opened provider;
        char data[bytes];
        fi_context2 context;
        fi_recv(provider.endpoint, data, bytes, nullptr, FI_ADDR_UNSPEC, &context);
      },
      "a receive of 3000 bytes with the description");
}

TEST(FakeProviderRules, memory_lies_in_the_region_that_is_named_and_was_made_for_it) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        fi_context2 context;
        provider.send(memory, 1, bytes, context);
      },
      "which are not in the region");
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_RECV);
        fi_context2 context;
        provider.send(memory, 0, bytes, context);
      },
      "a region that was not made for it");
}

void register_for_a_device(const char* personality) {
  Opened provider(personality);
  std::vector<char> memory(bytes);
  const iovec part{memory.data(), bytes};
  fi_mr_attr attributes{};
  attributes.mr_iov = &part;
  attributes.iov_count = 1;
  attributes.access = FI_SEND;
  attributes.iface = FI_HMEM_CUDA;
  fid_mr* region;
  fi_mr_regattr(provider.domain, &attributes, 0, &region);
}

TEST(FakeProviderRules, memory_is_registered_as_that_of_whom_it_belongs_to) {
  EXPECT_DEATH(register_for_a_device("hmem"), "host memory is registered as a device's");
  EXPECT_DEATH(register_for_a_device(""),
               "device memory is registered at a domain without FI_HMEM");
}

TEST(FakeProviderRules, a_region_is_bound_and_enabled_first) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory;
        memory.bytes.resize(bytes);
        fi_mr_reg(provider.domain, memory.at(), bytes, FI_SEND, 0, 0, 0, &memory.region, nullptr);
        fi_context2 context;
        provider.send(memory, 0, bytes, context);
      },
      "a region that is not enabled");
}

TEST(FakeProviderRules, a_context_is_one_operations_and_nobody_elses) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_RECV);
        fi_context2 context;
        provider.receive(memory, 0, 100, context);
        provider.receive(memory, 100, 100, context);
      },
      "which an operation under way has");
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        fi_context2 context;
        provider.send(memory, 0, bytes, context);
        context.internal[5] = &provider;
        provider.read_until(1);
      },
      "the context .* was touched");
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        provider.post([&] {
          return fi_send(provider.endpoint, memory.at(), bytes, memory.description(), provider.self,
                         nullptr);
        });
      },
      "without a context");
}

TEST(FakeProviderRules, data_stays_as_it_is_until_the_completion) {
  for (std::size_t changed : {std::size_t{0}, bytes - 1}) {
    EXPECT_DEATH(
        {
          Opened provider;
          Memory memory = provider.memory(bytes, FI_SEND);
          fi_context2 context;
          provider.send(memory, 0, bytes, context);
          ++*memory.at(changed);
          provider.read_until(1);
        },
        "changed before");
  }
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND | FI_RECV);
        fi_context2 contexts[2];
        provider.receive(memory, 0, 100, contexts[0]);
        ++*memory.at(0);
        provider.send(memory, 1000, 100, contexts[1]);
        provider.read_until(2);
      },
      "the buffer of a receive was changed");
}

TEST(FakeProviderRules, a_region_stays_open_while_it_is_used) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        fi_context2 context;
        provider.send(memory, 0, bytes, context);
        fi_close(&memory.region->fid);
      },
      "is closed while 1 operations use it");
  EXPECT_DEATH(
      {
        Opened provider;
        (void)provider.memory(bytes, FI_SEND);
        provider.close({});
      },
      "closed with 1 regions open");
}

void write(Opened& provider, Memory& from, std::uint64_t address, std::uint64_t key) {
  static fi_context2 context;
  provider.post([&] {
    return fi_writedata(provider.endpoint, from.at(), bytes, from.description(), 5, provider.self,
                        address, key, &context);
  });
  provider.read_until(2);
}

TEST(FakeProviderRules, writes_reach_open_regions_that_are_for_them) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory from = provider.memory(bytes, FI_WRITE);
        Memory to = provider.memory(bytes, FI_REMOTE_WRITE);
        write(provider, from, provider.address_of(to), to.region->key + 1);
      },
      "by a key that no open region has");
  EXPECT_DEATH(
      {
        Opened provider;
        Memory from = provider.memory(bytes, FI_WRITE);
        Memory to = provider.memory(bytes, FI_REMOTE_WRITE);
        write(provider, from, provider.address_of(to) + 1, to.region->key);
      },
      "beyond the region");
  EXPECT_DEATH(
      {
        Opened provider;
        Memory from = provider.memory(bytes, FI_WRITE);
        Memory to = provider.memory(bytes, FI_RECV);
        write(provider, from, provider.address_of(to), to.region->key);
      },
      "without FI_REMOTE_WRITE");
  EXPECT_DEATH(
      {
        Opened provider("loose");
        Memory from = provider.memory(bytes, FI_WRITE);
        Memory to = provider.memory(bytes, FI_REMOTE_WRITE);
        write(provider, from, reinterpret_cast<std::uint64_t>(to.at()), to.region->key);
      },
      "beyond the region");
}

TEST(FakeProviderRules, reads_reach_regions_that_are_for_them_and_stay_open) {
  const auto read = [](std::uint64_t access_here, std::uint64_t access_there, bool closes) {
    Opened provider("rma");
    Memory here = provider.memory(bytes, access_here);
    Memory there = provider.memory(bytes, access_there);
    static fi_context2 context;
    const iovec part{here.at(), bytes};
    const fi_rma_iov place{provider.address_of(there), bytes, there.region->key};
    void* description = here.description();
    const fi_msg_rma message{&part, &description, 1, provider.self, &place, 1, &context, 0};
    provider.post([&] { return fi_readmsg(provider.endpoint, &message, FI_COMPLETION); });
    if (closes) fi_close(&here.region->fid);
    provider.read_until(1);
  };
  EXPECT_DEATH(read(FI_READ, FI_REMOTE_WRITE, false), "reads a region without FI_REMOTE_READ");
  EXPECT_DEATH(read(FI_WRITE, FI_REMOTE_READ, false), "a region that was not made for it");
  EXPECT_DEATH(read(FI_READ, FI_REMOTE_READ, true), "is closed while 1 operations use it");
}

TEST(FakeProviderRules, limits_are_kept) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        iovec parts[2];
        for (iovec& part : parts) part.iov_base = memory.at();
        for (iovec& part : parts) part.iov_len = 8;
        void* descriptions[2];
        for (void*& description : descriptions) description = memory.description();
        fi_context2 context;
        fi_sendv(provider.endpoint, parts, descriptions, 2, provider.self, &context);
      },
      "a send of 2 parts, the limit is 1");
  EXPECT_DEATH(
      {
        Opened provider;
        char data[65] = {};
        fi_inject(provider.endpoint, data, sizeof data, provider.self);
      },
      "65 bytes are injected, the limit is 64");
}

TEST(FakeProviderRules, an_endpoint_ends_when_its_sends_have) {
  EXPECT_DEATH(
      {
        Opened provider;
        Memory memory = provider.memory(bytes, FI_SEND);
        fi_context2 context;
        provider.send(memory, 0, bytes, context);
        provider.close_all_but_domain();
      },
      "closed while a send or write of 3000 bytes is under way");
}

TEST(FakeProviderRules, one_thread_at_a_time_is_in_a_domain) {
  EXPECT_DEATH(
      {
        Opened provider;
        const auto read = [&provider] {
          fi_cq_data_entry entry;
          for (int i = 0; i < 20000000; ++i) fi_cq_read(provider.queue, &entry, 1);
        };
        std::thread other(read);
        read();
        other.join();
      },
      "two threads are in one domain");
}

}  // namespace
}  // namespace fake_test
