/* Memory of one access to a file: of any datatype that fits the etypes of the view, with the
 * order of its bytes in the file. */
#ifndef FILE_DATA_H
#define FILE_DATA_H

#include "file_views.h"

typedef struct {
  Tree tree;
  MPI_Count count;
  Layout layout;
  /* For external32: where each byte of the file lies in packed memory, and whether a number ends
   * before it. */
  long* turned;
  char* is_end;
  unsigned char* space;
  size_t bytes;
} Data;

enum { data_entries = 4000, data_spread = 1 << 20 };

static Tree etypes_in_a_row(const View* view, long n) {
  Tree made = {MPI_DATATYPE_NULL, {0}};
  MPI_Type_contiguous((int)n, view->etype.type, &made.type);
  append(&made.map, &view->etype.map, 0, n);
  return made;
}

/* `count` elements of a random type, and the other bytes behind them. */
static Tree any_types_of(long bytes) {
  Tree made = {MPI_DATATYPE_NULL, {0}}, old = random_tree((int)between(1, 3));
  long size_of_one = map_bytes(&old.map);
  if (size_of_one == 0 || size_of_one > bytes || !narrower(&old.map, 10000)) {
    free_tree(&old);
    return made;
  }
  int lengths[2] = {(int)(bytes / size_of_one), (int)(bytes % size_of_one)};
  MPI_Datatype types[2] = {old.type, MPI_BYTE};
  MPI_Aint places[2] = {0, 0};
  Map byte = {0};
  add_entry(&byte, 0, 0);
  append(&made.map, &old.map, 0, lengths[0]);
  places[1] = true_upper(&made.map) + between(0, 9);
  append(&made.map, &byte, places[1], lengths[1]);
  round_up(&made.map);
  MPI_Type_create_struct(2, lengths, places, types, &made.type);
  free_tree(&old), free(byte.entries);
  return made;
}

/* Gives `n` etypes of the view a type in memory. */
static void choose_type(Data* data, const View* view, long n) {
  long entries = n * view->etype.map.count, how = between(0, 5), parts = between(1, 5);
  int is_byte = view->unit == 1 && view->etype.map.entries[0].basic == 0;
  data->count = 1;
  if (n > 0 && entries <= data_entries && how == 0 && is_byte)
    data->tree = any_types_of(n);
  else if (n > 0 && entries <= data_entries && how <= 2 && n % parts == 0)
    data->tree = other_layout(&view->etype.map, n / parts), data->count = parts;
  else if (n > 0 && how == 3 && entries <= 60000 && (entries > 5000 || between(0, 3) == 0))
    data->tree = other_layout(&view->etype.map, n);
  else if (n > 0 && how == 4)
    data->tree = etypes_in_a_row(view, n);
  if (data->tree.type != MPI_DATATYPE_NULL) {
    MPI_Aint reach = extent(&data->tree.map) * data->count;
    if (narrower(&data->tree.map, data_spread) && reach < data_spread && reach > -data_spread) {
      data->layout = lay_out(&data->tree.map, data->count);
      if (!overlaps(&data->layout)) return;
      free(data->layout.places);
    }
    free_tree(&data->tree);
  }
  data->tree = copy_of(&view->etype);
  data->count = n;
  data->layout = lay_out(&data->tree.map, n);
}

static void turn_numbers(Data* data) {
  const Map* map = &data->tree.map;
  long at = 0;
  data->turned = malloc(((size_t)data->layout.bytes + 1) * sizeof(long));
  data->is_end = calloc((size_t)data->layout.bytes + 1, 1);
  for (long i = 0; i < data->count; ++i)
    for (long k = 0; k < map->count; ++k) {
      int bytes = basics[map->entries[k].basic].size;
      data->is_end[at] = 1;
      for (int b = 0; b < bytes; ++b) data->turned[at + b] = at + bytes - 1 - b;
      at += bytes;
    }
  data->is_end[at] = 1;
}

/* The byte of memory that is byte `i` of the access in the file. */
static unsigned char* byte_of(const Data* data, unsigned char* space, long i) {
  return space + data->layout.places[data->turned ? data->turned[i] : i] - data->layout.low;
}

/* How many bytes of memory come of so many in the file: whole numbers, where they are converted. */
static long bytes_that_come(const Data* data, long bytes) {
  while (data->is_end && !data->is_end[bytes]) --bytes;
  return bytes;
}

static Data make_data(const View* view, long n, int external, uint64_t filler) {
  Data data = {.tree = {MPI_DATATYPE_NULL, {0}}};
  choose_type(&data, view, n);
  CHECK(data.layout.bytes == n * view->unit);
  if (external) turn_numbers(&data);
  data.bytes = (size_t)(data.layout.high - data.layout.low) + 1;
  data.space = malloc(data.bytes);
  fill_bytes(data.space, data.bytes, filler);
  MPI_Type_commit(&data.tree.type);
  return data;
}

static void* origin_of(const Data* data) {
  return (void*)((uintptr_t)data->space - (uintptr_t)data->layout.low);
}

static void free_data(Data* data) {
  free_tree(&data->tree);
  free(data->layout.places), free(data->turned), free(data->is_end), free(data->space);
}

#endif
