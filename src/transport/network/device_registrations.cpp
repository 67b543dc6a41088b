#include "transport/network/device_registrations.hpp"

#include <algorithm>
#include <new>

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::transport::network {

namespace {

int registrations_max() {
  return static_cast<int>(settings.device_handles_max);
}

// Registers an allocation at our interfaces, at fewer where not all reach it.
RailRegistrations register_range(const platform::DeviceRange& range) {
  RailRegistrations made;
  for (; made.count < network().rails(); ++made.count) {
    Endpoint& endpoint = network().endpoint_at(made.count);
    if (!endpoint.reaches_devices() ||
        endpoint.register_device(reinterpret_cast<void*>(range.start), range.end - range.start,
                                 range.device, made.each[made.count]) != MPI_SUCCESS)
      break;
  }
  return made;
}

}  // namespace

bool has_device_access() {
  return settings.device_network && network().is_open() && network().endpoint().reaches_devices();
}

RailRegistrations DeviceRegistration::at(const void* place, int rails) const {
  RailRegistrations there = memory;
  there.count = std::min(there.count, rails);
  for (Registration& one : there.each)
    one.address += reinterpret_cast<std::uintptr_t>(place) - start;
  return there;
}

void DeviceRegistrations::close(DeviceRegistration& one) {
  network().forget(one.memory);
  one = {};
}

void DeviceRegistrations::close_freed(int looks) {
  for (; looks > 0; --looks) {
    next_look_ = (next_look_ + 1) % registrations_max();
    DeviceRegistration& one = all_[next_look_];
    if (one.id != 0 && one.uses == 0 &&
        platform::device_memory.is_gone(reinterpret_cast<const void*>(one.start), one.id))
      close(one);
  }
}

DeviceRegistration* DeviceRegistrations::find(std::uint64_t id) {
  for (int i = 0; i < registrations_max(); ++i)
    if (all_[i].id == id && all_[i].found) return &all_[i];
  return nullptr;
}

// Returns a place for one more; if there is none, that of the one not used for longest; null: all
// are in use.
DeviceRegistration* DeviceRegistrations::place_for_one() {
  close_freed(registrations_max());
  DeviceRegistration* oldest = nullptr;
  for (int i = 0; i < registrations_max(); ++i) {
    DeviceRegistration& one = all_[i];
    if (one.id == 0) return &one;
    if (one.uses == 0 && (!oldest || one.last_used < oldest->last_used)) oldest = &one;
  }
  if (oldest) close(*oldest);
  return oldest;
}

// An allocation that the provider refuses is kept, too, so that it is not asked for each message.
DeviceRegistration* DeviceRegistrations::add(const platform::DeviceRange& range) {
  DeviceRegistration* place = place_for_one();
  if (!place) return nullptr;
  place->id = range.id;
  place->start = range.start;
  place->context = range.context;
  place->memory = register_range(range);
  return place;
}

DeviceRegistration* DeviceRegistrations::take(const void* address, std::size_t bytes,
                                              bool contiguous, Reason* why) {
  *why = Reason::none;
  platform::DeviceRange range;
  if (!platform::device_memory.find(address, range)) return nullptr;
  *why = Reason::network_device_off;
  if (!settings.device_network) return nullptr;
  *why = Reason::network_device_none;
  if (!has_device_access()) return nullptr;
  *why = Reason::network_device_gaps;
  if (!contiguous) return nullptr;
  *why = Reason::network_device_refused;
  if (range.place != platform::DevicePlace::device ||
      bytes > range.end - reinterpret_cast<std::uintptr_t>(address))
    return nullptr;
  platform::Guard guard(lock_);
  if (!all_)
    all_ = new (std::nothrow) DeviceRegistration[static_cast<std::size_t>(registrations_max())];
  if (!all_) return nullptr;
  constexpr int looks = 2;  // guess: so that what was freed does not stay
  close_freed(looks);
  DeviceRegistration* one = find(range.id);
  if (!one) one = add(range);
  if (!one || one->memory.count == 0) return nullptr;
  *why = Reason::none;
  ++one->uses;
  one->last_used = ++uses_;
  return one;
}

void DeviceRegistrations::note_written(const DeviceRegistration& one) {
  platform::device_memory.driver()->flush_writes(one.context);
}

void DeviceRegistrations::give_back(DeviceRegistration& one, bool keep) {
  platform::Guard guard(lock_);
  one.found &= keep;
  if (--one.uses == 0 && !one.found) close(one);
}

void DeviceRegistrations::close() {
  for (int i = 0; all_ && i < registrations_max(); ++i)
    if (all_[i].id != 0) close(all_[i]);
  delete[] all_;
  all_ = nullptr;
}

}  // namespace baton::transport::network
