/* The C side of callbacks.f90: attributes as C sees them. */
#include <mpi.h>
#include <stddef.h>

void set_in_c(int comm, int keyval, int value) {
  MPI_Comm_set_attr(MPI_Comm_fromint(comm), keyval, (void*)(MPI_Aint)value);
}

int get_in_c(int comm, int keyval) {
  void* attribute = NULL;
  int flag = 0;
  MPI_Comm_get_attr(MPI_Comm_fromint(comm), keyval, &attribute, &flag);
  return flag ? (int)*(MPI_Aint*)attribute : -1;
}

void made_in_c(int* keyval) {
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, NULL);
}
