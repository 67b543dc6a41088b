/* What reaching into the memory of an idle process takes at least: by the mapping that both have of
 * it, or by cross-memory attach; and what an atomic addition to its memory takes, alone or while it
 * adds to the same line. The target sleeps, or adds. Warm and cold are as in onesided.c: the origin
 * has just written what it brings, or reads what it fetched. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits.h"

enum { adds_in_step = 64 };

typedef struct {
  _Alignas(64) _Atomic uint64_t ready;
  _Alignas(64) _Atomic uint64_t word;
} Shared;

typedef struct {
  Shared* shared;
  char *own, *others; /* the latter as an address here, or in the target where attached */
  size_t bytes;
  int cold, refused;
  uint32_t turn;
  pid_t target;
} Side;

static void write_if_cold(Side* s) {
  if (s->cold) write_lines(s->own, s->bytes, ++s->turn);
}

static void read_if_cold(Side* s) {
  if (s->cold) sink += read_lines(s->own, s->bytes);
}

static void put_copy(void* side) {
  Side* s = side;
  write_if_cold(s);
  memcpy(s->others, s->own, s->bytes);
  __asm__ volatile("" ::: "memory");
}

static void get_copy(void* side) {
  Side* s = side;
  memcpy(s->own, s->others, s->bytes);
  __asm__ volatile("" ::: "memory");
  read_if_cold(s);
}

typedef ssize_t Attach(pid_t, const struct iovec*, unsigned long, const struct iovec*,
                       unsigned long, unsigned long);

static void attach(Side* s, Attach* call) {
  struct iovec local = {s->own, s->bytes}, remote = {s->others, s->bytes};
  if (call(s->target, &local, 1, &remote, 1, 0) != (ssize_t)s->bytes) s->refused = 1;
}

static void put_cma(void* side) {
  write_if_cold(side);
  attach(side, process_vm_writev);
}

static void get_cma(void* side) {
  attach(side, process_vm_readv);
  read_if_cold(side);
}

/* Eight at a time, as wide as this compiler's default allows. */
typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));

static void sum(void* side) {
  Side* s = side;
  double *to = (double*)s->others, *from = (double*)s->own;
  size_t count = s->bytes / sizeof(double), i = 0;
  write_if_cold(s);
  for (; i + 8 <= count; i += 8) *(Eight*)(to + i) += *(Eight*)(from + i);
  for (; i < count; ++i) to[i] += from[i];
  __asm__ volatile("" ::: "memory");
}

static void add(void* side) {
  Side* s = side;
  for (int i = 0; i < adds_in_step; ++i)
    atomic_fetch_add_explicit(&s->shared->word, 1, memory_order_relaxed);
}

static const struct {
  const char* name;
  Step* step;
  int attached, both_add;
} loops[] = {{"put-copy", put_copy, 0, 0}, {"get-copy", get_copy, 0, 0}, {"sum", sum, 0, 0},
             {"put-cma", put_cma, 1, 0},   {"get-cma", get_cma, 1, 0},   {"add-idle", add, 0, 0},
             {"add-shared", add, 0, 1}};

static int number_of(const char* loop) {
  for (int i = 0; i < (int)(sizeof loops / sizeof *loops); ++i)
    if (!strcmp(loop, loops[i].name)) return i;
  return -1;
}

int is_reach(const char* loop) {
  return number_of(loop) >= 0;
}

/* The target: makes pages of its own of what it got by fork, then adds or sleeps until killed. */
static void be_target(Side* s, int adds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bind_to(1);
  memset(s->others, 0, s->bytes);
  atomic_store_explicit(&s->shared->ready, 1, memory_order_release);
  while (adds) atomic_fetch_add_explicit(&s->shared->word, 1, memory_order_relaxed);
  while (1) pause();
}

double measure_reach(const char* loop, size_t bytes, int cold, double budget_us) {
  const int number = number_of(loop);
  Side s = {.bytes = bytes, .cold = cold};
  s.shared = (Shared*)shared_memory(sizeof *s.shared);
  memset(s.shared, 0, sizeof *s.shared);
  s.own = own_memory(bytes);
  s.others = loops[number].attached ? own_memory(bytes) : shared_memory(bytes);
  s.target = fork();
  if (s.target == 0) be_target(&s, loops[number].both_add);
  wait_for(&s.shared->ready, 1);
  double value = median_time(loops[number].step, &s, budget_us);
  kill(s.target, SIGKILL);
  waitpid(s.target, NULL, 0);
  give_back(s.own, bytes);
  give_back(s.others, bytes);
  give_back(s.shared, sizeof *s.shared);
  if (s.refused) return -1;
  return loops[number].step == add ? value / adds_in_step : value;
}
