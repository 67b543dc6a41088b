/* The live part of the deposit study: how fast messages of two ranks are under the model that
 * BATON_DEPOSIT_MODEL names. usage: mpiexec -n 2 baton-deposit-live SECONDS BYTES...    SECONDS: of
 * each cell A cell is a size, a pattern and what is done with the data. Patterns: "stream",
 * blocking sends into blocking receives, the last one answered; "ping-pong", each receive posted
 * before what answers it is sent. Data: "warm", the same bytes again; "fresh", each message written
 * before it is sent and read when it has come. All of a cell's last message is checked. Rank 0
 * prints JSON; MB/s one way. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "bench/clock.h"

enum { tag = 1, stream_length = 16 };
enum { stream, ping_pong };
static int rank;
static char *out, *in;

static void fail(const char* what) {
  fprintf(stderr, "baton-deposit-live: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void check(size_t bytes, uint32_t value) {
  for (size_t i = 0; i + sizeof value <= bytes; i += line_bytes)
    if (memcmp(in + i, &value, sizeof value) != 0) fail("a message brought wrong data");
}

/* So many steps, of which the last is number `last`: from rank 0's side, seconds. */
static double run(int pattern, int fresh, int bytes, long steps, uint32_t last) {
  MPI_Status status;
  write_lines(out, (size_t)bytes, last);
  MPI_Barrier(MPI_COMM_WORLD);
  double began = now_us();
  for (long step = 0; step < steps; ++step) {
    uint32_t value = last - (uint32_t)(steps - 1 - step);
    if (pattern == stream) {
      for (int i = 0; i < stream_length; ++i) {
        if (rank == 0) {
          if (fresh) write_lines(out, (size_t)bytes, value);
          MPI_Send(out, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
        } else {
          MPI_Recv(in, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
          if (fresh) read_lines(in, (size_t)bytes);
        }
      }
      if (rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &status);
      else
        MPI_Send(NULL, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
      continue;
    }
    MPI_Request receive;
    MPI_Irecv(in, bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, &receive);
    if (rank == 1) {
      MPI_Wait(&receive, &status);
      if (fresh) read_lines(in, (size_t)bytes);
    }
    if (fresh) write_lines(out, (size_t)bytes, value);
    MPI_Send(out, bytes, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Wait(&receive, &status);
      if (fresh) read_lines(in, (size_t)bytes);
    }
  }
  double took = now_us() - began;
  if (pattern == ping_pong || rank == 1) check((size_t)bytes, last);
  return took * 1e-6;
}

/* MB/s. */
static double measure(int pattern, int fresh, int bytes, double seconds) {
  static uint32_t number = 1;
  long steps = 1;
  double once = run(pattern, fresh, bytes, 2, number += 2) / 2;
  if (rank == 0) steps = (long)(seconds / once) + 1;
  MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  long before = steps / 2 + 1; /* what is met for the first time is not measured */
  run(pattern, fresh, bytes, before, number += (uint32_t)before);
  double took = run(pattern, fresh, bytes, steps, number += (uint32_t)steps);
  double messages = (double)steps * (pattern == stream ? stream_length : 2);
  return messages * bytes / took / 1e6;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int ranks, most = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double seconds = count > 2 ? atof(words[1]) : 0;
  for (int i = 2; i < count; ++i)
    if (atoi(words[i]) > most) most = atoi(words[i]);
  if (ranks != 2 || seconds <= 0 || most <= 0) {
    if (rank == 0) fprintf(stderr, "usage: mpiexec -n 2 baton-deposit-live SECONDS BYTES...\n");
    MPI_Finalize();
    return 2;
  }
  if (posix_memalign((void**)&out, 4096, (size_t)most) ||
      posix_memalign((void**)&in, 4096, (size_t)most))
    fail("no memory");
  memset(out, 1, (size_t)most);
  memset(in, 1, (size_t)most);
  if (rank == 0) printf("{\"cells\": [");
  const char *patterns[] = {"stream", "ping-pong"}, *data[] = {"warm", "fresh"}, *comma = "";
  for (int i = 2; i < count; ++i)
    for (int pattern = stream; pattern <= ping_pong; ++pattern)
      for (int fresh = 0; fresh < 2; ++fresh) {
        int bytes = atoi(words[i]);
        double rate = measure(pattern, fresh, bytes, seconds);
        if (rank == 0)
          printf("%s\n {\"bytes\": %d, \"pattern\": \"%s\", \"data\": \"%s\", \"mbs\": %.4f}",
                 comma, bytes, patterns[pattern], data[fresh], rate);
        comma = ",";
      }
  if (rank == 0) printf("\n]}\n");
  free(out);
  free(in);
  return MPI_Finalize();
}
