/* What this machine allows at best between two cores, without MPI.
 * usage: limits MILLISECONDS LOOP [SIZE...]
 * LOOP is one of
 *   line      one cache line back and forth
 *   copy      one plain copy by the receiver of what the other has (cold: just written; every line
 *             is then read)
 *   copy512   the same in blocks of 512 bytes with as much between them
 *   both      sender and receiver copy together, from buffers both have mapped (both.c)
 *   both-cma  the same by cross-memory attach
 *   through   two copies through a buffer of shared memory, back and forth (through.c)
 *   stream    the same, 64 messages one way
 *   exchange  the same, 64 each way at once
 *   put-copy, get-copy, sum   a plain copy or sum to or from memory of a process that sleeps, which
 *             both have mapped (onesided_limits.c); put-cma, get-cma: by cross-memory attach
 *   add-idle  an atomic addition to a word there; add-shared: while the other adds to it, too
 * Through, stream and exchange also as through-fetch (the sender fetches the buffer's lines with
 * ownership), through-around (it writes them by non-temporal stores), through-past (the receiver
 * writes its buffer so), and so on. Prints "cell LOOP/warm|cold/SIZE MICROSECONDS" for every cell,
 * "cell LOOP MICROSECONDS" for line, add-idle and add-shared. */
#define _GNU_SOURCE
#include "limits.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  _Alignas(64) _Atomic uint64_t ping;
  _Alignas(64) _Atomic uint64_t pong;
  _Alignas(64) _Atomic uint64_t quit;
} Flags;

typedef struct {
  _Atomic uint64_t *mine, *others;
  char *out, *from, *in; /* what I show, what the other shows, where I copy it */
  size_t bytes, block;   /* in all, and in one piece */
  int cold;
  uint64_t turn;
} Side;

uint64_t sink;
static cpu_set_t allowed; /* before any binding */

void bind_to(int which) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && which-- == 0) {
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

static size_t in_pages(size_t bytes) {
  return (bytes + 4095) / 4096 * 4096 + (bytes == 0) * 4096;
}

static char* memory_of(size_t bytes, int flags) {
  void* memory = mmap(NULL, in_pages(bytes), PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("limits: mmap");
    exit(3);
  }
  memset(memory, 1, in_pages(bytes));
  return memory;
}

char* shared_memory(size_t bytes) {
  return memory_of(bytes, MAP_SHARED);
}
char* own_memory(size_t bytes) {
  return memory_of(bytes, MAP_PRIVATE);
}
void give_back(void* memory, size_t bytes) {
  munmap(memory, in_pages(bytes));
}

static double took(Step* step, void* side, long repeats) {
  double start = now_us();
  for (long i = 0; i < repeats; ++i) step(side);
  return now_us() - start;
}

double median_time(Step* step, void* side, double budget_us) {
  double times[batches_max], once = 0;
  step(side);
  for (long repeats = 1;; repeats *= 4) {
    once = shorter(took(step, side, repeats), took(step, side, repeats));
    int enough = once > budget_us / 20;
    once /= (double)repeats;
    if (enough) break;
  }
  Plan plan = plan_of(budget_us, once);
  for (int b = 0; b < plan.batches; ++b)
    times[b] = took(step, side, plan.repeats) / (double)plan.repeats;
  return median(times, plan.batches);
}

/* Where the byte of a number lies: between blocks there is as much as in them. */
static inline size_t place(const Side* s, size_t byte) {
  return s->block == s->bytes ? byte : 2 * byte;
}

static void give(Side* s, uint64_t turn) {
  if (s->cold)
    for (size_t i = 0; i < s->bytes; i += s->block)
      write_lines(s->out + place(s, i), s->block, (uint32_t)turn);
  atomic_store_explicit(s->mine, turn, memory_order_release);
}

static void take(Side* s, uint64_t turn) {
  wait_for(s->others, turn);
  for (size_t i = 0; i < s->bytes; i += s->block)
    memcpy(s->in + place(s, i), s->from + place(s, i), s->block);
  if (s->cold)
    for (size_t i = 0; i < s->bytes; i += s->block)
      sink += read_lines(s->in + place(s, i), s->block);
}

static void there_and_back(void* side) {
  Side* s = side;
  ++s->turn;
  give(s, s->turn);
  take(s, s->turn);
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

static double measure_copy(size_t bytes, size_t block, int cold, double budget_us) {
  size_t span = block == bytes ? bytes : 2 * bytes;
  Flags* flags = (Flags*)shared_memory(sizeof(Flags));
  memset(flags, 0, sizeof *flags);
  char *a = shared_memory(span), *b = shared_memory(span), *in = shared_memory(span);
  pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bind_to(1);
    Side side = {&flags->pong, &flags->ping, b, a, shared_memory(span), bytes, block, cold, 0};
    answer(&side, flags);
  }
  Side side = {&flags->ping, &flags->pong, a, b, in, bytes, block, cold, 0};
  double value = median_time(there_and_back, &side, budget_us) / 2;
  atomic_store_explicit(&flags->quit, 1, memory_order_relaxed);
  waitpid(other, NULL, 0);
  give_back(a, span);
  give_back(b, span);
  give_back(in, span);
  give_back(flags, sizeof *flags);
  return value;
}

/* The loops of through.c: whether the name is one, and which. */
static int is_through(const char* loop, Through* through, Stores* stores) {
  static const char* const ways[] = {"through", "stream", "exchange"};
  static const char* const copies[] = {"", "-fetch", "-around", "-past"};
  for (int w = 0; w < 3; ++w)
    for (int c = 0; c < 4; ++c) {
      size_t length = strlen(ways[w]);
      if (strncmp(loop, ways[w], length) || strcmp(loop + length, copies[c])) continue;
      *through = (Through)w;
      *stores = (Stores)c;
      return 1;
    }
  return 0;
}

static double measure(const char* loop, size_t bytes, int cold, double budget_us) {
  Through through;
  Stores stores;
  if (!strcmp(loop, "line")) return measure_copy(0, 0, 0, budget_us);
  if (!strcmp(loop, "copy")) return measure_copy(bytes, bytes, cold, budget_us);
  if (!strcmp(loop, "copy512")) return bytes % 512 ? -1 : measure_copy(bytes, 512, cold, budget_us);
  if (is_reach(loop)) return measure_reach(loop, bytes, cold, budget_us);
  if (is_through(loop, &through, &stores))
    return measure_through(through, stores, bytes, cold, budget_us);
  return measure_both(bytes, cold, !strcmp(loop, "both-cma"), budget_us);
}

int main(int count, char** words) {
  static const char* const loops[] = {"line", "copy", "copy512", "both", "both-cma"};
  Through through;
  Stores stores;
  int known = count >= 3 && (is_reach(words[2]) || is_through(words[2], &through, &stores));
  for (size_t i = 0; count >= 3 && i < sizeof loops / sizeof *loops; ++i)
    known += !strcmp(words[2], loops[i]);
  if (!known) {
    fprintf(stderr,
            "usage: limits MILLISECONDS line|copy|copy512|both|both-cma|put-copy|get-copy|put-cma|"
            "get-cma|sum|add-idle|add-shared|through|stream|exchange[-fetch|-around|-past] "
            "[SIZE...]\n");
    return 2;
  }
  double budget_us = atof(words[1]) * 1000;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
    fprintf(stderr, "limits: this needs two CPUs\n");
    return 3;
  }
  bind_to(0);
  int of_one_line = !strcmp(words[2], "line") || !strncmp(words[2], "add-", 4);
  if (of_one_line) printf("cell %s %.4f\n", words[2], measure(words[2], 0, 0, budget_us));
  for (int i = 3; !of_one_line && i < count; ++i)
    for (int cold = 0; cold < 2; ++cold) {
      size_t bytes = strtoul(words[i], NULL, 10);
      double value = measure(words[2], bytes, cold, budget_us);
      if (value > 0)
        printf("cell %s/%s/%zu %.4f\n", words[2], cold ? "cold" : "warm", bytes, value);
    }
  return 0;
}
