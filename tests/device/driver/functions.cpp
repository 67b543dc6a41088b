// cuGetProcAddress: functions by the name without a suffix and the version that is asked for.
#include <dlfcn.h>

#include <cstring>

#include "driver.hpp"

namespace standin {

namespace {

struct Row {
  const char* name;
  int version;         // since which it has the form
  const char* symbol;  // of the form
};
// The latest form that is not later than what is asked for is given.
constexpr Row rows[] = {
    {"cuInit", 2000, "cuInit"},
    {"cuDeviceGet", 2000, "cuDeviceGet"},
    {"cuGetErrorString", 6000, "cuGetErrorString"},
    {"cuPointerGetAttribute", 4000, "cuPointerGetAttribute"},
    {"cuPointerGetAttributes", 7000, "cuPointerGetAttributes"},
    {"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    {"cuCtxDestroy", 4000, "cuCtxDestroy_v2"},
    {"cuCtxGetCurrent", 4000, "cuCtxGetCurrent"},
    {"cuCtxSetCurrent", 4000, "cuCtxSetCurrent"},
    {"cuCtxPushCurrent", 4000, "cuCtxPushCurrent_v2"},
    {"cuCtxPopCurrent", 4000, "cuCtxPopCurrent_v2"},
    {"cuCtxGetDevice", 2000, "cuCtxGetDevice"},
    {"cuCtxGetDevice", 13000, nullptr},  // takes another argument there
    {"cuCtxGetId", 12000, "cuCtxGetId"},
    {"cuDevicePrimaryCtxGetState", 7000, "cuDevicePrimaryCtxGetState"},
    {"cuDevicePrimaryCtxRetain", 7000, "cuDevicePrimaryCtxRetain"},
    {"cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"},
    {"cuStreamCreate", 2000, "cuStreamCreate"},
    {"cuStreamSynchronize", 2000, "cuStreamSynchronize"},
    {"cuStreamDestroy", 4000, "cuStreamDestroy_v2"},
    {"cuEventCreate", 2000, "cuEventCreate"},
    {"cuEventRecord", 2000, "cuEventRecord"},
    {"cuEventQuery", 2000, "cuEventQuery"},
    {"cuEventDestroy", 4000, "cuEventDestroy_v2"},
    {"cuModuleLoadData", 2000, "cuModuleLoadData"},
    {"cuModuleUnload", 2000, "cuModuleUnload"},
    {"cuModuleGetFunction", 2000, "cuModuleGetFunction"},
    {"cuLaunchKernel", 4000, "cuLaunchKernel"},
    {"cuMemAlloc", 3020, "cuMemAlloc_v2"},
    {"cuMemFree", 3020, "cuMemFree_v2"},
    {"cuFlushGPUDirectRDMAWrites", 11030, "cuFlushGPUDirectRDMAWrites"},
    {"cuMemcpyAsync", 4000, "cuMemcpyAsync"},
    {"cuMemcpy2DAsync", 3020, "cuMemcpy2DAsync_v2"},
    {"cuMemHostRegister", 6050, "cuMemHostRegister_v2"},
    {"cuMemHostGetDevicePointer", 3020, "cuMemHostGetDevicePointer_v2"},
    {"cuMemHostUnregister", 4000, "cuMemHostUnregister"},
    {"cuMemRetainAllocationHandle", 11000, "cuMemRetainAllocationHandle"},
    {"cuMemRelease", 10020, "cuMemRelease"},
    {"cuMemExportToShareableHandle", 10020, "cuMemExportToShareableHandle"},
    {"cuMemImportFromShareableHandle", 10020, "cuMemImportFromShareableHandle"},
    {"cuMemAddressReserve", 10020, "cuMemAddressReserve"},
    {"cuMemAddressFree", 10020, "cuMemAddressFree"},
    {"cuMemMap", 10020, "cuMemMap"},
    {"cuMemUnmap", 10020, "cuMemUnmap"},
    {"cuMemSetAccess", 10020, "cuMemSetAccess"},
    {"cuMemPoolCreate", 11020, "cuMemPoolCreate"},
    {"cuMemPoolDestroy", 11020, "cuMemPoolDestroy"},
    {"cuMemPoolSetAccess", 11020, "cuMemPoolSetAccess"},
    {"cuMemPoolExportToShareableHandle", 11020, "cuMemPoolExportToShareableHandle"},
    {"cuMemPoolImportFromShareableHandle", 11020, "cuMemPoolImportFromShareableHandle"},
    {"cuMemPoolExportPointer", 11020, "cuMemPoolExportPointer"},
    {"cuMemPoolImportPointer", 11020, "cuMemPoolImportPointer"},
    {"cuIpcGetMemHandle", 4010, "cuIpcGetMemHandle"},
    {"cuIpcOpenMemHandle", 11000, "cuIpcOpenMemHandle_v2"},
    {"cuIpcCloseMemHandle", 4010, "cuIpcCloseMemHandle"}};

}  // namespace

}  // namespace standin

using namespace standin;

STANDIN_CALL cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t,
                                 int* status) {
  const char* symbol = nullptr;
  for (const Row& row : rows)
    if (std::strcmp(row.name, name) == 0 && row.version <= version) symbol = row.symbol;
  Dl_info own;
  ::dladdr(reinterpret_cast<void*>(&cuGetProcAddress_v2), &own);
  void* library = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  *function = symbol && library ? ::dlsym(library, symbol) : nullptr;
  if (library) ::dlclose(library);
  if (status) *status = *function ? 0 : 1;
  return *function ? success : not_found;
}
