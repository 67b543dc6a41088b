#include "region.hpp"

#include <dlfcn.h>
#include <rdma/fi_errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "rule.hpp"

namespace fake {

namespace {

// FI_MR_ALLOCATED: there has to be memory.
void demand_memory(const Region& region) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(region.begin) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(region.begin) + region.bytes;
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  if (::mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()) != 0 && errno == ENOMEM)
    broken("no memory is at %p, of which %zu bytes are registered",
           static_cast<const void*>(region.begin), region.bytes);
}

// The stand-in keeps the id of an allocation for itself once that is freed.
void demand_allocation(const Region& region, const char* what) {
  if (region.device_id != 0 && device_place(region.begin).id != region.device_id)
    broken("%s uses %zu bytes of device memory at %p, which has been freed", what, region.bytes,
           static_cast<const void*>(region.begin));
}

// Counts regions of device memory in all domains, and tells it when the process ends.
struct DeviceCounts {
  unsigned now = 0, most = 0, all = 0;
  void add() {
    ++all;
    most = std::max(most, ++now);
  }
  ~DeviceCounts() {
    if (std::getenv("FAKE_PROVIDER_TELLS"))
      std::fprintf(stderr, "fake provider: %u regions of device memory, %u at once\n", all, most);
  }
};
DeviceCounts device_counts;

}  // namespace

DevicePlace device_place(const void* address) {
  DevicePlace place;
  // The program may load it late.
  static void* driver = nullptr;
  if (!driver) driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return place;
  static const auto ask = reinterpret_cast<int (*)(void*, int, std::uint64_t)>(
      ::dlsym(driver, "cuPointerGetAttribute"));
  static const auto view =
      reinterpret_cast<void* (*)(const void*)>(::dlsym(driver, "standin_view"));
  // The attributes, of the documentation's enum CUpointer_attribute.
  constexpr int of_type = 2, of_id = 7, of_managed = 8, of_device = 9;
  constexpr unsigned of_a_device = 2;
  const auto here = reinterpret_cast<std::uint64_t>(address);
  unsigned type = 0, managed = 0;
  if (!ask || !view || ask(&type, of_type, here) != 0 || type != of_a_device) return place;
  if (ask(&managed, of_managed, here) != 0 || managed) return place;
  if (ask(&place.device, of_device, here) != 0 || ask(&place.id, of_id, here) != 0) return {};
  place.view = static_cast<char*>(view(address));
  return place;
}

int Regions::add(Region& region, std::uint64_t wished_key) {
  if (region.bytes == 0) broken("nothing is registered: a region of 0 bytes");
  demand_memory(region);
  if (personality_.mr_mode & FI_MR_PROV_KEY)
    region.key = chance_.next();
  else if (personality_.key_bytes < 8 && wished_key >> (8 * personality_.key_bytes))
    return -FI_EKEYREJECTED;
  else
    region.key = wished_key;
  if (by_key_.contains(region.key)) return -FI_ENOKEY;
  region.mem_desc = &region;
  if (!(personality_.mr_mode & FI_MR_ENDPOINT)) region.bound = region.enabled = true;
  by_key_[region.key] = &region;
  all_.insert(&region);
  if (region.device_id != 0) device_counts.add();
  return 0;
}

void Regions::remove(Region& region) {
  if (!all_.contains(&region)) broken("a region is closed twice");
  if (region.uses > 0)
    broken("a region of %zu bytes is closed while %u operations use it", region.bytes, region.uses);
  if (region.device_id != 0) --device_counts.now;
  by_key_.erase(region.key);
  all_.erase(&region);
}

Region* Regions::local(const void* description, const void* memory, std::size_t bytes,
                       std::uint64_t access, const char* what) const {
  if (bytes == 0) return nullptr;
  const bool is_device = personality_.hmem && device_place(memory).id != 0;
  if (!(personality_.mr_mode & FI_MR_LOCAL) && !is_device) return nullptr;
  const auto* region = static_cast<const Region*>(description);
  if (!all_.contains(region))
    broken("%s of %zu bytes with the description %p, which no open region has", what, bytes,
           description);
  if (!region->enabled) broken("%s with a region that is not enabled", what);
  if ((region->access & access) != access)
    broken("%s with a region that was not made for it", what);
  const auto* begin = static_cast<const char*>(memory);
  if (begin < region->begin || begin + bytes > region->begin + region->bytes)
    broken("%s of %zu bytes at %p, which are not in the region of %zu bytes at %p", what, bytes,
           memory, region->bytes, static_cast<const void*>(region->begin));
  demand_allocation(*region, what);
  return const_cast<Region*>(region);
}

Region& Regions::remote(std::uint64_t key, std::uint64_t address, std::size_t bytes,
                        std::uint64_t access) const {
  const bool reads = access == FI_REMOTE_READ;
  const char* does = reads ? "reads" : "writes";
  const auto found = by_key_.find(key);
  if (found == by_key_.end())
    broken("a peer %s %zu bytes by a key that no open region has", does, bytes);
  Region& region = *found->second;
  if (!region.enabled) broken("a peer %s a region that is not enabled", does);
  if (!(region.access & access))
    broken("a peer %s a region without FI_REMOTE_%s", does, reads ? "READ" : "WRITE");
  const std::uint64_t begin =
      personality_.mr_mode & FI_MR_VIRT_ADDR ? reinterpret_cast<std::uint64_t>(region.begin) : 0;
  if (address < begin || address - begin > region.bytes || bytes > region.bytes - (address - begin))
    broken("a peer %s %zu bytes at %#llx, beyond the region of %zu bytes at %#llx", does, bytes,
           static_cast<unsigned long long>(address), region.bytes,
           static_cast<unsigned long long>(begin));
  demand_allocation(region, "a peer's access");
  return region;
}

char* Regions::place(const Region& region, std::uint64_t address) const {
  char* place = personality_.mr_mode & FI_MR_VIRT_ADDR ? reinterpret_cast<char*>(address)
                                                       : region.begin + address;
  return place + region.to_view;
}

void Regions::forget_uses() {
  for (auto& [key, region] : by_key_) region->uses = 0;
}

}  // namespace fake
