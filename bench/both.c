/* A message that its sender and its receiver copy together, chunk by chunk, each taking the next
 * one that is left: the most that two cores can do for one message of any length. Either both see
 * the buffers of the other in a shared mapping, or each reaches into the memory of the other by
 * process_vm_readv and process_vm_writev. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits.h"

typedef struct {
  _Alignas(64) _Atomic uint64_t ready; /* number of the last message that may be copied */
  _Alignas(64) _Atomic uint64_t ended; /* ... whose sender copies no more */
  /* Chunks taken of this message and of the one before, which its receiver may still ask for. */
  _Alignas(64) _Atomic uint64_t taken[2];
  _Alignas(64) _Atomic uint64_t quit, arrived, refused;
} Shared;

typedef struct {
  Shared* shared;
  char *out, *in, *others_out, *others_in;
  pid_t other; /* whose memory is reached into; 0: it is mapped here */
  size_t bytes, chunk;
  int cold;
  uint64_t turn; /* odd messages go one way, even ones back */
} Side;

typedef ssize_t Attach(pid_t, const struct iovec*, unsigned long, const struct iovec*,
                       unsigned long, unsigned long);

static void attach(Attach* call, pid_t other, char* here, char* there, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    struct iovec local = {here + done, bytes - done}, remote = {there + done, bytes - done};
    ssize_t count = call(other, &local, 1, &remote, 1, 0);
    if (count <= 0) {
      perror("limits: cross-memory attach");
      _exit(3);
    }
    done += (size_t)count;
  }
}

static void copy_chunks(Side* s, int sending) {
  _Atomic uint64_t* taken = &s->shared->taken[s->turn & 1];
  while (1) {
    size_t at = atomic_fetch_add_explicit(taken, 1, memory_order_relaxed) * s->chunk;
    if (at >= s->bytes) return;
    size_t part = s->bytes - at < s->chunk ? s->bytes - at : s->chunk;
    if (s->other && sending)
      attach(process_vm_writev, s->other, s->out + at, s->others_in + at, part);
    else if (s->other)
      attach(process_vm_readv, s->other, s->in + at, s->others_out + at, part);
    else if (sending)
      memcpy(s->others_in + at, s->out + at, part);
    else
      memcpy(s->in + at, s->others_out + at, part);
  }
}

static void send_one(Side* s) {
  ++s->turn;
  if (s->cold) write_lines(s->out, s->bytes, (uint32_t)s->turn);
  atomic_store_explicit(&s->shared->taken[s->turn & 1], 0, memory_order_relaxed);
  atomic_store_explicit(&s->shared->ready, s->turn, memory_order_release);
  copy_chunks(s, 1);
  atomic_store_explicit(&s->shared->ended, s->turn, memory_order_release);
}

static void receive_one(Side* s) {
  ++s->turn;
  while (atomic_load_explicit(&s->shared->ready, memory_order_acquire) < s->turn) {
    if (atomic_load_explicit(&s->shared->quit, memory_order_relaxed)) _exit(0);
    __builtin_ia32_pause();
  }
  copy_chunks(s, 0);
  wait_for(&s->shared->ended, s->turn);
  if (s->cold) sink += read_lines(s->in, s->bytes);
}

static void there_and_back(void* side) {
  send_one(side);
  receive_one(side);
}

static void meet(Shared* shared, uint64_t arrivals) {
  atomic_fetch_add(&shared->arrived, 1);
  wait_for(&shared->arrived, arrivals);
}

/* Both try to read from the other; returns whether both may. */
static int may_attach(Shared* shared, pid_t other) {
  uint64_t word;
  struct iovec local = {&word, sizeof word}, remote = {shared, sizeof word};
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* else Yama lets a child read nothing of its parent */
  meet(shared, 2);
  if (process_vm_readv(other, &local, 1, &remote, 1, 0) != (ssize_t)sizeof word)
    atomic_store(&shared->refused, 1);
  meet(shared, 4);
  return !atomic_load(&shared->refused);
}

/* The first rank's buffers and the second's. With cross-memory attach they have the same addresses:
 * the processes are forked, and each has copies of its own once it has written there. */
static void make_buffers(Side side[2], size_t bytes, int by_attach) {
  for (int i = 0; i < 2; ++i) {
    side[i].out = by_attach ? i ? side[0].out : own_memory(bytes) : shared_memory(bytes);
    side[i].in = by_attach ? i ? side[0].in : own_memory(bytes) : shared_memory(bytes);
  }
  for (int i = 0; i < 2; ++i) {
    side[i].others_out = side[1 - i].out;
    side[i].others_in = side[1 - i].in;
  }
}

static int begin(Side* s, pid_t other, int by_attach) {
  memset(s->out, 1, s->bytes);
  memset(s->in, 1, s->bytes);
  if (!by_attach) return 1;
  s->other = other;
  return may_attach(s->shared, other);
}

/* Measured: eighths, and at most 32 KiB, 64 KiB or 1 MiB, were no better over 64 KiB to 16 MiB
 * (the least of 8 runs each; Intel Xeon, 2 CPUs, 2026-11-21). */
static size_t chunk_of(size_t bytes) {
  size_t chunk = bytes / 4;
  return chunk < 4096 ? 4096 : chunk > (256 << 10) ? 256 << 10 : chunk;
}

double measure_both(size_t bytes, int cold, int by_attach, double budget_us) {
  Shared* shared = (Shared*)shared_memory(sizeof *shared);
  memset(shared, 0, sizeof *shared);
  Side side[2] = {{.shared = shared, .bytes = bytes, .chunk = chunk_of(bytes), .cold = cold}};
  side[1] = side[0];
  make_buffers(side, bytes, by_attach);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bind_to(1);
    if (!begin(&side[1], parent, by_attach)) _exit(0);
    while (1) {
      receive_one(&side[1]);
      send_one(&side[1]);
    }
  }
  double value = -1;
  if (begin(&side[0], child, by_attach))
    value = median_time(there_and_back, &side[0], budget_us) / 2;
  atomic_store_explicit(&shared->quit, 1, memory_order_relaxed);
  waitpid(child, NULL, 0);
  for (int i = 0; i < (by_attach ? 1 : 2); ++i) {
    give_back(side[i].out, bytes);
    give_back(side[i].in, bytes);
  }
  give_back(shared, sizeof *shared);
  return value;
}
