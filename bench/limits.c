/* What this machine allows at best between two cores, without MPI: one cache line back and forth,
 * and one plain copy by the receiver of what the other has (fresh: just written; every line is then
 * read), in one piece and in blocks of 512 bytes with as much between them. usage: limits
 * MILLISECONDS [SIZE...]; prints "cell line", "cell copy/reused|fresh/SIZE" and "cell copy512/..."
 * in µs. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

typedef struct {
  _Alignas(64) _Atomic uint64_t ping;
  _Alignas(64) _Atomic uint64_t pong;
  _Alignas(64) _Atomic uint64_t quit;
} Flags;

typedef struct {
  _Atomic uint64_t *mine, *others;
  char *out, *from, *in; /* what I show, what the other shows, where I copy it */
  size_t bytes, block;   /* in all, and in one piece */
  int fresh;
} Side;

static uint64_t sink;

static inline void wait_for(_Atomic uint64_t* flag, uint64_t value) {
  while (atomic_load_explicit(flag, memory_order_acquire) < value) __builtin_ia32_pause();
}

/* Where the byte of a number lies: between blocks there is as much as in them. */
static inline size_t place(const Side* s, size_t byte) {
  return s->block == s->bytes ? byte : 2 * byte;
}

static void give(Side* s, uint64_t turn) {
  if (s->fresh)
    for (size_t i = 0; i < s->bytes; i += s->block)
      write_lines(s->out + place(s, i), s->block, (uint32_t)turn);
  atomic_store_explicit(s->mine, turn, memory_order_release);
}

static void take(Side* s, uint64_t turn) {
  wait_for(s->others, turn);
  for (size_t i = 0; i < s->bytes; i += s->block)
    memcpy(s->in + place(s, i), s->from + place(s, i), s->block);
  if (s->fresh)
    for (size_t i = 0; i < s->bytes; i += s->block)
      sink += read_lines(s->in + place(s, i), s->block);
}

static double timed(Side* s, uint64_t* turn, long repeats) {
  double start = now_us();
  for (long i = 0; i < repeats; ++i) {
    ++*turn;
    give(s, *turn);
    take(s, *turn);
  }
  return (now_us() - start) / (double)repeats / 2;
}

/* The other side: answers until told to quit. */
static void answer(Side* s, Flags* flags) {
  for (uint64_t turn = 1;; ++turn) {
    while (atomic_load_explicit(s->others, memory_order_acquire) < turn) {
      if (atomic_load_explicit(&flags->quit, memory_order_relaxed)) _exit(0);
      __builtin_ia32_pause();
    }
    take(s, turn);
    give(s, turn);
  }
}

static cpu_set_t allowed; /* before any binding */

static void bind_to(int which) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && which-- == 0) {
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

static char* shared(size_t bytes) {
  void* memory = mmap(NULL, bytes < 4096 ? 4096 : bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("limits: mmap");
    exit(3);
  }
  memset(memory, 1, bytes < 4096 ? 4096 : bytes);
  return memory;
}

static double measure(size_t bytes, size_t block, int fresh, double budget_us) {
  size_t span = block == bytes ? bytes : 2 * bytes;
  Flags* flags = (Flags*)shared(sizeof(Flags));
  memset(flags, 0, sizeof *flags);
  char *a = shared(span), *b = shared(span);
  pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bind_to(1);
    Side side = {&flags->pong, &flags->ping, b, a, shared(span), bytes, block, fresh};
    answer(&side, flags);
  }
  Side side = {&flags->ping, &flags->pong, a, b, shared(span), bytes, block, fresh};
  uint64_t turn = 0;
  double times[batches_max], once = timed(&side, &turn, 16) * 2;
  long repeats = (long)(budget_us / 9 / once);
  for (int i = 0; i < 9; ++i) times[i] = timed(&side, &turn, repeats < 1 ? 1 : repeats);
  atomic_store_explicit(&flags->quit, 1, memory_order_relaxed);
  waitpid(other, NULL, 0);
  munmap(a, span < 4096 ? 4096 : span);
  munmap(b, span < 4096 ? 4096 : span);
  munmap(side.in, span < 4096 ? 4096 : span);
  munmap(flags, 4096);
  return median(times, 9);
}

int main(int count, char** words) {
  if (count < 2) {
    fprintf(stderr, "usage: limits MILLISECONDS [SIZE...]\n");
    return 2;
  }
  double budget_us = atof(words[1]) * 1000;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
    fprintf(stderr, "limits: this needs two CPUs\n");
    return 3;
  }
  bind_to(0);
  printf("cell line %.4f\n", measure(0, 0, 0, budget_us));
  for (int i = 2; i < count; ++i)
    for (int fresh = 0; fresh < 2; ++fresh) {
      size_t bytes = strtoul(words[i], NULL, 10);
      const char* how = fresh ? "fresh" : "reused";
      printf("cell copy/%s/%zu %.4f\n", how, bytes, measure(bytes, bytes, fresh, budget_us));
      if (bytes % 512 == 0)
        printf("cell copy512/%s/%zu %.4f\n", how, bytes, measure(bytes, 512, fresh, budget_us));
    }
  return 0;
}
