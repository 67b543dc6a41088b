/* The table of operations that collectives are tried with. */
#ifndef COLLECTIVES_OPERATIONS_H
#define COLLECTIVES_OPERATIONS_H

#include "collectives_operation.h"

enum { operations_max = 300 };
static Operation operations[operations_max];
static int operation_count, first_user_operation;

static inline void add_operation(Operation o) {
  CHECK(operation_count < operations_max);
  operations[operation_count++] = o;
}

static const char* const calculation_names[] = {"sum",  "prod", "max", "min",  "land",    "lor",
                                                "lxor", "band", "bor", "bxor", "user sum"};

static inline void add_numbers(MPI_Datatype type, Number of, int size_, Calculation first,
                               Calculation last) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  for (int i = first; i <= (int)last; ++i)
    add_operation((Operation){calculation_names[i], ops[i], type, number, of, (Calculation)i, size_,
                              0, 0, size_, 1});
}

static inline void add_predefined(void) {
#define INTEGER(type, of, T) add_numbers(type, of, (int)sizeof(T), sum, bxor)
  INTEGER(MPI_SIGNED_CHAR, i8, signed char);
  INTEGER(MPI_UNSIGNED_CHAR, u8, unsigned char);
  INTEGER(MPI_SHORT, i16, short);
  INTEGER(MPI_UNSIGNED_SHORT, u16, short);
  INTEGER(MPI_INT, i32, int);
  INTEGER(MPI_UNSIGNED, u32, int);
  INTEGER(MPI_LONG, sizeof(long) == 8 ? i64 : i32, long);
  INTEGER(MPI_UNSIGNED_LONG_LONG, u64, long long);
  INTEGER(MPI_INT8_T, i8, int8_t);
  INTEGER(MPI_UINT16_T, u16, int16_t);
  INTEGER(MPI_INT32_T, i32, int32_t);
  INTEGER(MPI_INT64_T, i64, int64_t);
  INTEGER(MPI_UINT64_T, u64, int64_t);
#undef INTEGER
  add_numbers(MPI_AINT, sizeof(MPI_Aint) == 8 ? i64 : i32, sizeof(MPI_Aint), sum, min);
  add_numbers(MPI_COUNT, i64, sizeof(MPI_Count), sum, min);
  add_numbers(MPI_BYTE, u8, 1, band, bxor);
  add_numbers(MPI_C_BOOL, truth, sizeof(bool), land, lxor);
  add_numbers(MPI_FLOAT, f32, sizeof(float), sum, min);
  add_numbers(MPI_DOUBLE, f64, sizeof(double), sum, min);
  add_numbers(MPI_LONG_DOUBLE, f80, sizeof(long double), sum, min);
}

static inline void add_parts(void) {
#define COMPLEX(type, of, T)                                                                      \
  if (type != MPI_DATATYPE_NULL)                                                                  \
    for (int i = 0; i < 2; ++i)                                                                   \
  add_operation((Operation){i ? "prod" : "sum", i ? MPI_PROD : MPI_SUM, type, complex_number, of, \
                            i ? prod : sum, 2 * sizeof(T), sizeof(T), 0, 2 * sizeof(T), 1})
  COMPLEX(MPI_C_FLOAT_COMPLEX, f32, float);
  COMPLEX(MPI_C_DOUBLE_COMPLEX, f64, double);
  COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, f80, long double);
#undef COMPLEX
#define PAIR(type, of, T)                                                                         \
  do {                                                                                            \
    typedef struct {                                                                              \
      T value;                                                                                    \
      int index;                                                                                  \
    } Pair;                                                                                       \
    for (int i = 0; i < 2; ++i)                                                                   \
      add_operation((Operation){i ? "maxloc" : "minloc", i ? MPI_MAXLOC : MPI_MINLOC, type, pair, \
                                of, i ? max : min, sizeof(Pair), offsetof(Pair, index), 0,        \
                                sizeof(Pair), 1});                                                \
  } while (0)
  PAIR(MPI_FLOAT_INT, f32, float);
  PAIR(MPI_DOUBLE_INT, f64, double);
  PAIR(MPI_LONG_INT, i64, long);
  PAIR(MPI_2INT, i32, int);
  PAIR(MPI_SHORT_INT, i16, short);
  PAIR(MPI_LONG_DOUBLE_INT, f80, long double);
#undef PAIR
}

/* The user's functions. A type tells itself where its elements lie. */
static inline void run_user(Kind kind, char* in, char* inout, MPI_Count count, MPI_Datatype type) {
  MPI_Count lower, extent, bytes;
  const Operation o = {.kind = kind, .of = i32, .what = user_sum};
  MPI_Type_get_extent_c(type, &lower, &extent);
  MPI_Type_get_true_extent_c(type, &lower, &bytes);
  for (MPI_Count i = 0; i < count; ++i)
    combine(&o, (unsigned char*)in + lower + i * extent,
            (unsigned char*)inout + lower + i * extent);
}
static inline void run_affine(void* in, void* inout, int* count, MPI_Datatype* type) {
  run_user(affine, in, inout, *count, *type);
}
static inline void run_affine_c(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  run_user(affine, in, inout, *count, *type);
}
static inline void run_matrix(void* in, void* inout, int* count, MPI_Datatype* type) {
  run_user(matrix, in, inout, *count, *type);
}
static inline void run_user_sum(void* in, void* inout, int* count, MPI_Datatype* type) {
  run_user(number, in, inout, *count, *type);
}

static inline MPI_Datatype affine_type(MPI_Aint shift, MPI_Aint extent) {
  MPI_Aint places[] = {shift, shift + (MPI_Aint)offsetof(Affine, b)};
  MPI_Datatype inner, type;
  MPI_Type_create_hindexed_block(2, 1, places, MPI_UNSIGNED, &inner);
  MPI_Type_create_resized(inner, shift, extent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&inner);
  return type;
}

/* `ordinary`: only types without gaps before or between them, and with positive extents. */
static inline void add_user(int ordinary) {
  MPI_Op op, op_c;
  MPI_Datatype type;
  first_user_operation = operation_count;
  MPI_Op_create(run_matrix, 0, &op);
  MPI_Type_contiguous(4, MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  add_operation((Operation){"matrix product", op, type, matrix, u64, prod, 32, 0, 0, 32, 0});
  MPI_Op_create(run_affine, 0, &op);
  MPI_Op_create_c(run_affine_c, 0, &op_c);
  const MPI_Aint shifts[] = {0, 40, -40, 0}, extents[] = {sizeof(Affine), 24, -24, -12};
  const char* names[] = {"composition", "composition, types ahead", "composition, types behind",
                         "composition, types in reverse"};
  for (int i = 0; i < (ordinary ? 1 : 4); ++i)
    add_operation((Operation){names[i], i % 2 ? op_c : op, affine_type(shifts[i], extents[i]),
                              affine, u32, prod, sizeof(Affine), 0, shifts[i], extents[i], 0});
  MPI_Op_create(run_user_sum, 1, &op);
  add_operation((Operation){"user sum", op, MPI_INT, number, i32, user_sum, 4, 0, 0, 4, 1});
}

static inline void make_operations(int ordinary) {
  add_predefined();
  add_parts();
  add_user(ordinary);
}

/* op and op_c of the compositions serve several entries. */
static inline void free_operations(void) {
  for (int i = first_user_operation; i < operation_count; ++i) {
    MPI_Op op = operations[i].op;
    if (operations[i].type != MPI_INT) MPI_Type_free(&operations[i].type);
    for (int j = i; j < operation_count; ++j)
      if (operations[j].op == op) operations[j].op = MPI_OP_NULL;
    if (op != MPI_OP_NULL) MPI_Op_free(&op);
  }
}

#endif
