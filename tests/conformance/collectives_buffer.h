/* Where a collective's data lies: shapes (datatypes with the places of their elements), and buffers
 * that come with a copy of what they should hold after the call, gaps and surroundings included. */
#ifndef COLLECTIVES_BUFFER_H
#define COLLECTIVES_BUFFER_H

#include "any_memory.h"

enum { guard_bytes = 64, guard_key = 99, shape_elements_max = 4 };

typedef struct {
  MPI_Datatype type;
  int elements; /* basic ones in each */
  MPI_Aint at[shape_elements_max], extent;
  int owned; /* to be freed */
} Shape;

/* The first four fit any number of elements, the others multiples of shape_grain. */
enum {
  plain,
  spread,
  backwards,
  shifted,
  packed_four,
  strided,
  reversed,
  shapes,
  shapes_of_one = 4
};
enum { shape_grain = 4 };

static inline Shape make_shape(int which, MPI_Datatype basic, int bytes) {
  Shape s = {basic, 1, {0}, bytes, 1};
  MPI_Aint place = 5 * bytes;
  int places[] = {2, 0};
  switch (which) {
    case spread:
      s.extent = 2 * bytes;
      MPI_Type_create_resized(basic, 0, s.extent, &s.type);
      break;
    case backwards:
      s.extent = -2 * bytes;
      MPI_Type_create_resized(basic, 0, s.extent, &s.type);
      break;
    case shifted:
      s.at[0] = place;
      MPI_Type_create_hindexed_block(1, 1, &place, basic, &s.type);
      break;
    case packed_four:
      s.elements = 4;
      MPI_Type_contiguous(4, basic, &s.type);
      break;
    case strided:
      s.elements = 4;
      MPI_Type_vector(2, 2, 3, basic, &s.type);
      break;
    case reversed:
      s.elements = 2;
      MPI_Type_create_indexed_block(2, 1, places, basic, &s.type);
      break;
    default:
      s.owned = 0;
  }
  static const int last[shapes] = {1, 2, -2, 1, 4, 5, 3};
  static const MPI_Aint at[shapes][4] = {
      [packed_four] = {0, 1, 2, 3}, [strided] = {0, 1, 3, 4}, [reversed] = {2, 0}};
  s.extent = last[which] * bytes;
  for (int i = 0; i < 4 && which >= shapes_of_one; ++i) s.at[i] = at[which][i] * bytes;
  if (s.owned) MPI_Type_commit(&s.type);
  return s;
}

static inline void free_shape(Shape* s) {
  if (s->owned) MPI_Type_free(&s->type);
  s->owned = 0;
}

/* The same with addresses in it, for MPI_BOTTOM. */
static inline void make_absolute(Shape* s, const void* origin) {
  MPI_Aint address;
  MPI_Datatype type;
  MPI_Get_address(origin, &address);
  MPI_Type_create_hindexed_block(1, 1, &address, s->type, &type);
  MPI_Type_commit(&type);
  free_shape(s);
  s->type = type;
  s->owned = 1;
}

static inline MPI_Aint place_of(const Shape* s, long element) {
  return element / s->elements * s->extent + s->at[element % s->elements];
}

/* `origin` is the address that the call is given, as the program sees it; data may lie on both
 * sides of it. */
typedef struct {
  unsigned char* taken; /* of any memory */
  unsigned char *memory, *wanted, *origin;
  size_t bytes;
  MPI_Aint low, high; /* of the data, from `origin` */
} Buffer;

static inline void include(Buffer* b, const Shape* s, MPI_Aint base, long elements, int bytes) {
  for (long i = 0; i < elements; ++i) {
    /* Places only grow or only shrink from one to the next of a shape. */
    if (i == 2 * s->elements && elements > 3 * s->elements) i = elements - s->elements;
    MPI_Aint at = base + place_of(s, i);
    if (at < b->low) b->low = at;
    if (at + bytes > b->high) b->high = at + bytes;
  }
}

static inline void allocate(Buffer* b) {
  MPI_Aint low = b->low < 0 ? -((-b->low + 15) / 16 * 16) : b->low / 16 * 16;
  b->bytes = (size_t)(b->high - low) + 2 * guard_bytes;
  b->taken = take_memory(b->bytes);
  b->wanted = malloc(b->bytes);
  CHECK(b->taken && b->wanted);
  b->memory = seen(b->taken);
  b->origin = b->memory + guard_bytes - low;
}

static inline void free_buffer(Buffer* b) {
  give_back_memory(b->taken);
  free(b->wanted);
  b->taken = b->memory = b->wanted = NULL;
}

/* What the call is given. */
static inline unsigned char* address_of(const Buffer* b) {
  return b->taken + (b->origin - b->memory);
}

static inline void clear(Buffer* b) {
  fill_bytes(b->memory, b->bytes, guard_key);
  memcpy(b->wanted, b->memory, b->bytes);
}

/* The place in `wanted` of one in `memory`. */
static inline unsigned char* wanted_at(const Buffer* b, const unsigned char* place) {
  return b->wanted + (place - b->memory);
}

/* The first byte that is not as it should be, or -1. */
static inline long first_wrong(const Buffer* b) {
  if (memcmp(b->memory, b->wanted, b->bytes) == 0) return -1;
  long i = 0;
  while (b->memory[i] == b->wanted[i]) ++i;
  return i;
}

#endif
