/* Two ranks exchange messages of many lengths between memory that fake_xpmem.c can map, and memory
 * that it cannot; more buffers than a rank keeps mapped. Before and after they use windows of such
 * memory. Run by xpmem_test.py. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { buffers = 40, bytes_max = 1 << 20 };
static int rank;

static unsigned char* buffer_of(int mapped) {
  void* memory = mmap(NULL, bytes_max, PROT_READ | PROT_WRITE,
                      (mapped ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  return memory;
}

static void fill(unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i) data[i] = (unsigned char)((i * 2654435761u >> 11) + key * 37u);
}
static void check(const unsigned char* data, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i)
    if (data[i] != (unsigned char)((i * 2654435761u >> 11) + key * 37u)) {
      fprintf(stderr, "rank %d: byte %zu of %zu, message %u, is wrong\n", rank, i, bytes, key);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* A window of memory that can be mapped, and a dynamic one with such a region. Both ranks add to
 * both, one element at a time; and to complex numbers, which have 16 bytes. */
enum { rounds = 200 };
static MPI_Win created, dynamic;
static unsigned char *fixed, *attached;

static void begin_windows(void) {
  fixed = buffer_of(1), attached = buffer_of(1);
  MPI_Win_create(fixed, bytes_max, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_attach(dynamic, attached, bytes_max);
}

static void add_everywhere(MPI_Win window, const MPI_Aint* begins) {
  const long long one = 1;
  const double parts[2] = {1, 1};
  double before[2];
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 2 * rounds; ++i) {
    MPI_Aint at = begins[i % 2] + (i % 3) * 70000;
    MPI_Accumulate(&one, 1, MPI_LONG_LONG, i % 2, at, 1, MPI_LONG_LONG, MPI_SUM, window);
    MPI_Fetch_and_op(parts, before, MPI_C_DOUBLE_COMPLEX, i % 2, at + 64, MPI_SUM, window);
    MPI_Win_flush(i % 2, window);
    if (before[0] != before[1]) MPI_Abort(MPI_COMM_WORLD, 4);
  }
  MPI_Win_unlock_all(window);
}

static void check_sums(const unsigned char* memory, int times) {
  long long whole = 0, number;
  double parts = 0, pair[2];
  for (int i = 0; i < 3; ++i) {
    memcpy(&number, memory + i * 70000, sizeof number);
    memcpy(pair, memory + i * 70000 + 64, sizeof pair);
    whole += number, parts += pair[0];
    if (pair[0] != pair[1]) MPI_Abort(MPI_COMM_WORLD, 5);
  }
  if (whole != 2LL * rounds * times || parts != (double)whole) MPI_Abort(MPI_COMM_WORLD, 6);
}

static void use_windows(int times_before) {
  MPI_Aint zeros[2] = {0, 0}, own, begins[2];
  MPI_Get_address(attached, &own);
  MPI_Allgather(&own, 1, MPI_AINT, begins, 1, MPI_AINT, MPI_COMM_WORLD);
  add_everywhere(created, zeros);
  add_everywhere(dynamic, begins);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, created);
  check_sums(fixed, times_before + 1);
  check_sums(attached, times_before + 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void end_windows(void) {
  MPI_Win_detach(dynamic, attached);
  MPI_Win_free(&dynamic);
  MPI_Win_free(&created);
}

int main(int count, char** words) {
  static const size_t lengths[] = {1, 4096, 5000, 16384, 65536, 300000, bytes_max};
  unsigned char *out[buffers], *in[buffers];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int some_private = count > 1 && strcmp(words[1], "private") == 0;
  for (int i = 0; i < buffers; ++i) {
    out[i] = buffer_of(!some_private || i % 2);
    in[i] = buffer_of(!some_private || i % 3);
  }
  begin_windows();
  use_windows(0);
  unsigned key = 0;
  for (int round = 0; round < 3; ++round)
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; ++l)
      for (int i = 0; i < buffers; ++i, key += 2) {
        MPI_Request request;
        fill(out[i], lengths[l], key + (unsigned)rank);
        if (i % 2) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in[i], (int)lengths[l], MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        if (i % 4 == 0) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(out[i], (int)lengths[l], MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(in[i], lengths[l], key + (unsigned)(1 - rank));
      }
  use_windows(1); /* whatever is mapped for messages now */
  end_windows();
  if (rank == 0) printf("came to the end\n");
  return MPI_Finalize();
}
