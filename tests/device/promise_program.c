/* What the driver is asked where a program promises which memory it uses
 * (mpi_assert_memory_alloc_kinds). Two ranks do the same on an object without a promise and on one
 * with it, from buffers of which nobody knows what they are. The name of a file is the argument. */
#include <mpi.h>
#include <string.h>

#include "device_driver.h"

static int rank;
static const char *kinds = "mpi_memory_alloc_kinds", *promise = "mpi_assert_memory_alloc_kinds";

/* Long blocks of malloc are mappings of their own, which could become a device's. */
enum { numbers = 1 << 17 };
static int *out, *in;

static void fill(void) {
  for (int i = 0; i < numbers; ++i) out[i] = 3 * i + rank, in[i] = -1;
}
static void check_from(int other, int count, int step) {
  for (int i = 0; i < count; i += step) HELD(in[i] == 3 * i + other);
}

static void messages(MPI_Comm comm, int count, MPI_Datatype type) {
  const int other = 1 - rank;
  MPI_Status status;
  MPI_Message message;
  MPI_Request requests[2];
  fill();
  if (rank == 0) {
    MPI_Send(out, count, type, 1, 1, comm);
    MPI_Ssend(out, count, type, 1, 2, comm);
    MPI_Recv(in, count, type, 1, 3, comm, &status);
  } else {
    MPI_Recv(in, count, type, 0, 1, comm, &status);
    MPI_Mprobe(0, 2, comm, &message, &status);
    MPI_Mrecv(in, count, type, &message, &status);
    MPI_Bsend(out, count, type, 0, 3, comm);
  }
  MPI_Irecv(in, count, type, other, 4, comm, &requests[0]);
  MPI_Isend(out, count, type, other, 4, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out, count, type, rank, 5, in, count, type, rank, 5, comm, &status);
  memcpy(in, out, sizeof(int) * numbers);
  MPI_Sendrecv_replace(in, count, type, other, 6, other, 6, comm, &status);
}

static void all_messages(MPI_Comm comm) {
  MPI_Datatype gaps;
  MPI_Type_vector(numbers / 4, 2, 4, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  messages(comm, 4, MPI_INT);
  check_from(1 - rank, 4, 1);
  messages(comm, 2000, MPI_INT);
  messages(comm, numbers, MPI_INT);
  check_from(1 - rank, numbers, 1);
  messages(comm, 1, gaps);
  check_from(1 - rank, numbers, 4);
  MPI_Type_free(&gaps);
}

static void all_collectives(MPI_Comm comm) {
  for (int count = 2; count <= numbers / 2; count *= 16) {
    fill();
    MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm);
    HELD(in[count] == 1);
    MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
    MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
    HELD(in[count - 1] == 6 * (count - 1) + 1);
    MPI_Bcast(in, count, MPI_INT, 1, comm);
    MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 0, comm);
    MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, comm);
    MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, comm);
    MPI_Scan(out, in, count, MPI_INT, MPI_SUM, comm);
  }
}

static void all_operations(MPI_Win win) {
  const int other = 1 - rank;
  fill();
  MPI_Win_fence(0, win);
  MPI_Put(out, numbers, MPI_INT, other, 0, numbers, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(in, numbers, MPI_INT, rank, 0, numbers, MPI_INT, win);
  MPI_Win_fence(0, win);
  check_from(other, numbers, 1);
  MPI_Accumulate(out, 2000, MPI_INT, other, 0, 2000, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(out, in, MPI_INT, other, 0, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Compare_and_swap(out, in, in + 1, MPI_INT, other, 1, win);
  MPI_Win_fence(0, win);
}

static void all_accesses(MPI_File file) {
  fill();
  HELD(MPI_File_write_at(file, (MPI_Offset)rank * numbers, out, numbers, MPI_INT,
                         MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  HELD(MPI_File_read_at_all(file, (MPI_Offset)(1 - rank) * numbers, in, numbers, MPI_INT,
                            MPI_STATUS_IGNORE) == MPI_SUCCESS);
  check_from(1 - rank, numbers, 1);
}

static long asked;
static void begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  asked = device.counts().questions;
}
static void end(const char* what, int promised) {
  asked = device.counts().questions - asked;
  if (promised ? asked != 0 : asked == 0) {
    fprintf(stderr, "rank %d: %s with%s a promise asked %ld questions\n", rank, what,
            promised ? "" : "out", asked);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static MPI_Info info_with(const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, promise, value);
  return info;
}

/* The object says what was promised, and which kinds are supported. */
static void check_told(MPI_Info told, const char* value) {
  char found[MPI_MAX_INFO_VAL] = "";
  int length = sizeof found, flag;
  MPI_Info_get_string(told, promise, &length, found, &flag);
  HELD(flag == (value != NULL) && (!value || strcmp(found, value) == 0));
  length = sizeof found;
  MPI_Info_get_string(told, kinds, &length, found, &flag);
  HELD(flag && strcmp(found, "mpi,system") == 0);
  MPI_Info_free(&told);
}

static void with(const char* value, const char* file_name) {
  const int promised = value && !strstr(value, "device");
  MPI_Info info = value ? info_with(value) : MPI_INFO_NULL, told;
  MPI_Comm comm;
  MPI_Win win;
  MPI_File file;
  void* memory;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Comm_get_info(comm, &told);
  check_told(told, value);
  begin(), all_messages(comm), end("messages", promised);
  begin(), all_collectives(comm), end("collectives", promised);
  MPI_Win_allocate(sizeof(int) * numbers, sizeof(int), info, comm, &memory, &win);
  MPI_Win_get_info(win, &told);
  check_told(told, value);
  begin(), all_operations(win), end("operations", promised);
  MPI_Win_free(&win);
  HELD(MPI_File_open(comm, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     info, &file) == MPI_SUCCESS);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_get_info(file, &told);
  check_told(told, value);
  begin(), all_accesses(file), end("accesses", promised);
  MPI_File_close(&file);
  MPI_Comm_free(&comm);
  if (value) MPI_Info_free(&info);
}

/* A promise can be taken back: then device memory is noticed again. */
static void take_back(void) {
  MPI_Info info = info_with("system,mpi");
  MPI_Comm comm;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_set(info, promise, "system,cuda:device");
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  int* memory = device.allocate(standin_device, 4000, NULL);
  int* seen = device.view(memory);
  for (int i = 0; i < 1000; ++i) seen[i] = rank + i;
  MPI_Allreduce(MPI_IN_PLACE, memory, 1000, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < 1000; ++i) HELD(seen[i] == 2 * i + 1);
  MPI_Comm_free(&comm);
  HELD(device.release((uint64_t)memory) == 0);
}

int main(int argc, char** argv) {
  enum { buffered_bytes = 1 << 20 };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_device();
  out = malloc(sizeof(int) * numbers), in = malloc(sizeof(int) * numbers);
  void* buffer = malloc(buffered_bytes);
  MPI_Buffer_attach(buffer, buffered_bytes);
  with(NULL, argv[1]);
  with("system,mpi", argv[1]);
  with("system,cuda:device", argv[1]);
  with("system,mpi:alloc_mem,cuda:host", argv[1]);
  with("", argv[1]);
  take_back();
  int bytes;
  MPI_Buffer_detach(&buffer, &bytes);
  free(buffer), free(out), free(in);
  MPI_Finalize();
  printf("rank %d came to the end\n", rank);
  return 0;
}
