/* Memory of MPI_Alloc_mem: blocks do not overlap, keep what is written, can be had again after they
 * were freed; messages from and to it arrive whole, whatever the other side's buffer is. */
#include "conformance.h"

enum { blocks_max = 64 };

static void blocks_keep_their_contents(void) {
  unsigned char* block[blocks_max] = {0};
  size_t bytes[blocks_max];
  uint64_t random = 12345u + (unsigned)rank;
  for (int step = 0; step < 1000; ++step) {
    size_t i = next_random(&random) % blocks_max;
    if (block[i]) {
      CHECK(bytes_are(block[i], bytes[i], i));
      MPI_Free_mem(block[i]);
      block[i] = NULL;
      continue;
    }
    bytes[i] = next_random(&random) % 100000;
    MPI_Alloc_mem((MPI_Aint)bytes[i], MPI_INFO_NULL, &block[i]);
    CHECK(block[i] != NULL);
    fill_bytes(block[i], bytes[i], i);
  }
  for (int i = 0; i < blocks_max; ++i)
    if (block[i]) MPI_Free_mem(block[i]);
}

static void alignment_is_as_asked(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (long alignment = 64; alignment <= 1 << 21; alignment *= 8) {
    char text[32];
    void* memory;
    snprintf(text, sizeof text, "%ld", alignment);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", text);
    MPI_Alloc_mem(1000, info, &memory);
    CHECK((uintptr_t)memory % (uintptr_t)alignment == 0);
    MPI_Free_mem(memory);
  }
  MPI_Info_free(&info);
}

/* Each rank sends to the next one, often enough that both ways of choosing are seen. */
static void pass_on(unsigned char* out, unsigned char* in, int bytes) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int turn = 0; turn < 12; ++turn) {
    MPI_Request request;
    fill_bytes(out, (size_t)bytes, (uint64_t)(rank + 64 * turn));
    in[bytes] = 77;
    MPI_Irecv(in, bytes, MPI_BYTE, before, turn, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_BYTE, next, turn, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(bytes_are(in, (size_t)bytes, (uint64_t)(before + 64 * turn)));
    CHECK(in[bytes] == 77);
  }
}

static void messages_arrive_from_and_to_it(void) {
  static const int sizes[] = {100, 4096, 5000, 16384, 40000, 65537, 300000, 3000001};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    size_t space = (size_t)sizes[i] + 4096;
    unsigned char *exported[2], *ordinary[2] = {malloc(space), malloc(space)};
    MPI_Alloc_mem((MPI_Aint)space, MPI_INFO_NULL, &exported[0]);
    MPI_Alloc_mem((MPI_Aint)space, MPI_INFO_NULL, &exported[1]);
    for (int which = 0; which < 4; ++which) {
      unsigned char* out = which & 1 ? exported[0] + 1000 : ordinary[0];
      unsigned char* in = which & 2 ? exported[1] + 7 : ordinary[1];
      pass_on(out, in, sizes[i]);
    }
    for (int k = 0; k < 2; ++k) {
      MPI_Free_mem(exported[k]);
      free(ordinary[k]);
    }
  }
}

static void what_is_freed_twice_is_found_out(void) {
  char* memory;
  int class = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Alloc_mem(5000, MPI_INFO_NULL, &memory);
  MPI_Error_class(MPI_Free_mem(memory + 64), &class);
  CHECK(class == MPI_ERR_BASE);
  CHECK(MPI_Free_mem(memory) == MPI_SUCCESS);
  MPI_Error_class(MPI_Free_mem(memory), &class);
  CHECK(class == MPI_ERR_BASE);
}

int main(int count, char** words) {
  start(&count, &words);
  blocks_keep_their_contents();
  alignment_is_as_asked();
  messages_arrive_from_and_to_it();
  what_is_freed_twice_is_found_out();
  return finish();
}
