/* The bytes that a file must have, as every rank keeps them in plain memory, and the accesses of
 * one step, of all ranks, which do not meet. */
#ifndef FILE_PICTURE_H
#define FILE_PICTURE_H

#include "file_calls.h"
#include "file_data.h"

enum { picture_max = 1 << 19, batch_max = 3 };

static unsigned char picture[picture_max]; /* zeros behind the file's end */
static long file_bytes;

/* One rank's part of an access. */
typedef struct {
  int takes_part, writes;
  Pointer pointer;
  Manner manner;
  long offset, n; /* in etypes */
  uint64_t key;
} Part;

static View views[ranks_max];
static int one_view; /* all ranks have the first */
static int ranks, me;

static View* view_of_rank(int r) {
  return &views[one_view ? 0 : r];
}

/* Calls for each byte of a part; stops where `each` says no. */
static int over_bytes(int r, const Part* part, int (*each)(MPI_Aint address, long i, void* of),
                      void* of) {
  const View* view = view_of_rank(r);
  long tile_bytes = view->layout.bytes, bytes = part->n * view->unit;
  if (bytes == 0 || tile_bytes == 0) return 1;
  long position = part->offset * view->unit, inside = position % tile_bytes;
  MPI_Aint base = view->disp + position / tile_bytes * view->extent;
  for (long i = 0; i < bytes; ++i) {
    if (!each(base + view->layout.places[inside], i, of)) return 0;
    if (++inside == tile_bytes) inside = 0, base += view->extent;
  }
  return 1;
}

/* ---- parts that do not meet
 * --------------------------------------------------------------------
 */

static uint32_t written_in[picture_max], read_in[picture_max], step_stamp;
static int is_mixed; /* the step reads and writes: no read may see the file's end */

static int is_free(MPI_Aint address, long i, void* of) {
  const Part* part = of;
  (void)i;
  if (address >= picture_max || written_in[address] == step_stamp) return 0;
  if (part->writes) return read_in[address] != step_stamp;
  return !is_mixed || address < file_bytes;
}
static int take(MPI_Aint address, long i, void* of) {
  const Part* part = of;
  (void)i;
  (part->writes ? written_in : read_in)[address] = step_stamp;
  return 1;
}
static int take_bytes(int r, Part* part) {
  return over_bytes(r, part, is_free, part) && over_bytes(r, part, take, part);
}

/* ---- the picture --------------------------------------------------------------------------------
 */

static int paint(MPI_Aint address, long i, void* of) {
  const Part* part = of;
  picture[address] = byte_at((size_t)i, part->key);
  if (address >= file_bytes) file_bytes = address + 1;
  return 1;
}
static void paint_part(int r, Part* part) {
  if (part->takes_part && part->writes) over_bytes(r, part, paint, part);
}

static void set_picture_bytes(long bytes) {
  if (bytes < file_bytes) memset(picture + bytes, 0, (size_t)(file_bytes - bytes));
  file_bytes = bytes;
}

static int is_inside(MPI_Aint address, long i, void* of) {
  long* count = of;
  if (address >= file_bytes) return 0;
  *count = i + 1;
  return 1;
}
/* How many bytes of a read the file has. */
static long bytes_there(int r, const Part* part) {
  long count = 0;
  over_bytes(r, part, is_inside, &count);
  return count;
}

typedef struct {
  const Data* data;
  unsigned char* space;
  long bytes; /* no more of them */
  uint64_t key;
} Filling;
static int fill_with_key(MPI_Aint address, long i, void* of) {
  const Filling* f = of;
  (void)address;
  *byte_of(f->data, f->space, i) = byte_at((size_t)i, f->key);
  return 1;
}
static int fill_from_picture(MPI_Aint address, long i, void* of) {
  const Filling* f = of;
  if (i >= f->bytes) return 0;
  *byte_of(f->data, f->space, i) = picture[address];
  return 1;
}

/* ---- random parts
 * -------------------------------------------------------------------------------
 */

static long random_address(void) {
  return between(0, 5) ? between(0, file_bytes + 300) : between(0, picture_max / 3);
}

/* Some etypes from somewhere. */
static void place_anywhere(int r, Part* part) {
  const View* view = view_of_rank(r);
  long address = random_address(), bytes = between(0, 3) ? between(0, 600) : between(0, 30000);
  if (between(0, 30) == 0) bytes = 100000;
  part->offset = part->n = 0;
  if (view->layout.bytes == 0) return;
  part->offset = bytes_before(view, address) / view->unit;
  part->n = between(0, 6) ? bytes / view->unit : 0;
}

/* All that the view shows of a range of the file. */
static void place_in_range(int r, Part* part, MPI_Aint first, MPI_Aint end) {
  const View* view = view_of_rank(r);
  part->offset = (bytes_before(view, first) + view->unit - 1) / view->unit;
  part->n = (bytes_before(view, end) + view->unit - 1) / view->unit - part->offset;
}

static void random_range(MPI_Aint* first, MPI_Aint* end) {
  MPI_Aint step = views[0].extent > 0 ? views[0].extent : 1;
  if (between(0, 3)) { /* whole tiles */
    long tiles = between(0, 3) ? between(1, 3) : between(1, 300000 / step + 1);
    *first = views[0].disp + between(0, 2) * step;
    *end = *first + tiles * step;
  } else {
    *first = random_address();
    *end = *first + between(0, 2 * step);
  }
}

#endif
