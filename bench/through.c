/* Messages that are copied twice, through a buffer of shared memory that both sides go round in,
 * segment by segment, the receiver behind the sender: back and forth (through), in a series one way
 * (stream), and both ways at once (exchange). Series are as in windows.c: 64 messages, warm ones
 * from one buffer to one buffer, cold ones each from and to its own, written just before, read when
 * all have come. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits.h"

/* More than a buffer that stays in an L2, or than a segment from which on memcpy takes `rep movsb`,
 * changed little (AMD Zen 5, 2 CPUs, 2026-11-24). */
enum { buffer_bytes = 512 << 10, segment_bytes = 16 << 10, fetched_segment_bytes = 1 << 10 };
enum { series_messages = 64, series_bytes = 64 << 20 };

typedef struct {
  _Alignas(64) _Atomic uint64_t filled;
  _Alignas(64) _Atomic uint64_t emptied;
} Progress;

/* One end of a way. */
typedef struct {
  Progress* progress;
  char* buffer;
  uint64_t position, others; /* bytes since the beginning: ours, and the other's as last seen */
} End;

typedef struct {
  End out, in;
  char *from, *to;
  size_t bytes, stride;
  int messages, cold;
  Stores stores;
  uint32_t turn;
  _Atomic uint64_t* quit;
} Side;

static void copy_around(char* to, const char* from, size_t bytes) {
  size_t i = 0;
  for (; i + 16 <= bytes; i += 16)
    _mm_stream_si128((__m128i*)(to + i), _mm_loadu_si128((const __m128i*)(from + i)));
  memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
}

static void fetch(char* to, size_t bytes) {
  for (size_t i = 0; i < bytes; i += line_bytes) __asm__ volatile("prefetchw %0" : : "m"(to[i]));
}

/* How much of what is left of a message lies together in the buffer, and in one segment. */
static size_t next_segment(const End* end, size_t left, size_t most) {
  size_t together = buffer_bytes - end->position % buffer_bytes;
  size_t segment = left < most ? left : most;
  return segment < together ? segment : together;
}

/* One segment of a message from `done` on, if there is space; returns how much. */
static size_t put(Side* s, const char* from, size_t done) {
  End* end = &s->out;
  size_t most = s->stores == stores_fetched ? fetched_segment_bytes : segment_bytes;
  size_t segment = next_segment(end, s->bytes - done, most);
  if (end->position + segment > end->others + buffer_bytes) {
    end->others = atomic_load_explicit(&end->progress->emptied, memory_order_acquire);
    if (end->position + segment > end->others + buffer_bytes) return 0;
  }
  char* to = end->buffer + end->position % buffer_bytes;
  if (s->stores == stores_around)
    copy_around(to, from + done, segment);
  else
    memcpy(to, from + done, segment);
  if (s->stores == stores_fetched)
    fetch(end->buffer + (end->position + segment) % buffer_bytes, segment);
  end->position += segment;
  atomic_store_explicit(&end->progress->filled, end->position, memory_order_release);
  return segment;
}

static size_t get(Side* s, char* to, size_t done) {
  End* end = &s->in;
  if (end->others == end->position)
    end->others = atomic_load_explicit(&end->progress->filled, memory_order_acquire);
  size_t there = end->others - end->position, left = s->bytes - done;
  size_t segment = next_segment(end, left < there ? left : there, 4 * segment_bytes);
  if (segment == 0) return 0;
  const char* from = end->buffer + end->position % buffer_bytes;
  if (s->stores == stores_past)
    copy_around(to + done, from, segment);
  else
    memcpy(to + done, from, segment);
  end->position += segment;
  atomic_store_explicit(&end->progress->emptied, end->position, memory_order_release);
  return segment;
}

static void idle(Side* s) {
  if (atomic_load_explicit(s->quit, memory_order_relaxed)) _exit(0);
  __builtin_ia32_pause();
}

/* So many messages out and so many in, both at once. */
static void transfer(Side* s, int out, int in) {
  size_t put_bytes = 0, got_bytes = 0;
  for (int sent = 0, got = 0; sent < out || got < in;) {
    size_t moved = 0;
    if (sent < out) {
      char* from = s->from + (size_t)sent * s->stride;
      if (s->cold && put_bytes == 0) write_lines(from, s->bytes, ++s->turn);
      moved = put(s, from, put_bytes);
      put_bytes += moved;
      if (put_bytes == s->bytes) ++sent, put_bytes = 0;
    }
    if (got < in) {
      size_t segment = get(s, s->to + (size_t)got * s->stride, got_bytes);
      moved += segment;
      got_bytes += segment;
      if (got_bytes == s->bytes) ++got, got_bytes = 0;
    }
    if (moved == 0) idle(s);
  }
  for (int i = 0; s->cold && i < in; ++i)
    sink += read_lines(s->to + (size_t)i * s->stride, s->bytes);
}

static void there_and_back(void* side) {
  transfer(side, 1, 0);
  transfer(side, 0, 1);
}
static void back_and_there(void* side) {
  transfer(side, 0, 1);
  transfer(side, 1, 0);
}
static void series_out(void* side) {
  Side* s = side;
  transfer(s, s->messages, 0);
  while (atomic_load_explicit(&s->out.progress->emptied, memory_order_acquire) < s->out.position)
    idle(s);
}
static void series_in(void* side) {
  Side* s = side;
  transfer(s, 0, s->messages);
}
static void series_each_way(void* side) {
  Side* s = side;
  transfer(s, s->messages, s->messages);
}

static Side side_of(Progress* progress, char* const buffers[2], int which, size_t bytes, int cold,
                    int messages, Stores stores, _Atomic uint64_t* quit) {
  Side s = {.bytes = bytes, .cold = cold, .messages = messages, .stores = stores, .quit = quit};
  s.out = (End){&progress[which], buffers[which], 0, 0};
  s.in = (End){&progress[1 - which], buffers[1 - which], 0, 0};
  s.stride = cold && messages > 1 ? (bytes + line_bytes - 1) / line_bytes * line_bytes : 0;
  size_t span = s.stride ? s.stride * (size_t)messages : bytes;
  s.from = own_memory(span);
  s.to = own_memory(span);
  return s;
}

double measure_through(Through through, Stores stores, size_t bytes, int cold, double budget_us) {
  static Step* const steps[][2] = {{there_and_back, back_and_there},
                                   {series_out, series_in},
                                   {series_each_way, series_each_way}};
  int messages = through == through_once                   ? 1
                 : bytes * series_messages <= series_bytes ? series_messages
                 : bytes < series_bytes                    ? (int)(series_bytes / bytes)
                                                           : 1;
  Progress* progress = (Progress*)shared_memory(2 * sizeof *progress + line_bytes);
  memset(progress, 0, 2 * sizeof *progress + line_bytes);
  _Atomic uint64_t* quit = (_Atomic uint64_t*)(progress + 2);
  char* buffers[2] = {shared_memory(buffer_bytes), shared_memory(buffer_bytes)};
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bind_to(1);
    Side side = side_of(progress, buffers, 1, bytes, cold, messages, stores, quit);
    while (1) steps[through][1](&side);
  }
  Side side = side_of(progress, buffers, 0, bytes, cold, messages, stores, quit);
  double value = median_time(steps[through][0], &side, budget_us);
  atomic_store_explicit(quit, 1, memory_order_relaxed);
  waitpid(child, NULL, 0);
  size_t span = side.stride ? side.stride * (size_t)messages : bytes;
  give_back(side.from, span);
  give_back(side.to, span);
  for (int i = 0; i < 2; ++i) give_back(buffers[i], buffer_bytes);
  give_back(progress, 2 * sizeof *progress + line_bytes);
  return value / (through == through_series ? messages : 2 * messages);
}
