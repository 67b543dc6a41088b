/* A datatype as docs/decisions/extents.md defines it: a plain list of basic elements, what its
 * parts span, and the two markers. Slow and obvious. */
#ifndef TYPE_MAP_H
#define TYPE_MAP_H

#include "conformance.h"

typedef struct {
  MPI_Datatype handle;
  int size, alignment;
} Basic;

/* Without those that external32 may refuse or normalize: long, long double. */
static Basic basics[7];
static void make_basics(void) {
  const Basic all[] = {{MPI_BYTE, 1, 1},  {MPI_SHORT, 2, 2},     {MPI_INT, 4, 4},
                       {MPI_FLOAT, 4, 4}, {MPI_LONG_LONG, 8, 8}, {MPI_DOUBLE, 8, 8},
                       {MPI_CHAR, 1, 1}};
  memcpy(basics, all, sizeof all);
}
enum { basic_short = 1, basic_int = 2, basic_double = 5, basic_count = 7 };

typedef struct {
  MPI_Aint at;
  int basic;
} Entry;

typedef struct {
  Entry* entries;
  long count, space;
  int marked;
  MPI_Aint lower_marker, upper_marker;
  int has_parts; /* none: it is predefined, or empty */
  MPI_Aint parts_lower, parts_upper;
} Map;

static void add_entry(Map* map, MPI_Aint at, int basic) {
  if (map->count == map->space) {
    map->space = 2 * map->space + 8;
    map->entries = realloc(map->entries, (size_t)map->space * sizeof(Entry));
  }
  map->entries[map->count++] = (Entry){at, basic};
}

static long map_bytes(const Map* map) {
  long bytes = 0;
  for (long i = 0; i < map->count; ++i) bytes += basics[map->entries[i].basic].size;
  return bytes;
}

static MPI_Aint true_lower(const Map* map) {
  MPI_Aint least = map->count ? map->entries[0].at : 0;
  for (long i = 0; i < map->count; ++i)
    if (map->entries[i].at < least) least = map->entries[i].at;
  return least;
}

static MPI_Aint true_upper(const Map* map) {
  MPI_Aint most = map->count ? map->entries[0].at : 0;
  for (long i = 0; i < map->count; ++i) {
    MPI_Aint end = map->entries[i].at + basics[map->entries[i].basic].size;
    if (end > most) most = end;
  }
  return most;
}

static MPI_Aint lower(const Map* map) {
  return map->marked ? map->lower_marker : map->has_parts ? map->parts_lower : true_lower(map);
}

static MPI_Aint rounded(const Map* map, MPI_Aint exact) {
  int alignment = 1;
  for (long i = 0; i < map->count; ++i)
    if (basics[map->entries[i].basic].alignment > alignment)
      alignment = basics[map->entries[i].basic].alignment;
  return (exact + alignment - 1) / alignment * alignment;
}

static MPI_Aint extent(const Map* map) {
  if (map->marked) return map->upper_marker - map->lower_marker;
  if (map->has_parts) return map->parts_upper - map->parts_lower;
  return rounded(map, true_upper(map) - true_lower(map));
}

/* The last step of a struct. */
static void round_up(Map* map) {
  map->parts_upper = map->parts_lower + rounded(map, map->parts_upper - map->parts_lower);
}

static void set_markers(Map* map, MPI_Aint low, MPI_Aint high) {
  map->marked = 1, map->lower_marker = low, map->upper_marker = high;
}

static void append_one(Map* map, const Map* old, MPI_Aint at) {
  for (long i = 0; i < old->count; ++i)
    add_entry(map, old->entries[i].at + at, old->entries[i].basic);
  if (old->count > 0) {
    MPI_Aint low = at + lower(old), high = low + extent(old);
    if (!map->has_parts || low < map->parts_lower) map->parts_lower = low;
    if (!map->has_parts || high > map->parts_upper) map->parts_upper = high;
    map->has_parts = 1;
  }
  if (!old->marked) return;
  MPI_Aint low = at + old->lower_marker, high = at + old->upper_marker;
  if (map->marked && map->lower_marker < low) low = map->lower_marker;
  if (map->marked && map->upper_marker > high) high = map->upper_marker;
  set_markers(map, low, high);
}

static void append(Map* map, const Map* old, MPI_Aint at, long length) {
  MPI_Aint step = extent(old);
  for (long i = 0; i < length; ++i) append_one(map, old, at + i * step);
}

#endif
