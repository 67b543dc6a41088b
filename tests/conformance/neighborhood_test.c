/* Neighborhood collectives in every form, on every kind of topology; several under way at once; and
 * wrong ones.
 *
 * With the word `ordinary` the program leaves out what only Baton promises: that arrays of counts,
 * places and types may be reused while a call is under way, and the classes of some errors. */
#include "neighborhood_case.h"
#include "wrong.h"

enum { together = 10 };

static void one_after_the_other(const Topology* t, int cases) {
  static Case c;
  uint64_t key = 0;
  for (int i = 0; i < cases; ++i)
    for (Collective what = allgather; what <= alltoallw; ++what)
      for (Form form = blocking; form < forms; ++form) {
        prepare(&c, t, what, form, ++key);
        for (int round = 0; round < (form == persistent ? 3 : 1); ++round) {
          fill(&c, round);
          begin(&c);
          end(&c);
        }
        release(&c);
      }
}

/* On two communicators in turns, of which this rank may lack one; waited for in an order of its
 * own. */
static void many_at_once(const Topology* const* pair, uint64_t key) {
  static Case cases[together];
  int order[together], count = 0;
  for (int i = 0; i < together; ++i) {
    const Topology* t = pair[i % 2];
    if (t->comm == MPI_COMM_NULL) continue;
    Collective what = allgather + (int)(mix(key, 11, (uint64_t)i) % 5);
    prepare(&cases[i], t, what, i % 3 ? nonblocking : persistent, key + (uint64_t)i);
    order[count++] = i;
  }
  for (int i = count - 1; i > 0; --i) {
    int other = (int)(mix(key, (uint64_t)rank, (uint64_t)i) % (uint64_t)(i + 1)), old = order[i];
    order[i] = order[other];
    order[other] = old;
  }
  for (int i = 0; i < together; ++i)
    if (pair[i % 2]->comm != MPI_COMM_NULL) {
      fill(&cases[i], 0);
      begin(&cases[i]);
    }
  for (int i = 0; i < count; ++i) end(&cases[order[i]]);
  for (int i = 0; i < count; ++i) release(&cases[order[i]]);
}

static void all_on(MPI_Comm base, int cases) {
  make_topologies(base);
  for (int i = 0; i < topology_count; ++i)
    if (topologies[i].comm != MPI_COMM_NULL) one_after_the_other(&topologies[i], cases);
  for (int i = 0; i < topology_count; ++i) {
    const Topology* pair[] = {&topologies[i], &topologies[(i + 5) % topology_count]};
    many_at_once(pair, 1000 + 100 * (uint64_t)i);
  }
  free_topologies();
}

/* ---- arrays of other collectives ---- */

static int int_between(int from, int to, int round) {
  return round * 10000 + from * 100 + to;
}

static void fill_spoilable(Argument* a, Collective what, int* memory) {
  size_t n = (size_t)size;
  *a = (Argument){memory,
                  1,
                  MPI_INT,
                  malloc(n * sizeof *a->counts),
                  malloc(n * sizeof *a->places),
                  malloc(n * sizeof *a->types),
                  malloc(n * sizeof *a->small_counts),
                  malloc(n * sizeof *a->small_places)};
  for (int i = 0; i < size; ++i) {
    a->counts[i] = a->small_counts[i] = 1;
    a->small_places[i] = (size - 1 - i) * (what == alltoallw ? (int)sizeof(int) : 1);
    a->places[i] = a->small_places[i];
    a->types[i] = MPI_INT;
  }
}

/* Blocks of one int that lie in the opposite order. */
static void arrays_are_copied(Collective what, Form form, int large) {
  int in[ranks_max], out[ranks_max], rounds = form == persistent ? 3 : 1;
  MPI_Request request = MPI_REQUEST_NULL;
  Call call = {.what = what, .large = large, .comm = MPI_COMM_WORLD};
  fill_spoilable(&call.send, what, out);
  fill_spoilable(&call.receive, what, in);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < size; ++i) {
      in[i] = -1;
      out[size - 1 - i] = int_between(rank, i, round);
    }
    if (!has_send_counts(what)) out[0] = int_between(rank, 0, round);
    if (round == 0) {
      CHECK(make_call(&call, form, &request) == MPI_SUCCESS);
      spoil_arrays(&call.send, size);
      spoil_arrays(&call.receive, size);
    }
    if (form == persistent) CHECK(MPI_Start(&request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < size; ++i) {
      int wanted = int_between(i, has_send_counts(what) ? rank : 0, round), place = size - 1 - i;
      if (what == scatterv) place = i, wanted = i ? -1 : int_between(0, rank, round);
      if (what == gatherv && rank != 0) wanted = -1;
      CHECK(in[place] == wanted);
    }
  }
  if (form == persistent) MPI_Request_free(&request);
  free_arrays(&call.send);
  free_arrays(&call.receive);
}

/* ---- wrong calls ---- */

/* The array that a call of this width uses: 0 counts, 1 places, 2 types. */
static void without_array(Argument* a, int which) {
  if (which == 0) a->counts = NULL, a->small_counts = NULL;
  if (which == 1) a->places = NULL, a->small_places = NULL;
  if (which == 2) a->types = NULL;
}

static void expect(const Call* call, Form form, int error_class, const char* what) {
  MPI_Request request = MPI_REQUEST_NULL;
  char text[100];
  snprintf(text, sizeof text, "%s %s%s with %s", form_names[form], collective_names[call->what],
           call->large ? "_c" : "", what);
  judge(__LINE__, text, make_neighbor_call(call, form, &request), error_class, "");
  CHECK(request == MPI_REQUEST_NULL);
}

static void wrong_calls_of(const Call* good, Form form) {
  Collective what = good->what;
  Call bad = *good;
  bad.comm = MPI_COMM_WORLD;
  expect(&bad, form, MPI_ERR_TOPOLOGY, "no topology");
  MPI_Count minus[2] = {1, -1};
  int small_minus[2] = {1, -1};
  for (int side = 0; side < 2; ++side) {
    Argument* a = side ? &bad.receive : &bad.send;
    int arrays = what >= alltoallv || (side && what == allgatherv);
    bad = *good;
    a->count = -1, a->counts = minus, a->small_counts = small_minus;
    expect(&bad, form, MPI_ERR_COUNT, "a negative count");
    if (ordinary) continue;
    bad = *good;
    a->address = MPI_IN_PLACE;
    expect(&bad, form, MPI_ERR_BUFFER, "MPI_IN_PLACE");
    bad = *good;
    a->type = MPI_DATATYPE_NULL;
    if (what != alltoallw) expect(&bad, form, MPI_ERR_TYPE, "no type");
    for (int which = 0; arrays && which < (what == alltoallw ? 3 : 2); ++which) {
      bad = *good;
      without_array(a, which);
      expect(&bad, form, MPI_ERR_ARG, "a null array");
    }
  }
}

/* On a ring, where everybody has two neighbors; a good one follows each. */
static void wrong_calls_are_told(void) {
  int periodic = 1, out[2] = {1, 2}, in[2], small_places[2] = {0, 1};
  int ones[2] = {1, 1};
  MPI_Count large_ones[2] = {1, 1};
  MPI_Aint places[2] = {0, 1};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Comm ring;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  for (Collective what = allgather; what <= alltoallw; ++what)
    for (Form form = blocking; form < forms; ++form)
      for (int large = 0; large < 2; ++large) {
        MPI_Request request = MPI_REQUEST_NULL;
        Argument sends = {out, 1, MPI_INT, large_ones, places, types, ones, small_places};
        Argument receives = sends;
        receives.address = in;
        places[1] = what == alltoallw ? sizeof(int) : 1;
        Call call = {what, large, sends, receives, MPI_OP_NULL, 0, ring};
        wrong_calls_of(&call, form);
        in[0] = in[1] = -1;
        CHECK(make_neighbor_call(&call, form, &request) == MPI_SUCCESS);
        if (form == persistent) MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (form == persistent) MPI_Request_free(&request);
        CHECK(in[0] == (is_gather(what) ? 1 : 2) && in[1] == 1);
      }
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  MPI_Comm reversed;
  MPI_Datatype spread;
  start_wrong(&argc, &argv);
  CHECK(size <= ranks_max);
  ordinary = argc > 1 && strcmp(argv[1], "ordinary") == 0;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_create_resized(spread, 0, 4 * sizeof(int), &gappy);
  MPI_Type_free(&spread);
  MPI_Type_commit(&gappy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  all_on(MPI_COMM_WORLD, 3);
  all_on(reversed, 1);
  for (Collective what = gatherv; what <= alltoallw; ++what)
    for (Form form = nonblocking; form < forms; ++form)
      for (int large = 0; large < 2; ++large)
        if (has_send_counts(what) || has_receive_counts(what)) arrays_are_copied(what, form, large);
  wrong_calls_are_told();
  MPI_Comm_free(&reversed);
  MPI_Type_free(&gappy);
  return finish_wrong(90);
}
