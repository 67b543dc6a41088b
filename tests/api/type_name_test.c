/* The name of each predefined datatype is that of its constant (MPI 5.0, "Naming Objects"). Of two
 * constants for one type the standard calls one the synonym. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define NAMED(constant) \
  { constant, #constant }
static const struct {
  MPI_Datatype type;
  const char* name;
} types[] = {NAMED(MPI_AINT),
             NAMED(MPI_COUNT),
             NAMED(MPI_OFFSET),
             NAMED(MPI_PACKED),
             NAMED(MPI_SHORT),
             NAMED(MPI_INT),
             NAMED(MPI_LONG),
             NAMED(MPI_LONG_LONG_INT),
             NAMED(MPI_UNSIGNED_SHORT),
             NAMED(MPI_UNSIGNED),
             NAMED(MPI_UNSIGNED_LONG),
             NAMED(MPI_UNSIGNED_LONG_LONG),
             NAMED(MPI_FLOAT),
             NAMED(MPI_C_COMPLEX),
             NAMED(MPI_CXX_FLOAT_COMPLEX),
             NAMED(MPI_DOUBLE),
             NAMED(MPI_C_DOUBLE_COMPLEX),
             NAMED(MPI_CXX_DOUBLE_COMPLEX),
             NAMED(MPI_LOGICAL),
             NAMED(MPI_INTEGER),
             NAMED(MPI_REAL),
             NAMED(MPI_COMPLEX),
             NAMED(MPI_DOUBLE_PRECISION),
             NAMED(MPI_DOUBLE_COMPLEX),
             NAMED(MPI_CHARACTER),
             NAMED(MPI_LONG_DOUBLE),
             NAMED(MPI_C_LONG_DOUBLE_COMPLEX),
             NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX),
             NAMED(MPI_FLOAT_INT),
             NAMED(MPI_DOUBLE_INT),
             NAMED(MPI_LONG_INT),
             NAMED(MPI_2INT),
             NAMED(MPI_SHORT_INT),
             NAMED(MPI_LONG_DOUBLE_INT),
             NAMED(MPI_2REAL),
             NAMED(MPI_2DOUBLE_PRECISION),
             NAMED(MPI_2INTEGER),
             NAMED(MPI_C_BOOL),
             NAMED(MPI_CXX_BOOL),
             NAMED(MPI_WCHAR),
             NAMED(MPI_INT8_T),
             NAMED(MPI_UINT8_T),
             NAMED(MPI_CHAR),
             NAMED(MPI_SIGNED_CHAR),
             NAMED(MPI_UNSIGNED_CHAR),
             NAMED(MPI_BYTE),
             NAMED(MPI_INT16_T),
             NAMED(MPI_UINT16_T),
             NAMED(MPI_INT32_T),
             NAMED(MPI_UINT32_T),
             NAMED(MPI_INT64_T),
             NAMED(MPI_UINT64_T),
             NAMED(MPI_LOGICAL1),
             NAMED(MPI_INTEGER1),
             NAMED(MPI_LOGICAL2),
             NAMED(MPI_INTEGER2),
             NAMED(MPI_REAL2),
             NAMED(MPI_LOGICAL4),
             NAMED(MPI_INTEGER4),
             NAMED(MPI_REAL4),
             NAMED(MPI_COMPLEX4),
             NAMED(MPI_LOGICAL8),
             NAMED(MPI_INTEGER8),
             NAMED(MPI_REAL8),
             NAMED(MPI_COMPLEX8),
             NAMED(MPI_LOGICAL16),
             NAMED(MPI_INTEGER16),
             NAMED(MPI_REAL16),
             NAMED(MPI_COMPLEX16),
             NAMED(MPI_COMPLEX32)};

static int failures;

static void expect(MPI_Datatype type, const char* expected) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  if (!MPI_Type_get_name(type, name, &length) && !strcmp(name, expected) &&
      length == (int)strlen(expected))
    return;
  printf("%s is named %s\n", expected, name);
  ++failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) expect(types[i].type, types[i].name);
  expect(MPI_LONG_LONG, "MPI_LONG_LONG_INT");
  expect(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX");
  MPI_Finalize();
  if (failures == 0) printf("all %zu names are right\n", sizeof types / sizeof types[0]);
  return failures != 0;
}
