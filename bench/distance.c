/* How far apart CPUs are: the time one cache line takes from one to another, without MPI.
 * usage: distance CPU CPU [CPU CPU...]
 * Prints "distance A B NANOSECONDS" for each pair, the time of one way: the median of batches in
 * which two threads, each bound to one of the CPUs, answer each other. On idle CPUs a pair takes a
 * few milliseconds. bench.py runs it before and after each measurement (distance.py). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"

enum { batches = 15, trips = 500 };                /* a trip goes there and back */
enum { budget_us_max = 100000, seconds_max = 10 }; /* where other work keeps a CPU */

/* Each line has one writer, as the lines of a message have. */
typedef struct {
  _Alignas(128) _Atomic long there; /* negative: end */
  _Alignas(128) _Atomic long back;
} Lines;

static Lines lines;

static int bind_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)cpu, &one);
  return sched_setaffinity(0, sizeof one, &one);
}

static void* answer(void* unused) {
  for (long seen = 0; seen >= 0; __builtin_ia32_pause()) {
    long turn = atomic_load_explicit(&lines.there, memory_order_acquire);
    if (turn != seen) atomic_store_explicit(&lines.back, turn, memory_order_release);
    seen = turn;
  }
  return unused;
}

static void one_trip(void) {
  static long turn;
  atomic_store_explicit(&lines.there, ++turn, memory_order_release);
  while (atomic_load_explicit(&lines.back, memory_order_acquire) != turn) __builtin_ia32_pause();
}

static double one_way_ns(void) {
  double start = now_us();
  for (int i = 0; i < trips; ++i) one_trip();
  return (now_us() - start) * 1e3 / (2.0 * trips);
}

/* The first batch waits for the second thread and does not count. */
static double median_ns(void) {
  double times[batches], start = now_us();
  int count = 0;
  one_way_ns();
  while (count == 0 || (count < batches && now_us() - start < budget_us_max))
    times[count++] = one_way_ns();
  return median(times, count);
}

/* A thread begins on the CPU of the one that starts it. */
static double measured_ns(int first, int second) {
  pthread_t other;
  lines.there = lines.back = 0;
  if (bind_to(second) != 0 || pthread_create(&other, NULL, answer, NULL) != 0) return -1;
  double value = bind_to(first) == 0 ? median_ns() : -1;
  atomic_store_explicit(&lines.there, -1, memory_order_release);
  pthread_join(other, NULL);
  return value;
}

int main(int count, char** words) {
  if (count < 3 || count % 2 == 0) {
    fprintf(stderr, "usage: distance CPU CPU [CPU CPU...]\n");
    return 2;
  }
  alarm(seconds_max);
  for (int i = 1; i < count; i += 2) {
    int first = atoi(words[i]), second = atoi(words[i + 1]);
    double value = measured_ns(first, second);
    if (value < 0) {
      fprintf(stderr, "distance: CPUs %d and %d cannot be used\n", first, second);
      return 3;
    }
    printf("distance %d %d %.1f\n", first, second, value);
  }
  return 0;
}
