/* Receives that are posted before their messages come, in all the ways in which another message, a
 * cancel or an earlier receive could get between: what arrives where is the standard's order,
 * whichever way it takes. Argument: seed. */
#include "conformance.h"

enum { go_tag = 90, many = 200, long_bytes = 20000, rounds = 300 };

static uint64_t seed = 1;

static void tell(int to) {
  MPI_Send(NULL, 0, MPI_BYTE, to, go_tag, MPI_COMM_WORLD);
}
static void hear(int from) {
  MPI_Recv(NULL, 0, MPI_BYTE, from, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static size_t some_length(uint64_t* state) {
  return next_random(state) % 4 == 0 ? next_random(state) % 64 : 5000 + next_random(state) % 15000;
}

/* More receives at once than a sender can know of, from one rank each, of few tags: each message
 * goes into the first one that fits. */
static void many_at_once(int from, int to) {
  static unsigned char data[many][long_bytes];
  MPI_Request requests[many];
  uint64_t lengths = seed, tags = seed + 1;
  if (rank == to) {
    for (int i = 0; i < many; ++i)
      MPI_Irecv(data[i], long_bytes, MPI_BYTE, from, (int)(next_random(&tags) % 3), MPI_COMM_WORLD,
                &requests[i]);
    tell(from);
    MPI_Status statuses[many];
    MPI_Waitall(many, requests, statuses);
    for (int i = 0; i < many; ++i) {
      int count;
      MPI_Get_count(&statuses[i], MPI_BYTE, &count);
      CHECK((size_t)count == some_length(&lengths) && statuses[i].MPI_SOURCE == from);
      CHECK(bytes_are(data[i], (size_t)count, (uint64_t)i));
    }
  } else if (rank == from) {
    hear(to);
    for (int i = 0; i < many; ++i) {
      size_t bytes = some_length(&lengths);
      fill_bytes(data[i], bytes, (uint64_t)i);
      MPI_Isend(data[i], (int)bytes, MPI_BYTE, to, (int)(next_random(&tags) % 3), MPI_COMM_WORLD,
                &requests[i]);
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  }
}

/* An earlier receive from any source takes the first message, and the named one the second. */
static void behind_any_source(int from, int to) {
  static unsigned char any[long_bytes], named[long_bytes];
  MPI_Request requests[2];
  if (rank == to) {
    MPI_Irecv(any, long_bytes, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(named, long_bytes, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    tell(from);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(bytes_are(any, long_bytes, 1) && bytes_are(named, long_bytes, 2));
  } else if (rank == from) {
    hear(to);
    for (uint64_t key = 1; key <= 2; ++key) {
      fill_bytes(any, long_bytes, key);
      MPI_Send(any, long_bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD);
    }
  }
}

/* A wildcard tag before a named one, and a short receive that a long message must not pass by. */
static void in_order_of_posting(int from, int to) {
  static unsigned char data[3][long_bytes];
  MPI_Request requests[3];
  if (rank == to) {
    MPI_Irecv(data[0], 100, MPI_BYTE, from, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data[1], long_bytes, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(data[2], long_bytes, MPI_BYTE, from, 4, MPI_COMM_WORLD, &requests[2]);
    tell(from);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(bytes_are(data[0], 100, 0) && bytes_are(data[1], long_bytes, 1) &&
          bytes_are(data[2], long_bytes, 2));
  } else if (rank == from) {
    hear(to);
    for (int i = 0; i < 3; ++i) {
      int bytes = i == 0 ? 100 : long_bytes;
      fill_bytes(data[i], (size_t)bytes, (uint64_t)i);
      MPI_Isend(data[i], bytes, MPI_BYTE, to, 4, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
}

/* Too long for the receive: cut there, and the next one is intact. */
static void too_long(int from, int to) {
  static unsigned char data[long_bytes];
  if (rank == to) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    static unsigned char second[long_bytes];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(data, long_bytes / 2, MPI_BYTE, from, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(second, long_bytes, MPI_BYTE, from, 5, MPI_COMM_WORLD, &requests[1]);
    tell(from);
    CHECK(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
    CHECK(bytes_are(second, long_bytes, 7));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  } else if (rank == from) {
    hear(to);
    for (uint64_t key = 6; key <= 7; ++key) {
      fill_bytes(data, long_bytes, key);
      MPI_Send(data, long_bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD);
    }
  }
}

/* The receiver cancels while the sender sends: either has it, and nothing is lost or got twice. */
static void cancelled_meanwhile(int from, int to) {
  static unsigned char first[long_bytes], second[long_bytes];
  uint64_t state = seed + (uint64_t)rank;
  for (uint64_t round = 0; round < rounds; ++round) {
    if (rank == to) {
      MPI_Request requests[2];
      MPI_Status status;
      int cancelled;
      MPI_Irecv(first, long_bytes, MPI_BYTE, from, 6, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(second, long_bytes, MPI_BYTE, from, 6, MPI_COMM_WORLD, &requests[1]);
      tell(from);
      for (uint64_t i = next_random(&state) % 400; i > 0; --i) __asm__ volatile("");
      MPI_Cancel(&requests[0]);
      MPI_Wait(&requests[0], &status);
      MPI_Test_cancelled(&status, &cancelled);
      if (!cancelled) CHECK(bytes_are(first, long_bytes, round));
      if (!cancelled) MPI_Cancel(&requests[1]);
      MPI_Wait(&requests[1], &status);
      if (cancelled) CHECK(bytes_are(second, long_bytes, round));
      MPI_Test_cancelled(&status, &cancelled);
    } else if (rank == from) {
      fill_bytes(first, long_bytes, round);
      hear(to);
      for (uint64_t i = next_random(&state) % 400; i > 0; --i) __asm__ volatile("");
      MPI_Send(first, long_bytes, MPI_BYTE, to, 6, MPI_COMM_WORLD);
    }
  }
}

/* The kinds of sends and of receives, one after the other into receives that wait. */
static void all_kinds(int from, int to) {
  static unsigned char data[long_bytes];
  MPI_Request receive;
  if (rank == to) {
    MPI_Recv_init(data, long_bytes, MPI_BYTE, from, 8, MPI_COMM_WORLD, &receive);
    for (uint64_t i = 0; i < 8; ++i) {
      MPI_Start(&receive);
      tell(from);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      CHECK(bytes_are(data, long_bytes, i));
      /* A message that nobody waits for in between. */
      hear(from);
    }
    MPI_Request_free(&receive);
    /* Nobody waits for this receive; a later message tells that it is there. */
    MPI_Irecv(data, long_bytes, MPI_BYTE, from, 8, MPI_COMM_WORLD, &receive);
    MPI_Request_free(&receive);
    tell(from);
    hear(from);
    CHECK(bytes_are(data, long_bytes, 8));
  } else if (rank == from) {
    for (uint64_t i = 0; i < 9; ++i) {
      fill_bytes(data, long_bytes, i);
      hear(to);
      if (i % 2)
        MPI_Ssend(data, long_bytes, MPI_BYTE, to, 8, MPI_COMM_WORLD);
      else
        MPI_Send(data, long_bytes, MPI_BYTE, to, 8, MPI_COMM_WORLD);
      tell(to);
    }
  }
}

/* Each rank exchanges with all others at once, lengths beyond what one rank copies alone. */
static void with_all_at_once(void) {
  enum { bytes = 300000 };
  unsigned char* out = malloc((size_t)size * bytes);
  unsigned char* in = malloc((size_t)size * bytes);
  MPI_Request* requests = malloc(2 * (size_t)size * sizeof *requests);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < size; ++i) {
      fill_bytes(out + (size_t)i * bytes, bytes, (uint64_t)(rank * size + i + round));
      MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_BYTE, i, 9, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i)
      MPI_Isend(out + (size_t)i * bytes, bytes, MPI_BYTE, i, 9, MPI_COMM_WORLD,
                &requests[size + i]);
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size; ++i)
      CHECK(bytes_are(in + (size_t)i * bytes, bytes, (uint64_t)(i * size + rank + round)));
  }
  free(out);
  free(in);
  free(requests);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc > 1) seed = strtoull(argv[1], NULL, 10);
  for (int turn = 0; turn < 3; ++turn) {
    int from = turn % size, to = (turn + 1) % size;
    if (from != to) {
      many_at_once(from, to);
      behind_any_source(from, to);
      in_order_of_posting(from, to);
      too_long(from, to);
      cancelled_meanwhile(from, to);
      all_kinds(from, to);
    }
    with_all_at_once();
  }
  return finish();
}
