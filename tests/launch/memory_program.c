/* A rank of tests/launch/memory_test.py: allocates what its arguments say, sends through it, and
   keeps it to the end. PLACE=BYTES... each: MPI_Alloc_mem with baton_memory=PLACE (none: without
   info); "free" frees the last one. window:PLACE=BYTES: MPI_Win_allocate, so; what the kernel says
   of its place is printed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most = 16 };

static char* blocks[most];
static long sizes[most];
static int count;

/* The policy of a page: the kernel's number of it, and the lowest node. */
static void print_policy(const char* place, const void* address) {
  int mode = -1, node = 0;
  unsigned long nodes[16] = {0};
  const unsigned long of_address = 2;
  if (syscall(SYS_get_mempolicy, &mode, nodes, 8 * sizeof nodes, address, of_address)) mode = -1;
  while (node < 64 && !(nodes[0] >> node & 1)) ++node;
  printf("window %s: policy %d of node %d\n", place, mode, node < 64 ? node : -1);
}

static int allocate(const char* place, long bytes) {
  int is_window = strncmp(place, "window:", 7) == 0;
  MPI_Win window;
  if (is_window) place += 7;
  MPI_Info info = MPI_INFO_NULL;
  if (strcmp(place, "none") != 0) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "baton_memory", place);
  }
  int code = is_window ? MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &blocks[count], &window)
                       : MPI_Alloc_mem(bytes, info, &blocks[count]);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    printf("refused: %s: class %s\n", place,
           class == MPI_ERR_INFO_VALUE              ? "info value"
           : class == MPI_ERR_NO_MEM                ? "no memory"
           : class == MPI_ERR_UNSUPPORTED_OPERATION ? "unsupported"
                                                    : "other");
    return 0;
  }
  sizes[count] = bytes;
  memset(blocks[count], 'a' + count, (size_t)bytes);
  if (is_window) print_policy(place, blocks[count]);
  ++count;
  return 1;
}

/* Every block travels round a ring of ranks and must come back as it left. */
static int round_trip(int rank, int size) {
  for (int i = 0; i < count; ++i) {
    int bytes = (int)(sizes[i] / 2);
    if (bytes == 0) continue;
    blocks[i][0] = (char)rank;
    MPI_Sendrecv(blocks[i], bytes, MPI_CHAR, (rank + 1) % size, i, blocks[i] + bytes, bytes,
                 MPI_CHAR, (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (blocks[i][bytes] != (char)((rank + size - 1) % size)) return 0;
    if (bytes > 1 && blocks[i][2 * bytes - 1] != 'a' + i) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc && count < most; ++i) {
    char* equals = strrchr(argv[i], '=');
    if (equals) {
      *equals = 0;
      allocate(argv[i], atol(equals + 1));
    } else if (strcmp(argv[i], "free") == 0 && count > 0) {
      MPI_Free_mem(blocks[--count]);
    }
  }
  int good = round_trip(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 || !good) printf("%s: %d blocks\n", good ? "good" : "WRONG", count);
  MPI_Finalize();
  return !good;
}
