/* What mpi-ext.h says of memory of devices, before, between and after MPI_Init and MPI_Finalize.
 * Usage: extension_test CUDA, which is what is expected of NVIDIA's: 0 or 1. */
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

static void check(const char* when, const char* what, int found, int expected) {
  if (found == expected) return;
  printf("%s: %s is %d, not %d\n", when, what, found, expected);
  ++failures;
}

static void ask(const char* when, int cuda) {
  int found = -1;
  check(when, "MPIX_Query_cuda_support", MPIX_Query_cuda_support(), cuda);
  check(when, "MPIX_Query_rocm_support", MPIX_Query_rocm_support(), 0);
  check(when, "MPIX_Query_hip_support", MPIX_Query_hip_support(), 0);
  check(when, "MPIX_Query_ze_support", MPIX_Query_ze_support(), 0);
  check(when, "its result", MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &found), MPI_SUCCESS);
  check(when, "CUDA", found, cuda);
  check(when, "its result", MPIX_GPU_query_support(MPIX_GPU_SUPPORT_ZE, &found), MPI_SUCCESS);
  check(when, "ZE", found, 0);
  check(when, "its result", PMPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &found), MPI_SUCCESS);
  check(when, "HIP", found, 0);
}

static void expect_error(int error) {
  int class = 0;
  MPI_Error_class(error, &class);
  check("with wrong arguments", "the error class", class, MPI_ERR_ARG);
}

int main(int argc, char** argv) {
  const int cuda = argc > 1 ? atoi(argv[1]) : 0;
  int found = 5;
  ask("before MPI_Init", cuda);
  MPI_Init(&argc, &argv);
  ask("between", cuda);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  expect_error(MPIX_GPU_query_support(3, &found));
  expect_error(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, NULL));
  check("after a wrong argument", "the result", found, 5);
  MPI_Finalize();
  ask("after MPI_Finalize", cuda);
  if (!failures) printf("all as expected\n");
  return failures != 0;
}
