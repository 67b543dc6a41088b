/* Memory that a datatype describes, byte by byte, and other datatypes of the same signature. */
#ifndef TYPE_LAYOUT_H
#define TYPE_LAYOUT_H

#include "type_tree.h"

typedef struct {
  MPI_Aint* places; /* of each packed byte of `count` elements */
  long bytes;
  MPI_Aint low, high;
} Layout;

static Layout lay_out(const Map* map, long count) {
  Layout layout = {NULL, 0, 0, 0};
  layout.places = malloc(((size_t)(map_bytes(map) * count) + 1) * sizeof(MPI_Aint));
  for (long i = 0; i < count; ++i) {
    MPI_Aint base = i * extent(map);
    for (long k = 0; k < map->count; ++k)
      for (int b = 0; b < basics[map->entries[k].basic].size; ++b)
        layout.places[layout.bytes++] = base + map->entries[k].at + b;
  }
  for (long i = 0; i < layout.bytes; ++i) {
    if (i == 0 || layout.places[i] < layout.low) layout.low = layout.places[i];
    if (i == 0 || layout.places[i] >= layout.high) layout.high = layout.places[i] + 1;
  }
  return layout;
}

static int overlaps(const Layout* layout) {
  char* seen = calloc((size_t)(layout->high - layout->low) + 1, 1);
  int twice = 0;
  for (long i = 0; i < layout->bytes; ++i) twice |= seen[layout->places[i] - layout->low]++;
  free(seen);
  return twice;
}

/* A type of the same signature as `count` of `map`, its elements in runs that do not touch, some in
 * falling order. */
static Tree other_layout(const Map* map, long count) {
  long all = map->count * count, runs = 0;
  int* lengths = malloc(((size_t)all + 1) * sizeof(int));
  MPI_Aint* places = malloc(((size_t)all + 1) * sizeof(MPI_Aint));
  MPI_Datatype* types = malloc(((size_t)all + 1) * sizeof(MPI_Datatype));
  Tree made = {MPI_DATATYPE_NULL, {0}};
  MPI_Aint up = 0, down = 0;
  int long_runs = flip();
  for (long i = 0; i < all; ++runs) {
    int basic = map->entries[i % map->count].basic, most = (int)(long_runs ? 5000 : between(1, 4));
    int length = 0;
    while (i < all && length < most && map->entries[i % map->count].basic == basic) ++i, ++length;
    lengths[runs] = length;
    types[runs] = basics[basic].handle;
    MPI_Aint bytes = (MPI_Aint)length * basics[basic].size;
    if (between(0, 3) == 0) {
      down -= bytes + between(0, 9);
      places[runs] = down;
    } else {
      places[runs] = up;
      up += bytes + (flip() ? between(0, 9) : 0);
    }
    for (int k = 0; k < length; ++k)
      add_entry(&made.map, places[runs] + (MPI_Aint)k * basics[basic].size, basic);
  }
  MPI_Type_create_struct((int)runs, lengths, places, types, &made.type);
  free(lengths), free(places), free(types);
  return made;
}

#endif
