/* Several threads a rank, all calling at once: each in a communicator of its own and all in a
 * shared one, where tags keep them apart. Every kind of send, wildcard receives, probes, tests,
 * cancelled receives, requests freed early, collectives, and communicators made and freed while
 * others communicate. usage: threads_test THREADS ROUNDS [SEED] */
#include <pthread.h>

#include "conformance.h"

enum { threads_max = 16, bytes_max = 70000 };

static int threads, rounds;
static uint64_t seed = 1;
static MPI_Comm shared;

struct Lent {
  struct Lent* next;
  unsigned char data[];
};

typedef struct {
  int number;   /* of the thread, the same on all ranks */
  MPI_Comm own; /* of the threads of this number */
  int next, previous;
  uint64_t random; /* the same sequence on all ranks */
  unsigned char *out, *in;
  struct Lent* lent; /* to sends that were freed: a network may look at it for longer than MPI */
} Worker;

/* Most messages are short; some take each of the longer ways. */
static int some_size(Worker* w) {
  static const int limits[] = {1, 48, 49, 500, 4096, 4097, 16384, 20000, 40000, bytes_max};
  uint64_t r = next_random(&w->random);
  return (int)(r % (uint64_t)limits[(r >> 32) % 10]);
}

static uint64_t key_of(int number, int from, int round) {
  return (uint64_t)(number * 1000 + from * 100000 + round);
}

static void check_received(Worker* w, int bytes, int round, const MPI_Status* status, int tag) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  CHECK(count == bytes && status->MPI_SOURCE == w->previous && status->MPI_TAG == tag);
  CHECK(bytes_are(w->in, (size_t)bytes, key_of(w->number, w->previous, round)));
}

static void blocking(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Status status;
  if (rank % 2 == 0 && size > 1) {
    MPI_Send(w->out, bytes, MPI_BYTE, w->next, tag, comm);
    MPI_Recv(w->in, bytes_max, MPI_BYTE, w->previous, tag, comm, &status);
  } else {
    MPI_Request send;
    MPI_Isend(w->out, bytes, MPI_BYTE, w->next, tag, comm, &send);
    MPI_Recv(w->in, bytes_max, MPI_BYTE, comm == w->own ? MPI_ANY_SOURCE : w->previous,
             comm == w->own ? MPI_ANY_TAG : tag, comm, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  check_received(w, bytes, round, &status, tag);
}

static void nonblocking(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(w->in, bytes_max, MPI_BYTE, w->previous, tag, comm, &requests[0]);
  if (round % 2)
    MPI_Issend(w->out, bytes, MPI_BYTE, w->next, tag, comm, &requests[1]);
  else
    MPI_Isend(w->out, bytes, MPI_BYTE, w->next, tag, comm, &requests[1]);
  if (round % 3) {
    MPI_Waitall(2, requests, statuses);
  } else {
    int done = 0;
    while (!done) MPI_Testall(2, requests, &done, statuses);
  }
  check_received(w, bytes, round, &statuses[0], tag);
}

static void probed(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Request send;
  MPI_Message message;
  MPI_Status status;
  int count;
  MPI_Isend(w->out, bytes, MPI_BYTE, w->next, tag, comm, &send);
  MPI_Mprobe(w->previous, tag, comm, &message, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK(count == bytes);
  MPI_Mrecv(w->in, count, MPI_BYTE, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  check_received(w, bytes, round, &status, tag);
}

static void both_at_once(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Request request;
  MPI_Status status;
  MPI_Isendrecv(w->out, bytes, MPI_BYTE, w->next, tag, w->in, bytes_max, MPI_BYTE, w->previous, tag,
                comm, &request);
  MPI_Wait(&request, &status);
  check_received(w, bytes, round, &status, tag);
}

/* A send that is given up at once, and a receive that nothing will match. */
static void given_up(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Request send, never;
  MPI_Status status;
  int flag;
  char nothing[8];
  MPI_Irecv(nothing, 8, MPI_BYTE, w->previous, tag + threads_max, comm, &never);
  struct Lent* lent = malloc(sizeof *lent + (size_t)bytes);
  lent->next = w->lent;
  w->lent = lent;
  memcpy(lent->data, w->out, (size_t)bytes);
  MPI_Isend(lent->data, bytes, MPI_BYTE, w->next, tag, comm, &send);
  MPI_Request_free(&send);
  MPI_Recv(w->in, bytes_max, MPI_BYTE, w->previous, tag, comm, &status);
  check_received(w, bytes, round, &status, tag);
  MPI_Cancel(&never);
  MPI_Wait(&never, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Barrier(w->own); /* our freed send has left the buffer when its receiver is here */
}

static void typed(Worker* w, MPI_Comm comm, int tag, int bytes, int round) {
  MPI_Datatype spread;
  MPI_Status status;
  int count = bytes / 8;
  fill_bytes(w->in, bytes_max, 7);
  MPI_Type_vector(count / 2, 4, 8, MPI_BYTE, &spread);
  MPI_Type_commit(&spread);
  MPI_Sendrecv(w->out, 1, spread, w->next, tag, w->in, 1, spread, w->previous, tag, comm, &status);
  MPI_Type_free(&spread);
  for (int i = 0; i < count / 2; ++i)
    for (int j = 0; j < 4; ++j)
      CHECK(w->in[8 * i + j] ==
            byte_at((size_t)(8 * i + j), key_of(w->number, w->previous, round)));
}

static void together(Worker* w, int round) {
  long mine = rank + w->number + round, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, w->own);
  CHECK(sum == (long)size * (w->number + round) + (long)size * (size - 1) / 2);
  if (round % 8 == 0) {
    MPI_Comm other;
    MPI_Comm_dup(w->own, &other);
    MPI_Bcast(&sum, 1, MPI_LONG, round % size, other);
    MPI_Comm_free(&w->own);
    w->own = other;
  }
}

static void one_round(Worker* w, int round) {
  int bytes = some_size(w), tag = w->number;
  MPI_Comm comm = next_random(&w->random) % 2 ? shared : w->own;
  fill_bytes(w->out, (size_t)bytes, key_of(w->number, rank, round));
  uint64_t what = next_random(&w->random) % 7;

  switch (what) {
    case 0:
      return blocking(w, comm, tag, bytes, round);
    case 1:
      return nonblocking(w, comm, tag, bytes, round);
    case 2:
      return probed(w, comm, tag, bytes, round);
    case 3:
      return both_at_once(w, comm, tag, bytes, round);
    case 4:
      return given_up(w, comm, tag, bytes, round);
    case 5:
      return typed(w, comm, tag, bytes, round);
    default:
      return together(w, round);
  }
}

static void* work(void* argument) {
  Worker* w = argument;
  for (int round = 0; round < rounds; ++round) one_round(w, round);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t all[threads_max];
  static Worker workers[threads_max];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  threads = argc > 1 ? atoi(argv[1]) : 3;
  rounds = argc > 2 ? atoi(argv[2]) : 300;
  if (argc > 3) seed = strtoull(argv[3], NULL, 10);
  if (rank == 0)
    printf("%d threads, %d rounds, seed %llu\n", threads, rounds, (unsigned long long)seed);
  MPI_Comm_dup(MPI_COMM_WORLD, &shared);
  for (int i = 0; i < threads; ++i) {
    Worker* w = &workers[i];
    w->number = i;
    w->next = (rank + 1) % size;
    w->previous = (rank + size - 1) % size;
    w->random = seed * 1000 + (uint64_t)i;
    w->out = malloc(bytes_max);
    w->in = malloc(bytes_max);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->own);
  }
  for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, work, &workers[i]);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < threads; ++i) {
    MPI_Comm_free(&workers[i].own);
    free(workers[i].out);
    free(workers[i].in);
    for (struct Lent* lent = workers[i].lent; lent;) {
      struct Lent* next = lent->next;
      free(lent);
      lent = next;
    }
  }
  MPI_Comm_free(&shared);
  return finish();
}
