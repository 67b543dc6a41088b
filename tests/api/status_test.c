/* Status fields, counts, addresses, memory, names and time. One process. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "expect.h"

static void counts_come_from_bytes(void) {
  MPI_Status status;
  int count = 0;
  MPI_Count large = 0;
  memset(&status, 0, sizeof status);
  EXPECT_OK(MPI_Status_set_elements(&status, MPI_DOUBLE, 3));
  EXPECT_OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
  EXPECT_INT(count, 3);
  EXPECT_OK(MPI_Get_count(&status, MPI_INT, &count));
  EXPECT_INT(count, 6);
  EXPECT_OK(MPI_Get_elements(&status, MPI_BYTE, &count));
  EXPECT_INT(count, 24);
  EXPECT_OK(MPI_Get_count(&status, MPI_C_LONG_DOUBLE_COMPLEX, &count));
  EXPECT_INT(count, MPI_UNDEFINED);
  EXPECT_OK(MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)INT_MAX + 10));
  EXPECT_OK(MPI_Get_count(&status, MPI_BYTE, &count));
  EXPECT_INT(count, MPI_UNDEFINED);
  EXPECT_OK(MPI_Get_count_c(&status, MPI_BYTE, &large));
  EXPECT_INT(large, (MPI_Count)INT_MAX + 10);
  EXPECT_OK(MPI_Get_elements_x(&status, MPI_BYTE, &large));
  EXPECT_INT(large, (MPI_Count)INT_MAX + 10);
  EXPECT_INT(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
}

static void fields_are_read_and_written(void) {
  MPI_Status status, back;
  MPI_Fint fortran[MPI_F_STATUS_SIZE];
  int value = 0;
  memset(&status, 0, sizeof status);
  EXPECT_OK(MPI_Status_set_source(&status, 5));
  EXPECT_OK(MPI_Status_set_tag(&status, 6));
  EXPECT_OK(MPI_Status_set_error(&status, 7));
  EXPECT_INT(status.MPI_SOURCE, 5);
  EXPECT_OK(MPI_Status_get_tag(&status, &value));
  EXPECT_INT(value, 6);
  EXPECT_OK(MPI_Status_set_cancelled(&status, 1));
  EXPECT_OK(MPI_Test_cancelled(&status, &value));
  EXPECT_INT(value, 1);
  EXPECT_OK(MPI_Status_c2f(&status, fortran));
  EXPECT_INT(fortran[MPI_F_SOURCE], 5);
  EXPECT_INT(fortran[MPI_F_ERROR], 7);
  EXPECT_OK(MPI_Status_f2c(fortran, &back));
  EXPECT(memcmp(&status, &back, sizeof back) == 0);
}

static void addresses_and_memory(void) {
  int array[4] = {0};
  MPI_Aint first = 0, third = 0;
  MPI_Info info;
  void* memory = NULL;
  EXPECT_OK(MPI_Get_address(&array[0], &first));
  EXPECT_OK(MPI_Get_address(&array[2], &third));
  EXPECT_INT(MPI_Aint_diff(third, first), 2 * sizeof(int));
  EXPECT_INT(MPI_Aint_add(first, 2 * sizeof(int)), third);
  EXPECT_OK(MPI_Info_create(&info));
  EXPECT_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
  EXPECT_OK(MPI_Alloc_mem(100, info, &memory));
  EXPECT((uintptr_t)memory % 4096 == 0);
  memset(memory, 1, 100);
  EXPECT_OK(MPI_Free_mem(memory));
  EXPECT_OK(MPI_Alloc_mem(0, MPI_INFO_NULL, &memory));
  EXPECT_OK(MPI_Free_mem(memory));
  EXPECT_INT(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
  EXPECT_INT(MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
  EXPECT_OK(MPI_Info_free(&info));
}

static void names_versions_and_time(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, version = 0, subversion = 0, flag = -1;
  EXPECT_OK(MPI_Get_library_version(text, &length));
  EXPECT_INT(length, strlen(text));
  EXPECT_IN(text, "Baton ");
  EXPECT_OK(MPI_Get_version(&version, &subversion));
  EXPECT_INT(version, 5);
  EXPECT_INT(subversion, 0);
  EXPECT_OK(MPI_Get_processor_name(text, &length));
  EXPECT(length > 0 && length == (int)strlen(text));
  EXPECT_OK(MPI_Is_thread_main(&flag));
  EXPECT_INT(flag, 1);
  EXPECT_OK(MPI_Finalized(&flag));
  EXPECT_INT(flag, 0);
  double before = MPI_Wtime(), after = MPI_Wtime();
  EXPECT(after >= before && before > 0);
  EXPECT(MPI_Wtick() > 0 && MPI_Wtick() < 1);
  EXPECT_OK(MPI_Pcontrol(1));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  counts_come_from_bytes();
  fields_are_read_and_written();
  addresses_and_memory();
  names_versions_and_time();
  MPI_Finalize();
  return expect_result();
}
