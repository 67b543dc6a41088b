/* Mixed traffic whose every byte is checked: messages of 0 bytes to 2 MiB, many at once, all ways
 * at once, and collectives, for so many seconds. What is sent follows from the seed, the sender,
 * the receiver and the message's number. A number of messages that came, or a byte, that is not
 * right ends the job. Usage: mixed_program SECONDS SEED */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { at_once = 6, longest = 2 << 20, in_collective = 100000 };

static int rank, size;
static uint64_t seed, messages, bytes_in_all;

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t key_of(int sender, int receiver, uint64_t number) {
  return mixed(mixed(mixed(seed + 1) + (uint64_t)sender * 1000 + (uint64_t)receiver) + number);
}

/* Around the bounds between the ways that messages go, and anything. */
static int length_of(uint64_t key) {
  static const int bounds[] = {0, 1, 8, 48, 200, 4096, 16384, 65536, 131072, 1 << 20};
  const uint64_t chance = mixed(key ^ 77);
  const int draw = (int)(chance >> 8 & 0xffff);
  if (chance % 64 == 0) return longest - draw;
  if (chance % 8 < 3) return bounds[draw % 10] + (draw >> 4) % 3;
  return draw >> chance % 12;
}

static void fill(unsigned char* data, int bytes, uint64_t key) {
  for (int at = 0; at < bytes; at += 8) {
    const uint64_t word = mixed(key + (uint64_t)at);
    memcpy(data + at, &word, bytes - at < 8 ? (size_t)(bytes - at) : 8);
  }
}

static void give_up(const char* what, int other, uint64_t number, int bytes) {
  fprintf(stderr, "rank %d: %s with rank %d, number %llu of %d bytes, is wrong\n", rank, what,
          other, (unsigned long long)number, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const unsigned char* data, int bytes, uint64_t key, const char* what, int other,
                  uint64_t number) {
  for (int at = 0; at < bytes; at += 8) {
    const uint64_t word = mixed(key + (uint64_t)at);
    if (memcmp(data + at, &word, bytes - at < 8 ? (size_t)(bytes - at) : 8))
      give_up(what, other, number, bytes);
  }
  ++messages;
  bytes_in_all += (uint64_t)bytes;
}

struct Message {
  unsigned char* data;
  int bytes, other;
  uint64_t key, number;
};

static void start_sends(struct Message* out, MPI_Request* requests, uint64_t round) {
  for (int i = 0; i < at_once * size; ++i) {
    struct Message* one = out + i;
    one->other = i % size;
    one->number = round * at_once + (uint64_t)(i / size);
    one->key = key_of(rank, one->other, one->number);
    one->bytes = length_of(one->key);
    one->data = malloc((size_t)one->bytes + 1);
    fill(one->data, one->bytes, one->key);
    /* Some are synchronous. */
    const int tag = (int)(one->number % 30000);
    if (one->key % 5 == 0)
      MPI_Issend(one->data, one->bytes, MPI_BYTE, one->other, tag, MPI_COMM_WORLD, requests + i);
    else
      MPI_Isend(one->data, one->bytes, MPI_BYTE, one->other, tag, MPI_COMM_WORLD, requests + i);
  }
}

/* From all ranks, or in every third round whatever comes first. */
static void start_receives(struct Message* in, MPI_Request* requests, uint64_t round) {
  for (int i = 0; i < at_once * size; ++i) {
    struct Message* one = in + i;
    one->other = i % size;
    one->number = round * at_once + (uint64_t)(i / size);
    one->key = key_of(one->other, rank, one->number);
    one->bytes = round % 3 == 2 ? longest + 8 : length_of(one->key);
    one->data = malloc((size_t)one->bytes + 1);
    const int source = round % 3 == 2 ? MPI_ANY_SOURCE : one->other;
    MPI_Irecv(one->data, one->bytes, MPI_BYTE, source, (int)(one->number % 30000), MPI_COMM_WORLD,
              requests + i);
  }
}

static void take(struct Message* one, const MPI_Status* status) {
  int bytes;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  const uint64_t key = key_of(status->MPI_SOURCE, rank, one->number);
  if (bytes != length_of(key)) give_up("a length", status->MPI_SOURCE, one->number, bytes);
  check(one->data, bytes, key, "a message", status->MPI_SOURCE, one->number);
}

static void exchange(uint64_t round) {
  const int count = at_once * size;
  struct Message* out = calloc((size_t)count, sizeof *out);
  struct Message* in = calloc((size_t)count, sizeof *in);
  MPI_Request* requests = malloc(2 * (size_t)count * sizeof *requests);
  MPI_Status* statuses = malloc((size_t)count * sizeof *statuses);
  /* Receives before, and behind what they take. */
  if (round % 2) start_receives(in, requests + count, round);
  start_sends(out, requests, round);
  if (round % 2 == 0) start_receives(in, requests + count, round);
  MPI_Waitall(count, requests + count, statuses);
  for (int i = 0; i < count; ++i) take(in + i, statuses + i);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) {
    free(in[i].data);
    free(out[i].data);
  }
  free(statuses);
  free(requests);
  free(in);
  free(out);
}

static void go_round(uint64_t round) {
  static unsigned char data[longest], other[longest];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  const uint64_t out_key = key_of(rank, to, ~round), in_key = key_of(from, rank, ~round);
  const int bytes = length_of(in_key);
  MPI_Status status;
  fill(data, length_of(out_key), out_key);
  if (rank % 2 == 0) MPI_Send(data, length_of(out_key), MPI_BYTE, to, 30001, MPI_COMM_WORLD);
  MPI_Probe(MPI_ANY_SOURCE, 30001, MPI_COMM_WORLD, &status);
  MPI_Recv(other, longest, MPI_BYTE, status.MPI_SOURCE, 30001, MPI_COMM_WORLD, &status);
  if (status.MPI_SOURCE != from) give_up("who sends", status.MPI_SOURCE, round, bytes);
  check(other, bytes, in_key, "a message in a ring", from, round);
  if (rank % 2) MPI_Send(data, length_of(out_key), MPI_BYTE, to, 30001, MPI_COMM_WORLD);
}

static void collect(uint64_t round) {
  static unsigned char data[in_collective];
  const int root = (int)(round % (uint64_t)size);
  const int bytes = (int)(mixed(round + seed) % in_collective);
  const uint64_t key = key_of(root, size, round);
  if (rank == root) fill(data, bytes, key);
  MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  check(data, bytes, key, "a broadcast", root, round);

  const int each = bytes / (4 * size);
  unsigned char* out = malloc((size_t)(each * size) + 1);
  unsigned char* in = malloc((size_t)(each * size) + 1);
  for (int i = 0; i < size; ++i) fill(out + i * each, each, key_of(rank, i, round));
  MPI_Alltoall(out, each, MPI_BYTE, in, each, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i)
    check(in + i * each, each, key_of(i, rank, round), "an alltoall", i, round);
  free(in);
  free(out);

  uint64_t sum, own = mixed(round) % 1000 + (uint64_t)rank;
  MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (sum != mixed(round) % 1000 * (uint64_t)size + (uint64_t)(size * (size - 1) / 2))
    give_up("a sum", 0, round, 8);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) {
    if (rank == 0) fprintf(stderr, "usage: mixed_program SECONDS SEED\n");
    return MPI_Finalize();
  }
  const double seconds = strtod(argv[1], NULL), begin = MPI_Wtime();
  seed = strtoull(argv[2], NULL, 10);
  uint64_t round = 0;
  for (int goes_on = 1; goes_on; ++round) {
    exchange(round);
    go_round(round);
    collect(round);
    if (rank == 0 && round == 0) {
      printf("begun\n");
      fflush(stdout);
    }
    goes_on = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  /* Nothing is left over that nobody has sent. */
  int left = 0;
  for (int i = 0; i < 100 && !left; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
  if (left) give_up("what is left", 0, round, 0);
  uint64_t own[2] = {messages, bytes_in_all}, all[2];
  MPI_Reduce(own, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%llu rounds, %llu messages, %llu bytes are right\n", (unsigned long long)round,
           (unsigned long long)all[0], (unsigned long long)all[1]);
  return MPI_Finalize();
}
