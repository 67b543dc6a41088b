// Memory of devices that is registered with the network's provider, where its adapter reaches it
// (FI_HMEM): whole allocations, each once, since to register takes longer than a message. They are
// kept under the id that the driver gives an allocation, and no other one ever has. What the
// program has freed meanwhile is closed when memory is asked for again. It is used by
// message/network.
// Invariant: no region is closed while a message uses it.
#pragma once

#include <cstdint>

#include "base/reason.hpp"
#include "platform/device/accelerator.hpp"
#include "platform/lock.hpp"
#include "transport/network/network.hpp"

namespace baton::transport::network {

// Returns whether there is a network whose adapter reaches memory of devices.
bool has_device_access();

struct DeviceRegistration {
  std::uint64_t id = 0;  // of the allocation; 0: there is none
  std::uintptr_t start = 0;
  void* context = nullptr;
  RailRegistrations memory;  // at no interface: the provider has refused it
  int uses = 0;              // by messages under way
  bool found = true;         // false: who asks does not find it any more
  std::uint64_t last_used = 0;

  // Returns how peers and we name a place in it, at up to so many interfaces.
  RailRegistrations at(const void* place, int rails) const;
};

class DeviceRegistrations {
 public:
  // Finds the allocation in which these bytes lie, or registers it. Null: `why` says why, or none
  // if it is no device's. The caller gives it back. `contiguous`: the data has no gaps.
  DeviceRegistration* take(const void* address, std::size_t bytes, bool contiguous, Reason* why);
  // A message has been written there, which the device is to see.
  static void note_written(const DeviceRegistration& one);
  // `keep` is false where a peer may still write there: it is closed with its last use.
  void give_back(DeviceRegistration& one, bool keep);
  // Closes all; nothing is under way any more. It is called before the network is closed.
  void close();

 private:
  DeviceRegistration* find(std::uint64_t id);
  DeviceRegistration* add(const platform::DeviceRange& range);
  DeviceRegistration* place_for_one();
  void close_freed(int looks);
  void close(DeviceRegistration& one);

  DeviceRegistration* all_ = nullptr;  // settings.device_handles_max of them
  int next_look_ = 0;
  std::uint64_t uses_ = 0;
  platform::Lock lock_;
};

}  // namespace baton::transport::network
