/* Time, and what every measured loop needs: the same in all bench programs, with and without MPI.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { line_bytes = 64, batches_max = 64 };

static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Writes every line of a buffer, each time with another value. */
static inline void write_lines(char* buffer, size_t bytes, uint32_t value) {
  for (size_t i = 0; i + sizeof value <= bytes; i += line_bytes)
    *(volatile uint32_t*)(buffer + i) = value;
}

/* Reads every line of a buffer. */
static inline uint64_t read_lines(const char* buffer, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += line_bytes)
    sum += *(const volatile uint32_t*)(buffer + i);
  return sum;
}

static int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The median of a few batches: a batch hit by another tenant of the machine does not count. */
static inline double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* How a budget of time is spent on steps that last `once`: nine batches, three when steps are long.
 */
typedef struct {
  int batches;
  long repeats; /* in each */
} Plan;

static inline Plan plan_of(double budget_us, double once) {
  double steps = budget_us / once;
  Plan plan = {steps < 3 ? 3 : steps < 9 ? (int)steps : 9, 1};
  if (steps > plan.batches) plan.repeats = (long)(steps / plan.batches);
  return plan;
}

/* Of two trials, so that one during which the machine did something else does not spoil the plan.
 */
static inline double shorter(double a, double b) {
  return a < b ? a : b;
}

#endif
