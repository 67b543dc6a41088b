/* Buffered sends: which buffer is used, what fits, and that flushes and detaches wait for exactly
 * what they must wait for. */
#include "conformance.h"

enum { big = 1200000, small = 100 }; /* big: beyond what may leave before it is received */

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

static int next(void) {
  return (rank + 1) % size;
}
static int previous(void) {
  return (rank + size - 1) % size;
}

static void receive_and_check(int bytes, uint64_t key, int tag, MPI_Comm comm) {
  unsigned char* data = malloc(big);
  MPI_Status status;
  int count;
  MPI_Recv(data, big, MPI_BYTE, previous(), tag, comm, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK(count == bytes && bytes_are(data, (size_t)bytes, key));
  free(data);
}

static void send_key(int bytes, uint64_t key, int tag, MPI_Comm comm) {
  unsigned char* data = calloc(1, big);
  fill_bytes(data, (size_t)bytes, key);
  CHECK(MPI_Bsend(data, bytes, MPI_BYTE, next(), tag, comm) == MPI_SUCCESS);
  fill_bytes(data, (size_t)bytes, 99); /* ours again at once */
  free(data);
}

static void nothing_attached_is_an_error(MPI_Comm comm) {
  void* memory;
  int bytes;
  MPI_Request request;
  CHECK(class_of(MPI_Buffer_detach(&memory, &bytes)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Comm_detach_buffer(comm, &memory, &bytes)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Buffer_flush()) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Comm_flush_buffer(comm)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Buffer_iflush(&request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Comm_iflush_buffer(comm, &request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bsend(&bytes, 1, MPI_INT, next(), 1, comm)) == MPI_ERR_BUFFER);
}

/* As many messages fit as the overhead says, and their space comes back. */
static void the_overhead_is_enough(void) {
  enum { messages = 5 };
  const int space = messages * (small + MPI_BSEND_OVERHEAD);
  char* memory = malloc((size_t)space + 1);
  for (int shift = 0; shift < 2; ++shift) {
    void* back;
    int bytes;
    MPI_Buffer_attach(memory + shift, space);
    CHECK(class_of(MPI_Buffer_attach(memory, space)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)) == MPI_ERR_BUFFER);
    for (int turn = 0; turn < 20; ++turn) {
      for (int i = 0; i < messages; ++i) send_key(small, (uint64_t)i, 2, MPI_COMM_WORLD);
      for (int i = 0; i < messages; ++i) receive_and_check(small, (uint64_t)i, 2, MPI_COMM_WORLD);
      MPI_Buffer_flush();
    }
    MPI_Buffer_detach(&back, &bytes);
    CHECK(back == memory + shift && bytes == space);
  }
  free(memory);
}

/* What the standard's model of the buffer has space for fits: a ring in which space is taken behind
 * the last message, or at the start. Whoever fills gaps as they come has none left for the last. */
static void space_is_taken_in_a_ring(void) {
  const int unit = big / 3;
  const int parts = MPI_BSEND_OVERHEAD;
  const int space = 10 * unit + 3 * parts;
  char* memory = malloc((size_t)space);
  void* back;
  int bytes;
  MPI_Buffer_attach(memory, space);
  for (int i = 0; i < 3; ++i) send_key(3 * unit, (uint64_t)i, i, MPI_COMM_WORLD);
  receive_and_check(3 * unit, 0, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  send_key(unit - parts, 3, 3, MPI_COMM_WORLD);
  send_key(3 * unit, 4, 4, MPI_COMM_WORLD);
  for (int i = 1; i < 5; ++i)
    receive_and_check(i == 3 ? unit - parts : 3 * unit, (uint64_t)i, i, MPI_COMM_WORLD);
  MPI_Buffer_detach(&back, &bytes);
  free(memory);
}

/* Its space comes back without a call that waits for it. */
static void a_full_buffer_collects_what_has_been_received(void) {
  char* memory = malloc(big + MPI_BSEND_OVERHEAD);
  void* back;
  int bytes;
  MPI_Buffer_attach(memory, big + MPI_BSEND_OVERHEAD);
  for (int turn = 0; turn < 10; ++turn) {
    char token = 0;
    send_key(big, (uint64_t)turn, 8, MPI_COMM_WORLD);
    receive_and_check(big, (uint64_t)turn, 8, MPI_COMM_WORLD);
    MPI_Sendrecv(&token, 1, MPI_CHAR, previous(), 9, &token, 1, MPI_CHAR, next(), 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  CHECK(class_of(MPI_Bsend(memory, big + 1, MPI_BYTE, next(), 8, MPI_COMM_WORLD)) ==
        MPI_ERR_BUFFER);
  MPI_Buffer_detach(&back, &bytes);
  free(memory);
}

/* The communicator's buffer goes before the process's, also for requests made before it came. */
static void the_communicators_buffer_comes_first(MPI_Comm comm) {
  char process_memory[small + MPI_BSEND_OVERHEAD];
  char* own_memory = malloc(big + MPI_BSEND_OVERHEAD);
  unsigned char* data = malloc(big);
  void* back;
  int bytes;
  MPI_Request request;
  MPI_Buffer_attach(process_memory, sizeof process_memory);
  MPI_Bsend_init(data, big, MPI_BYTE, next(), 3, comm, &request);
  CHECK(class_of(MPI_Start(&request)) == MPI_ERR_BUFFER);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_attach_buffer(comm, own_memory, big + MPI_BSEND_OVERHEAD);
  for (int turn = 0; turn < 3; ++turn) {
    fill_bytes(data, big, (uint64_t)turn);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fill_bytes(data, big, 77);
    receive_and_check(big, (uint64_t)turn, 3, comm);
    MPI_Comm_flush_buffer(comm);
  }
  CHECK(class_of(MPI_Bsend(data, big, MPI_BYTE, next(), 3, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
  MPI_Comm_detach_buffer(comm, &back, &bytes);
  CHECK(back == own_memory && bytes == big + MPI_BSEND_OVERHEAD);
  CHECK(class_of(MPI_Start(&request)) == MPI_ERR_BUFFER);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Buffer_detach(&back, &bytes);
  CHECK(back == process_memory);
  free(own_memory);
  free(data);
}

/* A nonblocking flush ends when its own messages have left, not those after it. */
static void a_flush_waits_for_what_was_there(MPI_Comm comm) {
  MPI_Request flushes[3];
  int flag = 1;
  void* back;
  int bytes;
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Comm_iflush_buffer(comm, &flushes[0]);
  CHECK(MPI_Wait(&flushes[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
  send_key(big, 1, 4, comm);
  MPI_Comm_iflush_buffer(comm, &flushes[0]);
  send_key(big, 2, 5, comm);
  MPI_Comm_iflush_buffer(comm, &flushes[1]);
  MPI_Comm_iflush_buffer(comm, &flushes[2]);
  MPI_Test(&flushes[0], &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  CHECK(class_of(MPI_Cancel(&flushes[0])) == MPI_ERR_REQUEST);
  MPI_Request_free(&flushes[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  receive_and_check(big, 1, 4, comm);
  MPI_Status status;
  MPI_Wait(&flushes[0], &status);
  MPI_Test(&flushes[1], &flag, &status);
  CHECK(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  receive_and_check(big, 2, 5, comm);
  MPI_Wait(&flushes[1], &status);
  MPI_Comm_detach_buffer(comm, &back, &bytes);
  CHECK(back == MPI_BUFFER_AUTOMATIC);
}

/* Freeing a communicator does not wait; its messages arrive all the same. */
static void messages_survive_their_communicator(void) {
  MPI_Comm comm;
  unsigned char* data = malloc(big);
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Irecv(data, big, MPI_BYTE, previous(), 6, comm, &request);
  send_key(big, 8, 6, comm);
  send_key(small, 9, 6, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(bytes_are(data, big, 8));
  receive_and_check(small, 9, 6, MPI_COMM_WORLD);
  free(data);
}

static void detaching_waits_for_the_messages(void) {
  char* memory = malloc(big + MPI_BSEND_OVERHEAD);
  unsigned char* data = malloc(big);
  MPI_Request request;
  void* back;
  int bytes;
  MPI_Irecv(data, big, MPI_BYTE, previous(), 7, MPI_COMM_WORLD, &request);
  MPI_Buffer_attach(memory, big + MPI_BSEND_OVERHEAD);
  send_key(big, 5, 7, MPI_COMM_WORLD);
  MPI_Buffer_detach(&back, &bytes);
  memset(memory, 0, big);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(back == memory && bytes_are(data, big, 5));
  free(memory);
  free(data);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  nothing_attached_is_an_error(comm);
  the_overhead_is_enough();
  space_is_taken_in_a_ring();
  a_full_buffer_collects_what_has_been_received();
  the_communicators_buffer_comes_first(comm);
  /* Where long messages leave before their match there is nothing to wait for. */
  if (argc < 2 || strcmp(argv[1], "buffered") != 0) a_flush_waits_for_what_was_there(comm);
  detaching_waits_for_the_messages();
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0); /* stays until the end */
  messages_survive_their_communicator();
  MPI_Comm_free(&comm);
  return finish();
}
