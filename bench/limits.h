/* What the bare loops share: processes bound to CPUs, memory of both, and the time of a loop. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"

extern uint64_t sink; /* what is read goes here, so that it is read */

/* To the first or second of the CPUs this program was started on. */
void bind_to(int which);

/* Memory of whole pages, touched: one that forked processes share, or one that each has of its own.
 */
char* shared_memory(size_t bytes);
char* own_memory(size_t bytes);
void give_back(void* memory, size_t bytes);

static inline void wait_for(_Atomic uint64_t* flag, uint64_t value) {
  while (atomic_load_explicit(flag, memory_order_acquire) < value) __builtin_ia32_pause();
}

/* The median over batches of the time of one step, in µs. */
typedef void Step(void* side);
double median_time(Step* step, void* side, double budget_us);

/* both.c: one way of a message that sender and receiver copy together, in µs, by the shared mapping
 * of their buffers or by cross-memory attach; negative where the kernel refuses that. */
double measure_both(size_t bytes, int cold, int by_attach, double budget_us);

/* through.c: a message that is copied twice, through a buffer that both have mapped, in µs: back
 * and forth, in a series one way, or both ways at once; and how the two copies are made. */
typedef enum { through_once, through_series, through_both } Through;
typedef enum {
  stores_plain,   /* memcpy */
  stores_fetched, /* the sender fetches the buffer's lines with ownership */
  stores_around,  /* the sender writes the buffer by non-temporal stores */
  stores_past     /* the receiver writes its buffer so */
} Stores;
double measure_through(Through through, Stores stores, size_t bytes, int cold, double budget_us);

/* onesided_limits.c: the memory of a process that sleeps, in µs; negative where the kernel refuses
 * cross-memory attach. */
int is_reach(const char* loop);
double measure_reach(const char* loop, size_t bytes, int cold, double budget_us);

#endif
