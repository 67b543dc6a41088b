#include "platform/device/host_registrations.hpp"

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::platform {

constinit HostRegistrations host_registrations;

namespace {

// To register takes about 80 us a MiB (H200, 2026-11-26), and holds all pages: longer blocks are
// mostly not copied as a whole. guess
constexpr std::size_t range_bytes_max = std::size_t{1} << 30;
// Shorter copies take no longer from memory that is not registered (7.4 us for 4 KiB, and 6.5).
constexpr std::size_t copied_bytes_min = 4097;

}  // namespace

bool HostRegistrations::knows(std::uintptr_t address) {
  if (latest_ < count_ && ranges_[latest_].range.contains(address)) return true;
  for (int i = 0; i < count_; ++i)
    if (ranges_[i].range.contains(address)) {
      latest_ = i;
      return true;
    }
  return false;
}

void HostRegistrations::prepare(void* context, const void* address, std::size_t bytes) {
  if (bytes < copied_bytes_min || !find_ || !settings.device_register) return;
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  {
    Guard guard(lock_);
    if (knows(here)) return;
  }
  // Not under the lock: who gives memory back holds its own first.
  HostRange range;
  if (!find_(address, &range) || range.end - range.start > range_bytes_max) return;
  Guard guard(lock_);
  if (knows(here) || count_ == ranges_max) return;
  const char* refused = device_memory.driver()->register_host(
      context, reinterpret_cast<void*>(range.start), range.end - range.start);
  ranges_[count_++] = {range, refused ? nullptr : context};
}

bool HostRegistrations::find(const void* address, std::size_t bytes, HostRange* range) {
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  Guard guard(lock_);
  if (!knows(here) || !ranges_[latest_].context) return false;
  *range = ranges_[latest_].range;
  return range->end - here >= bytes;
}

void HostRegistrations::drop(Registered& one) {
  if (one.context)
    device_memory.driver()->unregister_host(one.context, reinterpret_cast<void*>(one.range.start));
  one = ranges_[--count_];
}

void HostRegistrations::forget(const void* start) {
  Guard guard(lock_);
  for (int i = 0; i < count_; ++i)
    if (ranges_[i].range.start == reinterpret_cast<std::uintptr_t>(start)) return drop(ranges_[i]);
}

void HostRegistrations::end() {
  while (count_ > 0) drop(ranges_[count_ - 1]);
}

}  // namespace baton::platform
