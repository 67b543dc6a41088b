// The functions of mpi-ext.h that ask about memory of devices. They answer before MPI_Init, too.
#include <mpi-ext.h>

#include "api/entry.hpp"
#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"

using namespace baton;
using namespace baton::api;

BATON_EXPORT int PMPIX_Query_cuda_support(void) {
  if (library_is_usable()) return platform::device_memory.may_be_used();
  read_settings_once();
  return platform::DeviceMemory::may_come();
}
BATON_EXTENSION_ALIAS(Query_cuda_support)

// Drivers of other makers are not built (platform/device/accelerator.hpp).
BATON_EXPORT int PMPIX_Query_rocm_support(void) {
  return MPIX_ROCM_AWARE_SUPPORT;
}
BATON_EXTENSION_ALIAS(Query_rocm_support)

BATON_EXPORT int PMPIX_Query_hip_support(void) {
  return MPIX_ROCM_AWARE_SUPPORT;
}
BATON_EXTENSION_ALIAS(Query_hip_support)

BATON_EXPORT int PMPIX_Query_ze_support(void) {
  return MPIX_ZE_AWARE_SUPPORT;
}
BATON_EXTENSION_ALIAS(Query_ze_support)

BATON_EXPORT int PMPIX_GPU_query_support(int gpu_type, int* is_supported) {
  constexpr const char* name = "MPIX_GPU_query_support";
  if (!is_supported)
    return raise(name, nullptr,
                 fail(MPI_ERR_ARG,
                      "argument 2 (is_supported) is a null pointer; pass the address "
                      "of an int"));
  switch (gpu_type) {
    case MPIX_GPU_SUPPORT_CUDA:
      *is_supported = PMPIX_Query_cuda_support();
      return MPI_SUCCESS;
    case MPIX_GPU_SUPPORT_ZE:
      *is_supported = PMPIX_Query_ze_support();
      return MPI_SUCCESS;
    case MPIX_GPU_SUPPORT_HIP:
      *is_supported = PMPIX_Query_hip_support();
      return MPI_SUCCESS;
    default:
      return raise(name, nullptr,
                   fail(MPI_ERR_ARG,
                        "argument 1 (gpu_type) is %d; pass one of the "
                        "MPIX_GPU_SUPPORT_ constants of mpi-ext.h",
                        gpu_type));
  }
}
BATON_EXTENSION_ALIAS(GPU_query_support)
