/* mpi-ext.h of Baton: what it has beside the MPI standard, under the names under which other
 * libraries have it. Programs that include it ask for one part by the macros of that part. A tool
 * takes each function as it takes those of the standard: PMPIX_X is the same function. */
#ifndef BATON_MPI_EXT_H
#define BATON_MPI_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Failed processes ("User Level Failure Mitigation", docs/faults.md) ---------------------------
 * Every rank may call them, where MPI runs. Errors: MPI_ERR_COMM, MPI_ERR_ARG, MPI_ERR_NO_MEM, and
 * those of the page. */

#define MPIX_HAVE_FAULT_TOLERANCE 1
/* By these macros programs find the procedures in Open MPI. */
#define OMPI_HAVE_MPI_EXT_FTMPI 1
#define OMPI_HAVE_MPIX_COMM_GET_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ACK_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ISHRINK 1

/* The error classes. */
#define MPIX_ERR_PROC_FAILED 101
#define MPIX_ERR_PROC_FAILED_PENDING 102
#define MPIX_ERR_REVOKED 103
/* Their names in Open MPI. */
#ifndef MPI_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED MPIX_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED_PENDING
#define MPI_ERR_REVOKED MPIX_ERR_REVOKED
#endif

/* The key of an attribute of every communicator, an int: 1 where the job goes on when ranks die
 * (mpiexec --continue-on-failure), else 0. */
#define MPIX_FT 1001

int MPIX_Comm_revoke(MPI_Comm comm);
int MPIX_Comm_is_revoked(MPI_Comm comm, int* flag);
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp);
int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked);
int MPIX_Comm_agree(MPI_Comm comm, int* flag);
int MPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm);
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
/* For Fortran: the communicator is given as MPI_Comm_toint gives it. */
int MPIX_Comm_ishrink_toint(MPI_Comm comm, int* newcomm, MPI_Request* request);
/* The same for windows and files: what waits or is begun then fails by MPIX_ERR_REVOKED. Errors:
 * MPI_ERR_WIN, MPI_ERR_FILE, MPI_ERR_ARG, MPI_ERR_NO_MEM. */
int MPIX_Win_revoke(MPI_Win win);
int MPIX_Win_get_failed(MPI_Win win, MPI_Group* failedgrp);
int MPIX_File_revoke(MPI_File fh);
/* Their older names. */
int MPIX_Comm_failure_ack(MPI_Comm comm);
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp);

int PMPIX_Comm_revoke(MPI_Comm comm);
int PMPIX_Comm_is_revoked(MPI_Comm comm, int* flag);
int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp);
int PMPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked);
int PMPIX_Comm_agree(MPI_Comm comm, int* flag);
int PMPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request);
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm);
int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
int PMPIX_Comm_ishrink_toint(MPI_Comm comm, int* newcomm, MPI_Request* request);
int PMPIX_Win_revoke(MPI_Win win);
int PMPIX_Win_get_failed(MPI_Win win, MPI_Group* failedgrp);
int PMPIX_File_revoke(MPI_File fh);
int PMPIX_Comm_failure_ack(MPI_Comm comm);
int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp);

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
