/* All predefined datatypes by the groups in which the standard defines reduction operations, the
 * operations by the groups they are for, and values for which one step of any of them is exact. */
#ifndef ACCUMULATE_TYPES_H
#define ACCUMULATE_TYPES_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "conformance.h"

enum {
  c_integer = 1,
  fortran_integer = 2,
  floating = 4,
  logical = 8,
  complex_number = 16,
  byte_type = 32,
  multi_language = 64,
  pair = 128,
  other = 256,
  all_groups = 511,
  integers = c_integer | fortran_integer | multi_language
};

typedef enum { no_number, whole, natural, real, truth } Number;

/* One or two numbers; a second one may be of another kind. No number: any bits will do. */
typedef struct {
  const char* name;
  MPI_Datatype type;
  int group;
  Number first, second;
  int bytes, second_bytes;
  int second_at; /* 0: there is none */
  int optional;  /* an implementation may not have it */
} Type;

#define ONE(type, group, number, bytes) \
  { #type, type, group, number, no_number, bytes, 0, 0, 0 }
#define OPTIONAL(type, group, number, bytes) \
  { #type, type, group, number, no_number, bytes, 0, 0, 1 }
#define COMPLEX(type, part, may_lack) \
  { #type, type, complex_number, real, real, sizeof(part), sizeof(part), sizeof(part), may_lack }
#define PAIR(type, T, number, I, index)                     \
  {                                                         \
#type, type, pair, number, index, sizeof(T), sizeof(I), \
        offsetof(                                           \
            struct {                                        \
              T a;                                          \
              I b;                                          \
            },                                              \
            b),                                             \
        0                                                   \
  }

static const Type types[] = {
    ONE(MPI_SIGNED_CHAR, c_integer, whole, 1),
    ONE(MPI_UNSIGNED_CHAR, c_integer, natural, 1),
    ONE(MPI_SHORT, c_integer, whole, sizeof(short)),
    ONE(MPI_UNSIGNED_SHORT, c_integer, natural, sizeof(short)),
    ONE(MPI_INT, c_integer, whole, sizeof(int)),
    ONE(MPI_UNSIGNED, c_integer, natural, sizeof(int)),
    ONE(MPI_LONG, c_integer, whole, sizeof(long)),
    ONE(MPI_UNSIGNED_LONG, c_integer, natural, sizeof(long)),
    ONE(MPI_LONG_LONG, c_integer, whole, sizeof(long long)),
    ONE(MPI_UNSIGNED_LONG_LONG, c_integer, natural, sizeof(long long)),
    ONE(MPI_INT8_T, c_integer, whole, 1),
    ONE(MPI_INT16_T, c_integer, whole, 2),
    ONE(MPI_INT32_T, c_integer, whole, 4),
    ONE(MPI_INT64_T, c_integer, whole, 8),
    ONE(MPI_UINT8_T, c_integer, natural, 1),
    ONE(MPI_UINT16_T, c_integer, natural, 2),
    ONE(MPI_UINT32_T, c_integer, natural, 4),
    ONE(MPI_UINT64_T, c_integer, natural, 8),
    ONE(MPI_INTEGER, fortran_integer, whole, 4),
    OPTIONAL(MPI_INTEGER1, fortran_integer, whole, 1),
    OPTIONAL(MPI_INTEGER2, fortran_integer, whole, 2),
    OPTIONAL(MPI_INTEGER4, fortran_integer, whole, 4),
    OPTIONAL(MPI_INTEGER8, fortran_integer, whole, 8),
    OPTIONAL(MPI_INTEGER16, other, no_number, 16),
    ONE(MPI_FLOAT, floating, real, sizeof(float)),
    ONE(MPI_DOUBLE, floating, real, sizeof(double)),
    ONE(MPI_LONG_DOUBLE, floating, real, sizeof(long double)),
    ONE(MPI_REAL, floating, real, 4),
    ONE(MPI_DOUBLE_PRECISION, floating, real, 8),
    OPTIONAL(MPI_REAL2, other, no_number, 2),
    OPTIONAL(MPI_REAL4, floating, real, 4),
    OPTIONAL(MPI_REAL8, floating, real, 8),
    OPTIONAL(MPI_REAL16, other, no_number, 16),
    ONE(MPI_LOGICAL, logical, truth, 4),
    ONE(MPI_C_BOOL, logical, truth, sizeof(bool)),
    OPTIONAL(MPI_CXX_BOOL, logical, truth, sizeof(bool)),
    OPTIONAL(MPI_LOGICAL1, logical, truth, 1),
    OPTIONAL(MPI_LOGICAL2, logical, truth, 2),
    OPTIONAL(MPI_LOGICAL4, logical, truth, 4),
    OPTIONAL(MPI_LOGICAL8, logical, truth, 8),
    OPTIONAL(MPI_LOGICAL16, other, no_number, 16),
    COMPLEX(MPI_C_FLOAT_COMPLEX, float, 0),
    COMPLEX(MPI_C_DOUBLE_COMPLEX, double, 0),
    COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double, 0),
    COMPLEX(MPI_COMPLEX, float, 0),
    COMPLEX(MPI_DOUBLE_COMPLEX, double, 0),
    COMPLEX(MPI_CXX_FLOAT_COMPLEX, float, 1),
    COMPLEX(MPI_CXX_DOUBLE_COMPLEX, double, 1),
    COMPLEX(MPI_CXX_LONG_DOUBLE_COMPLEX, long double, 1),
    COMPLEX(MPI_COMPLEX8, float, 1),
    COMPLEX(MPI_COMPLEX16, double, 1),
    OPTIONAL(MPI_COMPLEX4, other, no_number, 4),
    OPTIONAL(MPI_COMPLEX32, other, no_number, 32),
    ONE(MPI_BYTE, byte_type, no_number, 1),
    ONE(MPI_AINT, multi_language, whole, sizeof(MPI_Aint)),
    ONE(MPI_COUNT, multi_language, whole, sizeof(MPI_Count)),
    ONE(MPI_OFFSET, multi_language, whole, sizeof(MPI_Offset)),
    PAIR(MPI_FLOAT_INT, float, real, int, whole),
    PAIR(MPI_DOUBLE_INT, double, real, int, whole),
    PAIR(MPI_LONG_INT, long, whole, int, whole),
    PAIR(MPI_2INT, int, whole, int, whole),
    PAIR(MPI_SHORT_INT, short, whole, int, whole),
    PAIR(MPI_LONG_DOUBLE_INT, long double, real, int, whole),
    PAIR(MPI_2REAL, float, real, float, real),
    PAIR(MPI_2DOUBLE_PRECISION, double, real, double, real),
    PAIR(MPI_2INTEGER, int, whole, int, whole),
    ONE(MPI_CHAR, other, no_number, 1),
    ONE(MPI_CHARACTER, other, no_number, 1),
    ONE(MPI_WCHAR, other, no_number, sizeof(wchar_t)),
};

static const Type* all_types(int* count) {
  *count = sizeof types / sizeof types[0];
  return types;
}

typedef struct {
  const char* name;
  MPI_Op op;
  int groups;
} Operation;

static const Operation* all_operations(int* count) {
  static const Operation operations[] = {
      {"MPI_MAX", MPI_MAX, integers | floating},
      {"MPI_MIN", MPI_MIN, integers | floating},
      {"MPI_SUM", MPI_SUM, integers | floating | complex_number},
      {"MPI_PROD", MPI_PROD, integers | floating | complex_number},
      {"MPI_LAND", MPI_LAND, c_integer | logical},
      {"MPI_LOR", MPI_LOR, c_integer | logical},
      {"MPI_LXOR", MPI_LXOR, c_integer | logical},
      {"MPI_BAND", MPI_BAND, integers | byte_type},
      {"MPI_BOR", MPI_BOR, integers | byte_type},
      {"MPI_BXOR", MPI_BXOR, integers | byte_type},
      {"MPI_MINLOC", MPI_MINLOC, pair},
      {"MPI_MAXLOC", MPI_MAXLOC, pair},
      {"MPI_REPLACE", MPI_REPLACE, all_groups},
      {"MPI_NO_OP", MPI_NO_OP, all_groups},
  };
  *count = sizeof operations / sizeof operations[0];
  return operations;
}

static inline void give_number(Number kind, int bytes, MPI_Op op, uint64_t random, void* to) {
  int bitwise = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
  int64_t small = (int64_t)(random % 7) - (kind == natural ? 0 : 3);
  uint64_t bits[4] = {random, random * 31, ~random, random * 7};
  float single = (float)small;
  double twice = (double)small;
  long double most = (long double)small;
  if (kind == truth) small = (int64_t)(random & 1);
  if (kind == no_number || (kind != real && bitwise))
    memcpy(to, bits, (size_t)bytes);
  else if (kind != real)
    memcpy(to, &small, (size_t)bytes); /* the low bytes come first */
  else if (bytes == sizeof single)
    memcpy(to, &single, sizeof single);
  else if (bytes == sizeof twice)
    memcpy(to, &twice, sizeof twice);
  else
    memcpy(to, &most, sizeof most);
}

/* `count` elements; gaps between them are filled, too. */
static inline void give(const Type* t, MPI_Op op, uint64_t seed, int count, MPI_Aint extent,
                        unsigned char* to) {
  memset(to, 0x5a, (size_t)(count * extent));
  for (int i = 0; i < count; ++i) {
    uint64_t random = next_random(&seed);
    give_number(t->first, t->bytes, op, random, to + i * extent);
    if (t->second_at)
      give_number(t->second, t->second_bytes, op, random >> 32, to + i * extent + t->second_at);
  }
}

static inline int same_number(Number kind, int bytes, const void* a, const void* b) {
  if (kind == real && bytes == sizeof(long double) && LDBL_MANT_DIG == 64) bytes = 10;
  return memcmp(a, b, (size_t)bytes) == 0;
}
static inline int same_element(const Type* t, const unsigned char* a, const unsigned char* b) {
  return same_number(t->first, t->bytes, a, b) &&
         (!t->second_at ||
          same_number(t->second, t->second_bytes, a + t->second_at, b + t->second_at));
}

#endif
