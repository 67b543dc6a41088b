/* This measures how long a message takes to arrive over the raw provider: as the provider's message
 * in a receive that was posted, by a remote write that notifies its receiver by a completion, and
 * by a remote write for which its receiver polls memory. It makes three rounds, each way in turn.
 */
#include "cli/measure/timing.h"
#include "lab/deposit/raw.h"

enum { most_bytes = 65536, rounds = 3 };

typedef struct {
  size_t bytes;
  int rank;
} Arrival;

static uint64_t number; /* of the last write that was polled for */

static void by_message(void* state) {
  const Arrival* a = state;
  if (a->rank == 0) raw_send(a->bytes);
  raw_await(1);
  raw_receive(most_bytes);
  if (a->rank == 1) raw_send(a->bytes);
  raw_finish_sends();
}

static void by_write(void* state) {
  const Arrival* a = state;
  if (a->rank == 0) raw_write_short(a->bytes);
  raw_await(1);
  if (a->rank == 1) raw_write_short(a->bytes);
  raw_finish_sends();
}

static void by_polled_write(void* state) {
  const Arrival* a = state;
  ++number;
  if (a->rank == 0) raw_write_numbered(a->bytes, number);
  raw_await_number(a->bytes, number);
  if (a->rank == 1) raw_write_numbered(a->bytes, number);
  raw_finish_sends();
}

static const struct {
  const char* name;
  Step* step;
} ways[] = {{"message", by_message}, {"write", by_write}, {"polled", by_polled_write}};
enum { way_count = sizeof ways / sizeof ways[0], polled = way_count - 1 };

static void measure_size(Arrival* a, double budget_us) {
  double times[way_count][rounds];
  const int count = raw_keeps_order(a->bytes) ? way_count : polled;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < count; ++i) {
      const int way = (i + round) % count;
      times[way][round] = measure(ways[way].step, a, budget_us / rounds);
    }
  for (int way = 0; a->rank == 0 && way < count; ++way)
    printf("cell arrival %s %zu %.4f\n", ways[way].name, a->bytes, median(times[way], rounds) / 2);
}

int measure_arrival(int rank, const char* interface, int count, char** sizes, double budget_us) {
  char *out = buffer_of(most_bytes), *in = buffer_of(most_bytes);
  Arrival a = {0, rank};
  for (int i = 0; i < count; ++i) {
    const long bytes = atol(sizes[i]);
    if (bytes < (long)sizeof number || bytes > most_bytes) return 0;
  }
  raw_open(interface, 1 - rank, most_bytes, out, in);
  raw_receive(most_bytes);
  for (int i = 0; i < count; ++i) {
    a.bytes = (size_t)atol(sizes[i]);
    measure_size(&a, budget_us);
  }
  raw_close();
  free(out);
  free(in);
  return 1;
}
