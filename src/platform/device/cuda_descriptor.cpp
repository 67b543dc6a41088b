// Memory of virtual memory management (cuMemCreate) that was made to be shared by descriptors:
// other processes copy the descriptor and map the memory. Its process keeps the descriptor open as
// long as it names the memory to others.
#include <fcntl.h>
#include <unistd.h>

#include "platform/device/cuda.hpp"
#include "platform/foreign_descriptor.hpp"

namespace baton::platform::cuda {

bool Driver::has_descriptor(const void* address) {
  if (!functions_.retain_memory || !functions_.release_memory || !functions_.export_memory)
    return false;
  std::uint64_t types = 0;
  return functions_.get_attribute(&types, attribute_handle_types, pointer(address)) == success &&
         (types & handle_descriptor);
}

const char* Driver::export_descriptor(const DeviceRange& range, DeviceHandle& handle) {
  Memory memory;
  if (Result result = functions_.retain_memory(&memory, reinterpret_cast<void*>(range.start)))
    return words(result);
  int descriptor = -1;
  const Result result = functions_.export_memory(&descriptor, memory, handle_descriptor, 0);
  functions_.release_memory(memory);
  if (result) return words(result);
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  handle.length = range.end - range.start;
  handle.process = ::getpid();
  handle.descriptor = descriptor;
  return nullptr;
}

void Driver::forget_export(const DeviceHandle& handle) {
  if (handle.length && handle.process == ::getpid()) ::close(handle.descriptor);
}

// The context is current.
const char* Driver::open_descriptor(const DeviceHandle& handle, DeviceMapping* mapped) {
  if (!functions_.import_memory || !functions_.reserve_addresses || !functions_.map ||
      !functions_.set_access || !functions_.unmap || !functions_.free_addresses)
    return "this driver maps no memory of other processes";
  const int descriptor = copy_descriptor(handle.process, handle.descriptor);
  if (descriptor < 0) return "its descriptor cannot be copied from the other process";
  Memory memory;
  Result result = functions_.import_memory(
      &memory, reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor)), handle_descriptor);
  ::close(descriptor);
  if (result) return words(result);
  const std::size_t bytes = handle.length;
  DevicePointer address = 0;
  Access access{location_device, 0, access_read_write};
  bool is_mapped = false;
  result = functions_.reserve_addresses(&address, bytes, 0, 0, 0);
  if (!result) {
    result = functions_.map(address, bytes, 0, memory, 0);
    is_mapped = result == success;
  }
  functions_.release_memory(memory);  // what is mapped stays
  if (!result) result = functions_.device_of_context(&access.location);
  if (!result) result = functions_.set_access(address, bytes, &access, 1);
  *mapped = {reinterpret_cast<void*>(address), bytes, false};
  if (!result) return nullptr;
  if (is_mapped) functions_.unmap(address, bytes);
  if (address) functions_.free_addresses(address, bytes);
  return words(result);
}

}  // namespace baton::platform::cuda
