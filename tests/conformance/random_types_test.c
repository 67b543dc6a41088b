/* Random trees of datatypes against their type maps: bounds, decoding and rebuilding, packing,
 * external32, messages between types of equal signature, elements of partial messages. usage:
 * conformance_random_types [seed [cases]]; a failure names both, and one case can be had alone as:
 * conformance_random_types SEED CASES FIRST_CASE. */
#include "any_memory.h"
#include "type_layout.h"

static unsigned long long seed = 1;
static long case_number;

#define HELD(condition)                                                                    \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "%s:%d: seed %llu, case %ld, rank %d of %d: not so: %s\n", __FILE__, \
              __LINE__, seed, case_number, rank, size, #condition);                        \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                        \
    }                                                                                      \
  } while (0)

/* ---- memory laid out by a type map ------------------------------------------------------------
 */

enum { widest_buffer = 8 << 20, longest_message = 400000 };

typedef struct {
  unsigned char *taken, *space; /* of any memory, and where the program sees it */
  size_t bytes;
  MPI_Aint low;
} Memory;

static Memory make_memory(const Layout* layout, uint64_t key) {
  Memory memory = {NULL, NULL, (size_t)(layout->high - layout->low) + 1, layout->low};
  memory.taken = take_memory(memory.bytes);
  memory.space = seen(memory.taken);
  fill_bytes(memory.space, memory.bytes, key);
  return memory;
}
static void* origin(const Memory* memory) {
  return (void*)((uintptr_t)memory->taken - (uintptr_t)memory->low);
}
static unsigned char* gather(const Layout* layout, const Memory* memory) {
  unsigned char* packed = malloc((size_t)layout->bytes + 1);
  for (long i = 0; i < layout->bytes; ++i)
    packed[i] = memory->space[layout->places[i] - memory->low];
  return packed;
}
/* What memory filled with `key` must be after the first `bytes` of `packed` came in. */
static void expect_memory(const Layout* layout, const Memory* got, uint64_t key,
                          const unsigned char* packed, long bytes) {
  Memory expected = make_memory(layout, key);
  for (long i = 0; i < bytes; ++i) expected.space[layout->places[i] - layout->low] = packed[i];
  HELD(memcmp(expected.space, got->space, expected.bytes) == 0);
  give_back_memory(expected.taken);
}

/* ---- bounds -----------------------------------------------------------------------------------
 */

static void compare_bounds(MPI_Datatype type, const Map* map) {
  MPI_Count bytes, low, span, true_low, true_span;
  MPI_Type_size_c(type, &bytes);
  MPI_Type_get_extent_c(type, &low, &span);
  MPI_Type_get_true_extent_c(type, &true_low, &true_span);
  HELD(bytes == map_bytes(map));
  HELD(low == lower(map));
  HELD(span == extent(map));
  HELD(true_low == true_lower(map));
  HELD(true_span == true_upper(map) - true_lower(map));
}

/* ---- decoding ---------------------------------------------------------------------------------
 */

enum { most_numbers = 64 };
typedef struct {
  MPI_Count ni, na, nc, nd;
  int combiner, i[most_numbers];
  MPI_Aint a[most_numbers];
  MPI_Count c[most_numbers];
  MPI_Datatype d[most_numbers];
} Decoded;

/* The same question in the int form has the same answer, or MPI_ERR_TYPE for large counts. */
static void compare_int_form(MPI_Datatype type, const Decoded* wide) {
  int ni, na, nd, combiner;
  int rc = MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner);
  if (wide->nc > 0) {
    int error_class;
    MPI_Error_class(rc, &error_class);
    HELD(error_class == MPI_ERR_TYPE);
    return;
  }
  HELD(rc == MPI_SUCCESS && ni == wide->ni && na == wide->na && nd == wide->nd);
  HELD(combiner == wide->combiner);
}

static Decoded decode(MPI_Datatype type) {
  Decoded all = {0};
  MPI_Type_get_envelope_c(type, &all.ni, &all.na, &all.nc, &all.nd, &all.combiner);
  compare_int_form(type, &all);
  HELD(all.ni <= most_numbers && all.na <= most_numbers && all.nc <= most_numbers);
  if (all.combiner == MPI_COMBINER_NAMED) return all;
  if (all.nc == 0 && flip())
    HELD(MPI_Type_get_contents(type, (int)all.ni, (int)all.na, (int)all.nd, all.i, all.a, all.d) ==
         MPI_SUCCESS);
  else
    HELD(MPI_Type_get_contents_c(type, all.ni, all.na, all.nc, all.nd, all.i, all.a, all.c,
                                 all.d) == MPI_SUCCESS);
  return all;
}

static void free_decoded(Decoded* all) {
  for (MPI_Count i = 0; i < all->nd; ++i) {
    MPI_Count ni, na, nc, nd;
    int combiner;
    MPI_Type_get_envelope_c(all->d[i], &ni, &na, &nc, &nd, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&all->d[i]);
  }
}

static void construct_ints(const Decoded* x, const MPI_Datatype* d, MPI_Datatype* made) {
  const int *i = x->i, n = x->ni ? x->i[0] : 0;
  switch (x->combiner) {
    case MPI_COMBINER_DUP:
      MPI_Type_dup(d[0], made);
      break;
    case MPI_COMBINER_CONTIGUOUS:
      MPI_Type_contiguous(n, d[0], made);
      break;
    case MPI_COMBINER_VECTOR:
      MPI_Type_vector(n, i[1], i[2], d[0], made);
      break;
    case MPI_COMBINER_HVECTOR:
      MPI_Type_create_hvector(n, i[1], x->a[0], d[0], made);
      break;
    case MPI_COMBINER_INDEXED:
      MPI_Type_indexed(n, i + 1, i + 1 + n, d[0], made);
      break;
    case MPI_COMBINER_HINDEXED:
      MPI_Type_create_hindexed(n, i + 1, x->a, d[0], made);
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      MPI_Type_create_indexed_block(n, i[1], i + 2, d[0], made);
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      MPI_Type_create_hindexed_block(n, i[1], x->a, d[0], made);
      break;
    case MPI_COMBINER_STRUCT:
      MPI_Type_create_struct(n, i + 1, x->a, d, made);
      break;
    case MPI_COMBINER_SUBARRAY:
      MPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[1 + 3 * n], d[0], made);
      break;
    case MPI_COMBINER_DARRAY: {
      int k = i[2];
      MPI_Type_create_darray(i[0], i[1], k, i + 3, i + 3 + k, i + 3 + 2 * k, i + 3 + 3 * k,
                             i[3 + 4 * k], d[0], made);
      break;
    }
    case MPI_COMBINER_RESIZED:
      MPI_Type_create_resized(d[0], x->a[0], x->a[1], made);
      break;
    default:
      HELD(!"a known combiner");
  }
}

static void construct_counts(const Decoded* x, const MPI_Datatype* d, MPI_Datatype* made) {
  const MPI_Count *c = x->c, n = c[0];
  switch (x->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      MPI_Type_contiguous_c(n, d[0], made);
      break;
    case MPI_COMBINER_VECTOR:
      MPI_Type_vector_c(n, c[1], c[2], d[0], made);
      break;
    case MPI_COMBINER_HVECTOR:
      MPI_Type_create_hvector_c(n, c[1], c[2], d[0], made);
      break;
    case MPI_COMBINER_INDEXED:
      MPI_Type_indexed_c(n, c + 1, c + 1 + n, d[0], made);
      break;
    case MPI_COMBINER_HINDEXED:
      MPI_Type_create_hindexed_c(n, c + 1, c + 1 + n, d[0], made);
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      MPI_Type_create_indexed_block_c(n, c[1], c + 2, d[0], made);
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      MPI_Type_create_hindexed_block_c(n, c[1], c + 2, d[0], made);
      break;
    case MPI_COMBINER_STRUCT:
      MPI_Type_create_struct_c(n, c + 1, c + 1 + n, d, made);
      break;
    case MPI_COMBINER_SUBARRAY: {
      int k = x->i[0];
      MPI_Type_create_subarray_c(k, c, c + k, c + 2 * k, x->i[1], d[0], made);
      break;
    }
    case MPI_COMBINER_DARRAY: {
      int k = x->i[2];
      MPI_Type_create_darray_c(x->i[0], x->i[1], k, c, x->i + 3, x->i + 3 + k, x->i + 3 + 2 * k,
                               x->i[3 + 3 * k], d[0], made);
      break;
    }
    case MPI_COMBINER_RESIZED:
      MPI_Type_create_resized_c(d[0], c[0], c[1], made);
      break;
    default:
      HELD(!"a known combiner");
  }
}

/* Makes `type` anew from what it says of itself; the result is derived, or the same if named. */
static MPI_Datatype rebuild(MPI_Datatype type) {
  Decoded x = decode(type);
  if (x.combiner == MPI_COMBINER_NAMED) return type;
  Decoded children = x;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  for (MPI_Count k = 0; k < x.nd; ++k) children.d[k] = rebuild(x.d[k]);
  free_decoded(&x);
  if (x.nc > 0)
    construct_counts(&x, children.d, &made);
  else
    construct_ints(&x, children.d, &made);
  free_decoded(&children);
  return made;
}

static void compare_decoded(MPI_Datatype first, MPI_Datatype second) {
  Decoded a = decode(first), b = decode(second);
  HELD(a.ni == b.ni && a.na == b.na && a.nc == b.nc && a.nd == b.nd && a.combiner == b.combiner);
  HELD(memcmp(a.i, b.i, sizeof a.i) == 0 && memcmp(a.a, b.a, sizeof a.a) == 0);
  HELD(memcmp(a.c, b.c, sizeof a.c) == 0);
  HELD(a.combiner != MPI_COMBINER_NAMED || first == second);
  for (MPI_Count k = 0; k < a.nd; ++k) compare_decoded(a.d[k], b.d[k]);
  free_decoded(&a);
  free_decoded(&b);
}

/* ---- data -------------------------------------------------------------------------------------
 */

static void compare_packing(MPI_Datatype type, long count, const Layout* layout, int unpackable) {
  Memory memory = make_memory(layout, seed);
  unsigned char* expected = gather(layout, &memory);
  unsigned char* packed = take_memory((size_t)layout->bytes + 1);
  MPI_Count needed, position = 0, end;
  HELD(MPI_Pack_size_c(count, type, MPI_COMM_SELF, &needed) == MPI_SUCCESS);
  HELD(needed == layout->bytes);
  MPI_Pack_c(origin(&memory), count, type, packed, needed, &position, MPI_COMM_SELF);
  HELD(position == needed && memcmp(seen(packed), expected, (size_t)needed) == 0);
  if (unpackable) {
    Memory back = make_memory(layout, seed + 1);
    position = 0;
    MPI_Unpack_c(packed, needed, &position, origin(&back), count, type, MPI_COMM_SELF);
    HELD(position == needed);
    expect_memory(layout, &back, seed + 1, expected, layout->bytes);
    unsigned char* external = take_memory((size_t)needed + 1);
    MPI_Pack_external_size_c("external32", count, type, &end);
    HELD(end == needed);
    position = 0;
    MPI_Pack_external_c("external32", origin(&memory), count, type, external, end, &position);
    HELD(position == end);
    fill_bytes(back.space, back.bytes, seed + 1);
    position = 0;
    MPI_Unpack_external_c("external32", external, end, &position, origin(&back), count, type);
    expect_memory(layout, &back, seed + 1, expected, layout->bytes);
    give_back_memory(external);
    give_back_memory(back.taken);
  }
  give_back_memory(packed), free(expected), give_back_memory(memory.taken);
}

static void compare_status(const MPI_Status* status, MPI_Datatype type, const Map* map,
                           long elements) {
  MPI_Count got;
  MPI_Get_elements_c(status, type, &got);
  HELD(got == elements);
  MPI_Get_count_c(status, type, &got);
  if (map->count) HELD(got == (elements % map->count ? MPI_UNDEFINED : elements / map->count));
}

/* One message from `from` to `to`; what it carries is known to all. */
static void transfer(int from, int to, MPI_Datatype send_type, long send_count, const Layout* send,
                     const Tree* receive, long receive_count, long elements) {
  Layout layout = lay_out(&receive->map, receive_count);
  Memory source = make_memory(send, seed + (uint64_t)from);
  Memory target = make_memory(&layout, seed + 77);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int first = flip();
  if (rank == to && first)
    MPI_Irecv_c(origin(&target), receive_count, receive->type, from, 5, MPI_COMM_WORLD, &request);
  MPI_Request sent = MPI_REQUEST_NULL;
  if (rank == from)
    MPI_Isend_c(origin(&source), send_count, send_type, to, 5, MPI_COMM_WORLD, &sent);
  if (rank == to && !first)
    MPI_Recv_c(origin(&target), receive_count, receive->type, from, 5, MPI_COMM_WORLD, &status);
  if (rank == to && first) MPI_Wait(&request, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  if (rank == to) {
    unsigned char* packed = gather(send, &source);
    expect_memory(&layout, &target, seed + 77, packed, send->bytes);
    compare_status(&status, receive->type, &receive->map, elements);
    free(packed);
  }
  give_back_memory(source.taken), give_back_memory(target.taken), free(layout.places);
}

static void compare_messages(const Tree* tree, long count, const Layout* layout, int unpackable) {
  int from = (int)between(0, size - 1), to = (int)between(0, size - 1);
  Tree other = other_layout(&tree->map, count);
  MPI_Type_commit(&other.type);
  long elements = tree->map.count * count;
  transfer(from, to, tree->type, count, layout, &other, 1, elements);
  if (unpackable) {
    Layout back = lay_out(&other.map, 1);
    /* Space for one more than comes, when that does not overlap either. */
    Layout longer = lay_out(&tree->map, count + 1);
    long space = longer.high - longer.low < widest_buffer && !overlaps(&longer) ? count + 1 : count;
    transfer(to, from, other.type, 1, &back, tree, space, elements);
    free(back.places), free(longer.places);
  }
  free_tree(&other);
}

static void run_case(void) {
  Tree tree = random_tree((int)between(1, 6));
  MPI_Datatype again = rebuild(tree.type);
  compare_bounds(tree.type, &tree.map);
  compare_bounds(again, &tree.map);
  compare_decoded(tree.type, again);
  const long limits[] = {100, 2000, 30000, longest_message};
  long bytes = map_bytes(&tree.map);
  long count = between(0, bytes ? limits[between(0, 3)] / bytes : 3);
  MPI_Aint span = true_upper(&tree.map) - true_lower(&tree.map), step = extent(&tree.map);
  MPI_Aint all = span + (step < 0 ? -step : step) * (count + 1);
  if (span >= 0 && span < widest_buffer && all < widest_buffer) {
    MPI_Type_commit(&tree.type);
    if (again != tree.type) MPI_Type_commit(&again);
    Layout layout = lay_out(&tree.map, count);
    int unpackable = !overlaps(&layout);
    compare_packing(tree.type, count, &layout, unpackable);
    compare_packing(again, count, &layout, unpackable);
    compare_messages(&tree, count, &layout, unpackable);
    free(layout.places);
  }
  if (again != tree.type) MPI_Type_free(&again);
  free_tree(&tree);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  make_basics();
  if (argc > 1) seed = strtoull(argv[1], NULL, 10);
  long cases = argc > 2 ? atol(argv[2]) : 2000, first = argc > 3 ? atol(argv[3]) : 0;
  if (rank == 0) printf("seed %llu, cases %ld to %ld\n", seed, first, cases - 1);
  for (case_number = first; case_number < cases; ++case_number) {
    random_state = seed * 1000003u + (uint64_t)case_number;
    memory_drawn = random_state * 64 + (uint64_t)rank + 1;
    run_case();
  }
  return finish();
}
