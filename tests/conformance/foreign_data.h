/* Buffers of foreign_memory: memory that nobody may touch, or the host's; the types that say where
 * their data lies; and what each byte there must be, gaps and surroundings included. */
#ifndef FOREIGN_DATA_H
#define FOREIGN_DATA_H

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "conformance.h"
#include "opaque_memory.h"

enum { guard = 64, untouched = 0xa5, element_bytes = 24, element_ints = 6 };

static int on_host; /* all memory is the host's, for comparison */

/* ---- what is tried now, in words ---- */

static char words[400];

static inline void trying(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int bytes = vsnprintf(words, sizeof words - 1, format, arguments);
  va_end(arguments);
  if (bytes > 0) strcat(words, "\n");
}

/* A fault, or the end of a job that hangs: whoever handled the signal before does so again. */
static struct sigaction handled_before[NSIG];
static void tell_of_signal(int signal) {
  const char* head = signal == SIGTERM ? "ended in: " : "a fault in: ";
  if (write(2, head, strlen(head)) < 0 || write(2, words, strlen(words)) < 0) words[0] = 0;
  sigaction(signal, &handled_before[signal], NULL);
  if (signal == SIGTERM) raise(signal);
}
static inline void catch_signals(void) {
  struct sigaction action = {.sa_handler = tell_of_signal};
  sigaction(SIGSEGV, &action, &handled_before[SIGSEGV]);
  sigaction(SIGTERM, &action, &handled_before[SIGTERM]);
}

#define HELD(condition)                                                                           \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: rank %d of %d: not so: %s, in: %s", __FILE__, __LINE__, rank, size, \
              #condition, words);                                                                 \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                               \
    }                                                                                             \
  } while (0)

/* ---- types ---- */

/* An element of all but as_bytes and as_ints is six ints at these places. */
enum { as_bytes, as_ints, as_vector, as_indexed, as_negative, layouts };
static const char* const layout_names[layouts] = {"bytes", "ints", "a vector", "an indexed type",
                                                  "a struct with a negative lower bound"};
typedef struct {
  MPI_Datatype type;
  size_t size;                   /* data of an element */
  long at[element_ints], extent; /* in ints */
} Layout;
static Layout layout_of[layouts];

static inline void make_layouts(void) {
  const int lengths[] = {1, 3, 2}, places[] = {5, 0, 9};
  const int struct_lengths[] = {2, 4};
  const MPI_Aint struct_places[] = {-5 * (MPI_Aint)sizeof(int), 1 * (MPI_Aint)sizeof(int)};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  layout_of[as_bytes] = (Layout){MPI_BYTE, 1, {0}, 0};
  layout_of[as_ints] = (Layout){MPI_INT, 4, {0}, 0};
  layout_of[as_vector] = (Layout){MPI_INT, element_bytes, {0, 1, 3, 4, 6, 7}, 8};
  layout_of[as_indexed] = (Layout){MPI_INT, element_bytes, {5, 0, 1, 2, 9, 10}, 11};
  layout_of[as_negative] = (Layout){MPI_INT, element_bytes, {-5, -4, 1, 2, 3, 4}, 10};
  MPI_Type_vector(3, 2, 3, MPI_INT, &layout_of[as_vector].type);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &layout_of[as_indexed].type);
  MPI_Type_create_struct(2, struct_lengths, struct_places, types, &layout_of[as_negative].type);
  for (int i = as_vector; i < layouts; ++i) MPI_Type_commit(&layout_of[i].type);
}
static inline void free_layouts(void) {
  for (int i = as_vector; i < layouts; ++i) MPI_Type_free(&layout_of[i].type);
}

/* Where byte i of the data lies. */
static inline long place_of(const Layout* layout, size_t i) {
  size_t number = i / sizeof(int);
  if (layout->extent == 0) return (long)i;
  long element = (long)(number / element_ints) * layout->extent;
  return (element + layout->at[number % element_ints]) * (long)sizeof(int) +
         (long)(i % sizeof(int));
}

/* ---- buffers ---- */

typedef struct {
  const Layout* layout;
  size_t data_bytes, all_bytes;
  unsigned char *memory, *wanted; /* all bytes, as the program sees them and as they must be */
  unsigned char* given;           /* the address for calls; memory of its kind */
  void* taken;
  long begin; /* of `given`, in all bytes */
  int count, opaque;
} Buffer;

/* Addresses are odd where the types allow it. */
static inline Buffer make_buffer(int layout, size_t data_bytes, int opaque) {
  Buffer b = {.layout = &layout_of[layout], .data_bytes = data_bytes};
  long low = layout == as_negative ? -5 * (long)sizeof(int) : 0;
  long high = layout >= as_vector ? (long)(data_bytes / element_bytes) * b.layout->extent * 4 + 24
                                  : (long)data_bytes;
  b.opaque = opaque && !on_host;
  b.begin = guard - low + (layout == as_bytes ? 3 : 4);
  b.all_bytes = (size_t)(b.begin + high) + guard;
  b.count = (int)(data_bytes / b.layout->size);
  b.taken = b.opaque ? opaque_allocate(b.all_bytes) : malloc(b.all_bytes);
  b.wanted = malloc(b.all_bytes);
  HELD(b.taken && b.wanted);
  b.memory = opaque_view(b.taken);
  b.given = (unsigned char*)b.taken + b.begin;
  return b;
}
static inline void free_buffer(Buffer* b) {
  if (b->opaque)
    opaque_free(b->taken);
  else
    free(b->taken);
  free(b->wanted);
  *b = (Buffer){.layout = NULL};
}

/* Never the byte that says that nothing came. */
static inline unsigned char data_byte(uint64_t key, size_t i) {
  uint64_t z = (key ^ i) * 0x9e3779b97f4a7c15u;
  unsigned char byte = (unsigned char)((z ^ (z >> 29)) >> 24);
  return byte == untouched ? 0x5a : byte;
}

/* Bytes [from, end) of the data in one of the two arrays. */
static inline void put_data(const Buffer* b, unsigned char* array, size_t from, size_t end,
                            uint64_t key) {
  for (size_t i = from; i < end; ++i) array[b->begin + place_of(b->layout, i)] = data_byte(key, i);
}

static inline void wipe(Buffer* b) {
  memset(b->memory, untouched, b->all_bytes);
  memset(b->wanted, untouched, b->all_bytes);
}
static inline void fill(Buffer* b, uint64_t key) {
  wipe(b);
  put_data(b, b->wanted, 0, b->data_bytes, key);
  memcpy(b->memory, b->wanted, b->all_bytes);
}
/* The first bytes of the data are to come from a buffer filled so. */
static inline void want(Buffer* b, size_t data_bytes, uint64_t key) {
  put_data(b, b->wanted, 0, data_bytes, key);
}

static inline void check_buffer(const Buffer* b, const char* name, int at_line) {
  size_t i = 0, wrong = 0;
  if (memcmp(b->memory, b->wanted, b->all_bytes) == 0) return;
  while (b->memory[i] == b->wanted[i]) ++i;
  for (size_t k = i; k < b->all_bytes; ++k) wrong += b->memory[k] != b->wanted[k];
  fprintf(stderr,
          "%s:%d: rank %d of %d, %s buffer \"%s\" of %zu bytes: byte %ld behind its address is %d, "
          "not %d; %zu are wrong, in: %s",
          __FILE__, at_line, rank, size, b->opaque ? "opaque" : "ordinary", name, b->data_bytes,
          (long)i - b->begin, b->memory[i], b->wanted[i], wrong, words);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK_BUFFER(b) check_buffer(&(b), #b, __LINE__)

static inline int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

#endif
