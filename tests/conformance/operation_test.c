/* User operations in collectives: both forms, commutative or not, on derived types whose data does
 * not begin at the buffer's address. And predefined ones where they are not defined. */
#include <stddef.h>

#include "conformance.h"

enum { elements = 37 };

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

/* Maps x -> ax + b: composition is associative and does not commute. The type that describes one
 * has a gap, and lies behind the address it is used with. */
typedef struct {
  unsigned a, unused, b;
} Map;

static int calls;
static MPI_Datatype expected_type;
static MPI_Aint shift;

static void compose_some(char* in, char* inout, MPI_Count count, MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  CHECK(type == expected_type);
  ++calls;
  for (MPI_Count i = 0; i < count; ++i) {
    Map* left = (Map*)(in + i * extent + shift);
    Map* right = (Map*)(inout + i * extent + shift);
    /* First the left one's, then the right one's. */
    right->b = right->a * left->b + right->b;
    right->a = right->a * left->a;
  }
}
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  compose_some(in, inout, *count, *type);
}
static void compose_c(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  compose_some(in, inout, *count, *type);
}
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    Map* left = (Map*)((char*)in + i * extent + shift);
    Map* right = (Map*)((char*)inout + i * extent + shift);
    right->a += left->a;
    right->b += left->b;
  }
}

static MPI_Datatype make_type(MPI_Aint extent) {
  MPI_Datatype inner, type;
  int lengths[] = {1, 1};
  MPI_Aint places[] = {shift, shift + (MPI_Aint)offsetof(Map, b)};
  MPI_Datatype types[] = {MPI_UNSIGNED, MPI_UNSIGNED};
  MPI_Type_create_struct(2, lengths, places, types, &inner);
  MPI_Type_create_resized(inner, shift, extent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&inner);
  return type;
}

static Map* element(char* buffer, int i, MPI_Aint extent) {
  return (Map*)(buffer + i * extent + shift);
}

static void fill(char* buffer, int its_rank, MPI_Aint extent) {
  for (int i = 0; i < elements; ++i)
    *element(buffer, i, extent) =
        (Map){(unsigned)(2 * its_rank + 3), 0xabcd, (unsigned)(its_rank * 7 + i)};
}

static Map result(int i, int sum) {
  Map all = {(unsigned)3, 0, (unsigned)i};
  for (int r = 1; r < size; ++r) {
    unsigned a = (unsigned)(2 * r + 3), b = (unsigned)(r * 7 + i);
    if (sum) {
      all.a += a;
      all.b += b;
    } else {
      all.b = a * all.b + b;
      all.a = a * all.a;
    }
  }
  return all;
}

static void check(char* buffer, MPI_Aint extent, int sum) {
  for (int i = 0; i < elements; ++i) {
    Map wanted = result(i, sum), *got = element(buffer, i, extent);
    CHECK(got->a == wanted.a && got->b == wanted.b && got->unused == 0xabcd);
  }
}

static void try_operation(MPI_Op op, MPI_Aint extent, int sum) {
  MPI_Datatype type = make_type(extent);
  expected_type = type;
  size_t bytes = 2000 + elements * 64;
  char *in = calloc(1, bytes), *out = calloc(1, bytes);
  /* Displacements are negative or far ahead: the buffer's address lies in the middle. */
  char *from = in + bytes / 2 - shift, *to = out + bytes / 2 - shift;
  if (extent < 0) from += elements * 24, to += elements * 24;
  for (int root = 0; root < size; ++root) {
    fill(from, rank, extent);
    fill(to, 1000, extent);
    MPI_Reduce(from, to, elements, type, op, root, MPI_COMM_WORLD);
    if (rank == root) check(to, extent, sum);
    if (rank == root)
      MPI_Reduce(MPI_IN_PLACE, from, elements, type, op, root, MPI_COMM_WORLD);
    else
      MPI_Reduce(from, NULL, elements, type, op, root, MPI_COMM_WORLD);
    if (rank == root) check(from, extent, sum);
  }
  fill(from, rank, extent);
  fill(to, 1000, extent);
  MPI_Allreduce(from, to, elements, type, op, MPI_COMM_WORLD);
  check(to, extent, sum);
  MPI_Allreduce_c(MPI_IN_PLACE, from, elements, type, op, MPI_COMM_WORLD);
  check(from, extent, sum);
  MPI_Type_free(&type);
  free(in);
  free(out);
}

static void user_operations_on_derived_types(void) {
  MPI_Op ops[3];
  MPI_Op_create(compose, 0, &ops[0]);
  MPI_Op_create_c(compose_c, 0, &ops[1]);
  MPI_Op_create(add, 1, &ops[2]);
  const MPI_Aint shifts[] = {0, 40, -40};
  const MPI_Aint extents[] = {sizeof(Map), 24, -24};
  for (int i = 0; i < 9; ++i) {
    shift = shifts[i % 3];
    for (int op = 0; op < 3; ++op) try_operation(ops[op], extents[i / 3], op == 2);
  }
  CHECK(size == 1 || calls > 0);
  for (int op = 0; op < 3; ++op) {
    int commutes;
    MPI_Op_commutative(ops[op], &commutes);
    CHECK(commutes == (op == 2));
    MPI_Op_free(&ops[op]);
    CHECK(ops[op] == MPI_OP_NULL);
  }
}

static void operations_stay_within_their_types(void) {
  double value[2] = {1, 2}, other[2] = {3, 4};
  MPI_Datatype same, pair;
  MPI_Type_dup(MPI_DOUBLE, &same);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  struct {
    MPI_Op op;
    MPI_Datatype type;
  } wrong[] = {{MPI_REPLACE, MPI_DOUBLE}, {MPI_NO_OP, MPI_DOUBLE},  {MPI_BAND, MPI_DOUBLE},
               {MPI_LAND, MPI_INTEGER},   {MPI_SUM, MPI_WCHAR},     {MPI_MAX, MPI_C_BOOL},
               {MPI_SUM, MPI_CHARACTER},  {MPI_SUM, MPI_BYTE},      {MPI_SUM, same},
               {MPI_SUM, pair},           {MPI_MAXLOC, MPI_DOUBLE}, {MPI_SUM, MPI_DOUBLE_INT}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    MPI_Op op = wrong[i].op;
    MPI_Datatype type = wrong[i].type;
    CHECK(class_of(MPI_Reduce_local(value, other, 1, type, op)) == MPI_ERR_OP);
    CHECK(class_of(MPI_Allreduce(value, other, 1, type, op, MPI_COMM_WORLD)) == MPI_ERR_OP);
    CHECK(class_of(MPI_Reduce(value, other, 1, type, op, 0, MPI_COMM_WORLD)) == MPI_ERR_OP);
  }
  CHECK(other[0] == 3 && other[1] == 4);
  MPI_Type_free(&same);
  MPI_Type_free(&pair);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  user_operations_on_derived_types();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  operations_stay_within_their_types();
  return finish();
}
