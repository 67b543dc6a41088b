/* Many collectives at once: nonblocking and persistent ones of several kinds on several
 * communicators, blocking ones and messages between them, ranks that come late; completed in
 * another order on each rank. The persistent ones are started in another order on each rank, which
 * the standard allows, since they were matched when they were made. Datatypes, operations and
 * communicators are freed while they are in use. With threads, each does all this on communicators
 * of its own.
 *
 * usage: collectives_mixed_test [rounds=N] [seed=N] [threads=N] [ordinary] */
#include <pthread.h>

#include "collectives_plan.h"
#include "collectives_run.h"
#include "sides.h"

enum { groups_max = 5, kept_max = 8, at_once_max = 10, threads_max = 8, message_ints = 300 };

typedef struct {
  int number; /* of the thread */
  Group groups[groups_max];
  int group_count;
  Sides sides;
  Case kept[kept_max]; /* persistent, for all rounds */
  Case once[at_once_max];
  uint64_t shared_random, own_random; /* the same on all ranks, and not */
  long rounds;
} Worker;

static long seed;

static long draw(uint64_t* random, long below) {
  return (long)(next_random(random) % (uint64_t)below);
}

static Plan any_plan(Worker* w, Form form, Group** group) {
  *group = &w->groups[draw(&w->shared_random, w->group_count)];
  Collective what = (Collective)draw(&w->shared_random, collectives);
  if ((*group)->inter && what >= scan) what = allreduce;
  return random_plan(what, form, *group, &w->shared_random);
}

/* Waits for one or some of these; true when there are none left. */
static int complete_some(Worker* w, int count, MPI_Request* requests) {
  int indices[at_once_max + kept_max + 2], done = 0;
  switch (draw(&w->own_random, 7)) {
    case 0:
      MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
      return done == MPI_UNDEFINED;
    case 1:
      MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
      return done == MPI_UNDEFINED;
    case 2:
      MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
      return done == MPI_UNDEFINED;
    case 3:
      if (ordinary) return 0;
      MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
      return done;
    case 4:
      MPI_Test(&requests[draw(&w->own_random, count)], &done, MPI_STATUS_IGNORE);
      return 0;
    case 5:
      MPI_Wait(&requests[draw(&w->own_random, count)], MPI_STATUS_IGNORE);
      return 0;
    default:
      if (draw(&w->own_random, 4)) return 0;
      MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
      return 1;
  }
}

/* A message to the next rank of the communicator, from the previous one. */
typedef struct {
  int out[message_ints], in[message_ints], from, round;
} Message;

static void begin_message(Worker* w, Message* m, int round, MPI_Request* requests) {
  Group* g = &w->groups[0];
  int to = (g->rank + 1) % g->size;
  m->from = (g->rank + g->size - 1) % g->size;
  m->round = round;
  for (int i = 0; i < message_ints; ++i) m->out[i] = g->rank * 1000 + i + round;
  MPI_Irecv(m->in, message_ints, MPI_INT, m->from, 3, g->comm, &requests[0]);
  MPI_Isend(m->out, message_ints, MPI_INT, to, 3, g->comm, &requests[1]);
}
static void check_message(const Message* m) {
  for (int i = 0; i < message_ints; ++i) CHECK(m->in[i] == m->from * 1000 + i + m->round);
}

static void free_types_of(Case* c) {
  for (int i = 0; i < 2; ++i) {
    free_shape(&c->out.shape[i]);
    free_shape(&c->in.shape[i]);
  }
}

/* The chosen persistent ones, in an order of this rank. */
static void start_kept(Worker* w, unsigned chosen, MPI_Request* requests) {
  MPI_Request in_order[kept_max];
  int order[kept_max], count = 0;
  for (int i = 0; i < kept_max; ++i)
    if (chosen >> i & 1) order[count++] = i;
  for (int i = count - 1; i > 0; --i) {
    int j = (int)draw(&w->own_random, i + 1), swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  for (int i = 0; i < count; ++i) in_order[i] = w->kept[order[i]].request;
  if (draw(&w->own_random, 2))
    MPI_Startall(count, in_order);
  else
    for (int i = 0; i < count; ++i) MPI_Start(&in_order[i]);
  for (int i = 0; i < count; ++i) {
    CHECK(in_order[i] == w->kept[order[i]].request);
    requests[order[i]] = in_order[i];
  }
}

static void one_round(Worker* w, int round) {
  enum { first_once = kept_max, first_message = kept_max + at_once_max };
  MPI_Request requests[kept_max + at_once_max + 2];
  Message message;
  int at_once = (int)draw(&w->shared_random, at_once_max) + 1;
  unsigned chosen = (unsigned)next_random(&w->shared_random) & ((1u << kept_max) - 1);
  int start_at = (int)draw(&w->own_random, at_once + 1);
  for (int i = 0; i < first_message + 2; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < kept_max; ++i)
    if (chosen >> i & 1) fill(&w->kept[i], round);
  begin_message(w, &message, round, requests + first_message);
  for (int i = 0; i <= at_once; ++i) {
    if (i == start_at) start_kept(w, chosen, requests);
    if (i == at_once) break;
    Group* group;
    Case* c = &w->once[i];
    Form form = draw(&w->shared_random, 4) ? nonblocking : blocking;
    Plan plan = any_plan(w, form, &group);
    prepare(c, &plan, *group, &w->own_random);
    fill(c, round);
    pause_some(&w->own_random, 500);
    begin(c);
    if (draw(&w->own_random, 2)) free_types_of(c);
    requests[first_once + i] = c->request;
  }
  pause_some(&w->own_random, 2000);
  while (!complete_some(w, first_message + 2, requests)) {
  }
  for (int i = 0; i < at_once; ++i) {
    CHECK(requests[first_once + i] == MPI_REQUEST_NULL);
    w->once[i].request = MPI_REQUEST_NULL;
    check(&w->once[i]);
    release(&w->once[i]);
  }
  for (int i = 0; i < kept_max; ++i)
    if (chosen >> i & 1) check(&w->kept[i]);
  check_message(&message);
}

/* A communicator and an operation that are gone while their collectives are under way. */
static void freed_in_use(Worker* w, int round) {
  MPI_Comm comm;
  MPI_Op op;
  MPI_Request requests[3];
  Group g = w->groups[0];
  int in[64], out[64], last[2] = {g.rank == g.size - 1 ? round : -1, 0};
  for (int i = 0; i < 64; ++i) in[i] = g.rank + i;
  MPI_Comm_dup(g.comm, &comm);
  MPI_Op_create(run_user_sum, 1, &op);
  pause_some(&w->own_random, 1000);
  MPI_Iallreduce(in, out, 64, MPI_INT, op, comm, &requests[0]);
  MPI_Op_free(&op);
  MPI_Ibcast(last, 1, MPI_INT, g.size - 1, comm, &requests[1]);
  MPI_Ibarrier(comm, &requests[2]);
  MPI_Comm_free(&comm);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 64; ++i) CHECK(out[i] == g.size * (g.size - 1) / 2 + i * g.size);
  CHECK(last[0] == round && last[1] == 0);
}

/* Persistent ones that nobody ever starts. */
static void made_in_vain(Worker* w) {
  Group* group;
  Plan plan = any_plan(w, persistent, &group);
  prepare(&w->once[0], &plan, *group, &w->own_random);
  release(&w->once[0]);
}

static void make_kept(Worker* w) {
  for (int i = 0; i < kept_max; ++i) {
    Group* group;
    Plan plan = any_plan(w, persistent, &group);
    prepare(&w->kept[i], &plan, *group, &w->own_random);
  }
}
static void free_kept(Worker* w) {
  for (int i = 0; i < kept_max; ++i) release(&w->kept[i]);
}

static void* work(void* argument) {
  Worker* w = argument;
  make_kept(w);
  for (long round = 0; round < w->rounds; ++round) {
    one_round(w, (int)round);
    if (round % 8 == 3) freed_in_use(w, (int)round);
    if (round % 8 == 5) made_in_vain(w);
    if (round % 16 == 15) {
      free_kept(w);
      make_kept(w);
    }
  }
  free_kept(w);
  return NULL;
}

static void make_worker(Worker* w, int number, long rounds) {
  MPI_Comm comm;
  w->number = number;
  w->rounds = rounds;
  w->shared_random = (uint64_t)(seed * 100 + number);
  w->own_random = (uint64_t)(seed * 100000 + number * 1000 + rank + 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  w->groups[0] = group_of(comm);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  w->groups[1] = group_of(comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  w->groups[2] = group_of(comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  w->groups[3] = group_of(comm);
  w->group_count = 4;
  if (size < 2) return;
  w->sides = make_sides(MPI_COMM_WORLD, number);
  w->groups[w->group_count++] = group_between(w->sides.inter, w->sides.side);
}

static void free_worker(Worker* w) {
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&w->groups[i].comm);
  if (size > 1) free_sides(&w->sides);
}

int main(int argc, char** argv) {
  static Worker workers[threads_max];
  pthread_t handles[threads_max];
  int threads = (int)number_in(argc, argv, "threads", 0), provided;
  int level = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  seed = number_in(argc, argv, "seed", 1);
  ordinary = has_word(argc, argv, "ordinary");
  if (rank == 0) printf("seed %ld\n", seed);
  if (provided < level) {
    if (rank == 0) printf("skipped: MPI_THREAD_MULTIPLE is not granted\n");
    return MPI_Finalize();
  }
  make_operations(ordinary);
  int workers_in_all = threads ? threads : 1;
  CHECK(workers_in_all <= threads_max);
  for (int i = 0; i < workers_in_all; ++i)
    make_worker(&workers[i], i, number_in(argc, argv, "rounds", 60));
  for (int i = 0; i < threads; ++i) pthread_create(&handles[i], NULL, work, &workers[i]);
  for (int i = 0; i < threads; ++i) pthread_join(handles[i], NULL);
  if (!threads) work(&workers[0]);
  for (int i = 0; i < workers_in_all; ++i) free_worker(&workers[i]);
  free_operations();
  return finish();
}
