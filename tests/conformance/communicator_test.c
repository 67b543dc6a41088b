/* Groups and communicators: who is in, in which order, and that their messages stay apart. */
#include "conformance.h"

static void split_orders_by_key(void) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 2 ? MPI_UNDEFINED : rank % 3, -rank, &part);
  if (rank % 3 == 2) {
    CHECK(part == MPI_COMM_NULL);
    return;
  }
  int r, n, members = 0, larger = 0;
  MPI_Comm_rank(part, &r);
  MPI_Comm_size(part, &n);
  for (int k = 0; k < size; ++k) {
    members += k % 3 == rank % 3;
    larger += k % 3 == rank % 3 && k > rank;
  }
  CHECK(n == members && r == larger);
  MPI_Comm_free(&part);
  CHECK(part == MPI_COMM_NULL);
}

/* The same source, tag and receiver in two communicators: each receive gets its own. */
static void communicators_keep_messages_apart(void) {
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  int result;
  MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  int to = (rank + 1) % size, from = (rank + size - 1) % size, got[2], one = 1, two = 2;
  MPI_Request requests[4];
  MPI_Isend(&one, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&two, 1, MPI_INT, to, 0, twin, &requests[1]);
  MPI_Irecv(&got[1], 1, MPI_INT, from, 0, twin, &requests[2]);
  MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got[0] == 1 && got[1] == 2);
  MPI_Comm_free(&twin);
}

static void groups_follow_the_set_operations(void) {
  MPI_Group all, evens, rest, both;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, size - 1, 2}}, r, n, result;
  MPI_Group_range_incl(all, 1, range, &evens);
  MPI_Group_difference(all, evens, &rest);
  MPI_Group_union(evens, rest, &both);
  MPI_Group_size(rest, &n);
  CHECK(n == size / 2);
  MPI_Group_rank(evens, &r);
  CHECK(r == (rank % 2 ? MPI_UNDEFINED : rank / 2));
  MPI_Group_compare(all, both, &result);
  CHECK(result == (size < 3 ? MPI_IDENT : MPI_SIMILAR));
  int zero = 0, translated;
  MPI_Group_translate_ranks(rest, size > 1, &zero, all, &translated);
  if (size > 1) CHECK(translated == 1);
  MPI_Comm members;
  MPI_Comm_create(MPI_COMM_WORLD, evens, &members);
  CHECK((members == MPI_COMM_NULL) == (rank % 2 == 1));
  if (rank % 2 == 0) {
    MPI_Comm again;
    MPI_Comm_create_group(MPI_COMM_WORLD, evens, 5, &again);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, again);
    int half = (size - 1) / 2;
    CHECK(sum == half * (half + 1));
    MPI_Comm_free(&again);
    MPI_Comm_free(&members);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&evens);
  MPI_Group_free(&rest);
  MPI_Group_free(&both);
}

/* More communicators than rooms, made and freed: neither contexts nor rooms run out. */
static void communicators_come_and_go(void) {
  for (int i = 0; i < 300; ++i) {
    MPI_Comm one, two;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_split_type(one, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &two);
    int sum = 0, r, n;
    MPI_Comm_rank(two, &r);
    MPI_Comm_size(two, &n);
    /* A node holds all of them, or as many as the test says. */
    const char* each = getenv("BATON_RANKS_PER_NODE");
    int first = each ? rank / atoi(each) * atoi(each) : 0;
    int here = each && size - first > atoi(each) ? atoi(each) : size - first;
    CHECK(r == rank - first && n == here);
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, two);
    CHECK(sum == i * here);
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
  }
}

/* A freed communicator lives until its last request has: nothing under way is lost. */
static void a_freed_communicator_completes_its_requests(void) {
  for (int i = 0; i < 50; ++i) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    int to = (rank + 1) % size, from = (rank + size - 1) % size, got = -1, mine = rank * 100 + i;
    MPI_Request requests[3];
    MPI_Irecv(&got, 1, MPI_INT, from, 4, twin, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, from, 5, twin, &requests[1]);
    MPI_Isend(&mine, 1, MPI_INT, to, 4, twin, &requests[2]);
    MPI_Comm_free(&twin);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(got == from * 100 + i);
    MPI_Request_free(&requests[1]);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  a_freed_communicator_completes_its_requests();
  split_orders_by_key();
  communicators_keep_messages_apart();
  groups_follow_the_set_operations();
  communicators_come_and_go();
  return finish();
}
