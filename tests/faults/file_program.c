/* Writes and reads a file, and prints on each rank how that went; file_test.py makes the
 * surroundings bad. usage: file_program PATH CASE [looks] contiguous   each rank its run of 1 MiB
 *   strided      runs of 64 bytes that interleave, each rank alone
 *   reading      the same, of what was written before
 *   collective   the same as strided by all together
 *   holes        the same without the last rank's bytes, so that ranks write alone
 *   open         opens and closes
 *   left         reads without blocking, and leaves the file open
 *   background   100 reads at once without blocking, of 125 runs each; of the last rank some are
 *                behind the end of the file. "rank R: background CLASS BYTES WRONG"
 *   failing      a read without blocking that fails
 * "rank R: write CLASS BYTES" and "rank R: read CLASS BYTES WRONG" (bytes that are not as written),
 * where all bytes that a rank has were written before by other values. "looks": the program asks
 * for the error's class; "sieve": reads of one rank
 * go through a sieve. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bytes = 1 << 20, run = 64 };

static int rank, ranks;

static int class_of(int code, int looks) {
  int error_class = code;
  if (looks) MPI_Error_class(code, &error_class);
  return error_class;
}

static const char* name_of(int error_class) {
  switch (error_class) {
    case MPI_SUCCESS:
      return "SUCCESS";
    case MPI_ERR_IO:
      return "IO";
    case MPI_ERR_NO_SPACE:
      return "NO_SPACE";
    case MPI_ERR_QUOTA:
      return "QUOTA";
    case MPI_ERR_NO_SUCH_FILE:
      return "NO_SUCH_FILE";
    case MPI_ERR_FILE_EXISTS:
      return "FILE_EXISTS";
    case MPI_ERR_ACCESS:
      return "ACCESS";
    case MPI_ERR_READ_ONLY:
      return "READ_ONLY";
    case MPI_ERR_BAD_FILE:
      return "BAD_FILE";
    default:
      return "other";
  }
}

static char byte_at(int i) {
  return (char)(i * 7 + i / 256 + rank + 1);
}

static void read_in_background(MPI_File file) {
  enum { reads = 100, each = 125 * run };
  char *all = malloc(bytes), *in = calloc(reads, each);
  for (int i = 0; i < bytes; ++i) all[i] = byte_at(i);
  MPI_File_write_at_all(file, (MPI_Offset)rank * bytes, all, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Datatype view;
  MPI_Type_vector(bytes / run / 2, run, 2 * run, MPI_BYTE, &view);
  MPI_Type_commit(&view);
  MPI_File_set_view(file, (MPI_Offset)rank * bytes, MPI_BYTE, view, "native", MPI_INFO_NULL);
  MPI_Request requests[reads];
  MPI_Status statuses[reads];
  for (int i = 0; i < reads; ++i)
    MPI_File_iread_at(file, (MPI_Offset)i * each, in + i * each, each, MPI_BYTE, &requests[i]);
  const int code = MPI_Waitall(reads, requests, statuses);
  int sum = 0, wrong = 0;
  for (int i = 0; i < reads; ++i) {
    int moved;
    MPI_Get_count(&statuses[i], MPI_BYTE, &moved);
    sum += moved;
    for (int k = i * each; k < i * each + moved && k < bytes / 2; ++k)
      wrong += in[k] != byte_at(k / run * 2 * run + k % run);
  }
  printf("rank %d: background %s %d %d\n", rank, name_of(class_of(code, 1)), sum, wrong);
  fflush(stdout);
  MPI_Type_free(&view);
  free(all);
  free(in);
}

static void read_and_leave(MPI_File file) {
  MPI_Request request;
  char* in = malloc(bytes);
  MPI_File_iread_at(file, 0, in, bytes, MPI_BYTE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d: left %s\n", rank, name_of(MPI_SUCCESS));
  fflush(stdout);
  free(in);
}

static void read_and_fail(MPI_File file) {
  MPI_Request request;
  char in[8192], words[MPI_MAX_ERROR_STRING];
  int length;
  MPI_File_iread_at(file, 0, in, sizeof in, MPI_BYTE, &request);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Error_string(code, words, &length);
  printf("rank %d: failing %s %s\n", rank, name_of(class_of(code, 1)), words);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argv[2];
  const int looks = argc > 3 && !strcmp(argv[3], "looks");
  const int collective = !strcmp(what, "collective") || !strcmp(what, "holes");
  MPI_File file;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (!strcmp(what, "failing")) amode = MPI_MODE_RDONLY;
  if (argc > 3 && !strcmp(argv[3], "exclusive")) amode |= MPI_MODE_EXCL;
  int code = MPI_File_open(MPI_COMM_WORLD, argv[1], amode, MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS || !strcmp(what, "open")) {
    printf("rank %d: open %s\n", rank, name_of(class_of(code, 1)));
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    MPI_Finalize();
    return 0;
  }
  if (!strcmp(what, "left") || !strcmp(what, "background") || !strcmp(what, "failing")) {
    if (!strcmp(what, "left")) read_and_leave(file);
    if (!strcmp(what, "background")) read_in_background(file);
    if (!strcmp(what, "failing")) read_and_fail(file);
    if (strcmp(what, "left")) MPI_File_close(&file);
    MPI_Finalize();
    return 0;
  }
  const int strided = strcmp(what, "contiguous") != 0;
  MPI_Datatype view = MPI_BYTE;
  if (strided) {
    MPI_Type_vector(bytes / run, run, run * ranks, MPI_BYTE, &view);
    MPI_Type_commit(&view);
  }
  MPI_Info info;
  MPI_Info_create(&info);
  if (argc > 3 && !strcmp(argv[3], "sieve")) MPI_Info_set(info, "romio_ds_read", "enable");
  MPI_File_set_view(file, strided ? (MPI_Offset)rank * run : (MPI_Offset)rank * bytes, MPI_BYTE,
                    view, "native", info);
  MPI_Info_free(&info);
  char *out = malloc(bytes), *in = calloc(1, bytes);
  for (int i = 0; i < bytes; ++i) out[i] = (char)(i * 5 + rank + 1);
  const int mine = !strcmp(what, "holes") && rank == ranks - 1 ? 0 : bytes;
  MPI_Status status;
  int moved = -1, wrong = 0;
  if (strcmp(what, "reading")) {
    if (collective)
      code = MPI_File_write_at_all(file, 0, out, mine, MPI_BYTE, &status);
    else
      code = MPI_File_write_at(file, 0, out, mine, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &moved);
    printf("rank %d: write %s %d\n", rank, name_of(class_of(code, looks)), moved);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (collective)
    code = MPI_File_read_at_all(file, 0, in, mine, MPI_BYTE, &status);
  else
    code = MPI_File_read_at(file, 0, in, mine, MPI_BYTE, &status);
  MPI_Get_count(&status, MPI_BYTE, &moved);
  for (int i = 0; i < moved; ++i) wrong += in[i] != out[i];
  printf("rank %d: read %s %d %d\n", rank, name_of(class_of(code, looks)), moved, wrong);
  fflush(stdout);
  MPI_File_close(&file);
  if (strided) MPI_Type_free(&view);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
