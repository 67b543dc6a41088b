/* A long receive of one thread stops no other on the same communicator: while its copy is held up
 * in the kernel (userfaultfd), another thread talks to the same rank. Where the kernel does not
 * offer that, it says so and holds nothing up. Two ranks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conformance.h"

enum { long_bytes = 64 << 20, long_tag = 1, ready_tag = 2, ask_tag = 3, answer_tag = 4, asks = 20 };

static void answer(void) {
  for (int i = 0, got; i < asks; ++i) {
    MPI_Recv(&got, 1, MPI_INT, 1, ask_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == i);
    MPI_Send(&got, 1, MPI_INT, 1, answer_tag, MPI_COMM_WORLD);
  }
}

static void ask(void) {
  for (int i = 0; i < asks; ++i) {
    int got = -1;
    MPI_Send(&i, 1, MPI_INT, 0, ask_tag, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, 0, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == i);
  }
}

static void* answer_thread(void* unused) {
  answer();
  return unused;
}

struct Held {
  int descriptor; /* -1: nothing is held up */
  char* memory;
};

/* Waits until somebody touches the memory, talks, and only then lets them go on. */
static void* ask_thread(void* given) {
  struct Held* held = given;
  struct uffd_msg message;
  if (held->descriptor >= 0)
    CHECK(read(held->descriptor, &message, sizeof message) == (ssize_t)sizeof message);
  ask();
  if (held->descriptor < 0) return NULL;
  struct uffdio_range range = {(unsigned long)held->memory, long_bytes};
  CHECK(ioctl(held->descriptor, UFFDIO_UNREGISTER, &range) == 0);
  CHECK(ioctl(held->descriptor, UFFDIO_WAKE, &range) == 0);
  return NULL;
}

static struct Held hold_memory(void) {
  struct Held held = {(int)syscall(SYS_userfaultfd, O_CLOEXEC), NULL};
  held.memory = mmap(NULL, long_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(held.memory != MAP_FAILED);
  if (held.descriptor < 0) {
    printf("no userfaultfd here: no copy is held up\n");
    return held;
  }
  struct uffdio_api api = {UFFD_API, 0, 0};
  struct uffdio_register place = {
      {(unsigned long)held.memory, long_bytes}, UFFDIO_REGISTER_MODE_MISSING, 0};
  CHECK(ioctl(held.descriptor, UFFDIO_API, &api) == 0);
  CHECK(ioctl(held.descriptor, UFFDIO_REGISTER, &place) == 0);
  return held;
}

static void send_side(void) {
  pthread_t thread;
  char* data = malloc(long_bytes);
  int ready;
  fill_bytes((unsigned char*)data, long_bytes, 3);
  MPI_Recv(&ready, 1, MPI_INT, 1, ready_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(pthread_create(&thread, NULL, answer_thread, NULL) == 0);
  MPI_Send(data, long_bytes, MPI_BYTE, 1, long_tag, MPI_COMM_WORLD);
  CHECK(pthread_join(thread, NULL) == 0);
  free(data);
}

static void receive_side(int posted_first) {
  pthread_t thread;
  MPI_Request request;
  struct Held held = hold_memory();
  const int ready = 1;
  if (posted_first)
    MPI_Irecv(held.memory, long_bytes, MPI_BYTE, 0, long_tag, MPI_COMM_WORLD, &request);
  MPI_Send(&ready, 1, MPI_INT, 0, ready_tag, MPI_COMM_WORLD);
  CHECK(pthread_create(&thread, NULL, ask_thread, &held) == 0);
  if (posted_first) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Probe(0, long_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(held.memory, long_bytes, MPI_BYTE, 0, long_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(bytes_are((unsigned char*)held.memory, long_bytes, 3));
  munmap(held.memory, long_bytes);
  if (held.descriptor >= 0) close(held.descriptor);
}

int main(int count, char** words) {
  int provided;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int posted_first = 0; posted_first < 2; ++posted_first)
    if (rank == 0)
      send_side();
    else
      receive_side(posted_first);
  return finish();
}
