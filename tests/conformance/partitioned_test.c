/* Partitioned messages: every rank plans the same random channels (sender, receiver, communicator,
 * tag, elements, partitions and types on each side, how the data is marked, looked for and waited
 * for), and every receiver knows each element that must come, and each that must stay as it was.
 * Arguments: SEED ROUNDS [THREADS [plain]], threads of each sender and receiver. plain: without what
 * MPICH 5.0.2 does not survive (MPI_PROC_NULL, null handles, MPI_Testall, statuses without waiting).
 */
#include <pthread.h>
#include <time.h>

#include "conformance.h"
#include "sides.h"

enum { channels_max = 6, untouched = -77, threads_max = 8 };

typedef struct {
  int partitions; /* of this side */
  int gap;        /* ints between runs of the type; 0: it is contiguous */
  int run;        /* ints of a run */
  int exported;   /* the buffer is of MPI_Alloc_mem */
  int early;      /* starts at once, else after a while */
} Part;

typedef struct {
  int sender, receiver; /* ranks in MPI_COMM_WORLD */
  int comm, tag, elements, iterations;
  Part out, in;
  uint64_t key;
} Channel;

typedef struct {
  const Channel* channel;
  const Part* part;
  int sends;
  int* data;
  size_t ints;
  MPI_Datatype type;
  MPI_Request request;
  int iteration;
  uint64_t random;
} Side;

static uint64_t plan_state;
static MPI_Comm comms[3];
static Sides halves;
static int threads = 0, plain = 0;

static int below(uint64_t* state, int limit) {
  return (int)(next_random(state) % (uint64_t)limit);
}

static int value_at(const Channel* c, int iteration, int element) {
  uint64_t state = c->key + (uint64_t)iteration * 1000003u + (uint64_t)element;
  return (int)(next_random(&state) & 0x7fffffff);
}

static void nap(uint64_t* state) {
  struct timespec time = {0, below(state, 300) * 1000};
  if (below(state, 3) == 0) nanosleep(&time, NULL);
}

/* A divisor of `number`, each as likely as the others. */
static int divisor_of(int number) {
  int count = 0, chosen = 1;
  for (int d = 1; d <= number && d <= 3000; ++d)
    if (number % d == 0 && below(&plan_state, ++count) == 0) chosen = d;
  return chosen;
}

static Part plan_part(int elements) {
  Part p;
  p.partitions = divisor_of(elements);
  p.run = divisor_of(elements / p.partitions);
  p.gap = below(&plan_state, 3) == 0 ? 1 + below(&plan_state, 5) : 0;
  p.exported = below(&plan_state, 2);
  p.early = below(&plan_state, 2);
  return p;
}

/* Whom a rank means in a communicator, or -1: it is not a partner there. */
static int rank_in(int comm, int from, int to) {
  if (comm < 2) return to;
  const int half = size / 2, other = from < half ? 1 : 0;
  if ((to >= half) != other) return -1;
  return to >= half ? to - half : to;
}

static Channel plan_channel(int most_elements) {
  static const int sizes[] = {1, 2, 12, 64, 240, 1024, 4800, 65536, 360360, 1 << 20};
  Channel c;
  c.sender = below(&plan_state, size);
  c.receiver = below(&plan_state, size);
  c.comm = below(&plan_state, size > 1 ? 3 : 2);
  if (rank_in(c.comm, c.sender, c.receiver) < 0) c.comm = 1;
  c.tag = below(&plan_state, 3);
  do c.elements = sizes[below(&plan_state, 10)];
  while (c.elements > most_elements);
  c.iterations = 1 + below(&plan_state, 6);
  c.out = plan_part(c.elements);
  c.in = plan_part(c.elements);
  c.key = next_random(&plan_state);
  return c;
}

/* The place of an element of the data in the buffer. */
static size_t place_of(const Part* p, int element) {
  return (size_t)(element / p->run) * (size_t)(p->run + p->gap) + (size_t)(element % p->run);
}

static void make_buffer(Side* s) {
  const Part* p = s->part;
  s->ints = (size_t)(s->channel->elements / p->run) * (size_t)(p->run + p->gap);
  if (p->exported)
    MPI_Alloc_mem((MPI_Aint)(s->ints * sizeof(int)), MPI_INFO_NULL, &s->data);
  else
    s->data = malloc(s->ints * sizeof(int));
  for (size_t i = 0; i < s->ints; ++i) s->data[i] = untouched;
  MPI_Datatype run;
  MPI_Type_contiguous(p->run, MPI_INT, &run);
  MPI_Type_create_resized(run, 0, (MPI_Aint)(p->run + p->gap) * (MPI_Aint)sizeof(int), &s->type);
  MPI_Type_commit(&s->type);
  MPI_Type_free(&run);
}

static void init(Side* s, const Channel* c, int sends) {
  *s = (Side){.channel = c, .part = sends ? &c->out : &c->in, .sends = sends};
  s->random = c->key * 31 + (uint64_t)sends;
  make_buffer(s);
  const int peer = rank_in(c->comm, rank, sends ? c->receiver : c->sender);
  const MPI_Count count = c->elements / s->part->partitions / s->part->run;
  if (sends)
    MPI_Psend_init(s->data, s->part->partitions, count, s->type, peer, c->tag, comms[c->comm],
                   MPI_INFO_NULL, &s->request);
  else
    MPI_Precv_init(s->data, s->part->partitions, count, s->type, peer, c->tag, comms[c->comm],
                   MPI_INFO_NULL, &s->request);
  MPI_Type_free(&s->type); /* the request keeps it */
}

static void write_partition(Side* s, int partition) {
  const int each = s->channel->elements / s->part->partitions;
  for (int e = partition * each; e < (partition + 1) * each; ++e)
    s->data[place_of(s->part, e)] = value_at(s->channel, s->iteration, e);
}

static void check_partition(const Side* s, int partition) {
  const int each = s->channel->elements / s->part->partitions;
  for (int e = partition * each; e < (partition + 1) * each; ++e)
    CHECK(s->data[place_of(s->part, e)] == value_at(s->channel, s->iteration, e));
}

/* Marks partitions first, first + step, ... ready in a random order and manner. */
static void mark(Side* s, int first, int step, uint64_t* random) {
  const int count = s->part->partitions;
  const int mine = first < count ? (count - first + step - 1) / step : 0;
  int* order = malloc(((size_t)mine + 1) * sizeof *order);
  for (int i = 0; i < mine; ++i) {
    const int at = below(random, i + 1);
    order[i] = order[at];
    order[at] = first + i * step;
  }
  const int manner = below(random, step == 1 ? 3 : 2);
  if (manner == 2) {
    for (int i = 0; i < count; ++i) write_partition(s, i);
    const int cut = below(random, count);
    if (cut > 0) MPI_Pready_range(0, cut - 1, s->request);
    MPI_Pready_range(cut, count - 1, s->request);
  }
  for (int done = 0; manner < 2 && done < mine;) {
    int some = manner == 0 ? 1 : 1 + below(random, mine - done);
    for (int i = 0; i < some; ++i) write_partition(s, order[done + i]);
    if (manner == 0)
      MPI_Pready(order[done], s->request);
    else
      MPI_Pready_list(some, order + done, s->request);
    done += some;
    if (below(random, 16) == 0) nap(random);
  }
  free(order);
}

/* Looks for some partitions of those, and checks what has arrived. */
static void look(Side* s, int first, int step, uint64_t* random) {
  const int count = s->part->partitions;
  for (int looks = 0; looks < 40 && first < count; ++looks) {
    const int partition = first + step * below(random, (count - first + step - 1) / step);
    int flag = -1;
    MPI_Parrived(s->request, partition, &flag);
    CHECK(flag == 0 || flag == 1);
    if (flag) check_partition(s, partition);
  }
}

typedef struct {
  Side* side;
  int number;
  uint64_t random;
} Worker;

static void* work(void* given) {
  Worker* w = given;
  if (w->side->sends)
    mark(w->side, w->number, threads, &w->random);
  else
    look(w->side, w->number, threads, &w->random);
  return NULL;
}

static void check_status(const Side* s, const MPI_Status* status) {
  if (s->sends) return;
  MPI_Count bytes;
  MPI_Get_elements_c(status, MPI_INT, &bytes);
  CHECK(bytes == s->channel->elements);
  CHECK(status->MPI_TAG == s->channel->tag);
  CHECK(status->MPI_SOURCE == rank_in(s->channel->comm, rank, s->channel->sender));
}

/* Completes all requests, in one of several ways. */
static void complete(Side* sides, int count, uint64_t* random) {
  MPI_Request requests[2 * channels_max];
  MPI_Status statuses[2 * channels_max];
  for (int i = 0; i < count; ++i) requests[i] = sides[i].request;
  const int manner = plain ? 2 * below(random, 2) : below(random, 4);
  if (manner == 0) {
    MPI_Waitall(count, requests, statuses);
  } else if (manner == 1) {
    for (int flag = 0; !flag;) MPI_Testall(count, requests, &flag, statuses);
  }
  for (int left = manner > 1 ? count : 0; left > 0; --left) {
    int index = -1;
    MPI_Status status;
    if (manner == 2) {
      MPI_Waitany(count, requests, &index, &status);
    } else {
      for (int flag = 0; !flag;)
        MPI_Request_get_status_any(count, requests, &index, &flag, &status);
      MPI_Wait(&requests[index], &status);
    }
    statuses[index] = status;
  }
  for (int i = 0; i < count; ++i) {
    CHECK(requests[i] == sides[i].request);
    check_status(&sides[i], &statuses[i]);
    int flag = 1;
    if (!plain) MPI_Parrived(MPI_REQUEST_NULL, 0, &flag);
    CHECK(flag == 1);
    if (sides[i].sends) continue;
    MPI_Parrived(sides[i].request, sides[i].part->partitions - 1, &flag); /* inactive */
    CHECK(flag == 1);
    for (int p = 0; p < sides[i].part->partitions; ++p) check_partition(&sides[i], p);
  }
}

static void check_gaps(const Side* s) {
  const Part* p = s->part;
  for (size_t i = 0; i < s->ints; ++i)
    if (i % (size_t)(p->run + p->gap) >= (size_t)p->run) CHECK(s->data[i] == untouched);
}

/* One iteration of all sides of this rank that still have one. */
static void iterate(Side* sides, int count, int iteration, uint64_t* random) {
  Side now[2 * channels_max];
  Worker workers[2 * channels_max * threads_max];
  pthread_t ids[2 * channels_max * threads_max];
  int active = 0, started = 0;
  for (int i = 0; i < count; ++i)
    if (iteration < sides[i].channel->iterations) now[active++] = sides[i];
  for (int late = 0; late < 2; ++late)
    for (int i = 0; i < active; ++i) {
      if (now[i].part->early == late) continue;
      if (late) nap(random);
      now[i].iteration = iteration;
      MPI_Start(&now[i].request);
      if (threads == 0 && now[i].sends) mark(&now[i], 0, 1, random);
      for (int t = 0; t < threads; ++t, ++started) {
        workers[started] = (Worker){&now[i], t, next_random(random)};
        CHECK(pthread_create(&ids[started], NULL, work, &workers[started]) == 0);
      }
    }
  for (int i = 0; threads == 0 && i < active; ++i)
    if (!now[i].sends) look(&now[i], 0, 1, random);
  /* Threads that look may use a request only while nobody completes it; those that mark may go on.
   */
  for (int i = 0; i < started; ++i)
    if (!workers[i].side->sends) pthread_join(ids[i], NULL);
  if (active) complete(now, active, random);
  for (int i = 0; i < started; ++i)
    if (workers[i].side->sends) pthread_join(ids[i], NULL);
}

static void free_side(Side* s) {
  check_gaps(s);
  MPI_Request_free(&s->request);
  CHECK(s->request == MPI_REQUEST_NULL);
  if (s->part->exported)
    MPI_Free_mem(s->data);
  else
    free(s->data);
}

/* Ordinary messages with the same tags pass by, and never meet a partitioned one. */
static void send_ordinary(int round) {
  for (int comm = 0; comm < 2; ++comm) {
    int out = round * 7 + rank, in = -1, flag = 0;
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(&out, 1, MPI_INT, right, round % 3, &in, 1, MPI_INT, left, MPI_ANY_TAG,
                 comms[comm], MPI_STATUS_IGNORE);
    CHECK(in == round * 7 + left);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Barrier(comms[comm]);
  }
}

static void run_round(int round, int most_elements) {
  Channel channels[channels_max];
  Side sides[2 * channels_max];
  const int count = 1 + below(&plan_state, channels_max), senders_first = below(&plan_state, 2);
  int mine = 0;
  for (int i = 0; i < count; ++i) channels[i] = plan_channel(most_elements);
  uint64_t random = plan_state + (uint64_t)rank;
  for (int second = 0; second < 2; ++second) {
    if (second) nap(&random);
    for (int i = 0; i < count; ++i) {
      const int sends = second != senders_first;
      if (rank == (sends ? channels[i].sender : channels[i].receiver))
        init(&sides[mine++], &channels[i], sends);
    }
  }
  for (int i = 0; i < 6; ++i) iterate(sides, mine, i, &random);
  send_ordinary(round);
  for (int i = 0; i < mine; ++i) free_side(&sides[i]);
}

/* A request that is used long after its communicator was freed; one that nobody ever starts. */
static void outlive(void) {
  MPI_Comm comm;
  MPI_Request requests[4];
  int out[6], in[6];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int never = 0; never < 2; ++never) {
    MPI_Psend_init(out, 3, 2, MPI_INT, right, never, comm, MPI_INFO_NULL, &requests[2 * never]);
    MPI_Precv_init(in, 2, 3, MPI_INT, left, never, comm, MPI_INFO_NULL, &requests[2 * never + 1]);
  }
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3000; ++i) {
    MPI_Startall(2, requests);
    for (int k = 0; k < 6; ++k) out[k] = i * 6 + k + rank;
    MPI_Pready_range(0, 2, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 6; ++k) CHECK(in[k] == i * 6 + k + left);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

/* MPI_PROC_NULL, and no partitions or elements at all. */
static void nothing(void) {
  MPI_Request requests[2];
  MPI_Status status[2];
  int data[4] = {1, 2, 3, 4}, flag = 0;
  MPI_Psend_init(data, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
  MPI_Precv_init(data, 4, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 requests + 1);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Waitall(2, requests, status);
    int count = -1;
    MPI_Get_count(&status[1], MPI_INT, &count);
    CHECK(status[1].MPI_SOURCE == MPI_PROC_NULL && status[1].MPI_TAG == MPI_ANY_TAG && count == 0);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  for (int partitions = 0; partitions < 3; ++partitions) {
    MPI_Psend_init(data, partitions, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
    MPI_Precv_init(data, 3, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);
    MPI_Startall(2, requests);
    for (int i = 0; i < partitions; ++i) MPI_Pready(i, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Parrived(requests[1], 2, &flag);
    CHECK(flag);
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  plan_state = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
  threads = argc > 3 ? atoi(argv[3]) : 0;
  if (threads > threads_max) threads = threads_max;
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(threads == 0 || provided == MPI_THREAD_MULTIPLE);
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  if (size > 1) {
    halves = make_sides(MPI_COMM_WORLD, 5);
    comms[2] = halves.inter;
  }
  plain = argc > 4 && strcmp(argv[4], "plain") == 0;
  if (!plain) nothing();
  outlive();
  for (int round = 0; round < rounds; ++round) run_round(round, round % 8 == 7 ? 1 << 20 : 65536);
  if (size > 1) free_sides(&halves);
  MPI_Comm_free(&comms[1]);
  return finish();
}
