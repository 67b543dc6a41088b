/* What foreign_memory checks of calls that no other rank takes part in: packing, conversion to
 * external32, and MPI_Reduce_local. */
#ifndef FOREIGN_LOCAL_H
#define FOREIGN_LOCAL_H

#include "foreign_messages.h"

/* ---- packing ---- */

/* The packed bytes are those of the data in their order; external32 is of the other byte order. */
static inline size_t packed_place(size_t i, int external) {
  return external ? i / sizeof(int) * sizeof(int) + 3 - i % sizeof(int) : i;
}

/* As `put_data`, in a buffer of bytes, for data that lies behind the first `before` bytes. */
static inline void put_packed(const Buffer* b, unsigned char* array, size_t before, size_t length,
                              int external, uint64_t key) {
  for (size_t i = 0; i < length; ++i)
    array[b->begin + (long)(before + packed_place(i, external))] = data_byte(key, i);
}

/* `where`: 1 the typed side is opaque, 2 the packed side, 3 both. */
static inline void pack(int layout, size_t length, int where, int external) {
  const size_t before = 5;
  Buffer typed = make_buffer(layout, length, where & 1);
  Buffer packed = make_buffer(as_bytes, length + before, where >> 1);
  const MPI_Datatype type = typed.layout->type;
  const int external_here = external && layout != as_bytes;
  const uint64_t key = ++round_now;
  int position = (int)before;
  MPI_Aint long_position = (MPI_Aint)before, space = (MPI_Aint)packed.data_bytes;
  trying("packing%s %zu bytes of %s (%s) to %s memory", external ? " (external)" : "", length,
         layout_names[layout], where & 1 ? "opaque" : "host", where & 2 ? "opaque" : "host");
  fill(&typed, key), wipe(&packed);
  put_packed(&packed, packed.wanted, before, length, external_here, key);
  if (external)
    MPI_Pack_external("external32", typed.given, typed.count, type, packed.given, space,
                      &long_position);
  else
    MPI_Pack(typed.given, typed.count, type, packed.given, (int)space, &position, MPI_COMM_SELF);
  HELD((external ? long_position : position) == space);
  CHECK_BUFFER(typed), CHECK_BUFFER(packed);
  wipe(&typed), want(&typed, length, key);
  position = (int)before, long_position = (MPI_Aint)before;
  if (external)
    MPI_Unpack_external("external32", packed.given, space, &long_position, typed.given, typed.count,
                        type);
  else
    MPI_Unpack(packed.given, (int)space, &position, typed.given, typed.count, type, MPI_COMM_SELF);
  HELD((external ? long_position : position) == space);
  CHECK_BUFFER(typed), CHECK_BUFFER(packed);
  free_buffer(&typed), free_buffer(&packed);
}

static inline void check_packing(void) {
  const size_t elements[] = {0, 1, 2, 100, 5000};
  for (int layout = as_bytes; layout < layouts; ++layout)
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i)
      for (int where = 1; where < 4; ++where)
        for (int external = 0; external < 2; ++external)
          pack(layout, elements[i] * element_bytes, where, external);
}

/* ---- MPI_Reduce_local ---- */

/* Of maps x -> ax + b: the left one first. They do not commute. */
static inline unsigned composed_b(const unsigned* left, const unsigned* right) {
  return right[0] * left[1] + right[1];
}
static void compose(void* left, void* right, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    unsigned* first = (unsigned*)((char*)left + i * extent + lower);
    unsigned* second = (unsigned*)((char*)right + i * extent + lower);
    second[1] = composed_b(first, second);
    second[0] *= first[0];
  }
}

/* A map of two numbers behind a gap. */
static inline MPI_Datatype map_type(MPI_Aint lower) {
  MPI_Datatype inner, type;
  MPI_Type_create_hindexed_block(1, 2, &lower, MPI_UNSIGNED, &inner);
  MPI_Type_create_resized(inner, lower, 3 * sizeof(unsigned), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&inner);
  return type;
}

enum { sums, least_pairs, compositions, ways_to_reduce };

/* Adds an element of `from` to one of `to`, all at least two numbers long. */
static inline void reduce_element(int way, const unsigned* from, unsigned* to) {
  const int *a = (const int*)from, *b = (const int*)to;
  if (way == sums) to[0] += from[0];
  if (way == least_pairs && (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])))
    to[0] = from[0], to[1] = from[1];
  if (way == compositions) to[1] = composed_b(from, to), to[0] *= from[0];
}

/* Elements of a buffer of ints are so many numbers apart. */
static inline void reduce_both(int way, size_t elements, int where, MPI_Datatype type, MPI_Op op) {
  const size_t apart = way == sums ? 1 : way == least_pairs ? 2 : 3;
  Buffer from = make_buffer(as_ints, elements * apart * sizeof(int), where & 1);
  Buffer to = make_buffer(as_ints, elements * apart * sizeof(int), where >> 1);
  trying("MPI_Reduce_local number %d of %zu elements, %s to %s memory", way, elements,
         where & 1 ? "opaque" : "host", where & 2 ? "opaque" : "host");
  fill(&from, ++round_now), fill(&to, ++round_now);
  for (size_t i = 0; i < elements; ++i) {
    size_t at = (size_t)to.begin + i * apart * sizeof(int);
    reduce_element(way, (unsigned*)(from.wanted + at), (unsigned*)(to.wanted + at));
  }
  HELD(MPI_Reduce_local(from.given, to.given, (int)elements, type, op) == MPI_SUCCESS);
  CHECK_BUFFER(from), CHECK_BUFFER(to);
  free_buffer(&from), free_buffer(&to);
}

static inline void check_reduce_local(void) {
  const size_t elements[] = {0, 1, 7, 1000, 40000};
  MPI_Op composition;
  MPI_Datatype map = map_type(0);
  MPI_Op_create(compose, 0, &composition);
  for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i)
    for (int where = 1; where < 4; ++where) {
      reduce_both(sums, elements[i], where, MPI_INT, MPI_SUM);
      reduce_both(least_pairs, elements[i], where, MPI_2INT, MPI_MINLOC);
      reduce_both(compositions, elements[i], where, map, composition);
    }
  MPI_Op_free(&composition);
  MPI_Type_free(&map);
}

#endif
