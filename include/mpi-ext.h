/* mpi-ext.h of Baton: what it has beside the MPI standard, under the names under which other
 * libraries have it. Programs that include it ask for one part by the macros of that part. A tool
 * takes each function as it takes those of the standard: PMPIX_X is the same function. */
#ifndef BATON_MPI_EXT_H
#define BATON_MPI_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Buffers in the memory of devices (docs/device-memory.md) ------------------------------------
 * The macros say what this library was built with. The functions say whether buffers of this
 * process may lie there: 1, or 0. They may be called at any time, also before MPI_Init and after
 * MPI_Finalize, by any thread. */

#define MPIX_CUDA_AWARE_SUPPORT 1
#define MPIX_ROCM_AWARE_SUPPORT 0
#define MPIX_ZE_AWARE_SUPPORT 0

int MPIX_Query_cuda_support(void); /* NVIDIA, CUDA */
int MPIX_Query_rocm_support(void); /* AMD, ROCm */
int MPIX_Query_hip_support(void);  /* the same */
int MPIX_Query_ze_support(void);   /* Intel, Level Zero */

/* The same as one function: `gpu_type` is one of the constants. Error: MPI_ERR_ARG. */
#define MPIX_GPU_SUPPORT_CUDA 0
#define MPIX_GPU_SUPPORT_ZE 1
#define MPIX_GPU_SUPPORT_HIP 2
int MPIX_GPU_query_support(int gpu_type, int* is_supported);

int PMPIX_Query_cuda_support(void);
int PMPIX_Query_rocm_support(void);
int PMPIX_Query_hip_support(void);
int PMPIX_Query_ze_support(void);
int PMPIX_GPU_query_support(int gpu_type, int* is_supported);

#ifdef __cplusplus
}
#endif

#endif
