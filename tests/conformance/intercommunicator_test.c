/* Communicators between two groups: how they are made, what they tell, and their messages. The
 * collectives between groups stand in intercommunicator_collectives_test.c. */
#include "conformance.h"
#include "sides.h"

static void both_sides_know_each_other(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 12);
  int flag, n, r, result;
  MPI_Comm_test_inter(s.inter, &flag);
  CHECK(flag);
  MPI_Comm_test_inter(s.local, &flag);
  CHECK(!flag);
  MPI_Comm_size(s.inter, &n);
  CHECK(n == s.own);
  MPI_Comm_rank(s.inter, &r);
  CHECK(r == s.rank);
  MPI_Comm_remote_size(s.inter, &n);
  CHECK(n == s.others);
  MPI_Group remote, local, all, both;
  MPI_Comm_remote_group(s.inter, &remote);
  MPI_Comm_group(s.inter, &local);
  MPI_Group_size(remote, &n);
  CHECK(n == s.others);
  MPI_Group_rank(remote, &r);
  CHECK(r == MPI_UNDEFINED);
  MPI_Group_rank(local, &r);
  CHECK(r == s.rank);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_union(local, remote, &both);
  MPI_Group_compare(all, both, &result);
  CHECK(result == MPI_IDENT || result == MPI_SIMILAR);
  MPI_Group_free(&remote);
  MPI_Group_free(&local);
  MPI_Group_free(&all);
  MPI_Group_free(&both);
  free_sides(&s);
  CHECK(s.inter == MPI_COMM_NULL);
}

/* Ranks address the other side; a wildcard's status names the sender's rank there. */
static void messages_go_to_the_other_side(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 3);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * 2 * (size_t)s.others);
  int *in = malloc(sizeof(int) * (size_t)s.others), mine = s.side * 1000 + s.rank;
  for (int r = 0; r < s.others; ++r) {
    MPI_Irecv(&in[r], 1, MPI_INT, r, 8, s.inter, &requests[r]);
    MPI_Isend(&mine, 1, MPI_INT, r, 8, s.inter, &requests[s.others + r]);
  }
  MPI_Waitall(2 * s.others, requests, MPI_STATUSES_IGNORE);
  for (int r = 0; r < s.others; ++r) CHECK(in[r] == (1 - s.side) * 1000 + r);
  if (s.rank == 0) MPI_Send(&mine, 1, MPI_INT, s.others - 1, 40 + s.side, s.inter);
  if (s.rank == s.own - 1) {
    int got;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, s.inter, &status);
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 40 + 1 - s.side);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s.inter, &status);
    CHECK(status.MPI_SOURCE == 0 && got == (1 - s.side) * 1000);
  }
  free(requests);
  free(in);
  free_sides(&s);
}

/* Longer than anything that fits into a ring, both ways at once. */
static void long_messages_cross(void) {
  enum { bytes = 300000 };
  Sides s = make_sides(MPI_COMM_WORLD, 3);
  unsigned char *out = malloc(bytes), *in = malloc(bytes);
  fill_bytes(out, bytes, (uint64_t)(s.side * 64 + s.rank));
  if (s.rank < s.others) {
    MPI_Sendrecv(out, bytes, MPI_BYTE, s.rank, 1, in, bytes, MPI_BYTE, s.rank, 1, s.inter,
                 MPI_STATUS_IGNORE);
    CHECK(bytes_are(in, bytes, (uint64_t)((1 - s.side) * 64 + s.rank)));
  }
  free(out);
  free(in);
  free_sides(&s);
}

static void merging_puts_the_high_side_last(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 0);
  for (int high = 0; high < 2; ++high) {
    MPI_Comm merged;
    int r, n, flag;
    MPI_Intercomm_merge(s.inter, s.side == high, &merged);
    MPI_Comm_test_inter(merged, &flag);
    MPI_Comm_size(merged, &n);
    MPI_Comm_rank(merged, &r);
    CHECK(!flag && n == size);
    CHECK(r == s.rank + (s.side == high ? s.others : 0));
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == size);
    MPI_Comm_free(&merged);
  }
  MPI_Comm merged;
  MPI_Intercomm_merge(s.inter, 1, &merged);
  int ranks = 0, r;
  MPI_Comm_rank(merged, &r);
  MPI_Allreduce(&r, &ranks, 1, MPI_INT, MPI_SUM, merged);
  CHECK(ranks == size * (size - 1) / 2);
  MPI_Comm_free(&merged);
  free_sides(&s);
}

static void a_group_that_disagrees_cannot_merge(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 0);
  if (size > 2) {
    MPI_Comm merged;
    int class;
    MPI_Comm_set_errhandler(s.inter, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Intercomm_merge(s.inter, rank == size - 1, &merged), &class);
    CHECK(class == MPI_ERR_ARG);
  }
  free_sides(&s);
}

static void duplicates_have_the_same_groups(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 0);
  MPI_Comm twin, later, reversed;
  MPI_Request request;
  int result;
  MPI_Comm_idup(s.inter, &later, &request);
  MPI_Comm_dup(s.inter, &twin);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_compare(s.inter, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(twin, later, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(s.inter, s.inter, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_compare(s.inter, s.local, &result);
  CHECK(result == MPI_UNEQUAL);
  MPI_Comm_split(s.inter, 0, -rank, &reversed);
  MPI_Comm_compare(s.inter, reversed, &result);
  CHECK(result == (size > 2 ? MPI_SIMILAR : MPI_CONGRUENT));
  int got[2] = {-1, -1}, out[2] = {1, 2};
  if (s.rank < s.others) {
    MPI_Request requests[4];
    MPI_Irecv(&got[0], 1, MPI_INT, s.rank, 0, twin, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, s.rank, 0, later, &requests[1]);
    MPI_Isend(&out[1], 1, MPI_INT, s.rank, 0, later, &requests[2]);
    MPI_Isend(&out[0], 1, MPI_INT, s.rank, 0, twin, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(got[0] == 1 && got[1] == 2);
  }
  MPI_Comm_free(&twin);
  MPI_Comm_free(&later);
  MPI_Comm_free(&reversed);
  free_sides(&s);
}

/* Where a color is on one side only, there is no communicator. */
static void splitting_divides_both_sides(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 0);
  MPI_Comm part;
  MPI_Comm_split(s.inter, s.rank, 0, &part);
  CHECK((part != MPI_COMM_NULL) == (s.rank < s.others));
  if (part != MPI_COMM_NULL) {
    int n, m, got = -1;
    MPI_Comm_size(part, &n);
    MPI_Comm_remote_size(part, &m);
    CHECK(n == 1 && m == 1);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE);
    CHECK(got == (s.side ? s.rank : size / 2 + s.rank));
    MPI_Comm_free(&part);
  }
  MPI_Comm_split(s.inter, s.side, 0, &part);
  CHECK(part == MPI_COMM_NULL);
  MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  /* Of nodes that have ranks on one side only there is none. */
  MPI_Comm node;
  int m, on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  CHECK(on_node < size || part != MPI_COMM_NULL);
  if (part != MPI_COMM_NULL) {
    int n;
    MPI_Comm_size(part, &n);
    MPI_Comm_remote_size(part, &m);
    CHECK(n + m == on_node);
    MPI_Comm_disconnect(&part);
  }
  /* The first of each side, by group. */
  MPI_Group mine, first;
  int zero = 0;
  MPI_Comm_group(s.inter, &mine);
  MPI_Group_incl(mine, 1, &zero, &first);
  MPI_Comm_create(s.inter, s.side ? mine : first, &part);
  CHECK((part != MPI_COMM_NULL) == (s.side == 1 || s.rank == 0));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_remote_size(part, &m);
    CHECK(m == (s.side ? 1 : s.others));
    MPI_Comm_free(&part);
  }
  /* One side stays away. */
  MPI_Comm_create(s.inter, s.side ? mine : MPI_GROUP_EMPTY, &part);
  CHECK(part == MPI_COMM_NULL);
  MPI_Group_free(&mine);
  MPI_Group_free(&first);
  free_sides(&s);
}

static void groups_alone_make_one_under_a_name(void) {
  MPI_Group all, low, high;
  MPI_Comm inter;
  int half = size / 2, first[1][3] = {{0, half - 1, 1}}, second[1][3] = {{half, size - 1, 1}}, n;
  int is_low = rank < half;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, first, &low);
  MPI_Group_range_incl(all, 1, second, &high);
  for (int i = 0; i < 10; ++i) {
    /* What is not the leader's needs no remote group. */
    int leader = is_low ? 0 : size - half - 1;
    int am_leader = is_low ? rank == 0 : rank == size - 1;
    MPI_Intercomm_create_from_groups(is_low ? low : high, leader,
                                     !am_leader ? MPI_GROUP_NULL
                                     : is_low   ? high
                                                : low,
                                     is_low ? size - half - 1 : 0, "org.example.pair",
                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    MPI_Comm_remote_size(inter, &n);
    CHECK(n == (is_low ? size - half : half));
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(inter, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
  }
  MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, low, 0, "nobody", MPI_INFO_NULL,
                                   MPI_ERRORS_ARE_FATAL, &inter);
  CHECK(inter == MPI_COMM_NULL);
  MPI_Intercomm_create_from_groups(is_low ? low : high, 0, MPI_GROUP_EMPTY, 0, "nobody",
                                   MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
  CHECK(inter == MPI_COMM_NULL);
  MPI_Group_free(&all);
  MPI_Group_free(&low);
  MPI_Group_free(&high);
}

/* The standard's ring of three groups: each has two intercommunicators, made in its own order. */
static void three_groups_make_a_ring(void) {
  if (size < 3) return;
  int key = rank % 3, n;
  MPI_Comm mine, first, second;
  MPI_Comm_split(MPI_COMM_WORLD, key, rank, &mine);
  if (key == 0) {
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1, 1, &first);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 2, 2, &second);
  } else if (key == 1) {
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 0, 1, &first);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 2, 12, &second);
  } else {
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 0, 2, &first);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1, 12, &second);
  }
  MPI_Comm_remote_size(first, &n);
  CHECK(n == (size - (key == 0 ? 1 : 0) + 2) / 3);
  MPI_Barrier(second);
  MPI_Barrier(first);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Comm_free(&mine);
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code) MPI_Error_class(code, &class);
  return class;
}

static void wrong_use_is_refused(void) {
  Sides s = make_sides(MPI_COMM_WORLD, 0);
  MPI_Comm twin, none;
  MPI_Group group;
  int n = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(s.inter, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(s.local, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Comm_remote_size(twin, &n)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Comm_remote_group(twin, &group)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Intercomm_merge(twin, 0, &none)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Intercomm_create(s.inter, 0, twin, 0, 0, &none)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Intercomm_create(s.local, s.own, twin, 0, 0, &none)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Intercomm_create(s.local, 0, twin, 0, -1, &none)) == MPI_ERR_TAG);
  /* What is wrong at the leader, all of its group are told. */
  CHECK(class_of(MPI_Intercomm_create(s.local, 0, MPI_COMM_NULL, 0, 0, &none)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Intercomm_create(s.local, 0, twin, size, 0, &none)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Send(&n, 1, MPI_INT, s.others, 0, s.inter)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Bcast(&n, 1, MPI_INT, s.others, s.inter)) == MPI_ERR_ROOT);
  CHECK(class_of(MPI_Bcast(&n, 1, MPI_INT, MPI_ROOT, twin)) == MPI_ERR_ROOT);
  CHECK(class_of(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, s.inter)) == MPI_ERR_BUFFER);
  MPI_Comm_group(s.inter, &group);
  CHECK(class_of(MPI_Comm_create_group(s.inter, group, 0, &none)) == MPI_ERR_COMM);
  MPI_Group_free(&group);
  MPI_Comm_free(&twin);
  free_sides(&s);
}

static void they_come_and_go(void) {
  for (int i = 0; i < 100; ++i) {
    Sides s = make_sides(MPI_COMM_WORLD, i);
    MPI_Barrier(s.inter);
    free_sides(&s);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  both_sides_know_each_other();
  messages_go_to_the_other_side();
  long_messages_cross();
  merging_puts_the_high_side_last();
  a_group_that_disagrees_cannot_merge();
  duplicates_have_the_same_groups();
  splitting_divides_both_sides();
  groups_alone_make_one_under_a_name();
  three_groups_make_a_ring();
  wrong_use_is_refused();
  they_come_and_go();
  return finish();
}
