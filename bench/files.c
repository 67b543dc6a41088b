/* Reads and writes of a file by all ranks: 4 MiB each, in blocks of a size that interleave.
 *
 *   write_all, read_all   collective, through a view of every n-th block
 *   write, read           independent, through the same view
 *   first_write_all       as write_all, into a file that is empty each time
 *   whole_write, whole_read   one run of 4 MiB (for these the size is no block: once)
 *   append                1 KiB by the shared file pointer
 *   open                  MPI_File_open and MPI_File_close of a file that exists
 *
 * The folders are those of BENCH_FOLDERS, with colons between them; each is a variant, named by its
 * last part.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { each_bytes = 4 << 20, append_bytes = 1 << 10 };

typedef struct {
  MPI_File file;
  char path[400];
} Opened;

static void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "mpi_bench: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void write_all(Exchange* x) {
  x->out[0] = (char)++x->turn;
  check(MPI_File_write_at_all(((Opened*)x->more)->file, 0, x->out, each_bytes, MPI_BYTE,
                              MPI_STATUS_IGNORE), "MPI_File_write_at_all");
}

static void first_write_all(Exchange* x) {
  check(MPI_File_set_size(((Opened*)x->more)->file, 0), "MPI_File_set_size");
  write_all(x);
}

static void read_all(Exchange* x) {
  check(MPI_File_read_at_all(((Opened*)x->more)->file, 0, x->in, each_bytes, MPI_BYTE,
                             MPI_STATUS_IGNORE), "MPI_File_read_at_all");
}

static void write_alone(Exchange* x) {
  x->out[0] = (char)++x->turn;
  check(MPI_File_write_at(((Opened*)x->more)->file, 0, x->out, each_bytes, MPI_BYTE,
                          MPI_STATUS_IGNORE), "MPI_File_write_at");
}

static void read_alone(Exchange* x) {
  check(MPI_File_read_at(((Opened*)x->more)->file, 0, x->in, each_bytes, MPI_BYTE,
                         MPI_STATUS_IGNORE), "MPI_File_read_at");
}

static void append(Exchange* x) {
  check(MPI_File_write_shared(((Opened*)x->more)->file, x->out, append_bytes, MPI_BYTE,
                              MPI_STATUS_IGNORE), "MPI_File_write_shared");
}

static void open_and_close(Exchange* x) {
  MPI_File file;
  check(MPI_File_open(among, ((Opened*)x->more)->path, MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        "MPI_File_open");
  check(MPI_File_close(&file), "MPI_File_close");
}

static void set_view(Opened* opened, size_t block) {
  MPI_Datatype blocks, view;
  const int count = (int)(each_bytes / block);
  MPI_Type_vector(count, (int)block, (int)block * ranks, MPI_BYTE, &blocks);
  MPI_Type_create_resized(blocks, 0, (MPI_Aint)each_bytes * ranks, &view);
  MPI_Type_commit(&view);
  check(MPI_File_set_view(opened->file, (MPI_Offset)(rank * block), MPI_BYTE, view, "native",
                          MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&view);
  MPI_Type_free(&blocks);
}

/* What is read must be what was written, wherever it was written by another way. */
static void compare(Exchange* x, const char* how) {
  if (memcmp(x->in, x->out, each_bytes) == 0) return;
  fprintf(stderr, "mpi_bench: rank %d has read other data than it has written, by %s\n", rank, how);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void cell(const char* folder, const char* what, size_t bytes, Step* step, Exchange* x) {
  char metric[80];
  x->apart = step == write_alone || step == read_alone || step == append;
  const char* last = strrchr(folder, '/');
  snprintf(metric, sizeof metric, "file/%s/%s", last ? last + 1 : folder, what);
  print_cell(metric, "", bytes, measure(step, x));
}

static void in_folder(const char* folder, int count, char** sizes) {
  Opened opened;
  Exchange x = {buffer_of(each_bytes), buffer_of(each_bytes), each_bytes, 0, 0, &opened, 0, 0};
  for (size_t i = 0; i < each_bytes; ++i) x.out[i] = (char)(i * 7 + (size_t)rank);
  snprintf(opened.path, sizeof opened.path, "%s/mpi_bench.%d.data", folder, ranks);
  check(MPI_File_open(among, opened.path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &opened.file), "MPI_File_open");
  for (int i = 0; i < count; ++i) {
    const size_t block = strtoul(sizes[i], NULL, 10);
    set_view(&opened, block);
    cell(folder, "first_write_all", block, first_write_all, &x);
    cell(folder, "write_all", block, write_all, &x);
    read_alone(&x);
    compare(&x, "MPI_File_write_at_all and MPI_File_read_at");
    cell(folder, "write", block, write_alone, &x);
    MPI_Barrier(among);
    cell(folder, "read_all", block, read_all, &x);
    compare(&x, "MPI_File_write_at and MPI_File_read_at_all");
    cell(folder, "read", block, read_alone, &x);
  }
  set_view(&opened, each_bytes);
  cell(folder, "whole_write", each_bytes, write_alone, &x);
  cell(folder, "whole_read", each_bytes, read_alone, &x);
  check(MPI_File_set_view(opened.file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "view");
  cell(folder, "append", append_bytes, append, &x);
  check(MPI_File_close(&opened.file), "MPI_File_close");
  cell(folder, "open", 0, open_and_close, &x);
  MPI_Barrier(among);
  if (rank == 0) MPI_File_delete(opened.path, MPI_INFO_NULL);
  free(x.out);
  free(x.in);
}

int files_of(const char* metric, int count, char** sizes) {
  if (strcmp(metric, "file") != 0) return 0;
  char folders[1000];
  const char* named = getenv("BENCH_FOLDERS");
  snprintf(folders, sizeof folders, "%s", named ? named : "/dev/shm:/tmp");
  for (char* folder = strtok(folders, ":"); folder; folder = strtok(NULL, ":"))
    in_folder(folder, count, sizes);
  return 1;
}
