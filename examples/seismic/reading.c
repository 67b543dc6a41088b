/* Three ways in which a model comes from its file to the ranks. */
#include <stdlib.h>

#include "model_file.h"

static const char* read_header(MPI_File file, ModelHeader* header) {
  MPI_Status status;
  MPI_Offset bytes;
  int got;
  if (MPI_File_read_at(file, 0, header, sizeof *header, MPI_BYTE, &status)) return "cannot be read";
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (got != sizeof *header) return "is truncated";
  if (MPI_File_get_size(file, &bytes)) return "cannot be read";
  return check_header(header, (uint64_t)bytes);
}

/* Reads the rows that the model has memory for. All ranks call it. */
static const char* read_rows(MPI_File file, Model* m) {
  const MPI_Offset cells_before = (MPI_Offset)m->first * m->across;
  const MPI_Offset place =
      (MPI_Offset)sizeof(ModelHeader) + cells_before * (MPI_Offset)sizeof(float);
  const int count = m->rows * m->across;
  MPI_Status status;
  int got;
  if (MPI_File_read_at_all(file, place, m->speed, count, MPI_FLOAT, &status))
    return "cannot be read";
  MPI_Get_count(&status, MPI_FLOAT, &got);
  return got == count ? NULL : "is truncated";
}

static int checksum_matches(const ModelHeader* header, const Model* m) {
  const size_t across = (size_t)m->across;
  uint64_t mine, all;
  mine = checksum_of_speeds(m->speed, across * (size_t)m->rows, across * (size_t)m->first);
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return checksum_of_header(*header) + all == header->checksum;
}

/* Before each step that ranks take together they learn whether all can. */
static int read_together(MPI_File file, const char* path, int rank, int ranks, Model* m) {
  ModelHeader header;
  if (anything_wrong(path, rank == 0 ? read_header(file, &header) : NULL)) return 1;
  MPI_Bcast(&header, sizeof header, MPI_BYTE, 0, MPI_COMM_WORLD);
  *m = (Model){.across = (int)header.across, .down = (int)header.down, .spacing = header.spacing};
  rows_of(m->down, ranks, rank, &m->first, &m->rows);
  const size_t count = (size_t)m->across * (size_t)m->rows;
  m->speed = malloc(count * sizeof *m->speed);
  if (anything_wrong(path, m->speed || count == 0 ? NULL : "does not fit into memory")) return 1;
  if (anything_wrong(path, read_rows(file, m))) return 1;
  if (!checksum_matches(&header, m))
    return anything_wrong(path, "is corrupt: its checksum does not match");
  return anything_wrong(path, check_speeds(m->speed, count));
}

/* Each rank reads only its rows: together they read the file once, and hold it once. */
static int read_collectively(const char* path, int rank, int ranks, Model* m) {
  MPI_File file;
  int failed = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (anything_wrong(path, failed ? "cannot be opened" : NULL)) return 1;
  int problem = read_together(file, path, rank, ranks, m);
  MPI_File_close(&file);
  return problem;
}

/* Every rank gets a copy of the whole model. */
static void broadcast_model(int rank, Model* m) {
  float* speed = m->speed;
  MPI_Bcast(m, sizeof *m, MPI_BYTE, 0, MPI_COMM_WORLD);
  size_t count = (size_t)m->across * (size_t)m->down;
  m->speed = rank == 0 ? speed : memory_for(count, sizeof *m->speed);
  MPI_Bcast(m->speed, (int)count, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

int read_model_by(Reading reading, const char* path, int rank, int ranks, Model* m) {
  if (reading == read_collective) return read_collectively(path, rank, ranks, m);
  const char* why = reading == read_each || rank == 0 ? read_whole_model(path, m) : NULL;
  if (anything_wrong(path, why)) return 1;
  if (reading == read_one) broadcast_model(rank, m);
  return 0;
}
