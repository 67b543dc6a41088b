/* What programs written on other MPIs do: what those accept, Baton accepts
 * (docs/from-another-mpi.md). Only MPI_COMM_WORLD's error handler is set, as such programs have it.
 */
#include "conformance.h"

static void operations_on_text_and_addresses(void) {
  char letter = (char)(rank + 1), sum = 0, most = 0;
  MPI_Aint truth = rank == 0, all = -1, any = -1;
  MPI_Count count = 1;
  MPI_Offset offset = 1;
  CHECK(MPI_Allreduce(&letter, &sum, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(sum == (char)(size * (size + 1) / 2));
  CHECK(MPI_Allreduce(&letter, &most, 1, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(most == size);
  CHECK(MPI_Allreduce(&truth, &all, 1, MPI_AINT, MPI_LAND, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Allreduce(&truth, &any, 1, MPI_AINT, MPI_LOR, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(all == (size == 1) && any == 1);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_COUNT, MPI_LXOR, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(count == size % 2);
  CHECK(MPI_Reduce_local(&offset, &offset, 0, MPI_OFFSET, MPI_LAND) == MPI_SUCCESS);
}

static void errors_without_a_communicator_go_to_the_world(void) {
  MPI_Datatype type = MPI_INT;
  MPI_Op op = MPI_SUM;
  MPI_Group world, group;
  MPI_Info info;
  MPI_Comm parent = MPI_COMM_WORLD;
  int ranks[1] = {size}, count;
  CHECK(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
  type = MPI_INT;
  CHECK(MPI_Type_free(&type) == MPI_ERR_TYPE);
  CHECK(MPI_Op_free(&op) == MPI_ERR_OP);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  CHECK(MPI_Group_incl(world, 1, ranks, &group) == MPI_ERR_RANK);
  MPI_Group_free(&world);
  MPI_Info_create(&info);
  CHECK(MPI_Info_delete(info, "none") == MPI_ERR_INFO_NOKEY);
  MPI_Info_free(&info);
  CHECK(MPI_Comm_size(MPI_COMM_NULL, &count) == MPI_ERR_COMM);
  count = MPI_KEYVAL_INVALID;
  CHECK(MPI_Comm_free_keyval(&count) == MPI_ERR_KEYVAL);
  CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL);
}

static void no_data_lies_anywhere(void) {
  void* one = (void*)1; /* an empty slice of Rust; MPI_IN_PLACE is the same */
  int position = 0, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int* none = calloc((size_t)size, sizeof *none);
  char packed[8];
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  CHECK(MPI_Pack(one, 0, MPI_INT, packed, 8, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Pack(one, 3, empty, one, 0, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Unpack(one, 0, &position, one, 3, empty, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(position == 0);
  CHECK(MPI_Sendrecv(one, 0, MPI_INT, next, 0, one, 2, empty, previous, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int root = 0; root < size; ++root) {
    CHECK(MPI_Bcast(one, 0, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Gather(one, 0, MPI_INT, one, 0, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Gatherv(one, 0, MPI_INT, one, none, none, MPI_INT, root, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(MPI_Scatter(one, 0, MPI_INT, one, 0, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Scatterv(one, none, none, MPI_INT, one, 0, MPI_INT, root, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(MPI_Reduce(one, one, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  CHECK(MPI_Allgather(one, 0, MPI_INT, one, 0, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Allgatherv(one, 0, MPI_INT, one, none, none, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Alltoall(one, 0, MPI_INT, one, 0, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Alltoallv(one, none, none, MPI_INT, one, none, none, MPI_INT, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(MPI_Allreduce(one, one, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Scan(one, one, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Reduce_scatter(one, one, none, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Type_free(&empty);
  free(none);
}

static void no_data_lies_anywhere_in_other_calls(void) {
  void* one = (void*)1;
  int next = (rank + 1) % size, previous = (rank + size - 1) % size, period = 1;
  int* none = calloc((size_t)size + 2, sizeof *none);
  MPI_Aint* far = calloc((size_t)size + 2, sizeof *far);
  MPI_Datatype* types = malloc(((size_t)size + 2) * sizeof *types);
  MPI_Request requests[2], request;
  MPI_Comm ring;
  for (int i = 0; i < size + 2; ++i) types[i] = MPI_INT;
  CHECK(MPI_Isend(one, 0, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Recv(one, 0, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  CHECK(MPI_Send_init_c(one, 0, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Recv_init_c(one, 0, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
  MPI_Startall(2, requests);
  CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(MPI_Alltoallw(one, none, none, types, one, none, none, types, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(MPI_Exscan(one, one, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Reduce_scatter_block_c(one, one, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Ibcast(one, 0, MPI_INT, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(MPI_Ialltoall_c(one, 0, MPI_INT, one, 0, MPI_INT, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(MPI_Allreduce_init(one, one, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request) == MPI_SUCCESS);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
  CHECK(MPI_Neighbor_allgather(one, 0, MPI_INT, one, 0, MPI_INT, ring) == MPI_SUCCESS);
  CHECK(MPI_Neighbor_allgatherv(one, 0, MPI_INT, one, none, none, MPI_INT, ring) == MPI_SUCCESS);
  CHECK(MPI_Neighbor_alltoall(one, 0, MPI_INT, one, 0, MPI_INT, ring) == MPI_SUCCESS);
  CHECK(MPI_Neighbor_alltoallv(one, none, none, MPI_INT, one, none, none, MPI_INT, ring) ==
        MPI_SUCCESS);
  CHECK(MPI_Neighbor_alltoallw(one, none, far, types, one, none, far, types, ring) == MPI_SUCCESS);
  MPI_Comm_free(&ring);
  free(none);
  free(far);
  free(types);
}

/* One part of all ranks' at every place. */
static void expect_all(const int* got, const char* what) {
  for (int i = 0; i < size; ++i)
    if (got[i] != i + 1) {
      fprintf(stderr, "rank %d: %s: place %d has %d\n", rank, what, i, got[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void one_buffer_for_both_sides_is_in_place(void) {
  int *both = calloc((size_t)size, sizeof *both), *ones = calloc((size_t)size, sizeof *ones),
      *places = calloc((size_t)size, sizeof *places), sum = size * (size + 1) / 2;
  MPI_Request request;
  for (int i = 0; i < size; ++i) ones[i] = 1, places[i] = i;
  for (int root = 0; root < size; ++root) {
    both[0] = rank + 1;
    CHECK(MPI_Gather(both, 1, MPI_INT, both, 1, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (rank == root) expect_all(both, "gather");
    both[0] = rank + 1;
    CHECK(MPI_Gatherv(both, 1, MPI_INT, both, ones, places, MPI_INT, root, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    if (rank == root) expect_all(both, "gatherv");
    both[0] = rank + 1;
    CHECK(MPI_Reduce(both, both, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(rank != root || both[0] == sum);
  }
  both[0] = rank + 1;
  CHECK(MPI_Allgather(both, 1, MPI_INT, both, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  expect_all(both, "allgather");
  both[0] = rank + 1;
  CHECK(MPI_Iallgatherv(both, 1, MPI_INT, both, ones, places, MPI_INT, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_all(both, "iallgatherv");
  CHECK(MPI_Scatter(both, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(both[0] == rank + 1);
  CHECK(MPI_Allreduce(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(both[0] == sum);
  both[0] = 1;
  CHECK(MPI_Scan(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(both[0] == rank + 1);
  if (size > 1) {
    CHECK(rank != 1 ||
          MPI_Scatter(both, 1, MPI_INT, both, 1, MPI_INT, 1, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
    CHECK(rank != 1 || MPI_Gather_init(both, 1, MPI_INT, both, 1, MPI_INT, 1, MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &request) == MPI_ERR_BUFFER);
  }
  free(both);
  free(ones);
  free(places);
}

static void no_elements_need_no_type(void) {
  int value = 7;
  MPI_Status status;
  MPI_Request request;
  CHECK(MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, NULL, 0, MPI_DATATYPE_NULL,
                     MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(MPI_Isend(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Send(&value, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
}

static void what_is_not_made_is_no_communicator(void) {
  MPI_Comm made = MPI_COMM_WORLD;
  int remain[2] = {1, 0};
  CHECK(MPI_Cart_sub(MPI_COMM_WORLD, remain, &made) == MPI_ERR_TOPOLOGY && made == MPI_COMM_NULL);
  made = MPI_COMM_WORLD;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, -7, 0, &made) == MPI_ERR_ARG && made == MPI_COMM_NULL);
}

/* Three bytes are no MPI_INT: they are taken in, and no number of elements fits them. */
static void a_part_of_an_element_is_taken_in(void) {
  char letters[3] = {1, 2, 3};
  int number[2] = {0, 0}, count = 0, bytes = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(letters, 3, MPI_CHAR, rank, 5, MPI_COMM_WORLD, &request);
  CHECK(MPI_Recv(number, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(count == MPI_UNDEFINED && bytes == 3);
  CHECK(memcmp(number, letters, 3) == 0 && ((char*)number)[3] == 0);
}

/* The same of messages from others, short and long, expected and not, and matched by a probe. */
static void a_part_of_an_element_is_taken_in_from_others(void) {
  enum { most = (1 << 20) + 3 };
  const int lengths[] = {3, 4099, 100003, most};
  char *out = malloc(most), *in = malloc(most + 1);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int i = 0; i < most; ++i) out[i] = (char)(rank + i);
  for (int k = 0; k < 4; ++k)
    for (int way = 0; way < 3; ++way) {
      const int length = lengths[k], whole = length / 4 + 1;
      int count = 0, bytes = 0;
      MPI_Status status;
      MPI_Request request;
      memset(in, 99, most + 1);
      if (way == 0) {
        CHECK(MPI_Sendrecv(out, length, MPI_CHAR, next, k, in, whole, MPI_INT, previous, k,
                           MPI_COMM_WORLD, &status) == MPI_SUCCESS);
      } else {
        MPI_Isend(out, length, MPI_CHAR, next, k, MPI_COMM_WORLD, &request);
        if (way == 1) {
          MPI_Probe(previous, k, MPI_COMM_WORLD, &status);
          CHECK(MPI_Recv(in, whole, MPI_INT, previous, k, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        } else {
          MPI_Message message;
          MPI_Mprobe(previous, k, MPI_COMM_WORLD, &message, &status);
          CHECK(MPI_Mrecv(in, whole, MPI_INT, &message, &status) == MPI_SUCCESS);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Get_count(&status, MPI_INT, &count);
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      CHECK(count == MPI_UNDEFINED && bytes == length);
      CHECK(in[0] == (char)previous && in[length - 1] == (char)(previous + length - 1));
      CHECK(in[length] == 99);
    }
  free(out);
  free(in);
}

/* A dimension of 0 makes an empty grid, of which nobody is a part. */
static void an_empty_grid_has_no_ranks(void) {
  int grids[][2] = {{0, 1}, {size, 0}, {0, 0}, {1 << 30, 0}};
  for (int i = 0; i < 4; ++i)
    for (int reorder = 0; reorder < 2; ++reorder) {
      int periods[] = {reorder, i % 2}, its_rank = 7;
      MPI_Comm made = MPI_COMM_WORLD;
      CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, grids[i], periods, reorder, &made) == MPI_SUCCESS);
      CHECK(made == MPI_COMM_NULL);
      CHECK(MPI_Cart_map(MPI_COMM_WORLD, 2, grids[i], periods, &its_rank) == MPI_SUCCESS);
      CHECK(its_rank == MPI_UNDEFINED);
    }
}

static void nobody_is_reached_outside_of_epochs(void) {
  int memory[4] = {0}, value = 1, result = 5;
  MPI_Request requests[4];
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int fenced = 0; fenced < 2; ++fenced) {
    if (fenced) MPI_Win_fence(0, win);
    CHECK(MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[0]) ==
          MPI_SUCCESS);
    CHECK(MPI_Rget(&result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[1]) ==
          MPI_SUCCESS);
    CHECK(MPI_Raccumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win,
                          &requests[2]) == MPI_SUCCESS);
    CHECK(MPI_Rget_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT,
                              MPI_SUM, win, &requests[3]) == MPI_SUCCESS);
    CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS && result == 5);
    if (fenced) MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
}

/* Bytes are numbers without a sign, for accumulates. */
static void bytes_are_accumulated_as_numbers(void) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_BOR};
  const unsigned char sums[] = {4, 196, 250, 10, 1, 250};
  unsigned char *memory, operand = 250, old = 0;
  MPI_Win win;
  const int next = (rank + 1) % size;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 0)
      MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    else
      MPI_Win_create(memory = malloc(64), 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 6; ++i) {
      memset(memory, 10, 64);
      MPI_Win_fence(0, win);
      CHECK(MPI_Accumulate(&operand, 1, MPI_BYTE, next, 0, 1, MPI_BYTE, ops[i], win) ==
            MPI_SUCCESS);
      CHECK(MPI_Get_accumulate(&operand, 1, MPI_BYTE, &old, 1, MPI_BYTE, next, 1, 1, MPI_BYTE,
                               ops[i], win) == MPI_SUCCESS);
      CHECK(MPI_Fetch_and_op(&operand, &old, MPI_BYTE, next, 2, ops[i], win) == MPI_SUCCESS);
      MPI_Win_fence(0, win);
      CHECK(memory[0] == sums[i] && memory[1] == sums[i] && memory[2] == sums[i]);
      CHECK(memory[3] == 10 && old == 10);
    }
    MPI_Win_free(&win);
  }
  free(memory);
  CHECK(MPI_Allreduce(&operand, &old, 1, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_OP);
}

/* A segment of no bytes has no address; nor is there one of nobody where all are like that. */
static void a_segment_without_bytes_has_no_address(void) {
  MPI_Aint bytes = 7;
  int unit = 7, *base, *found = &unit, its_rank, its_size;
  MPI_Comm node;
  MPI_Win win;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &its_rank);
  MPI_Comm_size(node, &its_size);
  for (int all = 0; all < 2; ++all) { /* of rank 0 alone, or of all */
    MPI_Win_allocate_shared(all || its_rank == 0 ? 0 : 64, 4, MPI_INFO_NULL, node, &base, &win);
    CHECK(MPI_Win_shared_query(win, 0, &bytes, &unit, &found) == MPI_SUCCESS);
    CHECK(bytes == 0 && unit == 4 && found == NULL);
    CHECK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found) == MPI_SUCCESS);
    if (!all && its_size > 1)
      CHECK(bytes == 64 && found != NULL);
    else
      CHECK(bytes == 0 && found == NULL);
    MPI_Win_free(&win);
  }
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  char text[16];
  int flag = 0;
  MPI_Info before;
  MPI_Info_create_env(argc, argv, &before);
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Info_get(before, "maxprocs", sizeof text - 1, text, &flag);
  CHECK(flag && atoi(text) == size);
  MPI_Info_get(before, "thread_level", sizeof text - 1, text, &flag);
  CHECK(flag && strncmp(text, "MPI_THREAD_SING", 15) == 0);
  MPI_Info_free(&before);
  operations_on_text_and_addresses();
  errors_without_a_communicator_go_to_the_world();
  no_data_lies_anywhere();
  no_data_lies_anywhere_in_other_calls();
  one_buffer_for_both_sides_is_in_place();
  no_elements_need_no_type();
  what_is_not_made_is_no_communicator();
  a_part_of_an_element_is_taken_in();
  a_part_of_an_element_is_taken_in_from_others();
  an_empty_grid_has_no_ranks();
  nobody_is_reached_outside_of_epochs();
  bytes_are_accumulated_as_numbers();
  a_segment_without_bytes_has_no_address();
  return finish();
}
