/* The memory of a step of random_moves: what the library sees, and beside it a model of what each
 * byte there must be, which a plain loop keeps. Around the data lie bytes that nothing may change,
 * or pages that nobody may touch. Addresses are those that the library sees; opaque memory has its
 * bytes elsewhere. */
#ifndef MOVE_MEMORY_H
#define MOVE_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

#include "move_plan.h"
#include "opaque_memory.h"

enum { untouched = 0xa5 };

typedef struct {
  Memory memory;
  unsigned char *mapped, *area; /* what is given back; what may be touched */
  unsigned char* model;         /* of the area */
  unsigned char* data;          /* where the side's first block begins */
  size_t mapped_bytes, area_bytes;
} Buffer;

static Buffer out, in;
static unsigned char fixed_space[2][static_bytes + 4 * page];

static void fail(const char* what, const char* file, int at_line); /* says the plan, and ends all */
#define HELD(condition)                                                \
  do                                                                   \
    if (!(condition)) fail("not so: " #condition, __FILE__, __LINE__); \
  while (0)

/* ---- getting it ---- */

static inline size_t whole_pages(size_t bytes) {
  return (bytes + page - 1) / page * page;
}

/* Pages between two that nobody may touch. Under TEST_XPMEM the memory is shared and its addresses
 * are never used again: see take_own in window_kinds.h. */
static inline void map_pages(Buffer* b, size_t bytes) {
  int flags = (getenv("TEST_XPMEM") ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS;
  b->area_bytes = whole_pages(bytes), b->mapped_bytes = b->area_bytes + 2 * page;
  b->mapped = mmap(NULL, b->mapped_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  HELD(b->mapped != MAP_FAILED);
  b->area = b->mapped + page;
  HELD(mprotect(b->mapped, page, PROT_NONE) == 0);
  HELD(mprotect(b->area + b->area_bytes, page, PROT_NONE) == 0);
}

/* The data's offset counts from the beginning of a page; at least a margin lies on both sides. */
static inline size_t area_for(const Side* side) {
  return side->span + side->offset[rank] + 2 * margin + page;
}

static inline void place_data(Buffer* b, const Side* side) {
  uintptr_t from = (uintptr_t)b->area + (b->memory == pages || b->memory == read_only ? 0 : margin);
  b->data = (unsigned char*)whole_pages(from) + side->offset[rank];
  if (b->memory == before_guard) b->data = b->area + b->area_bytes - side->span;
}

static inline void make_model(Buffer* b, const Side* side) {
  place_data(b, side);
  b->model = malloc(b->area_bytes);
  HELD(b->model != NULL);
}

/* Memory of MPI_Win_allocate comes from there: move_windows.h. */
static inline Buffer make_buffer(const Side* side, int sent) {
  Buffer b = {.memory = side->memory[rank], .area_bytes = area_for(side)};
  if (b.memory == window) return b;
  if (b.memory == heap) b.area = b.mapped = malloc(b.area_bytes);
  if (b.memory == alloc_mem) {
    MPI_Alloc_mem((MPI_Aint)b.area_bytes, MPI_INFO_NULL, &b.mapped);
    b.area = b.mapped;
  }
  if (b.memory == fixed) b.area = fixed_space[sent];
  if (b.memory == opaque) b.area = b.mapped = opaque_allocate(b.area_bytes);
  if (b.memory >= pages && b.memory <= read_only)
    map_pages(&b, b.memory == before_guard ? side->span + page : area_for(side));
  HELD(b.area != NULL);
  make_model(&b, side);
  return b;
}

static inline void free_buffer(Buffer* b) {
  if (b->memory == heap) free(b->mapped);
  if (b->memory == alloc_mem) MPI_Free_mem(b->mapped);
  if (b->memory == opaque) opaque_free(b->mapped);
  if (b->memory >= pages && b->memory <= read_only) {
    if (getenv("TEST_XPMEM")) {
      mprotect(b->area, b->area_bytes, PROT_READ | PROT_WRITE);
      HELD(madvise(b->area, b->area_bytes, MADV_REMOVE) == 0);
    } else {
      HELD(munmap(b->mapped, b->mapped_bytes) == 0);
    }
  }
  free(b->model);
  *b = (Buffer){.memory = heap};
}

/* ---- what each byte must be ---- */

/* Depends on all bits of both, and is never the byte that says that nothing came. */
static inline unsigned char data_byte(uint64_t key, size_t i) {
  uint64_t z = (key ^ i) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
  unsigned char byte = (unsigned char)(z >> 56);
  return byte == untouched ? 0x5a : byte;
}
/* The key of what a rank has in its own memory in this turn. */
static inline uint64_t key_of(int owner) {
  uint64_t state = (seed << 20) ^ (uint64_t)now.step;
  uint64_t written = now.cold ? (uint64_t)turn : 0;
  state = next_random(&state) + written * ranks_max + (uint64_t)owner;
  return next_random(&state);
}

static inline void compute_block(uint64_t key, int sent, int got, unsigned char* target) {
  for (size_t i = 0; i < now.bytes; ++i)
    target[place_of(&now.in, got, i)] = data_byte(key, place_of(&now.out, sent, i));
}
/* What `from` sends to `to`, as it has to lie there. */
static inline void compute_move(int from, int to, unsigned char* target) {
  uint64_t key = key_of(from);
  for (int k = 0; k < now.messages; ++k)
    compute_block(key, block_of(&now.out, to, k), block_of(&now.in, from, k), target);
}

static inline uint64_t combined(uint64_t a, uint64_t b) {
  return now.operation == by_sum ? a + b : now.operation == by_xor ? a ^ b : a > b ? a : b;
}
/* Elements that lie there in the order of bytes of this machine. */
static inline void combine(unsigned char* target, const unsigned char* other) {
  if (now.element == 1) {
    *target = (unsigned char)combined(*target, *other);
  } else if (now.element == 4) {
    uint32_t a, b;
    memcpy(&a, target, sizeof a), memcpy(&b, other, sizeof b);
    a = (uint32_t)combined(a, b);
    memcpy(target, &a, sizeof a);
  } else {
    uint64_t a, b;
    memcpy(&a, target, sizeof a), memcpy(&b, other, sizeof b);
    a = combined(a, b);
    memcpy(target, &a, sizeof a);
  }
}

/* The same, by the operation of the step with what lies there. */
static inline void compute_sum(int from, int to, unsigned char* target) {
  uint64_t key = key_of(from);
  unsigned char element[8];
  for (int k = 0; k < now.messages; ++k) {
    int sent = block_of(&now.out, to, k), got = block_of(&now.in, from, k);
    for (size_t i = 0; i < now.bytes; i += now.element) {
      for (size_t j = 0; j < now.element; ++j)
        element[j] = data_byte(key, place_of(&now.out, sent, i + j));
      combine(target + place_of(&now.in, got, i), element);
    }
  }
}

static inline unsigned char* model_data(Buffer* b) {
  return b->model + (b->data - b->area);
}

/* What arrives here in this turn. */
static inline void model_moves(void (*compute)(int from, int to, unsigned char* target)) {
  for (int from = 0; from < size; ++from)
    if (sends(from, rank)) compute(from, rank, model_data(&in));
}

/* All of the buffer as its model has it. */
static inline void write_buffer(Buffer* b) {
  if (b->memory == read_only) HELD(mprotect(b->area, b->area_bytes, PROT_READ | PROT_WRITE) == 0);
  memcpy(opaque_view(b->area), b->model, b->area_bytes);
  if (b->memory == read_only) HELD(mprotect(b->area, b->area_bytes, PROT_READ) == 0);
}

static inline void write_out(void) {
  uint64_t key = key_of(rank);
  memset(out.model, untouched, out.area_bytes);
  for (size_t i = 0; i < now.out.span; ++i) model_data(&out)[i] = data_byte(key, i);
  write_buffer(&out);
}

/* What operations are to change lies in the target before them. */
static inline void wipe_in(void) {
  uint64_t key = ~key_of(rank);
  memset(in.model, untouched, in.area_bytes);
  if (now.family == of_windows && has_numbers())
    for (size_t i = 0; i < now.in.span; ++i) model_data(&in)[i] = data_byte(key, i);
  write_buffer(&in);
}

/* ---- comparing ---- */

static inline void compare(const Buffer* b, const Side* side, const char* name) {
  size_t first = 0, last = b->area_bytes, wrong = 0;
  const unsigned char* is = opaque_view(b->area);
  if (memcmp(is, b->model, b->area_bytes) == 0) return;
  while (is[first] == b->model[first]) ++first;
  while (is[last - 1] == b->model[last - 1]) --last;
  for (size_t i = first; i < last; ++i) wrong += is[i] != b->model[i];
  ptrdiff_t at = b->area + first - b->data;
  char text[300];
  snprintf(text, sizeof text,
           "%s: byte %td of %zu (%td of block %td) is %d, not %d; %zu bytes are wrong, the last is "
           "%td",
           name, at, side->span, side->pitch ? at % (ptrdiff_t)side->pitch : at,
           side->pitch ? at / (ptrdiff_t)side->pitch : 0, is[first], b->model[first], wrong,
           b->area + last - 1 - b->data);
  fail(text, __FILE__, __LINE__);
}

#endif
