/* The file of a case of random_files_test: how its checks fail, and how it is compared with the
 * picture; random hints. */
#ifndef FILE_CASE_H
#define FILE_CASE_H

#include <fcntl.h>
#include <unistd.h>

#include "file_picture.h"

static unsigned long long seed = 1;
static long case_number;
static int phase, step;
static const char* doing = "";

static MPI_Comm comm;
static MPI_File file;
static char name[100];
static int amode, external, atomic;
static long shared_at; /* the shared file pointer, in etypes */

static void give_up(const char* where, int line, const char* condition) {
  fprintf(stderr,
          "%s:%d: seed %llu, case %ld, phase %d, step %d (%s), rank %d of %d in %s: not so: %s\n",
          where, line, seed, case_number, phase, step, doing, me, ranks, name, condition);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define HELD(condition) \
  if (!(condition)) give_up(__FILE__, __LINE__, #condition)

static void expect_success(int code, const char* call, int line) {
  char words[MPI_MAX_ERROR_STRING], all[MPI_MAX_ERROR_STRING + 200];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, words, &length);
  snprintf(all, sizeof all, "%s succeeds; it says: %s", call, words);
  give_up(__FILE__, line, all);
}
#define SUCCEEDS(call) expect_success(call, #call, __LINE__)

/* Numbers that only this rank needs: the others' stay alike. */
static uint64_t kept_state;
static void begin_own(int batch) {
  kept_state = random_state;
  random_state = kept_state * 31 + (uint64_t)(me * batch_max + batch + 1) * 0x9e3779b97f4a7c15u;
}
static void end_own(void) {
  random_state = kept_state;
}

/* ---- the file as it is
 * --------------------------------------------------------------------------
 */

static long read_file(unsigned char* bytes) {
  int descriptor = open(name, O_RDONLY);
  HELD(descriptor >= 0);
  ssize_t got = pread(descriptor, bytes, picture_max, 0);
  HELD(got >= 0);
  close(descriptor);
  return got;
}

static void compare_file(void) {
  static unsigned char bytes[picture_max];
  MPI_Offset size_now;
  SUCCEEDS(MPI_File_get_size(file, &size_now));
  HELD(size_now == file_bytes);
  if (me == step % ranks) {
    HELD(read_file(bytes) == file_bytes);
    for (long i = 0; i < file_bytes; ++i)
      if (bytes[i] != picture[i]) {
        char words[100];
        snprintf(words, sizeof words, "byte %ld is %d, wanted %d", i, bytes[i], picture[i]);
        give_up(__FILE__, __LINE__, words);
      }
  }
  MPI_Barrier(comm);
}

/* ---- hints --------------------------------------------------------------------------------------
 */

static MPI_Info random_info(void) {
  static const char* const uses[] = {"romio_cb_read", "romio_cb_write", "romio_ds_read",
                                     "romio_ds_write"};
  static const char* const words[] = {"automatic", "enable", "disable"};
  static const char* const sizes[] = {"65536", "65536", "131072", "300000", "1048576", "1", "5000"};
  MPI_Info info;
  if (flip()) return MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (int i = 0; i < 4; ++i)
    if (between(0, 2) == 0) MPI_Info_set(info, uses[i], words[between(0, 2)]);
  if (flip()) MPI_Info_set(info, "cb_buffer_size", sizes[between(0, 6)]);
  if (between(0, 3) == 0) MPI_Info_set(info, "ind_rd_buffer_size", sizes[between(0, 6)]);
  if (between(0, 3) == 0) MPI_Info_set(info, "ind_wr_buffer_size", sizes[between(0, 6)]);
  if (between(0, 2) == 0) {
    char number[8];
    snprintf(number, sizeof number, "%ld", between(1, ranks + 1));
    MPI_Info_set(info, "cb_nodes", number);
  }
  return info;
}
static void free_info(MPI_Info* info) {
  if (*info != MPI_INFO_NULL) MPI_Info_free(info);
}

#endif
