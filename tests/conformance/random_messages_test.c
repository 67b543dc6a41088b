/* Random moves of bytes: messages one way, both ways at once, in windows and around a ring, and
 * collectives, of random sizes, at random alignments, in several kinds of memory, of data that was
 * just written or not. Each is repeated, so that the library changes its way meanwhile; every byte
 * and what lies around it is compared with what a plain loop says. usage:
 * random_messages_test [seed [cases [first case]]] */
#include <sys/mman.h>

#include "conformance.h"

enum { margin = 64, page = 4096, repeats_max = 24, window_max = 12, bytes_max = 3 << 20 };
enum { case_bytes_max = 12 << 20 }; /* of all repetitions of a case */

typedef enum { one_way, both_ways, ring, to_all, from_all, all_to_all, kind_count } Kind;
typedef enum { plain, exported, guarded, memory_count } Memory;
static const char* const kind_names[] = {"one way",   "both ways", "ring",
                                         "broadcast", "gather",    "all to all"};
static const char* const memory_names[] = {"malloc", "MPI_Alloc_mem", "before a guard page"};

/* What all ranks draw alike. */
typedef struct {
  Kind kind;
  size_t bytes; /* of a message or block */
  int messages; /* at a time; 1 in collectives */
  int repeats;
  int cold;        /* the data is written anew each time */
  int late;        /* sends begin before receives are posted */
  int synchronous; /* of messages: MPI_Issend */
  Memory out_memory, in_memory;
  size_t out_offset, in_offset;
} Case;

typedef struct {
  Memory kind;
  size_t span;
  unsigned char *start, *data; /* all of it; where the data begins, `margin` and more behind that */
} Buffer;

static unsigned long long seed = 1;
static long case_number;
static Case now;

#define HELD(condition)                                                                           \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr,                                                                             \
              "%s:%d: seed %llu, case %ld (%s, %zu bytes, %d messages, %s + %zu to %s + %zu, "    \
              "%s), rank %d of %d: not so: %s\n",                                                 \
              __FILE__, __LINE__, seed, case_number, kind_names[now.kind], now.bytes,             \
              now.messages, memory_names[now.out_memory], now.out_offset,                         \
              memory_names[now.in_memory], now.in_offset, now.cold ? "cold" : "warm", rank, size, \
              #condition);                                                                        \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                               \
    }                                                                                             \
  } while (0)

/* ---- what a case is ---- */

static size_t below(uint64_t* state, size_t end) {
  return (size_t)(next_random(state) % end);
}

/* Around a power of two: on it, a byte or a line beside it, or anywhere up to it. */
static size_t draw_bytes(uint64_t* state) {
  size_t power = (size_t)1 << below(state, 22), choice = below(state, 6);
  size_t bytes = choice == 0   ? power
                 : choice == 1 ? power + 1
                 : choice == 2 ? power - 1
                 : choice == 3 ? power + 64
                 : choice == 4 ? power + power / 2
                               : below(state, power + 1);
  return bytes > bytes_max ? bytes_max : bytes;
}

static size_t draw_offset(uint64_t* state) {
  switch (below(state, 4)) {
    case 0:
      return 0;
    case 1:
      return below(state, 64);
    default:
      return below(state, page);
  }
}

static Case draw_case(long number) {
  uint64_t state = seed * 1000003u + (uint64_t)number;
  Case c = {.kind = (Kind)below(&state, kind_count), .bytes = draw_bytes(&state)};
  c.messages = c.kind < to_all && below(&state, 2) ? 1 + (int)below(&state, window_max) : 1;
  size_t each = (c.bytes + 1) * (size_t)c.messages * (c.kind == all_to_all ? (size_t)size : 1);
  size_t fit = 1 + case_bytes_max / each;
  c.repeats = 1 + (int)below(&state, fit < repeats_max ? fit : repeats_max);
  c.cold = (int)below(&state, 2);
  c.late = below(&state, 4) == 0;
  c.synchronous = below(&state, 6) == 0;
  c.out_memory = (Memory)below(&state, memory_count);
  c.in_memory = (Memory)below(&state, memory_count);
  c.out_offset = draw_offset(&state);
  c.in_offset = draw_offset(&state);
  return c;
}

/* ---- memory ---- */

/* In guarded memory the margin behind the data ends at a page that nobody may touch. */
static Buffer make_buffer(Memory kind, size_t bytes, size_t offset) {
  Buffer b = {.kind = kind};
  if (kind == guarded) {
    size_t own = (bytes + 2 * margin + page - 1) / page * page;
    b.span = own + page;
    b.start = mmap(NULL, b.span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    HELD(b.start != MAP_FAILED && mprotect(b.start + own, page, PROT_NONE) == 0);
    b.data = b.start + own - margin - bytes;
    return b;
  }
  b.span = bytes + offset + 2 * margin;
  if (kind == exported)
    MPI_Alloc_mem((MPI_Aint)b.span, MPI_INFO_NULL, &b.start);
  else
    b.start = malloc(b.span);
  HELD(b.start != NULL);
  b.data = b.start + margin + offset;
  return b;
}

static void free_buffer(Buffer* b) {
  if (b->kind == guarded)
    munmap(b->start, b->span);
  else if (b->kind == exported)
    MPI_Free_mem(b->start);
  else
    free(b->start);
}

/* ---- data ---- */

static uint64_t key_of(int turn, int sender, int receiver, int message) {
  uint64_t written = now.cold ? (uint64_t)turn : 0;
  return ((uint64_t)case_number * 31 + written) * 977 + (uint64_t)(sender * 64 + receiver) * 16 +
         (uint64_t)message;
}

static void fill_blocks(unsigned char* data, int blocks, const uint64_t* keys) {
  for (int i = 0; i < blocks; ++i) fill_bytes(data + (size_t)i * now.bytes, now.bytes, keys[i]);
}

/* Whether the sender writes its data in this turn. One way, half of them send first in the second.
 */
static int is_written(int turn) {
  return now.cold || turn < (now.kind == one_way ? 2 : 1);
}

static void wipe(const Buffer* in, size_t bytes) {
  memset(in->data - margin, 0xa5, bytes + 2 * margin);
}

static void look(const Buffer* in, int blocks, const uint64_t* keys) {
  for (int i = 0; i < blocks; ++i)
    HELD(bytes_are(in->data + (size_t)i * now.bytes, now.bytes, keys[i]));
  const unsigned char* end = in->data + (size_t)blocks * now.bytes;
  for (int i = 0; i < margin; ++i) HELD(in->data[i - margin] == 0xa5 && end[i] == 0xa5);
}

/* ---- the moves ---- */

static void begin_receives(Buffer* in, int from, MPI_Request* requests) {
  for (int i = 0; i < now.messages; ++i)
    MPI_Irecv(in->data + (size_t)i * now.bytes, (int)now.bytes, MPI_BYTE, from, i, MPI_COMM_WORLD,
              &requests[i]);
}

static void begin_sends(Buffer* out, int to, MPI_Request* requests) {
  for (int i = 0; i < now.messages; ++i)
    (now.synchronous ? MPI_Issend : MPI_Isend)(out->data + (size_t)i * now.bytes, (int)now.bytes,
                                               MPI_BYTE, to, i, MPI_COMM_WORLD, &requests[i]);
}

/* The other rank of a pair; the last of an odd number has none. */
static int partner(void) {
  int other = rank ^ 1;
  return other < size ? other : MPI_PROC_NULL;
}

static void exchange(Buffer* out, Buffer* in, int turn, int to, int from) {
  MPI_Request requests[2 * window_max];
  uint64_t keys[window_max];
  for (int i = 0; i < now.messages; ++i) keys[i] = key_of(turn, rank, to, i);
  if (to != MPI_PROC_NULL && is_written(turn)) fill_blocks(out->data, now.messages, keys);
  if (!now.late) begin_receives(in, from, requests);
  begin_sends(out, to, requests + now.messages);
  if (now.late) begin_receives(in, from, requests);
  MPI_Waitall(2 * now.messages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < now.messages; ++i) keys[i] = key_of(turn, from, rank, i);
  if (from != MPI_PROC_NULL) look(in, now.messages, keys);
}

/* Of each pair one sends in this turn, and the other in the next. */
static void move_one_way(Buffer* out, Buffer* in, int turn) {
  int sends = (rank + turn) % 2 == 0;
  exchange(out, in, turn, sends ? partner() : MPI_PROC_NULL, sends ? MPI_PROC_NULL : partner());
}

static void broadcast(Buffer* in, int turn) {
  int root = turn % size;
  uint64_t key = key_of(turn, root, 0, 0);
  if (rank == root) fill_blocks(in->data, 1, &key);
  MPI_Bcast(in->data, (int)now.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  look(in, 1, &key);
}

static void gather(Buffer* out, Buffer* in, int turn) {
  int root = turn % size;
  uint64_t keys[64];
  for (int i = 0; i < size; ++i) keys[i] = key_of(turn, i, 0, 0);
  if (is_written(turn)) fill_blocks(out->data, 1, &keys[rank]);
  MPI_Gather(out->data, (int)now.bytes, MPI_BYTE, in->data, (int)now.bytes, MPI_BYTE, root,
             MPI_COMM_WORLD);
  if (rank == root) look(in, size, keys);
}

static void alltoall(Buffer* out, Buffer* in, int turn) {
  uint64_t keys[64];
  for (int i = 0; i < size; ++i) keys[i] = key_of(turn, rank, i, 0);
  if (is_written(turn)) fill_blocks(out->data, size, keys);
  MPI_Alltoall(out->data, (int)now.bytes, MPI_BYTE, in->data, (int)now.bytes, MPI_BYTE,
               MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) keys[i] = key_of(turn, i, rank, 0);
  look(in, size, keys);
}

static void run_case(void) {
  int blocks = now.kind >= from_all ? size : now.messages;
  Buffer out = make_buffer(now.out_memory, now.bytes * (size_t)blocks, now.out_offset);
  Buffer in = make_buffer(now.in_memory, now.bytes * (size_t)blocks, now.in_offset);
  for (int turn = 0; turn < now.repeats; ++turn) {
    wipe(&in, now.bytes * (size_t)blocks);
    switch (now.kind) {
      case one_way:
        move_one_way(&out, &in, turn);
        break;
      case both_ways:
        exchange(&out, &in, turn, partner(), partner());
        break;
      case ring:
        exchange(&out, &in, turn, (rank + 1) % size, (rank + size - 1) % size);
        break;
      case to_all:
        broadcast(&in, turn);
        break;
      case from_all:
        gather(&out, &in, turn);
        break;
      default:
        alltoall(&out, &in, turn);
        break;
    }
  }
  free_buffer(&out);
  free_buffer(&in);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  long cases = argc > 2 ? strtol(argv[2], NULL, 10) : 60;
  long first = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  CHECK(size <= 64);
  for (case_number = first; case_number < first + cases; ++case_number) {
    now = draw_case(case_number);
    run_case();
  }
  return finish();
}
