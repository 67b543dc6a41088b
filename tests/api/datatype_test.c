/* Datatypes as programs see them through the API: decoding, predefined types without names, names,
 * attributes, bounds of results, and the errors of all these. One process. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "expect.h"

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}
#define EXPECT_CLASS(call, expected) EXPECT_INT(class_of(call), expected)

static void constructors_are_decoded_in_the_form_they_were_called(void) {
  int lengths[] = {1, 2}, displacements[] = {0, 5}, ni, na, nd, combiner, integers[8];
  MPI_Aint addresses[2];
  MPI_Count wide_lengths[] = {1, 2}, wide_displacements[] = {0, 5}, counts[8];
  MPI_Count wide_ni, wide_na, wide_nc, wide_nd;
  MPI_Datatype type, types[2];
  EXPECT_OK(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &type));
  EXPECT_OK(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
  EXPECT(ni == 5 && na == 0 && nd == 1 && combiner == MPI_COMBINER_INDEXED);
  EXPECT_OK(MPI_Type_get_contents(type, 5, 0, 1, integers, addresses, types));
  EXPECT(integers[0] == 2 && integers[2] == 2 && integers[3] == 0 && integers[4] == 5);
  EXPECT(types[0] == MPI_INT);
  EXPECT_OK(MPI_Type_get_envelope_c(type, &wide_ni, &wide_na, &wide_nc, &wide_nd, &combiner));
  EXPECT(wide_ni == 5 && wide_na == 0 && wide_nc == 0 && wide_nd == 1);
  EXPECT_CLASS(MPI_Type_get_contents(type, 4, 0, 1, integers, addresses, types), MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_get_contents(type, 5, 0, 0, integers, addresses, types), MPI_ERR_ARG);
  EXPECT_OK(MPI_Type_free(&type));

  EXPECT_OK(MPI_Type_indexed_c(2, wide_lengths, wide_displacements, MPI_INT, &type));
  EXPECT_OK(MPI_Type_get_envelope_c(type, &wide_ni, &wide_na, &wide_nc, &wide_nd, &combiner));
  EXPECT(wide_ni == 0 && wide_na == 0 && wide_nc == 5 && wide_nd == 1);
  EXPECT_OK(MPI_Type_get_contents_c(type, 0, 0, 5, 1, NULL, NULL, counts, types));
  EXPECT(counts[0] == 2 && counts[1] == 1 && counts[2] == 2 && counts[3] == 0 && counts[4] == 5);
  EXPECT_CLASS(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner), MPI_ERR_TYPE);
  EXPECT_CLASS(MPI_Type_get_contents(type, 5, 5, 5, integers, addresses, types), MPI_ERR_TYPE);
  EXPECT_OK(MPI_Type_free(&type));

  EXPECT_OK(MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner));
  EXPECT(ni == 0 && na == 0 && nd == 0 && combiner == MPI_COMBINER_NAMED);
  EXPECT_CLASS(MPI_Type_get_contents(MPI_INT, 5, 5, 5, integers, addresses, types), MPI_ERR_TYPE);
}

static void contents_outlive_the_types_they_name(void) {
  MPI_Datatype inner, outer, found[1], again[1];
  int integers[3], size;
  MPI_Aint address[1];
  EXPECT_OK(MPI_Type_contiguous(3, MPI_SHORT, &inner));
  EXPECT_OK(MPI_Type_create_hvector(2, 1, 100, inner, &outer));
  EXPECT_OK(MPI_Type_free(&inner));
  EXPECT_OK(MPI_Type_get_contents(outer, 2, 1, 1, integers, address, found));
  EXPECT(integers[0] == 2 && integers[1] == 1 && address[0] == 100);
  EXPECT_OK(MPI_Type_free(&outer));
  EXPECT_OK(MPI_Type_size(found[0], &size));
  EXPECT_INT(size, 6);
  EXPECT_OK(MPI_Type_get_contents(found[0], 1, 0, 1, integers, address, again));
  EXPECT(integers[0] == 3 && again[0] == MPI_SHORT);
  EXPECT_OK(MPI_Type_free(&found[0]));
}

static void predefined_types_without_names_repeat(void) {
  MPI_Datatype first, again, pair, index[2];
  int ni, na, nd, combiner, integers[2], size;
  EXPECT_OK(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &first));
  EXPECT_OK(MPI_Type_create_f90_real(12, MPI_UNDEFINED, &again));
  EXPECT(first == again);
  EXPECT_OK(MPI_Type_size(first, &size));
  EXPECT_INT(size, 8);
  EXPECT_OK(MPI_Type_get_envelope(first, &ni, &na, &nd, &combiner));
  EXPECT(ni == 2 && na == 0 && nd == 0 && combiner == MPI_COMBINER_F90_REAL);
  EXPECT_OK(MPI_Type_get_contents(first, 2, 0, 0, integers, NULL, NULL));
  EXPECT(integers[0] == 12 && integers[1] == MPI_UNDEFINED);
  EXPECT_CLASS(MPI_Type_free(&again), MPI_ERR_TYPE);
  double mine = 1, sum = 2;
  EXPECT_OK(MPI_Reduce_local(&mine, &sum, 1, first, MPI_SUM));
  EXPECT(sum == 3);
  EXPECT_OK(MPI_Type_create_f90_complex(6, 37, &again));
  EXPECT_OK(MPI_Type_size(again, &size));
  EXPECT_INT(size, 8);
  EXPECT_OK(MPI_Type_create_f90_integer(10, &again));
  EXPECT_OK(MPI_Type_size(again, &size));
  EXPECT_INT(size, 8);
  EXPECT_CLASS(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &first), MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_create_f90_real(34, 10, &first), MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_create_f90_integer(39, &first), MPI_ERR_ARG);

  EXPECT_OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT, &pair));
  EXPECT(pair == MPI_FLOAT_INT);
  EXPECT_OK(MPI_Type_get_value_index(MPI_C_FLOAT_COMPLEX, MPI_INT, &pair));
  EXPECT(pair == MPI_DATATYPE_NULL);
  EXPECT_OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_FLOAT, &pair));
  EXPECT(pair == MPI_DATATYPE_NULL);
  EXPECT_OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_UINT8_T, &pair));
  EXPECT_OK(MPI_Type_get_envelope(pair, &ni, &na, &nd, &combiner));
  EXPECT(ni == 0 && na == 0 && nd == 2 && combiner == MPI_COMBINER_VALUE_INDEX);
  EXPECT_OK(MPI_Type_get_contents(pair, 0, 0, 2, NULL, NULL, index));
  EXPECT(index[0] == MPI_DOUBLE && index[1] == MPI_UINT8_T);
  struct Pair {
    double value;
    uint8_t index;
  } in[] = {{1, 7}, {3, 9}, {2, 200}}, inout[] = {{0, 1}, {3, 4}, {2, 201}};
  MPI_Aint lower, extent;
  EXPECT_OK(MPI_Type_get_extent(pair, &lower, &extent));
  EXPECT_INT(extent, sizeof in[0]);
  EXPECT_OK(MPI_Reduce_local(in, inout, 3, pair, MPI_MAXLOC));
  EXPECT(inout[0].value == 1 && inout[0].index == 7);
  EXPECT(inout[1].index == 4 && inout[2].index == 200);
  EXPECT_CLASS(MPI_Reduce_local(in, inout, 3, pair, MPI_SUM), MPI_ERR_OP);
}

static void types_are_matched_by_class_and_size(void) {
  MPI_Datatype type;
  EXPECT_OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  EXPECT(type == MPI_REAL8);
  EXPECT_OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type));
  EXPECT(type == MPI_INTEGER4);
  EXPECT_OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &type));
  EXPECT(type == MPI_COMPLEX16);
  EXPECT_CLASS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_match_size(-1, 8, &type), MPI_ERR_ARG);
}

static void null_handles_and_duplicates_have_the_names_they_should(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Datatype copy;
  EXPECT_OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
  EXPECT_TEXT(name, "MPI_DATATYPE_NULL");
  EXPECT_INT(length, strlen("MPI_DATATYPE_NULL"));
  EXPECT_OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
  EXPECT_TEXT(name, "MPI_COMM_NULL");
  EXPECT_OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
  EXPECT_TEXT(name, "MPI_WIN_NULL");
  EXPECT_OK(MPI_Type_dup(MPI_INT, &copy));
  EXPECT_OK(MPI_Type_get_name(copy, name, &length));
  EXPECT_TEXT(name, "");
  EXPECT_OK(MPI_Type_free(&copy));
}

static int copied, removed, refuse_copy, refuse_remove;
static int copy_value(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return refuse_copy && refuse_copy == copied ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int remove_value(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++removed;
  return refuse_remove ? MPI_ERR_INTERN : MPI_SUCCESS;
}

static void attributes_follow_duplicates_and_may_refuse(void) {
  int keys[2], flag, value = 3;
  void* got;
  MPI_Datatype type, copy = MPI_DATATYPE_NULL;
  EXPECT_OK(MPI_Type_contiguous(2, MPI_INT, &type));
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(MPI_Type_create_keyval(copy_value, remove_value, &keys[i], NULL));
    EXPECT_OK(MPI_Type_set_attr(type, keys[i], &value));
  }
  EXPECT_OK(MPI_Type_dup(type, &copy));
  EXPECT_INT(copied, 2);
  EXPECT_OK(MPI_Type_get_attr(copy, keys[1], &got, &flag));
  EXPECT(flag && got == &value);
  EXPECT_OK(MPI_Type_free(&copy));
  EXPECT_INT(removed, 2);

  copied = removed = 0;
  refuse_copy = 2;
  EXPECT_CLASS(MPI_Type_dup(type, &copy), MPI_ERR_OTHER);
  EXPECT(copy == MPI_DATATYPE_NULL);
  EXPECT_INT(removed, 1);

  refuse_remove = 1;
  EXPECT_CLASS(MPI_Type_free(&type), MPI_ERR_INTERN);
  EXPECT(type != MPI_DATATYPE_NULL);
  refuse_remove = 0;
  EXPECT_OK(MPI_Type_free(&type));
  EXPECT_INT(removed, 4);
  for (int i = 0; i < 2; ++i) EXPECT_OK(MPI_Type_free_keyval(&keys[i]));
}

static void results_beyond_an_int_are_undefined(void) {
  MPI_Datatype type;
  int size;
  MPI_Count wide;
  MPI_Status status = {0};
  EXPECT_OK(MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_INT, &type));
  EXPECT_OK(MPI_Type_commit(&type));
  EXPECT_OK(MPI_Type_size(type, &size));
  EXPECT_INT(size, MPI_UNDEFINED);
  EXPECT_OK(MPI_Type_size_c(type, &wide));
  EXPECT_INT(wide, (MPI_Count)1 << 42);
  EXPECT_OK(MPI_Pack_size(1, type, MPI_COMM_SELF, &size));
  EXPECT_INT(size, MPI_UNDEFINED);
  EXPECT_CLASS(MPI_Pack_size_c(LLONG_MAX, type, MPI_COMM_SELF, &wide), MPI_ERR_COUNT);
  EXPECT_OK(MPI_Status_set_elements_c(&status, type, (MPI_Count)1 << 41));
  EXPECT_OK(MPI_Get_elements(&status, type, &size));
  EXPECT_INT(size, MPI_UNDEFINED);
  EXPECT_OK(MPI_Get_elements_c(&status, type, &wide));
  EXPECT_INT(wide, (MPI_Count)1 << 41);
  EXPECT_OK(MPI_Type_free(&type));
  EXPECT_CLASS(MPI_Type_contiguous_c(LLONG_MAX, MPI_INT, &type), MPI_ERR_COUNT);
  EXPECT_CLASS(MPI_Type_vector(INT_MAX, INT_MAX, INT_MAX, MPI_INT, &type), MPI_ERR_COUNT);
}

static void parts_of_mixed_types_are_counted_in_elements(void) {
  struct Mixed {
    double a;
    int b[2];
  };
  int lengths[] = {1, 2}, count;
  MPI_Aint displacements[] = {offsetof(struct Mixed, a), offsetof(struct Mixed, b)};
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, mixed, many;
  MPI_Status status = {0};
  EXPECT_OK(MPI_Type_create_struct(2, lengths, displacements, types, &mixed));
  EXPECT_OK(MPI_Type_contiguous_c((MPI_Count)1 << 40, mixed, &many));
  for (int elements = 0; elements < 8; ++elements) {
    EXPECT_OK(MPI_Status_set_elements(&status, many, elements));
    EXPECT_OK(MPI_Get_elements(&status, many, &count));
    EXPECT_INT(count, elements);
    EXPECT_OK(MPI_Get_count(&status, mixed, &count));
    EXPECT_INT(count, elements % 3 == 0 ? elements / 3 : MPI_UNDEFINED);
  }
  EXPECT_OK(MPI_Status_set_elements(&status, MPI_BYTE, 4));
  EXPECT_OK(MPI_Get_elements(&status, mixed, &count));
  EXPECT_INT(count, MPI_UNDEFINED);
  EXPECT_OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3));
  EXPECT_OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count));
  EXPECT_INT(count, 3);
  EXPECT_OK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
  EXPECT_INT(count, MPI_UNDEFINED);
  EXPECT_OK(MPI_Type_free(&many));
  EXPECT_OK(MPI_Type_free(&mixed));
}

static void arrays_check_their_arguments(void) {
  int sizes[] = {4, 6}, subsizes[] = {2, 7}, starts[] = {0, 0};
  int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 2};
  MPI_Datatype type;
  EXPECT_CLASS(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type),
               MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_create_subarray(0, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type),
               MPI_ERR_ARG);
  EXPECT_CLASS(
      MPI_Type_create_darray(4, 4, 2, sizes, kinds, usual, grid, MPI_ORDER_C, MPI_INT, &type),
      MPI_ERR_RANK);
  EXPECT_CLASS(
      MPI_Type_create_darray(3, 0, 2, sizes, kinds, usual, grid, MPI_ORDER_C, MPI_INT, &type),
      MPI_ERR_ARG);
  EXPECT_CLASS(MPI_Type_create_darray(4, 0, 2, sizes, kinds, usual, grid, MPI_ORDER_C,
                                      MPI_DATATYPE_NULL, &type),
               MPI_ERR_TYPE);
}

static void dimensions_are_balanced(void) {
  const struct {
    int nodes, count, before[3], after[3];
  } cases[] = {{6, 2, {0, 0}, {3, 2}},       {7, 2, {0, 0}, {7, 1}},
               {6, 3, {0, 3, 0}, {2, 3, 1}}, {16, 3, {0, 0, 0}, {4, 2, 2}},
               {98, 2, {0, 0}, {14, 7}},     {1, 3, {0, 0, 0}, {1, 1, 1}},
               {36, 2, {0, 0}, {6, 6}},      {2147483647, 2, {0, 0}, {2147483647, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int dims[3];
    memcpy(dims, cases[i].before, sizeof dims);
    EXPECT_OK(MPI_Dims_create(cases[i].nodes, cases[i].count, dims));
    for (int k = 0; k < cases[i].count; ++k) EXPECT_INT(dims[k], cases[i].after[k]);
  }
  int dims[] = {4, 0};
  EXPECT_CLASS(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS);
  dims[0] = -1;
  EXPECT_CLASS(MPI_Dims_create(6, 2, dims), MPI_ERR_DIMS);
  dims[0] = 3, dims[1] = 3;
  EXPECT_CLASS(MPI_Dims_create(9 * 2, 2, dims), MPI_ERR_DIMS);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  constructors_are_decoded_in_the_form_they_were_called();
  contents_outlive_the_types_they_name();
  predefined_types_without_names_repeat();
  types_are_matched_by_class_and_size();
  null_handles_and_duplicates_have_the_names_they_should();
  attributes_follow_duplicates_and_may_refuse();
  results_beyond_an_int_are_undefined();
  parts_of_mixed_types_are_counted_in_elements();
  arrays_check_their_arguments();
  dimensions_are_balanced();
  MPI_Finalize();
  return expect_result();
}
