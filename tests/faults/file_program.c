/* Writes and reads a file, and prints on each rank how that went; file_test.py makes the
 * surroundings bad. usage: file_program PATH CASE [looks] contiguous   each rank its run of 1 MiB
 *   strided      runs of 64 bytes that interleave, each rank alone
 *   collective   the same by all together
 *   holes        the same without the last rank's bytes, so that ranks write alone
 *   open         opens and closes
 *   left         reads without blocking, and leaves the file open
 * "rank R: write CLASS BYTES" and "rank R: read CLASS BYTES WRONG" (bytes that are not as written),
 * where all bytes that a rank has were written before by other values. "looks": the program asks
 * for the error's class. */
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

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argv[2];
  const int looks = argc > 3 && !strcmp(argv[3], "looks");
  const int collective = !strcmp(what, "collective") || !strcmp(what, "holes");
  MPI_File file;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (argc > 3 && !strcmp(argv[3], "exclusive")) amode |= MPI_MODE_EXCL;
  int code = MPI_File_open(MPI_COMM_WORLD, argv[1], amode, MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS || !strcmp(what, "open")) {
    printf("rank %d: open %s\n", rank, name_of(class_of(code, 1)));
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    MPI_Finalize();
    return 0;
  }
  if (!strcmp(what, "left")) {
    MPI_Request request;
    MPI_Status status;
    char* in = malloc(bytes);
    MPI_File_iread_at(file, 0, in, bytes, MPI_BYTE, &request);
    MPI_Wait(&request, &status);
    printf("rank %d: left %s\n", rank, name_of(MPI_SUCCESS));
    fflush(stdout);
    free(in);
    MPI_Finalize();
    return 0;
  }
  const int strided = strcmp(what, "contiguous") != 0;
  MPI_Datatype view = MPI_BYTE;
  if (strided) {
    MPI_Type_vector(bytes / run, run, run * ranks, MPI_BYTE, &view);
    MPI_Type_commit(&view);
  }
  MPI_File_set_view(file, strided ? (MPI_Offset)rank * run : (MPI_Offset)rank * bytes, MPI_BYTE,
                    view, "native", MPI_INFO_NULL);
  char *out = malloc(bytes), *in = calloc(1, bytes);
  for (int i = 0; i < bytes; ++i) out[i] = (char)(i * 5 + rank + 1);
  const int mine = !strcmp(what, "holes") && rank == ranks - 1 ? 0 : bytes;
  MPI_Status status;
  int moved = -1, wrong = 0;
  if (collective)
    code = MPI_File_write_at_all(file, 0, out, mine, MPI_BYTE, &status);
  else
    code = MPI_File_write_at(file, 0, out, mine, MPI_BYTE, &status);
  MPI_Get_count(&status, MPI_BYTE, &moved);
  printf("rank %d: write %s %d\n", rank, name_of(class_of(code, looks)), moved);
  fflush(stdout);
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
