// Memory of pools (cuMemAllocAsync, cuMemAllocFromPoolAsync) that were made to be shared by
// descriptors: a process names a pool by a descriptor, and each allocation by bytes. Other
// processes open a pool once, and an allocation for each copy, since its owner must not free it
// before they have let go of it. A pool that was not made so, as a device's default one, has no
// descriptor.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "platform/device/cuda.hpp"
#include "platform/foreign_descriptor.hpp"

namespace baton::platform::cuda {

// Returns the descriptor of the pool that an address belongs to; -1: it has none.
int Driver::descriptor_of_pool(const void* address) {
  if (!functions_.export_pool || !functions_.export_pooled) return -1;
  Pool pool = nullptr;
  if (functions_.get_attribute(&pool, attribute_pool, pointer(address)) != success || !pool)
    return -1;
  Guard guard(lock_);
  for (int i = 0; i < own_pool_count_; ++i)
    if (own_pools_[i].pool == pool) return own_pools_[i].descriptor;
  if (own_pool_count_ == pools_max) return -1;
  int descriptor = -1;
  if (functions_.export_pool(&descriptor, pool, handle_descriptor, 0) != success) descriptor = -1;
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  own_pools_[own_pool_count_++] = {pool, descriptor};
  return descriptor;
}

const char* Driver::export_pooled(const DeviceRange& range, DeviceHandle& handle) {
  PooledHandle got;
  if (Result result = functions_.export_pooled(&got, range.start)) return words(result);
  static_assert(sizeof got == sizeof handle.bytes);
  std::memcpy(handle.bytes, &got, sizeof got);
  handle.of_pool = 1;
  handle.process = ::getpid();
  handle.descriptor = descriptor_of_pool(reinterpret_cast<const void*>(range.start));
  return nullptr;
}

// Finds the pool of another process, or opens it where copies of the current context reach it.
// Under the lock.
Result Driver::open_pool(const DeviceHandle& handle, Pool* pool) {
  for (int i = 0; i < other_pool_count_; ++i) {
    const OtherPool& one = other_pools_[i];
    if (one.process == handle.process && one.descriptor == handle.descriptor) {
      *pool = one.pool;
      return success;
    }
  }
  const int descriptor = copy_descriptor(handle.process, handle.descriptor);
  if (other_pool_count_ == pools_max || descriptor < 0) return invalid_value;
  Access access{location_device, 0, access_read_write};
  Result result = functions_.import_pool(
      pool, reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor)), handle_descriptor, 0);
  ::close(descriptor);
  if (result) return result;
  result = functions_.device_of_context(&access.location);
  if (!result) result = functions_.set_pool_access(*pool, &access, 1);
  if (result)
    functions_.destroy_pool(*pool);
  else
    other_pools_[other_pool_count_++] = {handle.process, handle.descriptor, *pool};
  return result;
}

// The context is current.
const char* Driver::open_pooled(const DeviceHandle& handle, DeviceMapping* mapped) {
  if (!functions_.import_pool || !functions_.import_pooled || !functions_.set_pool_access ||
      !functions_.destroy_pool || !functions_.release)
    return "this driver opens no pools of other processes";
  Guard guard(lock_);
  Pool pool = nullptr;
  Result result = open_pool(handle, &pool);
  DevicePointer address = 0;
  PooledHandle given;
  std::memcpy(&given, handle.bytes, sizeof given);
  if (!result) result = functions_.import_pooled(&address, pool, &given);
  if (result) return words(result);
  *mapped = {reinterpret_cast<void*>(address), 0, true};
  return nullptr;
}

// Nothing of them is open.
void Driver::give_pools_back() {
  for (int i = 0; i < other_pool_count_; ++i) functions_.destroy_pool(other_pools_[i].pool);
  for (int i = 0; i < own_pool_count_; ++i)
    if (own_pools_[i].descriptor >= 0) ::close(own_pools_[i].descriptor);
  other_pool_count_ = own_pool_count_ = 0;
}

}  // namespace baton::platform::cuda
