/* A plain program, for valgrind: sends of every length class, nonblocking and persistent ones,
 * derived types, probes, collectives, objects made and freed. Nothing it forgets, nothing wrong,
 * unless its first word is "forgets", "unset" or "outside". With "dumps" and a file's name rank 0
 * has gdb write a core file of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void fail_unless(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void messages(int bytes) {
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes);
  MPI_Request requests[2];
  memset(out, rank + 1, (size_t)bytes);
  MPI_Irecv(in, bytes, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  fail_unless(in[0] == previous + 1 && in[bytes - 1] == previous + 1, "a message is wrong");
  memset(in, 0, (size_t)bytes);
  MPI_Sendrecv(out, bytes, MPI_CHAR, next, 2, in, bytes, MPI_CHAR, previous, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  fail_unless(in[0] == previous + 1 && in[bytes - 1] == previous + 1, "an exchange is wrong");
  free(out);
  free(in);
}

static void unexpected_and_persistent(void) {
  int next = (rank + 1) % size, previous = (rank + size - 1) % size, value = rank, got = -1, count;
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Isend(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Probe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  fail_unless(count == 1 && got == previous && status.MPI_SOURCE == previous, "a probe is wrong");
  MPI_Send_init(&value, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&got, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  fail_unless(got == previous, "a persistent message is wrong");
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void collectives(MPI_Comm comm) {
  int value = rank + 1, sum = 0, *all = malloc((size_t)size * sizeof *all);
  double many[3000], sums[3000];
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  fail_unless(sum == size * (size + 1) / 2, "a sum is wrong");
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm);
  fail_unless(all[size - 1] == size, "a collection is wrong");
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  MPI_Scatter(all, 1, MPI_INT, &sum, 1, MPI_INT, 0, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
  for (int i = 0; i < 3000; ++i) many[i] = i;
  MPI_Bcast(many, 3000, MPI_DOUBLE, size - 1, comm);
  MPI_Reduce(many, sums, 3000, MPI_DOUBLE, MPI_MAX, 0, comm);
  fail_unless(rank != 0 || sums[2999] == 2999, "a maximum is wrong");
  MPI_Barrier(comm);
  free(all);
}

static void objects(void) {
  MPI_Comm copy, half;
  MPI_Group group;
  MPI_Datatype column;
  MPI_Info info;
  int matrix[8][8] = {{0}}, line[8] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, rank % 2, 0, &half);
  MPI_Comm_group(half, &group);
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  for (int i = 0; i < 8; ++i) matrix[i][3] = i;
  MPI_Sendrecv(&matrix[0][3], 1, column, rank, 5, line, 8, MPI_INT, rank, 5, copy,
               MPI_STATUS_IGNORE);
  fail_unless(line[7] == 7, "a column is wrong");
  collectives(copy);
  MPI_Info_free(&info);
  MPI_Type_free(&column);
  MPI_Group_free(&group);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
}

static char* shared_memory(const char* text) {
  const int bytes = 1 << 20, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  char *out, *in;
  MPI_Alloc_mem(bytes, MPI_INFO_NULL, &out);
  MPI_Alloc_mem(bytes, MPI_INFO_NULL, &in);
  memset(out, rank + 1, (size_t)bytes);
  snprintf(out, 64, "%s of rank %d", text, rank);
  MPI_Sendrecv(out, bytes, MPI_CHAR, next, 6, in, bytes, MPI_CHAR, previous, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  fail_unless(in[bytes - 1] == previous + 1, "a message in allocated memory is wrong");
  MPI_Free_mem(in);
  return out;
}

static void dump(const char* file) {
  char command[512];
  char* kept = shared_memory("what the user filled");
  snprintf(command, sizeof command, "gcore -o %s %ld >%s.log 2>&1", file, (long)getpid(), file);
  if (rank == 0) fail_unless(system(command) == 0, "gcore failed");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Free_mem(kept);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "forgets") == 0) {
    static void* volatile lost;
    lost = malloc(100);
    lost = NULL;
  }
  if (argc > 1 && strcmp(argv[1], "unset") == 0) {
    volatile char* unset = malloc(100);
    if (unset[50] == 1) printf("one\n");
    free((void*)unset);
  }
  if (argc > 1 && strcmp(argv[1], "outside") == 0) {
    char* memory;
    MPI_Alloc_mem(100, MPI_INFO_NULL, &memory);
    ((volatile char*)memory)[100] = 1;
    MPI_Free_mem(memory);
  }
  if (argc > 2 && strcmp(argv[1], "dumps") == 0) dump(argv[2]);
  messages(8);
  messages(1000);
  messages(20000);
  messages(300000);
  unexpected_and_persistent();
  collectives(MPI_COMM_WORLD);
  objects();
  char* shared = shared_memory("memory");
  MPI_Free_mem(shared);
  MPI_Finalize();
  if (rank == 0) printf("came to the end\n");
  return 0;
}
