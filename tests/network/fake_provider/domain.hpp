// A domain of the fake provider and what is open in it: one table of addresses, one completion
// queue, one endpoint. Invariant: one thread at a time is in here (FI_THREAD_DOMAIN); `Inside`
// looks.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <atomic>
#include <vector>

#include "receivers.hpp"
#include "resources.hpp"
#include "senders.hpp"

namespace fake {

struct AddressTable : fid_av {
  Domain* domain = nullptr;
  std::vector<std::uint64_t> names;
};

struct Queue : fid_cq {
  Domain* domain = nullptr;
  bool can_wait = false;
};

struct Endpoint : fid_ep {
  Domain* domain = nullptr;
  bool has_addresses = false, has_queue = false, enabled = false;
};

struct Domain : fid_domain, Resources {
  Domain() : fid_domain{} {}

  Senders senders{*this};
  Receivers receivers{*this, senders};
  AddressTable* addresses = nullptr;
  Queue* queue = nullptr;
  Endpoint* endpoint = nullptr;
  std::atomic<bool> is_busy{false};
  bool reaches_devices = false;
};

// A call of the user's.
class Inside {
 public:
  explicit Inside(Domain& domain);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Domain& domain_;
};

// What endpoints tell each other: an address.
struct Name {
  char word[8];
  std::uint64_t name;
};

// Where a number of the table of addresses leads.
std::uint64_t name_of(const Domain& domain, fi_addr_t address);

// Objects by what libfabric's calls name them.
template <class Object, class Base>
Object& object_of(fid* id) {
  return *static_cast<Object*>(reinterpret_cast<Base*>(id));
}

// What a domain opens.
int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** opened, void* context);
int open_addresses(fid_domain* domain, fi_av_attr* attributes, fid_av** opened, void* context);
int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** opened, void* context);
int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** opened, void* context);
extern fi_ops_mr region_calls;

}  // namespace fake
