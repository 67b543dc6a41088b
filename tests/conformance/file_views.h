/* Views of a file beside the places of their bytes, one by one: views of each rank's own, one for
 * all, and views that divide the file among the ranks. */
#ifndef FILE_VIEWS_H
#define FILE_VIEWS_H

#include "file_types.h"

enum { ranks_max = 16 };

typedef struct {
  MPI_Offset disp;
  Tree etype;
  MPI_Datatype filetype;
  long unit;     /* bytes of an etype */
  Layout layout; /* of one filetype */
  MPI_Aint extent;
} View;

static MPI_Aint address_at(const View* view, long position) {
  long tile = position / view->layout.bytes;
  return view->disp + tile * view->extent + view->layout.places[position % view->layout.bytes];
}

/* How many bytes of the view lie before an address. */
static long bytes_before(const View* view, MPI_Aint address) {
  if (view->layout.bytes == 0 || address <= address_at(view, 0)) return 0;
  long tile = (address - address_at(view, 0)) / view->extent - 1;
  if (tile < 0) tile = 0;
  long position = tile * view->layout.bytes;
  while (address_at(view, position + view->layout.bytes) < address) position += view->layout.bytes;
  while (address_at(view, position) < address) ++position;
  return position;
}

static void free_view(View* view) {
  MPI_Type_free(&view->filetype);
  free_tree(&view->etype);
  free(view->layout.places);
}

static View view_of(MPI_Offset disp, Tree etype, Tree* filetype) {
  View view = {disp, etype, filetype->type, map_bytes(&etype.map), {0}, extent(&filetype->map)};
  view.layout = lay_out(&filetype->map, 1);
  for (long i = 1; i < view.layout.bytes; ++i)
    CHECK(view.layout.places[i] > view.layout.places[i - 1]);
  free(filetype->map.entries);
  return view;
}

static View random_view(void) {
  Tree etype = random_etype(), filetype = random_filetype(&etype);
  return view_of(between(0, 3) ? between(0, 200) : between(0, 60000), etype, &filetype);
}

/* ---- views that divide the file
 * ----------------------------------------------------------------
 */

static Tree basic_tree(int number) {
  Tree tree = {MPI_DATATYPE_NULL, {0}};
  MPI_Type_dup(basics[number].handle, &tree.type);
  add_entry(&tree.map, 0, number);
  return tree;
}

/* The parts that belong to `owner`, in etypes of `bytes` bytes; the filetype has as many etypes as
 * `owners` has entries. */
static void lay_out_owned(View* view, const char* owners, long count, int owner, long bytes) {
  view->layout = (Layout){malloc(((size_t)(count * bytes) + 1) * sizeof(MPI_Aint)), 0, 0, 0};
  for (long i = 0; i < count * bytes; ++i)
    if (owners[i / bytes] == owner) view->layout.places[view->layout.bytes++] = i;
  view->extent = count * bytes;
}

static MPI_Datatype indexed_of(const char* owners, long count, int owner, const View* view) {
  int *lengths = malloc(((size_t)count + 1) * sizeof(int)),
      *places = malloc(((size_t)count + 1) * sizeof(int)), runs = 0;
  MPI_Datatype inner, made;
  for (long i = 0; i < count; ++i) {
    if (owners[i] != owner) continue;
    if (runs && places[runs - 1] + lengths[runs - 1] == i && between(0, 3))
      ++lengths[runs - 1];
    else
      places[runs] = (int)i, lengths[runs++] = 1;
  }
  MPI_Type_indexed(runs, lengths, places, view->etype.type, &inner);
  MPI_Type_create_resized(inner, 0, view->extent, &made);
  MPI_Type_free(&inner);
  free(lengths), free(places);
  return made;
}

/* Runs of any length in any order; some may be nobody's, and some ranks may have none. */
static void divide_at_random(View* views, int ranks, MPI_Offset disp, int basic) {
  long size_of_one = basics[basic].size, most = (flip() ? 40 : 8192) / size_of_one;
  long wanted = (between(0, 3) ? between(1, 3000) : between(1, 60000)) / size_of_one + 1, count = 0;
  int holes = between(0, 3) == 0, idle = between(0, 4) ? -2 : (int)between(0, ranks - 1);
  char* owners = malloc((size_t)wanted);
  while (count < wanted) {
    long length = between(1, most);
    int owner = (int)between(holes ? -1 : 0, ranks - 1);
    if (owner == idle) owner = (owner + 1) % ranks;
    while (length-- > 0 && count < wanted) owners[count++] = (char)owner;
  }
  for (int r = 0; r < ranks; ++r) {
    views[r] = (View){.disp = disp, .etype = basic_tree(basic), .unit = size_of_one};
    lay_out_owned(&views[r], owners, wanted, r, size_of_one);
    views[r].filetype = indexed_of(owners, wanted, r, &views[r]);
  }
  free(owners);
}

/* One type for all, at displacements of their own. */
static void divide_by_displacement(View* views, int ranks, MPI_Offset disp, int basic) {
  long size_of_one = basics[basic].size, length = between(1, flip() ? 30 : 8192 / size_of_one);
  int gap = (int)(between(0, 3) ? 0 : between(1, 50)); /* etypes of nobody */
  for (int r = 0; r < ranks; ++r) {
    View* view = &views[r];
    MPI_Datatype inner;
    *view = (View){.disp = disp + r * length * size_of_one,
                   .etype = basic_tree(basic),
                   .unit = size_of_one,
                   .extent = (ranks * length + gap) * size_of_one};
    MPI_Type_contiguous((int)length, view->etype.type, &inner);
    MPI_Type_create_resized(inner, 0, view->extent, &view->filetype);
    MPI_Type_free(&inner);
    view->layout.places = malloc((size_t)(length * size_of_one) * sizeof(MPI_Aint));
    for (; view->layout.bytes < length * size_of_one; ++view->layout.bytes)
      view->layout.places[view->layout.bytes] = view->layout.bytes;
  }
}

/* Blocks of an array of two dimensions, one rank beside the other, by one of three constructors. */
static void divide_array(View* views, int ranks, MPI_Offset disp, int basic) {
  long size_of_one = basics[basic].size;
  int rows = (int)between(1, 12), columns = (int)between(1, flip() ? 12 : 900),
      how = (int)between(0, 2);
  int sizes[2] = {rows, ranks * columns}, parts[2] = {rows, columns},
      block = (int)between(1, columns);
  char* owners = malloc((size_t)rows * (size_t)sizes[1]);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < sizes[1]; ++k)
      owners[i * sizes[1] + k] = (char)(how == 2 ? k / block % ranks : k / columns);
  for (int r = 0; r < ranks; ++r) {
    View* view = &views[r];
    *view = (View){.disp = disp, .etype = basic_tree(basic), .unit = size_of_one};
    lay_out_owned(view, owners, (long)rows * sizes[1], r, size_of_one);
    int starts[2] = {0, r * columns}, kinds[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC},
        arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, block}, grid[2] = {1, ranks};
    MPI_Datatype inner;
    if (how == 1) {
      MPI_Type_vector(rows, columns, sizes[1], view->etype.type, &inner);
      MPI_Type_create_resized(inner, 0, view->extent, &view->filetype);
      MPI_Type_free(&inner);
      view->disp += starts[1] * size_of_one;
      for (long i = 0; i < view->layout.bytes; ++i)
        view->layout.places[i] -= starts[1] * size_of_one;
    } else if (how == 0) {
      MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, view->etype.type,
                               &view->filetype);
    } else if (block != MPI_DISTRIBUTE_DFLT_DARG) {
      MPI_Type_create_darray(ranks, r, 2, sizes, kinds, arguments, grid, MPI_ORDER_C,
                             view->etype.type, &view->filetype);
    } else {
      view->filetype = indexed_of(owners, (long)rows * sizes[1], r, view);
    }
  }
  free(owners);
}

static void divide_views(View* views, int ranks) {
  MPI_Offset disp = between(0, 2) ? between(0, 5000) : 0;
  int basic = between(0, 2) ? 0 : (int)between(0, basic_count - 1);
  void (*const ways[])(View*, int, MPI_Offset, int) = {divide_at_random, divide_by_displacement,
                                                       divide_array};
  ways[between(0, 2)](views, ranks, disp, basic);
}

#endif
