/* MPI_Pack, MPI_Unpack and their external32 forms: positions, space, and what is refused. One
 * process. */
#include <limits.h>

#include "expect.h"

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}
#define EXPECT_CLASS(call, expected) EXPECT_INT(class_of(call), expected)

static char packed[256];

static void pieces_are_packed_one_behind_the_other(void) {
  int numbers[] = {1, 2, 3, 4}, got[4] = {0}, position = 0, size;
  double real = 2.5, got_real = 0;
  MPI_Datatype odd;
  EXPECT_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &odd));
  EXPECT_CLASS(MPI_Pack(numbers, 1, odd, packed, sizeof packed, &position, MPI_COMM_SELF),
               MPI_ERR_TYPE);
  EXPECT_OK(MPI_Type_commit(&odd));
  EXPECT_OK(MPI_Pack_size(1, odd, MPI_COMM_SELF, &size));
  EXPECT(size >= 8);
  EXPECT_OK(MPI_Pack(numbers, 1, odd, packed, sizeof packed, &position, MPI_COMM_SELF));
  EXPECT_OK(MPI_Pack(&real, 1, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_SELF));
  int end = position;
  position = 0;
  EXPECT_OK(MPI_Unpack(packed, end, &position, got, 2, MPI_INT, MPI_COMM_SELF));
  EXPECT_OK(MPI_Unpack(packed, end, &position, &got_real, 1, MPI_DOUBLE, MPI_COMM_SELF));
  EXPECT(got[0] == 1 && got[1] == 3 && got_real == 2.5);
  EXPECT_INT(position, end);
  EXPECT_OK(MPI_Type_free(&odd));
}

static void what_does_not_fit_is_refused_and_changes_nothing(void) {
  int numbers[] = {1, 2, 3, 4}, position = 2;
  memset(packed, 'u', sizeof packed);
  EXPECT_CLASS(MPI_Pack(numbers, 4, MPI_INT, packed, 17, &position, MPI_COMM_SELF),
               MPI_ERR_TRUNCATE);
  EXPECT_INT(position, 2);
  EXPECT_INT(packed[2], 'u');
  EXPECT_OK(MPI_Pack(numbers, 4, MPI_INT, packed, 18, &position, MPI_COMM_SELF));
  position = 3;
  EXPECT_CLASS(MPI_Unpack(packed, 18, &position, numbers, 4, MPI_INT, MPI_COMM_SELF),
               MPI_ERR_TRUNCATE);
  EXPECT_INT(position, 3);
  position = -1;
  EXPECT_CLASS(MPI_Pack(numbers, 1, MPI_INT, packed, 18, &position, MPI_COMM_SELF), MPI_ERR_ARG);
  position = 19;
  EXPECT_CLASS(MPI_Unpack(packed, 18, &position, numbers, 0, MPI_INT, MPI_COMM_SELF), MPI_ERR_ARG);
  position = 0;
  EXPECT_CLASS(MPI_Pack(numbers, 1, MPI_INT, NULL, 18, &position, MPI_COMM_SELF), MPI_ERR_BUFFER);
  EXPECT_CLASS(MPI_Unpack(NULL, 18, &position, numbers, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  EXPECT_CLASS(MPI_Pack(numbers, 1, MPI_INT, packed, 18, &position, MPI_COMM_NULL), MPI_ERR_COMM);
  MPI_Count wide = 0;
  EXPECT_CLASS(MPI_Pack_c(numbers, LLONG_MAX, MPI_INT, packed, 18, &wide, MPI_COMM_SELF),
               MPI_ERR_COUNT);
}

static void external32_is_the_only_representation(void) {
  int number = 0x01020304, got = 0;
  MPI_Aint position = 0, size;
  EXPECT_OK(MPI_Pack_external_size("external32", 3, MPI_LONG, &size));
  EXPECT_INT(size, 12);
  EXPECT_OK(MPI_Pack_external("external32", &number, 1, MPI_INT, packed, 4, &position));
  EXPECT(position == 4 && packed[0] == 1 && packed[3] == 4);
  position = 0;
  EXPECT_OK(MPI_Unpack_external("external32", packed, 4, &position, &got, 1, MPI_INT));
  EXPECT_INT(got, number);
  EXPECT_CLASS(MPI_Unpack_external("external32", packed, 4, &position, &got, 1, MPI_INT),
               MPI_ERR_TRUNCATE);
  EXPECT_CLASS(MPI_Pack_external("external32", &number, 1, MPI_INT, packed, 7, &position),
               MPI_ERR_TRUNCATE);
  EXPECT_CLASS(MPI_Pack_external("native", &number, 1, MPI_INT, packed, 8, &position), MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Pack_external(NULL, &number, 1, MPI_INT, packed, 8, &position), MPI_ERR_ARG);
  long large = LONG_MAX;
  position = 0;
  EXPECT_CLASS(MPI_Pack_external("external32", &large, 1, MPI_LONG, packed, 8, &position),
               MPI_ERR_CONVERSION);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  pieces_are_packed_one_behind_the_other();
  what_does_not_fit_is_refused_and_changes_nothing();
  external32_is_the_only_representation();
  MPI_Finalize();
  return expect_result();
}
