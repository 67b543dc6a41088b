#include "transport/network/offers.hpp"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/environment.hpp"
#include "base/keyed_hash.hpp"
#include "base/numa_policy.hpp"
#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::transport::network {

namespace {

std::string_view variable(const char* name) {
  const char* value = environment_variable(name);
  return value ? value : "";
}

bool is_link_local(const sockaddr_in6& address) {
  return address.sin6_addr.s6_addr[0] == 0xfe && (address.sin6_addr.s6_addr[1] & 0xc0) == 0x80;
}

// Reads a number that the kernel tells in a file; `otherwise` where it does not.
long read_number(const char* path, long otherwise) {
  std::FILE* file = std::fopen(path, "re");
  if (!file) return otherwise;
  long number;
  if (std::fscanf(file, "%ld", &number) != 1) number = otherwise;
  std::fclose(file);
  return number;
}

int numa_node_of(const fi_info& info) {
  char path[320];
  if (info.nic && info.nic->bus_attr && info.nic->bus_attr->bus_type == FI_BUS_PCI) {
    const fi_pci_attr& pci = info.nic->bus_attr->attr.pci;
    std::snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node",
                  pci.domain_id, pci.bus_id, pci.device_id, pci.function_id);
  } else {
    std::snprintf(path, sizeof path, "/sys/class/net/%.200s/device/numa_node",
                  info.domain_attr->name);
  }
  return static_cast<int>(read_number(path, -1));
}

std::uint32_t megabits_of(const fi_info& info) {
  if (info.nic && info.nic->link_attr && info.nic->link_attr->speed > 0)
    return static_cast<std::uint32_t>(info.nic->link_attr->speed / 1000000);
  // The kernel is asked by a socket, because /sys may show another network namespace.
  const int asked = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (asked < 0) return 0;
  ethtool_cmd settings{};
  settings.cmd = ETHTOOL_GSET;
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "%s", info.domain_attr->name);
  request.ifr_data = reinterpret_cast<char*>(&settings);
  const bool known = ::ioctl(asked, SIOCETHTOOL, &request) == 0;
  ::close(asked);
  const std::uint32_t speed = known ? ethtool_cmd_speed(&settings) : 0;
  return speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) ? 0 : speed;
}

// Splits an IP address, or its mask, into words.
int words_of(const sockaddr* address, std::uint32_t (&words)[4]) {
  if (address->sa_family == AF_INET) {
    words[0] = reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr;
    return 1;
  }
  std::memcpy(words, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, sizeof words);
  return 4;
}

bool is_ip(std::uint32_t format) {
  return format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6;
}

// These are the subnets of this machine's addresses.
class Subnets {
 public:
  Subnets() {
    if (::getifaddrs(&all_) != 0) all_ = nullptr;
  }
  ~Subnets() {
    if (all_) ::freeifaddrs(all_);
  }
  Subnets(const Subnets&) = delete;
  Subnets& operator=(const Subnets&) = delete;

  // Returns the subnet as a number that is never 0 for an IP address, else 0.
  std::uint32_t of(const fi_info& info) const {
    if (!is_ip(info.addr_format) || !info.src_addr) return 0;
    const auto* own = static_cast<const sockaddr*>(info.src_addr);
    std::uint32_t words[4];
    const int count = words_of(own, words);
    const ifaddrs* found = find(own->sa_family, words, count);
    if (!found) return 1;
    std::uint32_t mask[4];
    (void)words_of(found->ifa_netmask, mask);
    std::uint64_t prefix[5] = {static_cast<std::uint64_t>(own->sa_family)};
    for (int i = 0; i < count; ++i) prefix[i + 1] = words[i] & mask[i];
    return static_cast<std::uint32_t>(keyed_hash({}, prefix)) | 1;
  }

 private:
  const ifaddrs* find(int family, const std::uint32_t* words, int count) const {
    for (const ifaddrs* one = all_; one; one = one->ifa_next) {
      if (!one->ifa_addr || !one->ifa_netmask || one->ifa_addr->sa_family != family) continue;
      std::uint32_t its[4];
      (void)words_of(one->ifa_addr, its);
      if (std::equal(words, words + count, its)) return one;
    }
    return nullptr;
  }

  ifaddrs* all_ = nullptr;
};

ProviderOffer entry_of(const fi_info& info, const Subnets& subnets) {
  ProviderOffer offer;
  offer.provider = info.fabric_attr->prov_name ? info.fabric_attr->prov_name : "";
  offer.interface = info.domain_attr->name ? info.domain_attr->name : "";
  offer.native = info.ep_attr->protocol == FI_PROTO_XNET;
  offer.loopback = offer.interface == "lo";
  offer.ipv6 = info.addr_format == FI_SOCKADDR_IN6;
  if (offer.ipv6 && info.src_addrlen >= sizeof(sockaddr_in6))
    offer.link_local = is_link_local(*static_cast<const sockaddr_in6*>(info.src_addr));
  offer.subnet = subnets.of(info);
  offer.megabits = megabits_of(info);
  offer.numa_node = numa_node_of(info);
  return offer;
}

// Sets a variable of libfabric's, which libfabric reads once, for the lifetime of this object; a
// value that the user has set stays. No program that this one starts sees it.
class LibraryVariable {
 public:
  LibraryVariable(const char* name, const char* value, bool wanted = true)
      : name_(!wanted || environment_variable(name) ? nullptr : name) {
    if (name_) ::setenv(name_, value, 0);
  }
  ~LibraryVariable() {
    if (name_) ::unsetenv(name_);
  }
  LibraryVariable(const LibraryVariable&) = delete;
  LibraryVariable& operator=(const LibraryVariable&) = delete;

 private:
  const char* name_;
};

// Returns whether two offers are of one provider at one address.
bool is_same(const fi_info& one, const fi_info& other) {
  const auto text = [](const char* given) { return std::string_view(given ? given : ""); };
  return text(one.fabric_attr->prov_name) == text(other.fabric_attr->prov_name) &&
         text(one.domain_attr->name) == text(other.domain_attr->name) &&
         one.ep_attr->protocol == other.ep_attr->protocol && one.addr_format == other.addr_format &&
         one.src_addrlen == other.src_addrlen &&
         (!one.src_addr || !other.src_addr ||
          std::memcmp(one.src_addr, other.src_addr, one.src_addrlen) == 0);
}

// Fills in what we need, and which of the provider's demands we can meet.
void fill_hints(fi_info& hints) {
  hints.caps = FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE;
  hints.mode = FI_CONTEXT | FI_CONTEXT2;
  hints.ep_attr->type = FI_EP_RDM;
  hints.domain_attr->threading = FI_THREAD_DOMAIN;
  hints.domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints.domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints.domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints.domain_attr->cq_data_size = sizeof(std::uint32_t);
  hints.tx_attr->msg_order = hints.rx_attr->msg_order = FI_ORDER_SAS;
}

// An endpoint may do this beyond what we need.
struct Extras {
  bool remote_access = false;  // it reads and writes peers' memory, and says when a write has
                               // arrived (FI_DELIVERY_COMPLETE, by which Endpoint::open knows it)
  bool devices = false;        // it reads and writes memory of devices (FI_HMEM)
};

// Returns the same offer for an endpoint with extras. Null: there is none.
fi_info* with_extras(const Library& library, const fi_info& offer, Extras extras) {
  fi_info* hints = library.dupinfo(nullptr);
  if (!hints) return nullptr;
  fill_hints(*hints);
  if (extras.devices) {
    hints->caps |= FI_HMEM;
    hints->domain_attr->mr_mode |= FI_MR_HMEM;
  }
  if (extras.remote_access) {
    hints->caps |= FI_READ | FI_REMOTE_READ;
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  }
  hints->fabric_attr->prov_name = ::strdup(offer.fabric_attr->prov_name);
  hints->domain_attr->name = ::strdup(offer.domain_attr->name);
  fi_info* all = nullptr;
  const int code = library.getinfo(interface_version, nullptr, nullptr, 0, hints, &all);
  library.freeinfo(hints);
  fi_info* found = nullptr;
  for (fi_info* info = all; code == 0 && info && !found; info = info->next)
    if (is_same(*info, offer)) found = library.dupinfo(info);
  if (all) library.freeinfo(all);
  if (found && extras.remote_access) found->tx_attr->op_flags |= FI_DELIVERY_COMPLETE;
  return found;
}

// Returns the same offer with as many extras as it can have; the offer itself if there are none.
// Null: no memory.
fi_info* best_of(const Library& library, const fi_info& offer) {
  const char* provider = offer.fabric_attr->prov_name;
  const bool remote_access = settings.network_remote_access && !emulates_remote_access(provider);
  const bool devices = settings.device_network && platform::DeviceMemory::may_come() &&
                       leaves_devices_to_adapter(provider);
  fi_info* info = nullptr;
  if (devices) info = with_extras(library, offer, {remote_access, true});
  if (!info && devices && remote_access) info = with_extras(library, offer, {false, true});
  if (!info && remote_access) info = with_extras(library, offer, {true, false});
  return info ? info : library.dupinfo(&offer);
}

// Returns the NUMA node of all CPUs on which this process may run; -1: they are on several.
int own_numa_node() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  const auto is_at = [](int cpu, int node) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
    return ::access(path, F_OK) == 0;
  };
  int node = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (node < 0)
      for (node = numa_nodes_max; --node >= 0 && !is_at(cpu, node);) continue;
    if (node < 0 || !is_at(cpu, node)) return -1;
  }
  return node;
}

Error nothing_fits(const Library& library, const ProviderWish& wish, std::size_t offers) {
  return fail(MPI_ERR_OTHER,
              "this job spans nodes, and libfabric %u.%u has no provider for it%s%s%s%s (%zu "
              "offers looked at); `fi_info` lists what there is, BATON_NETWORK_INTERFACE and "
              "BATON_NETWORK_PROVIDER choose",
              FI_MAJOR(library.version()), FI_MINOR(library.version()),
              wish.interface.empty() ? "" : " on interface ", wish.interface.data(),
              wish.provider.empty() ? "" : " named ", wish.provider.data(), offers);
}

}  // namespace

Error take_offers(const Library& library, bool one_machine, TakenOffers& taken) {
  fi_info* hints = library.dupinfo(nullptr);
  if (!hints) return fail(MPI_ERR_NO_MEM, "no memory to ask libfabric for its providers");
  fill_hints(*hints);
  fi_info* all = nullptr;
  int code;
  {
    // This is the space for unexpected tagged messages, which we never send: 16 MiB a process that
    // libfabric 2.x touches when it opens TCP. The value is the least that it takes.
    const LibraryVariable no_space("FI_TCP_MAX_RX_SIZE", "64");
    // libfabric's provider for InfiniBand reads the kernel's table of symbols (40 ms of a core)
    // before it looks for devices.
    const LibraryVariable no_verbs("FI_PROVIDER", "^verbs",
                                   ::access("/sys/class/infiniband", F_OK) != 0);
    code = library.getinfo(interface_version, nullptr, nullptr, 0, hints, &all);
  }
  library.freeinfo(hints);
  constexpr std::size_t offers_max = 256;
  ProviderOffer offers[offers_max];
  const fi_info* infos[offers_max];
  const Subnets subnets;
  std::size_t count = 0;
  for (fi_info* info = all; code == 0 && info && count < offers_max; info = info->next, ++count) {
    offers[count] = entry_of(*info, subnets);
    infos[count] = info;
  }
  const ProviderWish wish{variable("BATON_NETWORK_PROVIDER"), variable("BATON_NETWORK_INTERFACE"),
                          one_machine, static_cast<int>(settings.network_rails), own_numa_node()};
  const ProviderChoice choice = choose_provider({offers, count}, wish);
  const auto take = [&](int index) {
    fi_info* info = best_of(library, *infos[index]);
    if (!info) return;
    taken.subnets[taken.count] = offers[index].subnet;
    taken.each[taken.count++] = info;
  };
  Error error = MPI_SUCCESS;
  if (choice.index < 0) {
    error = nothing_fits(library, wish, count);
  } else {
    take(choice.index);
    for (int i = 0; taken.count > 0 && i < choice.further_count; ++i) take(choice.further[i]);
    if (taken.count == 0) error = fail(MPI_ERR_NO_MEM, "no memory for libfabric's description");
  }
  taken.reason = choice.reason;
  if (all) library.freeinfo(all);
  return error;
}

}  // namespace baton::transport::network
