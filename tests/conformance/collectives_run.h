/* Cases from the first to the last step: prepare, (fill, begin, end, check) some times, release. */
#ifndef COLLECTIVES_RUN_H
#define COLLECTIVES_RUN_H

#include <time.h>

#include "collectives_move.h"
#include "collectives_reduce.h"

enum { persistent_rounds = 3 };

static inline void prepare(Case* c, const Plan* plan, Group group, uint64_t* own_random) {
  memset(c, 0, sizeof *c);
  c->plan = *plan;
  c->group = group;
  c->request = MPI_REQUEST_NULL;
  c->call = (Call){.what = plan->what, .large = plan->large, .comm = group.comm};
  assign_roles(c);
  if (is_reduction(plan->what))
    prepare_reduction(c, own_random);
  else
    prepare_move(c, own_random);
  if (plan->form == persistent)
    EXPECT(c, make_call(&c->call, persistent, &c->request) == MPI_SUCCESS);
}

static inline void fill(Case* c, int round) {
  c->round = round;
  if (is_reduction(c->plan.what))
    fill_reduction(c);
  else
    fill_move(c);
}

static inline void begin(Case* c) {
  int code = c->plan.form == persistent ? MPI_Start(&c->request)
                                        : make_call(&c->call, c->plan.form, &c->request);
  EXPECT(c, code == MPI_SUCCESS);
}

static inline void check(Case* c) {
  if (is_reduction(c->plan.what))
    check_reduction(c);
  else
    check_move(c);
}

static inline void release(Case* c) {
  if (c->plan.form == persistent) MPI_Request_free(&c->request);
  EXPECT(c, c->request == MPI_REQUEST_NULL);
  free_part(&c->out, &c->call.send);
  free_part(&c->in, &c->call.receive);
}

static inline void pause_some(uint64_t* own_random, int microseconds_max) {
  uint64_t r = next_random(own_random);
  if (r % 3) return;
  struct timespec time = {0, (long)(r / 3 % (uint64_t)microseconds_max) * 1000};
  if (r & (1u << 20)) {
    nanosleep(&time, NULL);
    return;
  }
  volatile int spin = (int)(r / 7 % 200000);
  while (spin > 0) --spin;
}

/* Calls that do not block are waited for, never tested: for ranks that take it that they have a CPU
 * each and have none, so that tests in vain would take others' time. */
static int only_waits;

/* The whole life of one, alone. */
static inline void run_alone(const Plan* plan, Group group, uint64_t* own_random) {
  Case c;
  prepare(&c, plan, group, own_random);
  int rounds = plan->form == persistent ? persistent_rounds : 1;
  for (int round = 0; round < rounds; ++round) {
    fill(&c, round);
    if (next_random(own_random) % 64 == 0) pause_some(own_random, 2000);
    begin(&c);
    if (plan->form != blocking) {
      int done = only_waits || next_random(own_random) % 2 != 0;
      if (!done)
        while (!done) MPI_Test(&c.request, &done, MPI_STATUS_IGNORE);
      else
        MPI_Wait(&c.request, MPI_STATUS_IGNORE);
      EXPECT(&c, (c.request == MPI_REQUEST_NULL) == (plan->form == nonblocking));
    }
    check(&c);
  }
  release(&c);
}

/* Words of the command line, as sets of bits; none of a kind means all. */
static inline unsigned words_in(int argc, char** argv, const char* const* names, int count) {
  unsigned found = 0;
  for (int i = 1; i < argc; ++i)
    for (int n = 0; n < count; ++n)
      if (strcmp(argv[i], names[n]) == 0) found |= 1u << n;
  return found ? found : (1u << count) - 1;
}
static inline int has_word(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], word) == 0) return 1;
  return 0;
}
/* name=number */
static inline long number_in(int argc, char** argv, const char* name, long otherwise) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      otherwise = atol(argv[i] + length + 1);
  return otherwise;
}

#endif
