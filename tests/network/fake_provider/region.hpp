// Registered memory, and whether an operation may use it.
#pragma once

#include <rdma/fi_domain.h>

#include <map>
#include <set>

#include "chance.hpp"
#include "personality.hpp"

namespace fake {

struct Domain;

struct Region : fid_mr {
  Domain* domain = nullptr;
  char* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t access = 0;
  bool bound = false, enabled = false;
  unsigned uses = 0;  // by operations under way
  // Of a device's memory: the id of its allocation, and what leads from an address of it to one
  // that can be touched.
  std::uint64_t device_id = 0;
  std::ptrdiff_t to_view = 0;
};

// Memory of a device, as the stand-in for its driver knows it, if the process has loaded that.
struct DevicePlace {
  std::uint64_t id = 0;  // of the allocation; 0: it is the host's memory
  int device = 0;
  char* view = nullptr;
};
DevicePlace device_place(const void* address);

class Regions {
 public:
  Regions(const Personality& personality, Chance& chance)
      : personality_(personality), chance_(chance) {}

  // libfabric's error, negative, or 0.
  int add(Region& region, std::uint64_t wished_key);
  void remove(Region& region);
  std::size_t count() const { return all_.size(); }

  // The region that memory of an operation lies in, with the right to `access`; null where none is
  // demanded.
  Region* local(const void* description, const void* memory, std::size_t bytes,
                std::uint64_t access, const char* what) const;
  // The region that a peer's write (FI_REMOTE_WRITE) goes to, or its read comes from.
  Region& remote(std::uint64_t key, std::uint64_t address, std::size_t bytes,
                 std::uint64_t access) const;
  // Where its bytes can be touched.
  char* place(const Region& region, std::uint64_t address) const;
  // Without an endpoint there is nothing under way.
  void forget_uses();

 private:
  const Personality& personality_;
  Chance& chance_;
  std::set<const Region*> all_;
  std::map<std::uint64_t, Region*> by_key_;
};

}  // namespace fake
