/* Random filetypes made through the public API, each beside its type map. Their bytes ascend and do
 * not overlap, also where the type repeats, as files want them. */
#ifndef FILE_TYPES_H
#define FILE_TYPES_H

#include "type_layout.h"

enum { filetype_entries = 1500, filetype_extent = 30000 };

static MPI_Aint span_of(const Map* map) {
  return true_upper(map) - true_lower(map);
}

static Tree copy_of(const Tree* old) {
  Tree made = {MPI_DATATYPE_NULL, {0}};
  random_dup(&made, old);
  return made;
}

static void ascending_vector(Tree* made, const Tree* old) {
  int count = (int)between(1, 4), length = (int)between(1, 3), stride = length + (int)between(0, 3);
  MPI_Aint step = extent(&old->map);
  if (flip()) {
    MPI_Type_vector(count, length, stride, old->type, &made->type);
    for (int i = 0; i < count; ++i) append(&made->map, &old->map, i * stride * step, length);
    return;
  }
  MPI_Aint bytes = (length - 1) * step + span_of(&old->map) + between(0, 40);
  MPI_Type_create_hvector(count, length, bytes, old->type, &made->type);
  for (int i = 0; i < count; ++i) append(&made->map, &old->map, i * bytes, length);
}

static void ascending_indexed(Tree* made, const Tree* old) {
  int count = (int)between(1, most_blocks), lengths[most_blocks], places[most_blocks];
  MPI_Aint bytes[most_blocks], step = extent(&old->map), end = between(-3, 3) * step;
  int one_length = flip(), in_bytes = flip();
  for (int i = 0; i < count; ++i) {
    lengths[i] = one_length && i ? lengths[0] : (int)between(one_length, 3);
    bytes[i] = end + (in_bytes ? between(0, 20) : between(0, 3) * step);
    places[i] = (int)(bytes[i] / step);
    if (lengths[i] == 0) continue;
    end = bytes[i] + (in_bytes ? (lengths[i] - 1) * step + span_of(&old->map) : lengths[i] * step);
    append(&made->map, &old->map, bytes[i], lengths[i]);
  }
  MPI_Datatype t = old->type, *to = &made->type;
  if (one_length && in_bytes)
    MPI_Type_create_hindexed_block(count, lengths[0], bytes, t, to);
  else if (one_length)
    MPI_Type_create_indexed_block(count, lengths[0], places, t, to);
  else if (in_bytes)
    MPI_Type_create_hindexed(count, lengths, bytes, t, to);
  else
    MPI_Type_indexed(count, lengths, places, t, to);
}

static Tree ascending_tree(int depth, const Tree* leaf);

static void ascending_struct(Tree* made, int depth, const Tree* leaf) {
  int count = (int)between(1, most_blocks), lengths[most_blocks];
  MPI_Aint places[most_blocks], end = between(-10, 30);
  MPI_Datatype types[most_blocks];
  Tree olds[most_blocks];
  for (int i = 0; i < count; ++i) {
    olds[i] = ascending_tree(depth - 1, leaf);
    const Map* old = &olds[i].map;
    types[i] = olds[i].type;
    lengths[i] = (int)between(0, 2);
    places[i] = end - true_lower(old) + (flip() ? between(0, 30) : 0);
    append(&made->map, old, places[i], lengths[i]);
    if (lengths[i] > 0 && old->count > 0)
      end = places[i] + true_lower(old) + (lengths[i] - 1) * extent(old) + span_of(old);
  }
  round_up(&made->map);
  MPI_Type_create_struct(count, lengths, places, types, &made->type);
  for (int i = 0; i < count; ++i) free_tree(&olds[i]);
}

static void resize(Tree* made, const Tree* old, MPI_Aint low, MPI_Aint bytes) {
  MPI_Type_create_resized(old->type, low, bytes, &made->type);
  append_one(&made->map, &old->map, 0);
  set_markers(&made->map, low, low + bytes);
}

static void ascending_resized(Tree* made, const Tree* old) {
  MPI_Aint low = flip() ? true_lower(&old->map) : between(-20, 20);
  resize(made, old, low, span_of(&old->map) + (flip() ? between(0, 100) : 0));
}

/* Markers of parts can make a type narrower than its bytes: it could not repeat. */
static Tree made_wide_enough(Tree tree) {
  if (tree.map.count == 0 || extent(&tree.map) >= span_of(&tree.map)) return tree;
  Tree made = {MPI_DATATYPE_NULL, {0}};
  resize(&made, &tree, true_lower(&tree.map), span_of(&tree.map) + between(0, 9));
  free_tree(&tree);
  return made;
}

/* A type whose leaves are all `leaf`, an etype. */
static Tree ascending_tree(int depth, const Tree* leaf) {
  void (*const makers[])(Tree*, const Tree*) = {
      random_contiguous, ascending_vector, ascending_vector, ascending_indexed, ascending_indexed,
      ascending_resized, random_subarray,  random_darray,    random_dup};
  enum { maker_count = sizeof makers / sizeof makers[0] };
  if (depth == 0 || between(0, 11) == 0) return copy_of(leaf);
  Tree made = {MPI_DATATYPE_NULL, {0}};
  long which = between(0, maker_count + 1);
  if (which >= maker_count) {
    ascending_struct(&made, depth, leaf);
    return made_wide_enough(made);
  }
  Tree old = ascending_tree(depth - 1, leaf);
  if (old.map.count == 0 || old.map.count > filetype_entries / 10) return old;
  makers[which](&made, &old);
  if (made.map.count > filetype_entries || extent(&made.map) > filetype_extent) {
    free_tree(&made);
    return old;
  }
  free_tree(&old);
  return made_wide_enough(made);
}

/* An etype: one number, or a small type with gaps. */
static Tree random_etype(void) {
  long which = between(0, 9);
  Tree basic = {MPI_DATATYPE_NULL, {0}};
  int number = which < 5 ? 0 : (int)between(0, basic_count - 1);
  basic.type = basics[number].handle;
  add_entry(&basic.map, 0, number);
  if (which < 8) return basic;
  Tree made = ascending_tree((int)between(1, 2), &basic);
  if (made.map.count == 0 || made.map.count > 20 || extent(&made.map) > 200) {
    free_tree(&made);
    return basic;
  }
  free_tree(&basic);
  return made;
}

/* A filetype of such etypes, without bytes before its origin. */
static Tree random_filetype(const Tree* etype) {
  Tree tree = ascending_tree((int)between(0, 5), etype);
  for (int i = 0; tree.map.count == 0 && i < 3; ++i) {
    free_tree(&tree);
    tree = ascending_tree((int)between(0, 5), etype);
  }
  MPI_Aint low = true_lower(&tree.map);
  if (low >= 0) return tree;
  Tree moved = {MPI_DATATYPE_NULL, {0}};
  MPI_Aint place = -low + between(0, 9);
  MPI_Type_create_hindexed_block(1, 1, &place, tree.type, &moved.type);
  append_one(&moved.map, &tree.map, place);
  free_tree(&tree);
  return moved;
}

#endif
