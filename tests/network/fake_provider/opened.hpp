// The fake provider, opened as Baton opens it, with an endpoint that sends to itself. For its
// tests.
#pragma once

#include <gtest/gtest.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace fake_test {

inline fi_info* hints() {
  fi_info* hints = fi_dupinfo(nullptr);
  hints->caps = FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE;
  hints->mode = FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  return hints;
}

// Memory and its registration.
struct Memory {
  std::vector<char> bytes;
  fid_mr* region = nullptr;
  char* at(std::size_t place = 0) { return bytes.data() + place; }
  void* description() const { return region->mem_desc; }
};

class Opened {
 public:
  explicit Opened(const char* personality = "", int seed = 1) {
    ::setenv("FAKE_PROVIDER", personality, 1);
    ::setenv("FAKE_PROVIDER_SEED", std::to_string(seed).c_str(), 1);
    fi_info* wanted = hints();
    if (std::strstr(personality, "rma")) wanted->caps |= FI_READ | FI_REMOTE_READ;
    if (std::strstr(personality, "hmem")) {
      wanted->caps |= FI_HMEM;
      wanted->domain_attr->mr_mode |= FI_MR_HMEM;
    }
    EXPECT_EQ(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, wanted, &info), 0);
    fi_freeinfo(wanted);
    info->domain_attr->threading = FI_THREAD_DOMAIN;
    EXPECT_EQ(fi_fabric(info->fabric_attr, &fabric, nullptr), 0);
    EXPECT_EQ(fi_domain(fabric, info, &domain, nullptr), 0);
    fi_av_attr for_addresses{};
    for_addresses.type = info->domain_attr->av_type;
    EXPECT_EQ(fi_av_open(domain, &for_addresses, &addresses, nullptr), 0);
    fi_cq_attr for_queue{};
    for_queue.format = FI_CQ_FORMAT_DATA;
    for_queue.wait_obj = FI_WAIT_NONE;
    EXPECT_EQ(fi_cq_open(domain, &for_queue, &queue, nullptr), 0);
    EXPECT_EQ(fi_endpoint(domain, info, &endpoint, nullptr), 0);
    EXPECT_EQ(fi_ep_bind(endpoint, &addresses->fid, 0), 0);
    EXPECT_EQ(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), 0);
    EXPECT_EQ(fi_enable(endpoint), 0);
    char name[128];
    std::size_t bytes = sizeof name;
    EXPECT_EQ(fi_getname(&endpoint->fid, name, &bytes), 0);
    EXPECT_EQ(fi_av_insert(addresses, name, 1, &self, 0, nullptr), 1);
  }

  Memory memory(std::size_t bytes, std::uint64_t access) {
    Memory made{std::vector<char>(bytes), nullptr};
    static std::uint64_t key = 7;
    EXPECT_EQ(fi_mr_reg(domain, made.at(), bytes, access, 0, key++, 0, &made.region, nullptr), 0);
    if (info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
      EXPECT_EQ(fi_mr_bind(made.region, &endpoint->fid, 0), 0);
      EXPECT_EQ(fi_mr_enable(made.region), 0);
    }
    return made;
  }
  // By which a peer names the beginning of such memory.
  std::uint64_t address_of(Memory& memory) const {
    return info->domain_attr->mr_mode & FI_MR_VIRT_ADDR
               ? reinterpret_cast<std::uint64_t>(memory.at())
               : 0;
  }

  // Again until there is space.
  template <class Call>
  void post(Call call) {
    ssize_t code;
    while ((code = call()) == -FI_EAGAIN) read();
    ASSERT_EQ(code, 0);
  }
  void send(Memory& memory, std::size_t place, std::size_t bytes, fi_context2& context) {
    post([&] {
      return fi_send(endpoint, memory.at(place), bytes, memory.description(), self, &context);
    });
  }
  void receive(Memory& memory, std::size_t place, std::size_t bytes, fi_context2& context) {
    post([&] {
      return fi_recv(endpoint, memory.at(place), bytes, memory.description(), FI_ADDR_UNSPEC,
                     &context);
    });
  }
  // What has been completed so far goes to `done`.
  void read() {
    fi_cq_data_entry entries[4];
    const ssize_t count = fi_cq_read(queue, entries, 4);
    for (ssize_t i = 0; i < count; ++i) done.push_back(entries[i]);
  }
  void read_until(std::size_t count) {
    while (done.size() < count) read();
  }

  void close_all_but_domain() {
    EXPECT_EQ(fi_close(&endpoint->fid), 0);
    EXPECT_EQ(fi_close(&queue->fid), 0);
    EXPECT_EQ(fi_close(&addresses->fid), 0);
  }
  void close(std::initializer_list<Memory*> registered) {
    for (Memory* memory : registered) EXPECT_EQ(fi_close(&memory->region->fid), 0);
    close_all_but_domain();
    EXPECT_EQ(fi_close(&domain->fid), 0);
    fi_freeinfo(info);
  }

  fi_info* info = nullptr;
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_av* addresses = nullptr;
  fid_cq* queue = nullptr;
  fid_ep* endpoint = nullptr;
  fi_addr_t self = FI_ADDR_UNSPEC;
  std::vector<fi_cq_data_entry> done;
};

}  // namespace fake_test
