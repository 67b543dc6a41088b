#include "platform/device/cuda.hpp"

#include <cstring>

namespace baton::platform::cuda {

const char* Driver::words(Result result) const {
  if (result == success) return nullptr;
  const char* text = nullptr;
  if (functions_.get_error_string(result, &text) == success && text) return text;
  return "an error that the driver does not name";
}

bool Driver::describe(const void* address, DeviceRange& range) {
  // The plural form takes an address that the driver does not know without an error, and is the
  // quicker one for those.
  unsigned type = 0, is_managed = 0;
  std::uint64_t id = 0;
  PointerAttribute first[] = {attribute_memory_type, attribute_is_managed, attribute_buffer_id};
  void* first_values[] = {&type, &is_managed, &id};
  if (functions_.get_attributes(3, first, first_values, pointer(address)) != success) return false;
  if ((type != memory_type_device && !is_managed) || id == 0) return false;
  Context context = nullptr;
  int device = 0;
  unsigned is_ipc_capable = 0;
  DevicePointer start = 0;
  std::size_t bytes = 0;
  PointerAttribute more[] = {attribute_context, attribute_device_ordinal, attribute_is_ipc_capable,
                             attribute_range_start, attribute_range_size};
  void* more_values[] = {&context, &device, &is_ipc_capable, &start, &bytes};
  const bool known = functions_.get_attributes(5, more, more_values, pointer(address)) == success;
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  const bool holds = known && start <= here && here - start < bytes;
  range.start = holds ? start : here;
  range.end = holds ? start + bytes : here + 1;
  range.id = id;
  range.device = device;
  range.place = is_managed ? DevicePlace::managed : DevicePlace::device;
  const bool may_export = holds && !is_managed;
  const bool may_otherwise = may_export && !is_ipc_capable;
  range.of_pool = may_otherwise && descriptor_of_pool(address) >= 0;
  range.by_descriptor = may_otherwise && !range.of_pool && has_descriptor(address);
  range.may_export = range.by_descriptor || range.of_pool ||
                     (may_export && is_ipc_capable && functions_.get_ipc_handle);
  range.context = context ? context : context_for(device);
  return true;
}

bool Driver::tell_id(const void* address, std::uint64_t* id) {
  *id = 0;
  const Result result = functions_.get_attribute(id, attribute_buffer_id, pointer(address));
  if (result != success) *id = 0;
  return result == success || result == invalid_value;
}

// Memory of pools and of virtual memory management belongs to no context: the thread's own one is
// taken if it is of the device, else the device's primary one, if the program has it.
Context Driver::context_for(Device device) {
  Context now = nullptr;
  Device of_now = -1;
  if (functions_.current_context(&now) == success && now &&
      functions_.device_of_context(&of_now) == success && of_now == device)
    return now;
  Guard guard(lock_);
  for (int i = 0; i < primary_count_; ++i)
    if (primaries_[i].device == device) return primaries_[i].context;
  unsigned flags = 0;
  int is_active = 0;
  if (primary_count_ == contexts_max ||
      functions_.primary_state(device, &flags, &is_active) != success || !is_active ||
      functions_.retain_primary(&now, device) != success)
    return nullptr;
  primaries_[primary_count_++] = {device, now};
  return now;
}

void* Driver::own_context() {
  Context now = nullptr;
  if (functions_.current_context(&now) == success && now) return now;
  return context_for(0);
}

// Returns what we have in a context, which is current; null: no space for one more. Under the lock.
Driver::Used* Driver::used(Context context) {
  std::uint64_t id = 0;
  if (functions_.id_of_context && functions_.id_of_context(context, &id) != success) id = 0;
  for (int i = 0; i < used_count_; ++i)
    if (used_[i].context == context) {
      // Streams and events of a context end with it.
      if (used_[i].id != id) used_[i] = Used{};
      used_[i].context = context;
      used_[i].id = id;
      return &used_[i];
    }
  if (used_count_ == contexts_max) return nullptr;
  Used& made = used_[used_count_++];
  made = Used{};
  made.context = context;
  made.id = id;
  return &made;
}

// The context is current.
const char* Driver::stream_of(Context context, DeviceLane lane, Stream* stream) {
  Guard guard(lock_);
  Used* here = used(context);
  if (!here) return "more contexts than Baton keeps streams for";
  Stream& kept = here->streams[static_cast<int>(lane)];
  if (!kept)
    if (Result result = functions_.create_stream(&kept, stream_non_blocking)) {
      kept = nullptr;
      return words(result);
    }
  *stream = kept;
  return nullptr;
}

const char* Driver::begin_copy(void* context, DeviceLane lane, const PlaneCopy& copy) {
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Stream stream;
  if (const char* why = stream_of(context, lane, &stream)) return why;
  if (copy.rows == 1)
    return words(functions_.copy(pointer(copy.to), pointer(copy.from), copy.bytes, stream));
  Plane plane{};
  plane.from_type = copy.from_device ? memory_type_device : memory_type_host;
  plane.from_host = copy.from;
  plane.from = pointer(copy.from);
  plane.from_pitch = copy.from_step;
  plane.to_type = copy.to_device ? memory_type_device : memory_type_host;
  plane.to_host = copy.to;
  plane.to = pointer(copy.to);
  plane.to_pitch = copy.to_step;
  plane.width = copy.bytes;
  plane.height = copy.rows;
  return words(functions_.copy_plane(&plane, stream));
}

const char* Driver::finish(void* context, DeviceLane lane) {
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Stream stream;
  if (const char* why = stream_of(context, lane, &stream)) return why;
  return words(functions_.wait_for_stream(stream));
}

const char* Driver::mark(void* context, void** mark) {
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Stream stream;
  if (const char* why = stream_of(context, DeviceLane::messages, &stream)) return why;
  Event event = nullptr;
  {
    Guard guard(lock_);
    Used* here = used(context);
    if (here && here->spare_count > 0) event = here->spare[--here->spare_count];
  }
  if (!event)
    if (Result result = functions_.create_event(&event, event_disable_timing)) return words(result);
  if (Result result = functions_.record_event(event, stream)) {
    functions_.destroy_event(event);
    return words(result);
  }
  *mark = event;
  return nullptr;
}

CopyState Driver::look(void* context, void* mark, const char** why) {
  const Current current(functions_, context);
  Result result = current.result();
  if (!result) result = functions_.query_event(mark);
  if (result == not_ready) return CopyState::under_way;
  Guard guard(lock_);
  Used* here = current.result() ? nullptr : used(context);
  if (result == success && here && here->spare_count < Used::marks_kept)
    here->spare[here->spare_count++] = mark;
  else if (!current.result())
    functions_.destroy_event(mark);
  *why = words(result);
  return result == success ? CopyState::done : CopyState::failed;
}

const char* Driver::export_range(const DeviceRange& range, DeviceHandle& handle) {
  const Current current(functions_, range.context);
  if (current.result()) return words(current.result());
  handle = {};
  if (range.by_descriptor) return export_descriptor(range, handle);
  if (range.of_pool) return export_pooled(range, handle);
  IpcHandle got;
  if (Result result = functions_.get_ipc_handle(&got, range.start)) return words(result);
  static_assert(sizeof got == sizeof handle.bytes);
  std::memcpy(handle.bytes, &got, sizeof got);
  return nullptr;
}

const char* Driver::open(void* context, const DeviceHandle& handle, DeviceMapping* mapped) {
  if (!functions_.open_ipc_handle || !functions_.close_ipc_handle)
    return "this driver opens no handles of other processes";
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  if (handle.length) return open_descriptor(handle, mapped);
  if (handle.of_pool) return open_pooled(handle, mapped);
  IpcHandle given;
  std::memcpy(&given, handle.bytes, sizeof given);
  DevicePointer opened = 0;
  if (Result result = functions_.open_ipc_handle(&opened, given, ipc_lazy_enable_peers))
    return words(result);
  *mapped = {reinterpret_cast<void*>(opened), 0, false};
  return nullptr;
}

void Driver::close(void* context, const DeviceMapping& mapped) {
  const Current current(functions_, context);
  if (current.result()) return;
  if (mapped.of_pool) return void(functions_.release(pointer(mapped.address)));
  if (mapped.bytes == 0) return void(functions_.close_ipc_handle(pointer(mapped.address)));
  functions_.unmap(pointer(mapped.address), mapped.bytes);
  functions_.free_addresses(pointer(mapped.address), mapped.bytes);
}

const char* Driver::allocate(void* context, std::size_t bytes, void** memory) {
  if (!functions_.allocate || !functions_.release) return "this driver gives no memory";
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  DevicePointer got = 0;
  if (Result result = functions_.allocate(&got, bytes)) return words(result);
  *memory = reinterpret_cast<void*>(got);
  return nullptr;
}

void Driver::release(void* context, void* memory) {
  const Current current(functions_, context);
  if (!current.result()) functions_.release(pointer(memory));
}

// Where the device orders such writes itself, the driver does nothing; where it cannot be flushed,
// nothing can be done.
void Driver::flush_writes(void* context) {
  if (!functions_.flush_writes) return;
  const Current current(functions_, context);
  if (!current.result()) functions_.flush_writes(flush_current_context, flush_to_owner);
}

const char* Driver::register_host(void* context, void* memory, std::size_t bytes) {
  if (!functions_.register_host || !functions_.unregister_host)
    return "this driver registers no host memory";
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  return words(functions_.register_host(memory, bytes, register_portable | register_mapped));
}

void Driver::unregister_host(void* context, void* memory) {
  const Current current(functions_, context);
  if (!current.result()) functions_.unregister_host(memory);
}

void Driver::give_back() {
  for (int i = 0; i < used_count_; ++i) {
    Used& one = used_[i];
    const Current current(functions_, one.context);
    std::uint64_t id = 0;
    const bool lives = !current.result() &&
                       (!functions_.id_of_context ||
                        (functions_.id_of_context(one.context, &id) == success && id == one.id));
    if (!lives) continue;
    for (int k = 0; k < one.spare_count; ++k) functions_.destroy_event(one.spare[k]);
    for (int k = 0; k < one.kernel_count; ++k) functions_.unload_module(one.kernels[k].module);
    if (one.planes_module) functions_.unload_module(one.planes_module);
    for (Stream stream : one.streams)
      if (stream) functions_.destroy_stream(stream);
  }
  used_count_ = 0;
  give_pools_back();
  for (int i = 0; i < primary_count_; ++i) functions_.release_primary(primaries_[i].device);
  primary_count_ = 0;
}

}  // namespace baton::platform::cuda
