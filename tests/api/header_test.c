/* mpi.h and mpi-ext.h in every language they promise to serve; compiled as C99 and as C++11,
 * pedantically. */
#include <mpi.h>
/* It includes mpi.h: twice is as good as once. */
#include <mpi-ext.h>

/* The preprocessor can look at integer constants. */
#if MPI_VERSION < 5 || !defined(MPI_COMM_TYPE_SHARED)
#error "constants must be macros"
#endif

/* Lengths are constant expressions. */
char name[MPI_MAX_OBJECT_NAME];

MPI_Comm world(void);
MPI_Comm world(void) {
  return MPI_COMM_WORLD;
}
MPI_Comm_copy_attr_function* copy(void);
MPI_Comm_copy_attr_function* copy(void) {
  return MPI_COMM_DUP_FN;
}
MPI_T_cb_safety safety(void);
MPI_T_cb_safety safety(void) {
  return MPI_T_CB_REQUIRE_NONE;
}
int* unweighted(void);
int* unweighted(void) {
  return MPI_UNWEIGHTED;
}
int translate(int code);
int translate(int code) {
  switch (code) {
    case MPI_SUCCESS:
      return 0;
    case MPI_ERR_TRUNCATE:
      return 1;
    default:
      return MPI_UNDEFINED;
  }
}
