#include "domain.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>

#include <cstring>

#include "rule.hpp"

namespace fake {

Inside::Inside(Domain& domain) : domain_(domain) {
  if (domain.is_busy.exchange(true)) broken("two threads are in one domain (FI_THREAD_DOMAIN)");
}

Inside::~Inside() {
  domain_.is_busy.store(false);
}

namespace {

// Numbers that are no small ones, as those of a map may be.
constexpr fi_addr_t first_address = 0x5eed00;

constexpr char name_word[8] = {'B', 'A', 'T', 'O', 'N', 'F', 'A', 'K'};

int close_domain(fid* id) {
  auto& domain = object_of<Domain, fid_domain>(id);
  if (domain.regions.count() > 0)
    broken("a domain is closed with %zu regions open", domain.regions.count());
  if (domain.addresses || domain.queue || domain.endpoint)
    broken("a domain is closed before what was opened in it");
  domain.wire.close();
  delete &domain;
  return 0;
}

fi_ops domain_object{.size = sizeof(fi_ops), .close = close_domain};
fi_ops_domain domain_calls{.size = sizeof(fi_ops_domain),
                           .av_open = open_addresses,
                           .cq_open = open_queue,
                           .endpoint = open_endpoint};

int insert(fid_av* table, const void* given, std::size_t count, fi_addr_t* numbers, std::uint64_t,
           void*) {
  auto& addresses = *static_cast<AddressTable*>(table);
  const Inside inside(*addresses.domain);
  for (std::size_t i = 0; i < count; ++i) {
    Name name;
    std::memcpy(&name, static_cast<const Name*>(given) + i, sizeof name);
    if (std::memcmp(name.word, name_word, sizeof name.word) != 0)
      broken("what is inserted as an address is none");
    numbers[i] = first_address + 3 * addresses.names.size();
    addresses.names.push_back(name.name);
  }
  return static_cast<int>(count);
}

int close_addresses(fid* id) {
  auto& addresses = object_of<AddressTable, fid_av>(id);
  if (addresses.domain->endpoint) broken("a table of addresses is closed before its endpoint");
  addresses.domain->addresses = nullptr;
  delete &addresses;
  return 0;
}

fi_ops addresses_object{.size = sizeof(fi_ops), .close = close_addresses};
fi_ops_av addresses_calls{.size = sizeof(fi_ops_av), .insert = insert};

int get_name(fid_t id, void* address, std::size_t* bytes) {
  const Endpoint& endpoint = object_of<Endpoint, fid_ep>(id);
  Name name;
  std::memcpy(name.word, name_word, sizeof name.word);
  name.name = endpoint.domain->wire.name();
  const bool fits = *bytes >= sizeof name;
  if (fits) std::memcpy(address, &name, sizeof name);
  *bytes = sizeof name;
  return fits ? 0 : -FI_ETOOSMALL;
}

}  // namespace

fi_ops_cm naming_calls{.size = sizeof(fi_ops_cm), .getname = get_name};

int open_domain(fid_fabric*, fi_info* info, fid_domain** opened, void* context) {
  if (info->domain_attr->threading != FI_THREAD_DOMAIN) return -FI_EINVAL;
  auto* domain = new Domain;
  if (const int code = domain->wire.open()) {
    delete domain;
    return code;
  }
  domain->reaches_devices = info->caps & FI_HMEM;
  domain->fid = {FI_CLASS_DOMAIN, context, &domain_object};
  domain->ops = &domain_calls;
  domain->mr = &region_calls;
  *opened = domain;
  return 0;
}

int open_addresses(fid_domain* where, fi_av_attr* attributes, fid_av** opened, void* context) {
  auto& domain = *static_cast<Domain*>(where);
  if (attributes->type != FI_AV_MAP) return -FI_EINVAL;
  auto* addresses = new AddressTable;
  addresses->fid = {FI_CLASS_AV, context, &addresses_object};
  addresses->ops = &addresses_calls;
  addresses->domain = &domain;
  domain.addresses = addresses;
  *opened = addresses;
  return 0;
}

std::uint64_t name_of(const Domain& domain, fi_addr_t address) {
  const fi_addr_t number = (address - first_address) / 3;
  if (address < first_address || (address - first_address) % 3 != 0 ||
      number >= domain.addresses->names.size())
    broken("nobody has the address %#llx", static_cast<unsigned long long>(address));
  return domain.addresses->names[number];
}

}  // namespace fake
