// The functions of NVIDIA's driver library (libcuda.so.1) that Baton calls, with the types and
// numbers that its documentation ("CUDA Driver API") gives. The library is the program's: it is
// used where the program has loaded it, and never loaded here. Each function is asked for by the
// version of its form that is declared here, since later versions of some take other arguments
// (cuCtxSynchronize of CUDA 13 does).
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform::cuda {

using Result = int;  // CUresult
enum : Result {
  success = 0,
  invalid_value = 1,  // of an address: it is no memory that the driver knows
  not_ready = 600     // an event, or a stream, has work before it
};

using Context = void*;                // CUcontext
using Stream = void*;                 // CUstream
using Event = void*;                  // CUevent
using Module = void*;                 // CUmodule
using Kernel = void*;                 // CUfunction
using Memory = std::uint64_t;         // CUmemGenericAllocationHandle
using Pool = void*;                   // CUmemoryPool
using Device = int;                   // CUdevice
using DevicePointer = std::uint64_t;  // CUdeviceptr, of 64-bit systems

inline DevicePointer pointer(const void* address) {
  return reinterpret_cast<DevicePointer>(address);
}

struct IpcHandle {  // CUipcMemHandle
  char reserved[64];
};
struct PooledHandle {  // CUmemPoolPtrExportData
  unsigned char reserved[64];
};
struct Access {  // CUmemAccessDesc
  int location_type;
  int location;
  int flags;
};
struct Plane {  // CUDA_MEMCPY2D
  std::size_t from_x, from_y;
  unsigned from_type;
  const void* from_host;
  DevicePointer from;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  unsigned to_type;
  void* to_host;
  DevicePointer to;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width, height;
};

enum PointerAttribute : int {  // CUpointer_attribute
  attribute_context = 1,
  attribute_memory_type = 2,
  attribute_buffer_id = 7,
  attribute_is_managed = 8,
  attribute_device_ordinal = 9,
  attribute_is_ipc_capable = 10,
  attribute_range_start = 11,
  attribute_range_size = 12,
  attribute_handle_types = 14,
  attribute_pool = 17
};
enum : unsigned {
  memory_type_host = 1,       // CU_MEMORYTYPE_HOST
  memory_type_device = 2,     // CU_MEMORYTYPE_DEVICE
  stream_non_blocking = 1,    // CU_STREAM_NON_BLOCKING
  event_disable_timing = 2,   // CU_EVENT_DISABLE_TIMING
  ipc_lazy_enable_peers = 1,  // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
  handle_descriptor = 1,      // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  location_device = 1,        // CU_MEM_LOCATION_TYPE_DEVICE
  access_read_write = 3,      // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
  flush_current_context = 0,  // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX
  flush_to_owner = 100,       // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER
  register_portable = 1,      // CU_MEMHOSTREGISTER_PORTABLE: for all contexts
  register_mapped = 2         // CU_MEMHOSTREGISTER_DEVICEMAP: kernels reach it, where they can
};

// X(name here, the driver's name, version of the form, required, result, arguments)
// clang-format off
#define BATON_CUDA_FUNCTIONS(X)                                                                     \
  X(get_error_string,     cuGetErrorString,        6000,  true,  (Result, const char**))           \
  X(get_attribute,        cuPointerGetAttribute,   4000,  true,  (void*, PointerAttribute, DevicePointer)) \
  X(get_attributes,       cuPointerGetAttributes,  7000,  true,  (unsigned, PointerAttribute*, void**, DevicePointer)) \
  X(current_context,      cuCtxGetCurrent,         4000,  true,  (Context*))                       \
  X(push_context,         cuCtxPushCurrent,        4000,  true,  (Context))                        \
  X(pop_context,          cuCtxPopCurrent,         4000,  true,  (Context*))                       \
  X(device_of_context,    cuCtxGetDevice,          2000,  true,  (Device*))                        \
  X(id_of_context,        cuCtxGetId,              12000, false, (Context, std::uint64_t*))        \
  X(primary_state,        cuDevicePrimaryCtxGetState, 7000, true, (Device, unsigned*, int*))       \
  X(retain_primary,       cuDevicePrimaryCtxRetain,   7000, true, (Context*, Device))              \
  X(release_primary,      cuDevicePrimaryCtxRelease, 11000, true, (Device))                        \
  X(create_stream,        cuStreamCreate,          2000,  true,  (Stream*, unsigned))              \
  X(wait_for_stream,      cuStreamSynchronize,     2000,  true,  (Stream))                         \
  X(destroy_stream,       cuStreamDestroy,         4000,  true,  (Stream))                         \
  X(create_event,         cuEventCreate,           2000,  true,  (Event*, unsigned))               \
  X(record_event,         cuEventRecord,           2000,  true,  (Event, Stream))                  \
  X(query_event,          cuEventQuery,            2000,  true,  (Event))                          \
  X(destroy_event,        cuEventDestroy,          4000,  true,  (Event))                          \
  X(copy,                 cuMemcpyAsync,           4000,  true,  (DevicePointer, DevicePointer, std::size_t, Stream)) \
  X(copy_plane,           cuMemcpy2DAsync,         3020,  true,  (const Plane*, Stream))          \
  X(load_module,          cuModuleLoadData,        2000,  false, (Module*, const void*))           \
  X(unload_module,        cuModuleUnload,          2000,  false, (Module))                         \
  X(get_kernel,           cuModuleGetFunction,     2000,  false, (Kernel*, Module, const char*))   \
  X(launch,               cuLaunchKernel,          4000,  false, (Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**)) \
  X(flush_writes,         cuFlushGPUDirectRDMAWrites, 11030, false, (unsigned, unsigned))          \
  X(allocate,             cuMemAlloc,              3020,  false, (DevicePointer*, std::size_t))    \
  X(release,              cuMemFree,               3020,  false, (DevicePointer))                  \
  X(register_host,        cuMemHostRegister,       6050,  false, (void*, std::size_t, unsigned))   \
  X(unregister_host,      cuMemHostUnregister,     4000,  false, (void*))                          \
  X(reach_host,           cuMemHostGetDevicePointer, 3020, false, (DevicePointer*, void*, unsigned)) \
  X(get_ipc_handle,       cuIpcGetMemHandle,       4010,  false, (IpcHandle*, DevicePointer))      \
  X(retain_memory,        cuMemRetainAllocationHandle, 11000, false, (Memory*, void*))             \
  X(release_memory,       cuMemRelease,            10020, false, (Memory))                         \
  X(export_memory,        cuMemExportToShareableHandle, 10020, false, (void*, Memory, unsigned, std::uint64_t)) \
  X(import_memory,        cuMemImportFromShareableHandle, 10020, false, (Memory*, void*, unsigned)) \
  X(reserve_addresses,    cuMemAddressReserve,     10020, false, (DevicePointer*, std::size_t, std::size_t, DevicePointer, std::uint64_t)) \
  X(free_addresses,       cuMemAddressFree,        10020, false, (DevicePointer, std::size_t))     \
  X(map,                  cuMemMap,                10020, false, (DevicePointer, std::size_t, std::size_t, Memory, std::uint64_t)) \
  X(unmap,                cuMemUnmap,              10020, false, (DevicePointer, std::size_t))     \
  X(set_access,           cuMemSetAccess,          10020, false, (DevicePointer, std::size_t, const Access*, std::size_t)) \
  X(export_pool,          cuMemPoolExportToShareableHandle, 11020, false, (void*, Pool, unsigned, std::uint64_t)) \
  X(import_pool,          cuMemPoolImportFromShareableHandle, 11020, false, (Pool*, void*, unsigned, std::uint64_t)) \
  X(export_pooled,        cuMemPoolExportPointer,  11020, false, (PooledHandle*, DevicePointer))   \
  X(import_pooled,        cuMemPoolImportPointer,  11020, false, (DevicePointer*, Pool, PooledHandle*)) \
  X(set_pool_access,      cuMemPoolSetAccess,      11020, false, (Pool, const Access*, std::size_t)) \
  X(destroy_pool,         cuMemPoolDestroy,        11020, false, (Pool))                           \
  X(open_ipc_handle,      cuIpcOpenMemHandle,      11000, false, (DevicePointer*, IpcHandle, unsigned)) \
  X(close_ipc_handle,     cuIpcCloseMemHandle,     4010,  false, (DevicePointer))
// clang-format on

struct Functions {
#define BATON_CUDA_FIELD(name, symbol, version, required, arguments) Result(*name) arguments;
  BATON_CUDA_FUNCTIONS(BATON_CUDA_FIELD)
#undef BATON_CUDA_FIELD
};

// Finds the functions in the driver library, which is `library` of dlopen. Returns the name of one
// that is required and not there; null: all are.
const char* find_functions(void* library, Functions& functions);

}  // namespace baton::platform::cuda
