/* Wrong calls about data: datatypes and their constructors, operations, statuses, addresses. */
#include "wrong.h"

static MPI_Datatype freed_type, uncommitted;

static void prepare(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  freed_type = type;
  MPI_Type_free(&type);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
}

static void simple_constructors(void) {
  MPI_Datatype t = MPI_DATATYPE_NULL;
  WRONG(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT, "argument 1 (count)");
  WRONG(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Type_contiguous(1, freed_type, &t), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG, "argument 3 (newtype)");
  WRONG(MPI_Type_contiguous_c(INT64_MAX, MPI_DOUBLE, &t), MPI_ERR_COUNT, "64 bits");
  WRONG(MPI_Type_vector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT, "argument 1 (count)");
  WRONG(MPI_Type_vector(1, -1, 1, MPI_INT, &t), MPI_ERR_ARG, "argument 2 (blocklength)");
  WRONG(MPI_Type_vector(1, 1, 1, (MPI_Datatype)MPI_COMM_WORLD, &t), MPI_ERR_TYPE, "(oldtype)");
  WRONG(MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT, "argument 1 (count)");
  WRONG(MPI_Type_create_hvector(1, -1, 1, MPI_INT, &t), MPI_ERR_ARG, "argument 2 (blocklength)");
  WRONG(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 8, &t), MPI_ERR_TYPE, "(oldtype)");
  WRONG(MPI_Type_create_resized(MPI_INT, 0, 8, NULL), MPI_ERR_ARG, "argument 4 (newtype)");
  WRONG(MPI_Type_dup(freed_type, &t), MPI_ERR_TYPE, "argument 1 (oldtype)");
  WRONG(MPI_Type_dup(MPI_INT, NULL), MPI_ERR_ARG, "argument 2 (newtype)");
  CHECK(t == MPI_DATATYPE_NULL);
}

static void constructors_with_arrays(void) {
  MPI_Datatype t = MPI_DATATYPE_NULL;
  int lengths[] = {1, -1}, good[] = {1, 1}, places[] = {0, 4};
  MPI_Aint bytes[] = {0, 16};
  MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL}, fine[] = {MPI_INT, MPI_DOUBLE};
  WRONG(MPI_Type_indexed(-1, good, places, MPI_INT, &t), MPI_ERR_COUNT, "argument 1 (count)");
  WRONG(MPI_Type_indexed(2, NULL, places, MPI_INT, &t), MPI_ERR_ARG, "argument 2");
  WRONG(MPI_Type_indexed(2, good, NULL, MPI_INT, &t), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Type_indexed(2, lengths, places, MPI_INT, &t), MPI_ERR_ARG, "element 1 is -1");
  WRONG(MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t), MPI_ERR_ARG, "element 1 is -1");
  WRONG(MPI_Type_create_hindexed(2, good, bytes, freed_type, &t), MPI_ERR_TYPE, "(oldtype)");
  WRONG(MPI_Type_create_indexed_block(2, -1, places, MPI_INT, &t), MPI_ERR_ARG, "(blocklength)");
  WRONG(MPI_Type_create_indexed_block(-2, 1, places, MPI_INT, &t), MPI_ERR_COUNT, "(count)");
  WRONG(MPI_Type_create_hindexed_block(1, 1, NULL, MPI_INT, &t), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Type_create_struct(2, good, bytes, types, &t), MPI_ERR_TYPE, "array_of_types");
  WRONG(MPI_Type_create_struct(2, lengths, bytes, fine, &t), MPI_ERR_ARG, "element 1 is -1");
  WRONG(MPI_Type_create_struct(2, good, NULL, fine, &t), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Type_create_struct(2, good, bytes, NULL, &t), MPI_ERR_ARG, "argument 4");
  WRONG(MPI_Type_create_struct(-1, good, bytes, fine, &t), MPI_ERR_COUNT, "argument 1 (count)");
  CHECK(t == MPI_DATATYPE_NULL);
}

static void subarrays_and_distributed_arrays(void) {
  MPI_Datatype t = MPI_DATATYPE_NULL;
  int sizes[] = {10, 10}, parts[] = {5, 5}, starts[] = {0, 6}, zero[] = {0, 0}, minus[] = {-1, 0};
  int large[] = {5, 11}, how[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, bad_how[] = {77, 78};
  int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, processes[] = {2, 2};
  WRONG(MPI_Type_create_subarray(0, sizes, parts, zero, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "argument 1 (ndims)");
  WRONG(MPI_Type_create_subarray(-2, sizes, parts, zero, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "argument 1 (ndims)");
  WRONG(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "array_of_starts");
  WRONG(MPI_Type_create_subarray(2, sizes, parts, minus, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "array_of_starts");
  WRONG(MPI_Type_create_subarray(2, sizes, large, zero, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "array_of_subsizes");
  WRONG(MPI_Type_create_subarray(2, sizes, parts, zero, 99, MPI_INT, &t), MPI_ERR_ARG, "order");
  WRONG(MPI_Type_create_subarray(2, NULL, parts, zero, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "argument 2");
  WRONG(MPI_Type_create_darray(4, 4, 2, sizes, how, arguments, processes, MPI_ORDER_C, MPI_INT, &t),
        MPI_ERR_RANK, "rank 4");
  WRONG(MPI_Type_create_darray(5, 0, 2, sizes, how, arguments, processes, MPI_ORDER_C, MPI_INT, &t),
        MPI_ERR_ARG, "size");
  WRONG(MPI_Type_create_darray(4, 0, 2, sizes, bad_how, arguments, processes, MPI_ORDER_C, MPI_INT,
                               &t),
        MPI_ERR_ARG, "distrib");
  WRONG(MPI_Type_create_darray(4, 0, 2, sizes, how, arguments, processes, 5, MPI_INT, &t),
        MPI_ERR_ARG, "order");
  CHECK(t == MPI_DATATYPE_NULL);
}

static void types_and_questions_about_them(void) {
  MPI_Datatype none = MPI_DATATYPE_NULL, integer = MPI_INT, copy, type;
  int size_of, ints[2], combiner, n;
  MPI_Aint lower, extent, addresses[2];
  char name[MPI_MAX_OBJECT_NAME];
  WRONG(MPI_Type_commit(NULL), MPI_ERR_ARG, "argument 1 (datatype)");
  WRONG(MPI_Type_commit(&none), MPI_ERR_TYPE, "argument 1 (datatype)");
  WRONG(MPI_Type_free(&none), MPI_ERR_TYPE, "argument 1 (datatype)");
  WRONG(MPI_Type_free(&integer), MPI_ERR_TYPE, "predefined");
  WRONG(MPI_Type_free(NULL), MPI_ERR_ARG, "argument 1 (datatype)");
  MPI_Type_contiguous(3, MPI_INT, &type);
  copy = type;
  MPI_Type_free(&type);
  WRONG(MPI_Type_free(&copy), MPI_ERR_TYPE, "argument 1 (datatype)");
  WRONG(MPI_Type_commit(&copy), MPI_ERR_TYPE, "argument 1 (datatype)");
  WRONG(MPI_Type_size(copy, &size_of), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG, "argument 2 (size)");
  WRONG(MPI_Type_get_extent(none, &lower, &extent), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Type_get_extent(MPI_INT, NULL, &extent), MPI_ERR_ARG, "argument 2 (lb)");
  WRONG(MPI_Type_get_true_extent(MPI_INT, &lower, NULL), MPI_ERR_ARG, "argument 3 (true_extent)");
  WRONG(MPI_Type_get_name(copy, name, &size_of), MPI_ERR_TYPE, "MPI_Type_get_name");
  WRONG(MPI_Type_set_name(MPI_INT, NULL), MPI_ERR_ARG, "argument 2 (type_name)");
  WRONG(MPI_Type_get_name(MPI_INT, NULL, &size_of), MPI_ERR_ARG, "argument 2 (type_name)");
  WRONG(MPI_Type_get_envelope(copy, &n, &n, &n, &combiner), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Type_get_envelope(MPI_INT, &n, &n, &n, NULL), MPI_ERR_ARG, "(combiner)");
  WRONG(MPI_Type_get_contents(MPI_INT, 2, 2, 1, ints, addresses, &type), MPI_ERR_TYPE,
        "predefined");
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  WRONG(MPI_Type_get_contents(type, 1, 0, 1, ints, addresses, &copy), MPI_ERR_ARG,
        "array_of_integers");
  MPI_Type_free(&type);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

static void operations(void) {
  int a[2] = {1, 2}, b[2] = {3, 4}, commutes;
  double x = 1, y = 2;
  MPI_Op none = MPI_OP_NULL, sum = MPI_SUM, copy, op;
  MPI_Datatype same;
  MPI_Type_dup(MPI_INT, &same);
  WRONG(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG, "argument 1 (user_fn)");
  WRONG(MPI_Op_create(add, 1, NULL), MPI_ERR_ARG, "argument 3 (op)");
  WRONG(MPI_Op_free(&none), MPI_ERR_OP, "argument 1 (op)");
  WRONG(MPI_Op_free(&sum), MPI_ERR_OP, "predefined");
  WRONG(MPI_Op_free(NULL), MPI_ERR_ARG, "argument 1 (op)");
  MPI_Op_create(add, 1, &op);
  copy = op;
  MPI_Op_free(&op);
  WRONG(MPI_Op_free(&copy), MPI_ERR_OP, "argument 1 (op)");
  WRONG(MPI_Op_commutative(copy, &commutes), MPI_ERR_OP, "freed");
  WRONG(MPI_Op_commutative(MPI_SUM, NULL), MPI_ERR_ARG, "argument 2 (commute)");
  WRONG(MPI_Reduce_local(a, b, 2, MPI_INT, copy), MPI_ERR_OP, "freed");
  WRONG(MPI_Reduce_local(a, b, 2, MPI_INT, MPI_OP_NULL), MPI_ERR_OP, "MPI_OP_NULL");
  WRONG(MPI_Reduce_local(a, b, -2, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "argument 3 (count)");
  WRONG(MPI_Reduce_local(NULL, b, 2, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "argument 1 (inbuf)");
  WRONG(MPI_Reduce_local(a, NULL, 2, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "argument 2 (inoutbuf)");
  WRONG(MPI_Reduce_local(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "MPI_IN_PLACE");
  WRONG(MPI_Reduce_local(a, b, 1, uncommitted, MPI_SUM), MPI_ERR_TYPE, "MPI_Type_commit");
  WRONG(MPI_Reduce_local(a, b, 1, same, MPI_SUM), MPI_ERR_OP, "derived");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, MPI_BXOR), MPI_ERR_OP, "MPI_BXOR is not defined");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, MPI_LOR), MPI_ERR_OP, "MPI_DOUBLE");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, MPI_MINLOC), MPI_ERR_OP, "MPI_MINLOC");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_2INT, MPI_SUM), MPI_ERR_OP, "MPI_2INT");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_C_FLOAT_COMPLEX, MPI_MAX), MPI_ERR_OP, "MPI_MAX");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_WCHAR, MPI_SUM), MPI_ERR_OP, "MPI_WCHAR");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_PACKED, MPI_BAND), MPI_ERR_OP, "MPI_PACKED");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_INTEGER, MPI_LAND), MPI_ERR_OP, "MPI_INTEGER");
  WRONG(MPI_Reduce_local(&x, &y, 1, MPI_LOGICAL, MPI_BAND), MPI_ERR_OP, "MPI_LOGICAL");
  WRONG(MPI_Reduce_local(a, b, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP, "windows");
  WRONG(MPI_Reduce_local(a, b, 1, MPI_INT, MPI_NO_OP), MPI_ERR_OP, "windows");
  CHECK(b[0] == 3 && y == 2);
  MPI_Type_free(&same);
}

static void statuses_and_addresses(void) {
  MPI_Status status;
  int n;
  MPI_Count large;
  void* memory;
  memset(&status, 0, sizeof status);
  WRONG(MPI_Get_count(NULL, MPI_INT, &n), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Get_count(&status, MPI_INT, NULL), MPI_ERR_ARG, "argument 3 (count)");
  WRONG(MPI_Get_count(&status, freed_type, &n), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Get_elements_x(&status, MPI_INT, NULL), MPI_ERR_ARG, "argument 3 (count)");
  WRONG(MPI_Get_elements_x(NULL, MPI_INT, &large), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Status_set_elements(NULL, MPI_INT, 1), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT, "argument 3 (count)");
  WRONG(MPI_Status_set_elements(&status, freed_type, 1), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Status_set_cancelled(NULL, 1), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Test_cancelled(NULL, &n), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Test_cancelled(&status, NULL), MPI_ERR_ARG, "argument 2 (flag)");
  WRONG(MPI_Status_get_source(NULL, &n), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Status_set_tag(NULL, 1), MPI_ERR_ARG, "argument 1 (status)");
  WRONG(MPI_Get_address(&n, NULL), MPI_ERR_ARG, "argument 2 (address)");
  WRONG(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG, "argument 1 (size)");
  WRONG(MPI_Alloc_mem(8, MPI_INFO_NULL, NULL), MPI_ERR_ARG, "argument 3 (baseptr)");
  WRONG(MPI_Alloc_mem((MPI_Aint)1 << 62, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM, "memory");
}

int main(int argc, char** argv) {
  start_wrong(&argc, &argv);
  prepare();
  simple_constructors();
  constructors_with_arrays();
  subarrays_and_distributed_arrays();
  types_and_questions_about_them();
  operations();
  statuses_and_addresses();
  MPI_Type_free(&uncommitted);
  return finish_wrong(100);
}
