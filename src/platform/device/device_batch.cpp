#include "platform/device/device_batch.hpp"

#include "platform/device/device_memory.hpp"
#include "platform/device/host_registrations.hpp"

namespace baton::platform {

namespace {

// Drivers bound the distance of rows; theirs is larger. guess
constexpr std::size_t step_max = 1 << 30;

// Returns whether something lies behind `before`, by no less than the bytes there; and by how much.
bool is_behind(const char* address, const char* before, std::size_t bytes, std::size_t* step) {
  *step = static_cast<std::size_t>(address - before);
  return address > before && *step >= bytes && *step <= step_max;
}

}  // namespace

bool DeviceBatch::knows(const void* address) const {
  return reinterpret_cast<std::uintptr_t>(address) - range_.start < range_.end - range_.start;
}

// Finds the allocation that one of two places lies in. What was begun in another context is waited
// for first.
const char* DeviceBatch::find(const void* to, const void* from) {
  DeviceRange found;
  if (!device_memory.find(to, found) && !device_memory.find(from, found))
    return "the memory is no device's any more";
  const char* why = begin();
  if (!why && waits_ && found.context != range_.context) {
    why = device_memory.driver()->finish(range_.context, DeviceLane::at_once);
    waits_ = false;
  }
  range_ = found;
  return why;
}

// Makes the copy a part of the plane, if it is the next one there.
bool DeviceBatch::extends_plane(char* to, const char* from, std::size_t bytes) {
  PlaneCopy& plane = plane_;
  if (plane.rows == 1 && to == plane.to + plane.bytes && from == plane.from + plane.bytes) {
    plane.bytes += bytes;
    return true;
  }
  if (plane.rows == 0 || bytes != plane.bytes) return false;
  if (plane.rows == 1)
    return is_behind(to, plane.to, bytes, &plane.to_step) &&
           is_behind(from, plane.from, bytes, &plane.from_step) && ++plane.rows;
  return to == plane.to + plane.rows * plane.to_step &&
         from == plane.from + plane.rows * plane.from_step && ++plane.rows;
}

const char* DeviceBatch::begin() {
  if (plane_.rows == 0) return nullptr;
  const bool to_host = !knows(plane_.to);
  host_registrations.prepare(range_.context, to_host ? plane_.to : plane_.from,
                             plane_.rows * plane_.bytes);
  if (plane_.rows > 1) {
    DeviceRange other;
    plane_.to_device = knows(plane_.to) || device_memory.find(plane_.to, other);
    plane_.from_device = knows(plane_.from) || device_memory.find(plane_.from, other);
  }
  const char* why = device_memory.driver()->begin_copy(range_.context, DeviceLane::at_once, plane_);
  plane_.rows = 0;
  waits_ = true;
  return why;
}

const char* DeviceBatch::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (!knows(to) && !knows(from))
    if (const char* why = find(to, from)) return why;
  auto* target = static_cast<char*>(to);
  auto* source = static_cast<const char*>(from);
  if (extends_plane(target, source, bytes)) return nullptr;
  const char* why = begin();
  plane_ = {target, source, bytes, bytes, bytes, 1};
  return why;
}

const char* DeviceBatch::finish() {
  const char* why = begin();
  if (!why && waits_) why = device_memory.driver()->finish(range_.context, DeviceLane::at_once);
  *this = {};
  return why;
}

const char* copy_device_memory(void* to, const void* from, std::size_t bytes) {
  DeviceBatch batch;
  const char* why = batch.copy(to, from, bytes);
  return why ? why : batch.finish();
}

}  // namespace baton::platform
