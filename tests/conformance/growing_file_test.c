/* Ranks write short runs into a file that the others make longer at the same time, again and again;
 * what each has written must be there. (The kernel tells a file's new length before it has cleared
 * what lies behind the old end.) */
#include "conformance.h"

enum { runs = 100, run_bytes = 3, bytes = runs * run_bytes, turns = 1500 };

int main(int argc, char** argv) {
  start(&argc, &argv);
  int wrong = 0;
  MPI_Datatype view;
  MPI_Type_vector(runs, run_bytes, run_bytes * size, MPI_BYTE, &view);
  MPI_Type_commit(&view);
  char out[bytes], in[bytes];
  memset(out, 'a' + rank, sizeof out);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_File file;
    CHECK(MPI_File_open(MPI_COMM_WORLD, "growing_file.data",
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
    MPI_File_set_view(file, rank * run_bytes, MPI_BYTE, view, "native", MPI_INFO_NULL);
    /* Some ranks write one run a call, some many. */
    const int mine = (rank + turn) % 3 == 0 ? run_bytes : bytes / 3;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int part = 0; part < 3; ++part)
      CHECK(MPI_File_write_at(file, part * (bytes / 3), out, mine, MPI_BYTE, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int part = 0; part < 3; ++part) {
      memset(in, 0, sizeof in);
      MPI_File_read_at(file, part * (bytes / 3), in, mine, MPI_BYTE, MPI_STATUS_IGNORE);
      wrong += memcmp(in, out, (size_t)mine) != 0;
    }
    MPI_File_close(&file);
  }
  CHECK(wrong == 0);
  MPI_Type_free(&view);
  return finish();
}
