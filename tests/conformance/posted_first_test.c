/* Receives that are posted before their messages are sent: a library may put those straight into
 * the buffer. Whatever it does: matching keeps its order, cancelling, truncation, probing and
 * synchronous sends mean what they mean, and nothing beyond the message is written. */
#include "conformance.h"

enum { longest = 5 << 20, margin = 64, ready_tag = 90 };
static const int sizes[] = {1, 100, 9000, 20000, 300000, longest};
enum { size_count = sizeof sizes / sizeof sizes[0] };

static unsigned char *buffer, *other;

static void tell(int to) {
  MPI_Send(NULL, 0, MPI_BYTE, to, ready_tag, MPI_COMM_WORLD);
}
static void hear(int from) {
  MPI_Recv(NULL, 0, MPI_BYTE, from, ready_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void send_key(int bytes, uint64_t key, int tag, int synchronous) {
  unsigned char* data = malloc(longest);
  fill_bytes(data, (size_t)bytes, key);
  (synchronous ? MPI_Ssend : MPI_Send)(data, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
  free(data);
}
static int received(const MPI_Status* status, int tag, int bytes) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  return status->MPI_SOURCE == 0 && status->MPI_TAG == tag && count == bytes;
}

/* The other rank has sent us nothing so far, and is asked for what it will never send. */
static void cancelled_before_anything_came(void) {
  MPI_Request request;
  MPI_Status status;
  int cancelled;
  if (rank == 0) hear(1);
  if (rank != 1) return;
  tell(0);
  unsigned char* nothing = malloc(longest);
  MPI_Irecv(nothing, longest, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);
  free(nothing);
}

static void into_a_larger_buffer(int bytes, int synchronous, int source, int tag) {
  if (rank == 0) {
    hear(1);
    send_key(bytes, 1, 5, synchronous);
    return;
  }
  MPI_Request request;
  MPI_Status status;
  memset(buffer, 0, longest + margin);
  MPI_Irecv(buffer, bytes + margin, MPI_BYTE, source, tag, MPI_COMM_WORLD, &request);
  tell(0);
  MPI_Wait(&request, &status);
  CHECK(received(&status, 5, bytes) && bytes_are(buffer, (size_t)bytes, 1));
  for (int i = 0; i < margin; ++i) CHECK(buffer[bytes + i] == 0);
}

/* Three receives that all fit; the second is any source's when `mixed`. */
static void in_the_order_of_posting(int bytes, int mixed) {
  if (rank == 0) {
    hear(1);
    for (int i = 0; i < 3; ++i) send_key(bytes, (uint64_t)i, 5, 0);
    return;
  }
  MPI_Request requests[3];
  MPI_Status statuses[3];
  unsigned char* buffers[3] = {buffer, other, malloc((size_t)bytes)};
  for (int i = 0; i < 3; ++i)
    MPI_Irecv(buffers[i], bytes, MPI_BYTE, mixed && i == 1 ? MPI_ANY_SOURCE : 0,
              i == 2 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD, &requests[i]);
  tell(0);
  MPI_Waitall(3, requests, statuses);
  for (int i = 0; i < 3; ++i)
    CHECK(received(&statuses[i], 5, bytes) && bytes_are(buffers[i], (size_t)bytes, (uint64_t)i));
  free(buffers[2]);
}

static void an_earlier_wildcard_comes_first(int bytes) {
  if (rank == 0) {
    hear(1);
    send_key(bytes, 1, 5, 0);
    send_key(bytes, 2, 5, 0);
    return;
  }
  MPI_Request any, named;
  MPI_Status status;
  MPI_Irecv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &any);
  MPI_Irecv(other, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &named);
  tell(0);
  MPI_Wait(&named, &status);
  CHECK(received(&status, 5, bytes) && bytes_are(other, (size_t)bytes, 2));
  MPI_Wait(&any, &status);
  CHECK(received(&status, 5, bytes) && bytes_are(buffer, (size_t)bytes, 1));
}

/* What comes before it matches something else, is probed, and is received afterwards. */
static void other_messages_pass_by(int bytes) {
  if (rank == 0) {
    MPI_Request sends[2];
    hear(1);
    fill_bytes(buffer, (size_t)bytes, 1);
    fill_bytes(other, (size_t)bytes, 2);
    MPI_Isend(buffer, bytes, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(other, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &sends[1]);
    hear(1);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    send_key(bytes, 3, 5, 0);
    return;
  }
  MPI_Request request;
  MPI_Status status;
  int flag;
  MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
  tell(0);
  MPI_Probe(0, 7, MPI_COMM_WORLD, &status);
  CHECK(received(&status, 7, bytes));
  MPI_Test(&request, &flag, &status);
  CHECK(!flag);
  MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag);
  MPI_Recv(other, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &status);
  CHECK(bytes_are(other, (size_t)bytes, 2));
  MPI_Recv(other, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK(received(&status, 6, bytes) && bytes_are(other, (size_t)bytes, 1));
  tell(0);
  MPI_Wait(&request, &status);
  CHECK(received(&status, 5, bytes) && bytes_are(buffer, (size_t)bytes, 3));
}

static void too_long_is_truncated(int bytes) {
  if (rank == 0) {
    hear(1);
    send_key(bytes, 1, 5, 0);
    send_key(bytes, 2, 5, 0);
    return;
  }
  MPI_Request requests[2];
  MPI_Status status;
  int capacity = bytes - bytes / 4 - 1, class;
  memset(buffer, 0, (size_t)bytes);
  MPI_Irecv(buffer, capacity, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(other, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &requests[1]);
  tell(0);
  MPI_Error_class(MPI_Wait(&requests[0], &status), &class);
  CHECK(class == MPI_ERR_TRUNCATE);
  for (int i = capacity; i < bytes; ++i) CHECK(buffer[i] == 0);
  MPI_Wait(&requests[1], &status);
  CHECK(received(&status, 5, bytes) && bytes_are(other, (size_t)bytes, 2));
}

/* Receives that were cancelled before their message was asked for, and those that yet took it: over
   a network the cancellation may wait for space on the way longer than the message. */
static int cancelled_in_time, taken_yet;

/* The cancellation meets the message somewhere on its way: it is in one buffer, never in both. */
static void cancelled_meanwhile(int bytes, int round) {
  if (rank == 0) {
    hear(1);
    send_key(bytes, 9, 5, 0);
    return;
  }
  MPI_Request request;
  MPI_Status status;
  int cancelled, flag;
  memset(buffer, 0, (size_t)bytes);
  MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
  if (round % 4 > 0) tell(0);
  for (int i = 0; i < round % 7; ++i) MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, &status);
  MPI_Cancel(&request);
  if (round % 4 == 0) tell(0);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (round % 4 == 0) ++*(cancelled ? &cancelled_in_time : &taken_yet);
  if (!cancelled) {
    CHECK(received(&status, 5, bytes) && bytes_are(buffer, (size_t)bytes, 9));
    return;
  }
  MPI_Recv(other, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
  CHECK(received(&status, 5, bytes) && bytes_are(other, (size_t)bytes, 9));
  for (int i = 0; i < bytes; ++i) CHECK(buffer[i] == 0);
}

/* Either side has gaps. */
static void with_gaps(int bytes) {
  MPI_Datatype every_second;
  int count = bytes / 8;
  if (count == 0) return;
  MPI_Type_vector(count, 4, 8, MPI_BYTE, &every_second);
  MPI_Type_commit(&every_second);
  if (rank == 0) {
    fill_bytes(buffer, (size_t)bytes, 4);
    hear(1);
    MPI_Send(buffer, 1, every_second, 1, 5, MPI_COMM_WORLD);
    MPI_Send(buffer, count * 4, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Request requests[2];
    MPI_Irecv(buffer, count * 4, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(other, 1, every_second, 0, 5, MPI_COMM_WORLD, &requests[1]);
    tell(0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count * 4; ++i) {
      size_t place = (size_t)(i / 4 * 8 + i % 4);
      CHECK(buffer[i] == byte_at(place, 4) && other[place] == byte_at((size_t)i, 4));
    }
  }
  MPI_Type_free(&every_second);
}

static void all_of_it(int bytes) {
  int is_long = bytes > 100000;
  for (int i = 0; i < (is_long ? 2 : 6); ++i) {
    into_a_larger_buffer(bytes, 0, 0, 5);
    into_a_larger_buffer(bytes, 1, 0, MPI_ANY_TAG);
    into_a_larger_buffer(bytes, i % 2, MPI_ANY_SOURCE, 5);
    in_the_order_of_posting(bytes, i % 2);
    an_earlier_wildcard_comes_first(bytes);
    other_messages_pass_by(bytes);
    if (bytes > 1) too_long_is_truncated(bytes);
    with_gaps(bytes);
  }
  for (int i = 0; i < (is_long ? 12 : 200); ++i) cancelled_meanwhile(bytes, i);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  cancelled_before_anything_came();
  for (int shared = 0; shared < 2; ++shared) {
    if (shared) {
      MPI_Alloc_mem(longest + margin, MPI_INFO_NULL, &buffer);
      MPI_Alloc_mem(longest + margin, MPI_INFO_NULL, &other);
    } else {
      buffer = malloc(longest + margin);
      other = malloc(longest + margin);
    }
    for (int i = 0; i < size_count && rank < 2; ++i) all_of_it(sizes[i]);
    if (shared) {
      MPI_Free_mem(buffer);
      MPI_Free_mem(other);
    } else {
      free(buffer);
      free(other);
    }
  }
  CHECK(rank != 1 || cancelled_in_time > 10 * taken_yet);
  return finish();
}
