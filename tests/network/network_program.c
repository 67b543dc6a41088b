/* What the tests over several hosts run besides the conformance programs. Its first word says what
 * it does:
 * - library: whose MPI library this is, and on how many hosts;
 * - pingpong STOP: the first and the last rank exchange messages of all ways until the file STOP is
 *   there;
 * - die, abort: the last rank ends by SIGKILL, or MPI_Abort with 9, while all others wait for it.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { longest = 300000 };

static int rank, size;

static int count_hosts(void) {
  char own[MPI_MAX_PROCESSOR_NAME] = "";
  int length, hosts = 0;
  MPI_Get_processor_name(own, &length);
  char* all = malloc((size_t)size * sizeof own);
  MPI_Allgather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    int other = 0;
    while (other < i && strcmp(all + (size_t)i * sizeof own, all + (size_t)other * sizeof own))
      ++other;
    hosts += other == i;
  }
  free(all);
  return hosts;
}

static void tell_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  const int hosts = count_hosts();
  if (rank == 0) printf("%d ranks on %d hosts: %s\n", size, hosts, version);
}

static unsigned char byte_at(int number, int i) {
  return (unsigned char)(number * 31 + i * 7 + (i >> 8));
}

static void check(int number, const unsigned char* data, int bytes, const MPI_Status* status) {
  int came;
  MPI_Get_count(status, MPI_BYTE, &came);
  int right = came == bytes;
  for (int i = 0; right && i < bytes; ++i) right = data[i] == byte_at(number, i);
  if (right) return;
  fprintf(stderr, "rank %d: message %d of %d bytes is not what was sent\n", rank, number, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exchange(const char* stop_file) {
  static const int lengths[] = {0, 8, 200, 5000, 30000, longest};
  static unsigned char data[longest];
  const int peer = size - 1 - rank;
  int number = 0, stop = 0;
  if (rank != 0 && rank != size - 1) return;
  for (; !stop; ++number) {
    const int bytes = lengths[number % 6];
    MPI_Status status;
    if (rank == 0) {
      for (int i = 0; i < bytes; ++i) data[i] = byte_at(number, i);
      stop = access(stop_file, F_OK) == 0;
      MPI_Send(data, bytes, MPI_BYTE, peer, stop, MPI_COMM_WORLD);
      memset(data, 0, (size_t)bytes);
    }
    MPI_Recv(data, longest, MPI_BYTE, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    check(number, data, bytes, &status);
    stop = status.MPI_TAG;
    if (rank != 0) MPI_Send(data, bytes, MPI_BYTE, peer, stop, MPI_COMM_WORLD);
    if (rank == 0 && number == 5) {
      printf("begun\n");
      fflush(stdout);
    }
  }
  if (rank == 0) printf("%d messages are right\n", number);
}

static void die(void) {
  char nothing;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) raise(SIGKILL);
  MPI_Recv(&nothing, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "library"))
    tell_library();
  else if (!strcmp(what, "pingpong") && argc > 2)
    exchange(argv[2]);
  else if (!strcmp(what, "abort") && rank == size - 1)
    MPI_Abort(MPI_COMM_WORLD, 9);
  else if (!strcmp(what, "abort"))
    MPI_Barrier(MPI_COMM_WORLD);
  else if (!strcmp(what, "die"))
    die();
  else if (rank == 0)
    fprintf(stderr, "usage: network_program library | pingpong STOP | die | abort\n");
  return MPI_Finalize();
}
