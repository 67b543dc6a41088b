/* What collective accesses to a file have taken comes back when a death or a revocation has ended them. */
#include <malloc.h>

#include "survival.h"

enum { count = 1 << 16, staging_bytes = 4 << 20, rounds = 8, accesses = 2000 };
static int data[count];
static char name[64];
static MPI_Comm comm = MPI_COMM_WORLD;
static MPI_File file;

static void open_file(void) {
  char staging[32];
  snprintf(staging, sizeof staging, "%d", staging_bytes);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collective_buffering", "true");
  MPI_Info_set(info, "cb_buffer_size", staging);
  snprintf(name, sizeof name, "/tmp/baton_file_memory.%ld", (long)getppid());
  CHECK(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS);
  MPI_Info_free(&info);
  /* Each has every size-th block, so that they exchange data. */
  MPI_Datatype blocks;
  MPI_Type_vector(count / 256, 256, 256 * size, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  CHECK(MPI_File_set_view(file, (MPI_Offset)rank * 1024, MPI_INT, blocks, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Type_free(&blocks);
}

/* The shared memory of a file: the first of them has a rank that dies, the others are revoked. */
static void memory(void) {
  long first = 0, last = 0;
  for (int round = 0; round < rounds; ++round) {
    open_file();
    CHECK(MPI_File_write_at_all(file, 0, data, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    last = job_bytes();
    if (round == 0) {
      first = last;
      be_last(comm, size - 1);
      if (rank == size - 1) die();
      await_failures(comm, 1);
      CHECK(class_of(MPI_File_close(&file)) == MPIX_ERR_PROC_FAILED);
      CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    } else {
      if (rank == 0) CHECK(MPIX_File_revoke(file) == MPI_SUCCESS);
      const int error = class_of(MPI_File_close(&file));
      CHECK(error == MPIX_ERR_REVOKED || error == MPI_SUCCESS);
    }
    CHECK(MPI_Barrier(comm) == MPI_SUCCESS); /* all have closed it */
  }
  CHECK(last < first + staging_bytes);
  if (rank == 0) unlink(name);
  MPI_Comm_free(&comm);
}

/* Some of the ranks have a wrong amode, and nobody dies. */
static void failed_opens(void) {
  long first = 0;
  snprintf(name, sizeof name, "/tmp/baton_file_memory.%ld", (long)getppid());
  for (int round = 0; round < 100; ++round) {
    const int amode = rank % 2 ? MPI_MODE_CREATE : MPI_MODE_CREATE | MPI_MODE_RDWR;
    CHECK(class_of(MPI_File_open(comm, name, amode, MPI_INFO_NULL, &file)) == MPI_ERR_AMODE);
    CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    if (round == 1) first = job_bytes();
  }
  CHECK(job_bytes() < first + 20 * 4096);
  if (rank == 0) unlink(name);
}

static int try_access(void) {
  MPI_Request request;
  int error = MPI_File_iwrite_at_all(file, 0, data, count, MPI_INT, &request);
  if (!error) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  return class_of(error);
}

/* What a rank has for itself: accesses that are cut off, and others that are refused. */
static void accesses_cut_off(void) {
  open_file();
  if (rank == 0) {
    usleep(20000);
    CHECK(MPIX_File_revoke(file) == MPI_SUCCESS);
  } else {
    CHECK(try_access() == MPIX_ERR_REVOKED);
  }
  CHECK(try_access() == MPIX_ERR_REVOKED);
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < accesses; ++i) CHECK(try_access() == MPIX_ERR_REVOKED);
  CHECK(mallinfo2().uordblks < before + 100 * accesses);
  CHECK(class_of(MPI_File_close(&file)) == MPIX_ERR_REVOKED);
  /* Other calls, which have to wait, get what the accesses had. */
  for (int i = 0; i < 10; ++i) {
    MPI_Request request;
    int sum = 0;
    if (rank == 0) usleep(2000);
    CHECK(MPI_Iallreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && sum == size * size);
  }
  if (rank == 0) unlink(name);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"memory", memory}, {"failed_opens", failed_opens}, {"accesses_cut_off", accesses_cut_off}};
  return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
