/* A rank of tests/launch/export_heap_test.py: its first argument says what it tries. Prints what
   went wrong, and ends with 1 then. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { mib = 1 << 20 };

static int rank, ranks;

static void fail(const char* what) {
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(int truth, const char* what) {
  if (!truth) fail(what);
}

static void fill(uint32_t* words, size_t bytes, uint32_t seed) {
  for (size_t i = 0; i < bytes / sizeof *words; ++i) words[i] = seed + (uint32_t)i;
}

static int filled(const uint32_t* words, size_t bytes, uint32_t seed) {
  for (size_t i = 0; i < bytes / sizeof *words; ++i)
    if (words[i] != seed + (uint32_t)i) return 0;
  return 1;
}

/* To the next rank and from the one before, in memory of malloc. */
static void pass_on(size_t bytes, int rounds) {
  uint32_t* sent = malloc(bytes);
  uint32_t* got = malloc(bytes);
  for (int round = 0; round < rounds; ++round) {
    fill(sent, bytes, (uint32_t)(rank + round));
    MPI_Sendrecv(sent, (int)bytes, MPI_BYTE, (rank + 1) % ranks, round, got, (int)bytes, MPI_BYTE,
                 (rank + ranks - 1) % ranks, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(filled(got, bytes, (uint32_t)((rank + ranks - 1) % ranks + round)),
           "a message is wrong");
  }
  free(sent);
  free(got);
}

static int ending_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/* Parent and child each change what they have, and neither sees the other do it. */
static void fork_and_look(void) {
  const size_t bytes = 32 * mib;
  uint32_t* words = malloc(bytes);
  uint32_t* other = malloc(3 * mib);
  fill(words, bytes, 7);
  fill(other, 3 * mib, 9);
  int told[2];
  expect(pipe(told) == 0, "no pipe");
  pid_t child = fork();
  if (child == 0) {
    char byte;
    int right = filled(words, bytes / 2, 7);
    fill(words, bytes / 2, 100);
    if (read(told[0], &byte, 1) != 1) _exit(3); /* the parent has changed all of its own */
    right = right && filled(words, bytes / 2, 100) && filled(other, 3 * mib, 9);
    right = right && filled(words + bytes / 8, bytes / 2, 7 + (uint32_t)(bytes / 8));
    /* The allocator goes on, in this process alone. */
    uint32_t* more = malloc(5 * mib);
    fill(more, 5 * mib, 11);
    free(words);
    /* Until its allocator gives back what was freed: that must not be the parent's. */
    usleep(1200000);
    for (int i = 0; i < 5000; ++i) {
      char* small = malloc(100000);
      small[i] = 1;
      __asm__ __volatile__("" : : "r"(small) : "memory");
      free(small);
    }
    uint32_t* again = calloc(bytes, 1);
    for (size_t i = 0; i < bytes / sizeof *again; ++i) right = right && again[i] == 0;
    fill(again, bytes, 13);
    right = right && filled(more, 5 * mib, 11);
    _exit(right ? 0 : 4);
  }
  fill(words, bytes, 50);
  fill(other, 3 * mib, 60);
  expect(write(told[1], "x", 1) == 1, "no write");
  expect(ending_of(child) == 0, "the child did not see the memory as it was when it was made");
  expect(filled(words, bytes, 50) && filled(other, 3 * mib, 60),
         "the child changed its parent's memory");
  close(told[0]);
  close(told[1]);
  free(words);
  free(other);
  pass_on(2 * mib, 4);
}

/* A child that no handler of fork has seen must die rather than write to us. */
static void clone_past_handlers(void) {
  uint32_t* words = malloc(4 * mib);
  fill(words, 4 * mib, 1);
  pid_t child = (pid_t)syscall(SYS_fork);
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    words[5] = 0;
    syscall(SYS_exit_group, 0);
  }
  int status = ending_of(child);
  expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "such a child reaches the memory");
  expect(filled(words, 4 * mib, 1), "such a child wrote to the memory");
  free(words);
}

/* fork goes on when there are no descriptors left for it. */
static void fork_without_descriptors(void) {
  struct rlimit limit = {64, 64};
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int i = 0; i < 3; ++i) {
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    uint32_t* words = malloc(mib);
    fill(words, mib, (uint32_t)i);
    pid_t child = fork();
    if (child == 0) _exit(filled(words, mib, (uint32_t)i) ? 0 : 1);
    fill(words, mib, 77);
    expect(ending_of(child) == 0, "a child has no copy");
    free(words);
  }
}

static long file_mib(void) {
  struct stat facts;
  char path[40], target[64];
  for (int number = 0; number < 4096; ++number) { /* the library chooses which */
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = 0;
    if (strncmp(target, "/memfd:baton-job", 16) == 0 && stat(path, &facts) == 0)
      return facts.st_blocks / 2048;
  }
  expect(0, "no job's file");
  return 0;
}

/* Without another call of malloc. */
static void wait_until_back(long before) {
  for (int i = 0; file_mib() > before + 8; ++i) {
    expect(i < 200, "freed memory is kept");
    usleep(100000);
  }
}

/* Memory that is free is given back, without another call of malloc. */
static void release(void) {
  long before = file_mib();
  char* block = malloc(64 * mib);
  memset(block, 1, 64 * mib);
  __asm__ __volatile__("" : : "r"(block) : "memory"); /* it counts, though nobody reads it */
  expect(file_mib() >= before + 60, "the block does not lie in the job's memory");
  free(block);
  wait_until_back(before);
}

/* Where blocks have a place, they have their memory at once, also when an address is used again. */
static void reserve(void) {
  for (int round = 0; round < 2; ++round) {
    long before = file_mib();
    char* block = malloc(64 * mib);
    __asm__ __volatile__("" : : "r"(block) : "memory");
    expect(file_mib() >= before + 60, "a block has no memory");
    free(block);
    wait_until_back(before);
  }
}

static void zeros(void) {
  for (int round = 0; round < 20; ++round) {
    size_t bytes = (size_t)(round % 5 + 1) * 700001;
    char* dirty = malloc(bytes);
    memset(dirty, 0xff, bytes);
    free(dirty);
    char* clean = calloc(bytes, 1);
    for (size_t i = 0; i < bytes; ++i) expect(clean[i] == 0, "calloc gives what is not zero");
    memset(clean, 1, bytes);
    clean = realloc(clean, 3 * bytes);
    for (size_t i = 0; i < bytes; ++i) expect(clean[i] == 1, "realloc lost something");
    free(clean);
  }
  void* page = valloc(100000);
  expect((uintptr_t)page % 4096 == 0, "valloc");
  free(page);
  page = NULL;
  expect(posix_memalign(&page, 2 * mib, 5 * mib) == 0 && (uintptr_t)page % (2 * mib) == 0,
         "alignment");
  free(page);
}

static void* allocate_and_free(void* seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  for (int i = 0; i < 2000; ++i) {
    size_t bytes = 40000 + (size_t)rand_r(&state) % 500000;
    uint32_t* words = malloc(bytes);
    fill(words, 4096, state);
    words[bytes / 4 - 1] = state;
    sched_yield();
    expect(filled(words, 4096, state) && words[bytes / 4 - 1] == state,
           "two threads have the same memory");
    free(words);
  }
  return NULL;
}

static void threads(void) {
  pthread_t others[4];
  for (uintptr_t i = 0; i < 4; ++i)
    pthread_create(&others[i], NULL, allocate_and_free, (void*)(i + 1));
  for (int i = 0; i < 20; ++i) pass_on(mib, 5);
  for (int i = 0; i < 4; ++i) pthread_join(others[i], NULL);
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  char* early = malloc(mib); /* before MPI_Init, and freed after it */
  memset(early, 1, mib);
  int level;
  MPI_Init_thread(&count, &words, strcmp(what, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  free(early);
  char* late = malloc(2 * mib); /* freed after MPI_Finalize */
  memset(late, 2, 2 * mib);
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"fork", fork_and_look}, {"clone", clone_past_handlers},
             {"release", release},    {"descriptors", fork_without_descriptors},
             {"reserve", reserve},    {"zeros", zeros},
             {"threads", threads}};
  size_t chosen = 0;
  while (chosen < sizeof all / sizeof *all && strcmp(what, all[chosen].name) != 0) ++chosen;
  if (chosen < sizeof all / sizeof *all)
    all[chosen].run();
  else if (!strcmp(what, "pass"))
    pass_on(count > 2 ? (size_t)atol(words[2]) : 2 * mib, 20);
  else
    fail("what?");
  MPI_Finalize();
  for (int i = 0; i < 2 * mib; ++i)
    if (late[i] != 2) return 1;
  free(late);
  late = malloc(3 * mib);
  memset(late, 3, 3 * mib);
  free(late);
  printf("done\n");
  return 0;
}
