/* Operations as the standard defines them, one element at a time: predefined ones on a spread of
 * types, and user operations. All values are such that every order of evaluation gives the same
 * bits. */
#ifndef COLLECTIVES_OPERATION_H
#define COLLECTIVES_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#include "conformance.h"

typedef enum { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f80, truth } Number;
typedef enum { sum, prod, max, min, land, lor, lxor, band, bor, bxor, user_sum } Calculation;
typedef enum { number, complex_number, pair, affine, matrix } Kind;

typedef struct {
  const char* name;
  MPI_Op op;
  MPI_Datatype type;
  Kind kind;
  Number of;        /* of a number, or of the parts of a complex one or a pair */
  Calculation what; /* of a pair: max or min */
  int size;         /* bytes of one element, from the first to the last */
  MPI_Aint second;  /* where the second part of a complex number or pair lies */
  MPI_Aint shift, extent;
  int commutes;
} Operation;

/* Maps x -> ax + b, with a gap: composition does not commute, neither does multiplying matrices. */
typedef struct {
  unsigned a, unused, b;
} Affine;

static inline long long load(Number of, const void* from) {
#define LOAD(name, T)                   \
  case name: {                          \
    T value;                            \
    memcpy(&value, from, sizeof value); \
    return (long long)value;            \
  }
  switch (of) {
    LOAD(i8, int8_t)
    LOAD(u8, uint8_t)
    LOAD(i16, int16_t)
    LOAD(u16, uint16_t)
    LOAD(i32, int32_t)
    LOAD(u32, uint32_t)
    LOAD(i64, int64_t)
    LOAD(u64, uint64_t)
    LOAD(f32, float)
    LOAD(f64, double)
    LOAD(f80, long double)
    LOAD(truth, bool)
  }
#undef LOAD
  return 0;
}

static inline void store(Number of, void* to, long long number_) {
#define STORE(name, T)                \
  case name: {                        \
    T value = (T)number_;             \
    memcpy(to, &value, sizeof value); \
    return;                           \
  }
  switch (of) {
    STORE(i8, int8_t)
    STORE(u8, uint8_t)
    STORE(i16, int16_t)
    STORE(u16, uint16_t)
    STORE(i32, int32_t)
    STORE(u32, uint32_t)
    STORE(i64, int64_t)
    STORE(u64, uint64_t)
    STORE(f32, float)
    STORE(f64, double)
    STORE(f80, long double)
    STORE(truth, bool)
  }
#undef STORE
}

static inline int is_unsigned(Number of) {
  return of == u8 || of == u16 || of == u32 || of == u64 || of == truth;
}

static inline long long calculate(Calculation what, Number of, long long a, long long b) {
  int less = is_unsigned(of) ? (unsigned long long)a < (unsigned long long)b : a < b;
  switch (what) {
    case sum:
    case user_sum:
      return (long long)((unsigned long long)a + (unsigned long long)b);
    case prod:
      return (long long)((unsigned long long)a * (unsigned long long)b);
    case max:
      return less ? b : a;
    case min:
      return less ? a : b;
    case land:
      return a && b;
    case lor:
      return a || b;
    case lxor:
      return !a != !b;
    case band:
      return a & b;
    case bor:
      return a | b;
    default:
      return a ^ b;
  }
}

/* Small enough for sums and products of 32 ranks to be exact, all bits where bits count. */
static inline long long value_for(Calculation what, Number of, uint64_t random) {
  switch (what) {
    case sum:
    case user_sum:
      return is_unsigned(of) ? (long long)(random % 7) : (long long)(random % 7) - 3;
    case prod:
      if (is_unsigned(of)) return random % 11 == 0 ? 2 : 1;
      return random % 11 == 0 ? 2 : (random & 1024 ? 1 : -1);
    case land:
      return random % 16 != 0;
    case lor:
      return random % 16 == 0;
    case lxor:
      return (long long)(random & 1);
    case max:
    case min:
      if (of >= f32) return (long long)(random % 2001) - 1000;
      return (long long)random;
    default:
      return (long long)random;
  }
}

/* One element of rank `from`: its number `i` in round `round`. */
static inline void give(const Operation* o, int from, long i, int round, unsigned char* to) {
  uint64_t state = (uint64_t)from * 1000003u + (uint64_t)i * 7919u + (uint64_t)round * 104729u;
  uint64_t random = next_random(&state), more = next_random(&state);
  switch (o->kind) {
    case number:
      store(o->of, to, value_for(o->what, o->of, random));
      break;
    case complex_number: /* products: powers of the imaginary unit */
      store(o->of, to, o->what == sum ? (long long)(random % 9) : random & 4 ? 0 : 1);
      store(o->of, to + o->second, o->what == sum ? (long long)(more % 9) : random & 4 ? 1 : 0);
      break;
    case pair: /* many equal values: the least index wins */
      store(o->of, to, (long long)(random % 5));
      store(i32, to + o->second, (long long)(more % 1000));
      break;
    case affine: {
      unsigned a = (unsigned)random | 1, b = (unsigned)more;
      memcpy(to, &a, sizeof a);
      memcpy(to + offsetof(Affine, b), &b, sizeof b);
      break;
    }
    case matrix: {
      uint64_t m[4] = {random, more, next_random(&state), next_random(&state)};
      memcpy(to, m, sizeof m);
    }
  }
}

static inline void combine_parts(const Operation* o, const unsigned char* in,
                                 unsigned char* inout) {
  long long a = load(o->of, in), b = load(o->of, inout);
  Number second = o->kind == pair ? i32 : o->of;
  long long c = load(second, in + o->second), d = load(second, inout + o->second);
  if (o->kind == pair) {
    int left = a == b ? c < d : (o->what == max) == (a > b);
    store(o->of, inout, left ? a : b);
    store(i32, inout + o->second, left ? c : d);
  } else {
    store(o->of, inout, o->what == sum ? a + b : a * b - c * d);
    store(o->of, inout + o->second, o->what == sum ? c + d : a * d + b * c);
  }
}

/* inout = in op inout. */
static inline void combine(const Operation* o, const unsigned char* in, unsigned char* inout) {
  switch (o->kind) {
    case number:
      store(o->of, inout, calculate(o->what, o->of, load(o->of, in), load(o->of, inout)));
      break;
    case complex_number:
    case pair:
      combine_parts(o, in, inout);
      break;
    case affine: {
      Affine left, right;
      memcpy(&left, in, sizeof left);
      memcpy(&right, inout, sizeof right);
      unsigned a = right.a * left.a, b = right.a * left.b + right.b;
      memcpy(inout, &a, sizeof a);
      memcpy(inout + offsetof(Affine, b), &b, sizeof b);
      break;
    }
    case matrix: {
      uint64_t l[4], r[4];
      memcpy(l, in, sizeof l);
      memcpy(r, inout, sizeof r);
      uint64_t m[4] = {l[0] * r[0] + l[1] * r[2], l[0] * r[1] + l[1] * r[3],
                       l[2] * r[0] + l[3] * r[2], l[2] * r[1] + l[3] * r[3]};
      memcpy(inout, m, sizeof m);
    }
  }
}

/* Padding does not count. */
static inline int same(const Operation* o, const unsigned char* a, const unsigned char* b) {
  if (o->kind == affine) return memcmp(a, b, 4) == 0 && memcmp(a + 8, b + 8, 4) == 0;
  if (o->kind == matrix) return memcmp(a, b, 32) == 0;
  if (load(o->of, a) != load(o->of, b)) return 0;
  if (o->kind == number) return 1;
  Number second = o->kind == pair ? i32 : o->of;
  return load(second, a + o->second) == load(second, b + o->second);
}

#endif
