/* Messages between two ranks with the same tag never overtake each other, whatever their sizes and
 * ways, and every message arrives once: random traffic among all ranks, with the seed printed. */
#include "conformance.h"

enum { rounds = 400, tags = 3, longest = 40000 };

static int length_of(int source, int target, int number) {
  uint64_t state = (uint64_t)source * 1000003u + (uint64_t)target * 7919u + (uint64_t)number;
  uint64_t draw = next_random(&state);
  switch (draw % 4) {
    case 0:
      return 8 + (int)(next_random(&state) % 40);
    case 1:
      return 8 + (int)(next_random(&state) % 1000);
    case 2:
      return 8 + (int)(next_random(&state) % 8000);
    default:
      return 8 + (int)(next_random(&state) % (longest - 8));
  }
}

static void receive_one(int* expected, unsigned char* data, int any) {
  MPI_Status status;
  int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG, count;
  if (any == 1) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    source = status.MPI_SOURCE;
    tag = status.MPI_TAG;
  }
  MPI_Recv(data, longest, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  source = status.MPI_SOURCE;
  tag = status.MPI_TAG;
  int number;
  memcpy(&number, data, sizeof number);
  CHECK(number == expected[source * tags + tag]);
  CHECK(count == length_of(source, rank, number));
  CHECK(bytes_are(data + 8, (size_t)count - 8, (uint64_t)number));
  expected[source * tags + tag] += tags;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  if (rank == 0) printf("seed %llu\n", (unsigned long long)seed);
  uint64_t state = seed * 8191u + (uint64_t)rank;
  int* sent = calloc((size_t)size, sizeof(int));
  int* expected = malloc((size_t)size * tags * sizeof(int));
  for (int i = 0; i < size * tags; ++i) expected[i] = i % tags;
  unsigned char* in = malloc(longest);
  MPI_Request* requests = malloc((size_t)rounds * (size_t)size * sizeof(MPI_Request));
  unsigned char** buffers = malloc((size_t)rounds * (size_t)size * sizeof(char*));
  int started = 0, received = 0;
  const int all = rounds * (size - 1);
  while (started < all || received < all) {
    if (started < all && (next_random(&state) & 1)) {
      int target = (int)(next_random(&state) % (uint64_t)size);
      if (target == rank || sent[target] == rounds) continue;
      int number = sent[target]++;
      int bytes = length_of(rank, target, number);
      unsigned char* out = buffers[started] = malloc((size_t)bytes);
      memcpy(out, &number, sizeof number);
      fill_bytes(out + 8, (size_t)bytes - 8, (uint64_t)number);
      int synchronous = next_random(&state) % 8 == 0;
      (synchronous ? MPI_Issend : MPI_Isend)(out, bytes, MPI_BYTE, target, number % tags,
                                             MPI_COMM_WORLD, &requests[started]);
      ++started;
      continue;
    }
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (!flag) continue;
    receive_one(expected, in, (int)(next_random(&state) % 2));
    ++received;
  }
  MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < started; ++i) free(buffers[i]);
  for (int s = 0; s < size; ++s)
    for (int t = 0; t < tags && s != rank; ++t) CHECK(expected[s * tags + t] >= rounds);
  free(buffers);
  free(requests);
  free(in);
  free(expected);
  free(sent);
  return finish();
}
