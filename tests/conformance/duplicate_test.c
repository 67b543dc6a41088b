/* Duplicates made in the background, several at once and in different orders; hints; and that ids
 * never run out. */
#include "conformance.h"

enum { many = 24 };

static int sum_over(MPI_Comm comm, int value) {
  int sum = -1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static int rounds_of_sends(MPI_Comm comm, int value) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size, got = -1;
  MPI_Sendrecv(&value, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
  return got;
}

static void a_duplicate_in_the_background_is_congruent_and_apart(void) {
  MPI_Comm twin;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &twin, &request);
  CHECK(twin != MPI_COMM_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);
  int result;
  MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  int got[2] = {-1, -1}, one = 1, two = 2;
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request requests[4];
  MPI_Isend(&one, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&two, 1, MPI_INT, to, 0, twin, &requests[1]);
  MPI_Irecv(&got[1], 1, MPI_INT, from, 0, twin, &requests[2]);
  MPI_Irecv(&got[0], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got[0] == 1 && got[1] == 2);
  MPI_Comm_free(&twin);
}

/* Until its request is complete a duplicate can be looked at, and reaches nobody. */
static void a_duplicate_under_way_refuses_to_be_used(void) {
  if (size == 1) return;
  MPI_Comm parent, twin, none;
  MPI_Request request;
  int n, class, codes[4], token = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  /* Rank 0 starts only when rank 1 has tried. */
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_idup(parent, &twin, &request);
  if (rank == 1) {
    MPI_Comm_size(twin, &n);
    CHECK(n == size);
    codes[0] = MPI_Barrier(twin);
    codes[1] = MPI_Comm_dup(twin, &none);
    /* Freeing has no communicator to complain to but self. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    codes[2] = MPI_Comm_free(&twin);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    codes[3] = MPI_Allgather(&n, 0, MPI_INT, codes, 0, MPI_INT, twin);
    for (int i = 0; i < 4; ++i) {
      MPI_Error_class(codes[i], &class);
      CHECK(class == MPI_ERR_COMM);
    }
    MPI_Error_class(MPI_Send(&n, 1, MPI_INT, 0, 0, twin), &class);
    CHECK(class == MPI_ERR_RANK);
    MPI_Test(&request, &n, MPI_STATUS_IGNORE);
    CHECK(!n);
    MPI_Send(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum_over(twin, 1) == size);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&parent);
}

/* All under way at once on one parent, with a blocking one between; waited for backwards by some.
 */
static void many_duplicates_of_one_parent_are_all_different(void) {
  MPI_Comm twins[many], blocking;
  MPI_Request requests[many];
  for (int i = 0; i < many; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &twins[i], &requests[i]);
  MPI_Comm_dup(MPI_COMM_WORLD, &blocking);
  CHECK(sum_over(blocking, 1) == size);
  for (int k = 0; k < many; ++k) {
    int i = rank % 2 ? many - 1 - k : k;
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  MPI_Request transfers[2 * many];
  int out[many], in[many];
  for (int i = 0; i < many; ++i) {
    out[i] = i * 1000 + rank;
    MPI_Irecv(&in[i], 1, MPI_INT, (rank + size - 1) % size, 7, twins[i], &transfers[i]);
  }
  for (int i = many - 1; i >= 0; --i)
    MPI_Isend(&out[i], 1, MPI_INT, (rank + 1) % size, 7, twins[i], &transfers[many + i]);
  MPI_Waitall(2 * many, transfers, MPI_STATUSES_IGNORE);
  for (int i = 0; i < many; ++i) CHECK(in[i] == i * 1000 + (rank + size - 1) % size);
  for (int i = 0; i < many; ++i) MPI_Comm_free(&twins[i]);
  MPI_Comm_free(&blocking);
}

/* Each rank starts them on the parents in an order of its own, with blocking ones in between. */
static void duplicates_of_different_parents_start_in_any_order(void) {
  enum { parents = 6 };
  for (int round = 0; round < 20; ++round) {
    MPI_Comm parent[parents], twin[parents];
    MPI_Request request[parents];
    int order[parents];
    uint64_t random = (uint64_t)(rank + size * round);
    for (int i = 0; i < parents; ++i) {
      MPI_Comm_dup(MPI_COMM_WORLD, &parent[i]);
      order[i] = i;
    }
    for (int i = parents - 1; i > 0; --i) {
      int k = (int)(next_random(&random) % (uint64_t)(i + 1)), swapped = order[i];
      order[i] = order[k];
      order[k] = swapped;
    }
    for (int i = 0; i < parents; ++i)
      MPI_Comm_idup(parent[order[i]], &twin[order[i]], &request[order[i]]);
    int done = 0;
    while (!done) MPI_Testall(parents, request, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < parents; ++i) {
      CHECK(sum_over(twin[i], i) == i * size);
      CHECK(rounds_of_sends(twin[i], rank + i) == (rank + size - 1) % size + i);
    }
    for (int i = 0; i < parents; ++i) {
      MPI_Comm_free(&parent[i]);
      MPI_Comm_free(&twin[i]);
    }
  }
}

/* Overlapping groups: rank 1 is in two that agree at the same time. Rank 2 has other ids free than
 * rank 0, so that it shows when rank 1 takes the one for the other. */
static void agreements_of_overlapping_groups_do_not_meet(void) {
  if (size < 3) return;
  MPI_Comm own;
  if (rank == 2) MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Group all, left, right;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int first[2] = {0, 1}, second[2] = {2, 1};
  MPI_Group_incl(all, 2, first, &left);
  MPI_Group_incl(all, 2, second, &right);
  for (int i = 0; i < 30; ++i) {
    MPI_Comm one = MPI_COMM_NULL, two = MPI_COMM_NULL;
    if (rank < 2) {
      /* Rank 2 is early, rank 0 is late. */
      if (rank == 0)
        for (int k = 0; k < 200; ++k)
          MPI_Iprobe(0, 99, MPI_COMM_SELF, &(int){0}, MPI_STATUS_IGNORE);
      MPI_Comm_create_group(MPI_COMM_WORLD, left, 5, &one);
      CHECK(sum_over(one, 1) == 2);
    }
    if (rank == 1 || rank == 2) {
      MPI_Comm_create_group(MPI_COMM_WORLD, right, 5, &two);
      CHECK(sum_over(two, rank) == 3);
    }
    if (one != MPI_COMM_NULL) MPI_Comm_free(&one);
    if (two != MPI_COMM_NULL) MPI_Comm_free(&two);
  }
  if (rank == 2) MPI_Comm_free(&own);
  MPI_Group_free(&all);
  MPI_Group_free(&left);
  MPI_Group_free(&right);
}

static int copies = 0, copy_answer = MPI_SUCCESS;
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return copy_answer;
}

static void attributes_are_copied_when_the_duplicate_starts(void) {
  int key, found, before = 1, after = 2, *value;
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm parent, twin;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_attr(parent, key, &before);
  copies = 0;
  MPI_Comm_idup(parent, &twin, &request);
  CHECK(copies == 1);
  MPI_Comm_set_attr(parent, key, &after);
  MPI_Comm_free(&parent);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(twin, key, &value, &found);
  CHECK(found && value == &before);
  /* A callback that refuses is the request's error; the other ranks are not left alone. */
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  copy_answer = rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
  MPI_Comm refused;
  MPI_Comm_idup(twin, &refused, &request);
  int code = MPI_Wait(&request, MPI_STATUS_IGNORE), class = MPI_SUCCESS, n;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  CHECK((rank == 0) == (class == MPI_ERR_OTHER));
  copy_answer = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (rank == 0)
    CHECK(MPI_Comm_size(refused, &n) != MPI_SUCCESS);
  else
    MPI_Comm_free(&refused);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&twin);
  MPI_Comm_free_keyval(&key);
}

static int hint_is(MPI_Comm comm, const char* key, const char* expected) {
  MPI_Info info;
  char value[32];
  int length = sizeof value, found;
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get_string(info, key, &length, value, &found);
  MPI_Info_free(&info);
  return expected ? found && strcmp(value, expected) == 0 : !found;
}

static void hints_belong_to_one_communicator(void) {
  const char *one = "mpi_assert_no_any_tag", *two = "mpi_assert_exact_length";
  MPI_Info info;
  MPI_Comm parent, twin, told, later;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  CHECK(hint_is(parent, one, "false") && hint_is(parent, two, "false"));
  MPI_Info_create(&info);
  MPI_Info_set(info, one, "true");
  MPI_Info_set(info, "unheard_of", "true");
  MPI_Comm_set_info(parent, info);
  CHECK(hint_is(parent, one, "true") && hint_is(parent, two, "false"));
  CHECK(hint_is(parent, "unheard_of", NULL));
  MPI_Info_delete(info, one);
  MPI_Info_set(info, two, "true");
  MPI_Comm_dup(parent, &twin);
  MPI_Comm_dup_with_info(parent, info, &told);
  MPI_Comm_idup_with_info(parent, info, &later, &request);
  MPI_Info_set(info, two, "false");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(hint_is(twin, one, "false") && hint_is(twin, two, "false"));
  CHECK(hint_is(told, one, "false") && hint_is(told, two, "true"));
  CHECK(hint_is(later, one, "false") && hint_is(later, two, "true"));
  MPI_Comm_set_info(parent, info);
  CHECK(hint_is(parent, one, "true"));
  MPI_Info_set(info, one, "maybe");
  MPI_Comm_set_info(parent, info);
  CHECK(hint_is(parent, one, "true"));
  MPI_Info_free(&info);
  MPI_Comm_free(&parent);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&told);
  MPI_Comm_free(&later);
}

/* There are 65536 ids: four times as many communicators come and go. */
static void ids_come_back_when_communicators_are_freed(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm one, two, three;
    MPI_Request requests[2];
    MPI_Comm_idup(MPI_COMM_WORLD, &one, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &two, &requests[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &three);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
    MPI_Comm_free(&three);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  a_duplicate_in_the_background_is_congruent_and_apart();
  a_duplicate_under_way_refuses_to_be_used();
  many_duplicates_of_one_parent_are_all_different();
  duplicates_of_different_parents_start_in_any_order();
  agreements_of_overlapping_groups_do_not_meet();
  attributes_are_copied_when_the_duplicate_starts();
  hints_belong_to_one_communicator();
  ids_come_back_when_communicators_are_freed(argc > 1 ? atoi(argv[1]) : 300);
  return finish();
}
