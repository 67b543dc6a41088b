/* Random datatypes made through the public API, each beside its type map. */
#ifndef TYPE_TREE_H
#define TYPE_TREE_H

#include "type_map.h"

typedef struct {
  MPI_Datatype type;
  Map map;
} Tree;

static uint64_t random_state;
static long between(long low, long high) {
  return low + (long)(next_random(&random_state) % (uint64_t)(high - low + 1));
}
static int flip(void) {
  return (int)between(0, 1);
}

enum { most_blocks = 5, most_dimensions = 3, most_entries = 600 };

static Tree random_tree(int depth);

static void free_tree(Tree* tree) {
  int combiner;
  MPI_Count i, a, c, d;
  MPI_Type_get_envelope_c(tree->type, &i, &a, &c, &d, &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&tree->type);
  free(tree->map.entries);
}

static Tree random_basic(void) {
  Tree tree = {MPI_DATATYPE_NULL, {0}};
  long which = between(0, basic_count + 1);
  if (which < basic_count) {
    tree.type = basics[which].handle;
    add_entry(&tree.map, 0, (int)which);
  } else {
    tree.type = which == basic_count ? MPI_SHORT_INT : MPI_DOUBLE_INT;
    add_entry(&tree.map, 0, which == basic_count ? basic_short : basic_double);
    add_entry(&tree.map, which == basic_count ? 4 : 8, basic_int);
  }
  return tree;
}

static void random_contiguous(Tree* made, const Tree* old) {
  int count = (int)between(0, 5);
  if (flip())
    MPI_Type_contiguous(count, old->type, &made->type);
  else
    MPI_Type_contiguous_c(count, old->type, &made->type);
  append(&made->map, &old->map, 0, count);
}

/* Whether its displacements are far from those where `limit` bytes end. */
static int narrower(const Map* map, MPI_Aint limit) {
  MPI_Aint step = extent(map), low = true_lower(map), high = true_upper(map);
  return step > -limit && step < limit && low > -limit && high < limit;
}

/* Now and then a stride that no buffer holds: then only the bounds are compared. */
static long random_stride(const Map* old) {
  if (!narrower(old, 1000000) || between(0, 15)) return between(-4, 7);
  return between(-1000000000, 1000000000);
}

static void random_vector(Tree* made, const Tree* old) {
  int count = (int)between(0, 4), length = (int)between(0, 3),
      stride = (int)random_stride(&old->map);
  if (flip())
    MPI_Type_vector(count, length, stride, old->type, &made->type);
  else
    MPI_Type_vector_c(count, length, stride, old->type, &made->type);
  for (int i = 0; i < count; ++i)
    append(&made->map, &old->map, i * (MPI_Aint)stride * extent(&old->map), length);
}

static void random_hvector(Tree* made, const Tree* old) {
  int count = (int)between(0, 4), length = (int)between(0, 3);
  MPI_Aint stride = random_stride(&old->map) * between(1, 9);
  if (flip())
    MPI_Type_create_hvector(count, length, stride, old->type, &made->type);
  else
    MPI_Type_create_hvector_c(count, length, stride, old->type, &made->type);
  for (int i = 0; i < count; ++i) append(&made->map, &old->map, i * stride, length);
}

static void random_indexed(Tree* made, const Tree* old) {
  int count = (int)between(0, most_blocks), lengths[most_blocks], places[most_blocks];
  int one_length = flip(), in_bytes = flip(), large = flip();
  MPI_Aint bytes[most_blocks];
  MPI_Count wide_lengths[most_blocks], wide_places[most_blocks];
  for (int i = 0; i < count; ++i) {
    lengths[i] = one_length && i ? lengths[0] : (int)between(0, 3);
    places[i] = (int)between(-9, 12);
    bytes[i] = places[i], wide_lengths[i] = lengths[i], wide_places[i] = places[i];
    append(&made->map, &old->map, places[i] * (in_bytes ? 1 : extent(&old->map)), lengths[i]);
  }
  int length = count ? lengths[0] : 2;
  MPI_Datatype t = old->type, *to = &made->type;
  if (one_length && in_bytes && large)
    MPI_Type_create_hindexed_block_c(count, length, wide_places, t, to);
  else if (one_length && in_bytes)
    MPI_Type_create_hindexed_block(count, length, bytes, t, to);
  else if (one_length && large)
    MPI_Type_create_indexed_block_c(count, length, wide_places, t, to);
  else if (one_length)
    MPI_Type_create_indexed_block(count, length, places, t, to);
  else if (in_bytes && large)
    MPI_Type_create_hindexed_c(count, wide_lengths, wide_places, t, to);
  else if (in_bytes)
    MPI_Type_create_hindexed(count, lengths, bytes, t, to);
  else if (large)
    MPI_Type_indexed_c(count, wide_lengths, wide_places, t, to);
  else
    MPI_Type_indexed(count, lengths, places, t, to);
}

static void random_struct(Tree* made, int depth) {
  int count = (int)between(0, most_blocks), lengths[most_blocks];
  MPI_Aint places[most_blocks];
  MPI_Count wide_lengths[most_blocks], wide_places[most_blocks];
  MPI_Datatype types[most_blocks];
  Tree olds[most_blocks];
  for (int i = 0; i < count; ++i) {
    olds[i] = random_tree(depth - 1);
    types[i] = olds[i].type;
    lengths[i] = (int)between(0, 2);
    /* Every other block touches what comes before it, as members of a struct do. */
    places[i] = flip() ? true_upper(&made->map) - true_lower(&olds[i].map) : between(-50, 100);
    wide_lengths[i] = lengths[i], wide_places[i] = places[i];
    append(&made->map, &olds[i].map, places[i], lengths[i]);
  }
  round_up(&made->map);
  if (flip())
    MPI_Type_create_struct(count, lengths, places, types, &made->type);
  else
    MPI_Type_create_struct_c(count, wide_lengths, wide_places, types, &made->type);
  for (int i = 0; i < count; ++i) free_tree(&olds[i]);
}

static void random_resized(Tree* made, const Tree* old) {
  MPI_Aint low = between(-20, 20), size = between(-10, 100);
  if (flip()) low = true_lower(&old->map), size = true_upper(&old->map) - low;
  if (flip())
    MPI_Type_create_resized(old->type, low, size, &made->type);
  else
    MPI_Type_create_resized_c(old->type, low, size, &made->type);
  append_one(&made->map, &old->map, 0);
  set_markers(&made->map, low, low + size);
}

/* One copy of `old` for each index of the array that `taken` says yes to in every dimension. */
static void append_array(Map* map, const Map* old, int dimensions, const int* sizes, int order,
                         const char taken[][16]) {
  long all = 1;
  MPI_Aint step = extent(old);
  for (int d = 0; d < dimensions; ++d) all *= sizes[d];
  for (long i = 0; i < all; ++i) {
    int inside = 1;
    long rest = i;
    for (int k = 0; k < dimensions; ++k) {
      int d = order == MPI_ORDER_C ? dimensions - 1 - k : k;
      inside &= taken[d][rest % sizes[d]];
      rest /= sizes[d];
    }
    if (inside) append_one(map, old, i * step);
  }
  set_markers(map, 0, all * step);
}

static void random_subarray(Tree* made, const Tree* old) {
  int dimensions = (int)between(1, most_dimensions),
      order = flip() ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  int sizes[3], subsizes[3], starts[3];
  MPI_Count wide[3][3];
  char taken[3][16] = {{0}};
  for (int d = 0; d < dimensions; ++d) {
    wide[0][d] = sizes[d] = (int)between(1, 4);
    wide[1][d] = subsizes[d] = (int)between(1, sizes[d]);
    wide[2][d] = starts[d] = (int)between(0, sizes[d] - subsizes[d]);
    for (int i = 0; i < subsizes[d]; ++i) taken[d][starts[d] + i] = 1;
  }
  if (flip())
    MPI_Type_create_subarray(dimensions, sizes, subsizes, starts, order, old->type, &made->type);
  else
    MPI_Type_create_subarray_c(dimensions, wide[0], wide[1], wide[2], order, old->type,
                               &made->type);
  append_array(&made->map, &old->map, dimensions, sizes, order, (const char(*)[16])taken);
}

static void random_darray(Tree* made, const Tree* old) {
  int dimensions = (int)between(1, most_dimensions),
      order = flip() ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  int sizes[3], kinds[3], arguments[3], grid[3], lengths[3], processes = 1;
  MPI_Count wide[3];
  char taken[3][16] = {{0}};
  for (int d = 0; d < dimensions; ++d) {
    wide[d] = sizes[d] = (int)between(1, 7);
    kinds[d] = MPI_DISTRIBUTE_NONE + (int)between(0, 2);
    grid[d] = kinds[d] == MPI_DISTRIBUTE_NONE ? 1 : (int)between(1, 3);
    int enough = (sizes[d] + grid[d] - 1) / grid[d], usual = flip();
    lengths[d] = kinds[d] == MPI_DISTRIBUTE_NONE    ? sizes[d]
                 : kinds[d] == MPI_DISTRIBUTE_BLOCK ? enough + (usual ? 0 : (int)between(0, 2))
                 : usual                            ? 1
                                                    : (int)between(1, 9);
    arguments[d] = usual ? MPI_DISTRIBUTE_DFLT_DARG : lengths[d];
    processes *= grid[d];
  }
  int whose = (int)between(0, processes - 1), rest = whose;
  for (int d = dimensions - 1; d >= 0; --d) {
    for (int i = 0; i < sizes[d]; ++i) taken[d][i] = i / lengths[d] % grid[d] == rest % grid[d];
    rest /= grid[d];
  }
  if (flip())
    MPI_Type_create_darray(processes, whose, dimensions, sizes, kinds, arguments, grid, order,
                           old->type, &made->type);
  else
    MPI_Type_create_darray_c(processes, whose, dimensions, wide, kinds, arguments, grid, order,
                             old->type, &made->type);
  append_array(&made->map, &old->map, dimensions, sizes, order, (const char(*)[16])taken);
}

static void random_dup(Tree* made, const Tree* old) {
  MPI_Type_dup(old->type, &made->type);
  append_one(&made->map, &old->map, 0);
}

static Tree random_tree(int depth) {
  void (*const makers[])(Tree*, const Tree*) = {random_contiguous, random_vector,  random_hvector,
                                                random_indexed,    random_indexed, random_resized,
                                                random_subarray,   random_darray,  random_dup};
  enum { maker_count = sizeof makers / sizeof makers[0] };
  if (depth == 0 || between(0, 11) == 0) return random_basic();
  Tree made = {MPI_DATATYPE_NULL, {0}};
  long which = between(0, maker_count + 1);
  if (which >= maker_count) {
    random_struct(&made, depth);
    return made;
  }
  Tree old = random_tree(depth - 1);
  /* Nothing more on top of what is large: products must stay within 64 bits. */
  if (old.map.count > most_entries || !narrower(&old.map, 1000000000000000)) return old;
  makers[which](&made, &old);
  free_tree(&old);
  return made;
}

#endif
