/* Two groups that have met exchange all kinds of things over their intercommunicator. Part of the
   programs of ports_test.py and spawn_test.py. */
#pragma once

#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                       \
    }                                                                                     \
  } while (0)

static unsigned char byte_of(int source, int place) {
  return (unsigned char)(source * 31 + place * 7 + place / 251);
}

/* Messages of many lengths from each rank of one side to each of the other, both ways at once. */
static void exchange_messages(MPI_Comm inter) {
  static const int lengths[] = {0, 1, 8, 100, 4096, 70000, 1 << 20};
  int rank, others;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &others);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    const int bytes = lengths[i];
    MPI_Request* sends = malloc(sizeof *sends * (size_t)others);
    unsigned char* out = malloc((size_t)bytes + 1);
    unsigned char* in = malloc((size_t)bytes + 1);
    for (int k = 0; k < bytes; ++k) out[k] = byte_of(rank, k);
    for (int other = 0; other < others; ++other)
      MPI_Isend(out, bytes, MPI_BYTE, other, (int)i, inter, &sends[other]);
    for (int k = 0; k < others; ++k) {
      MPI_Status status;
      MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, (int)i, inter, &status);
      int got = -1;
      MPI_Get_count(&status, MPI_BYTE, &got);
      CHECK(got == bytes);
      for (int j = 0; j < bytes; j += 97) CHECK(in[j] == byte_of(status.MPI_SOURCE, j));
    }
    MPI_Waitall(others, sends, MPI_STATUSES_IGNORE);
    free(sends);
    free(out);
    free(in);
  }
}

/* A generator of numbers that both ends of a message know, from what it is seeded with. */
static unsigned next_number(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int random_length(unsigned* state) {
  static const int limits[] = {9, 300, 20000, 140000, 900000};
  return (int)(next_number(state) % (unsigned)limits[next_number(state) % 5]);
}

struct message {
  unsigned char* data;
  int bytes, other, number, comes;
};

/* Messages of random lengths between all ranks of both sides, begun in random order. */
static void exchange_randomly(MPI_Comm inter, unsigned seed) {
  enum { per_pair = 12 };
  int rank, others;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &others);
  const int count = 2 * per_pair * others;
  MPI_Request* requests = malloc(sizeof *requests * (size_t)count);
  struct message* all = malloc(sizeof *all * (size_t)count);
  int* begun = calloc((size_t)others * 2, sizeof *begun);
  /* One generator for each direction of a pair: what goes, then what comes. */
  unsigned* states = malloc(sizeof *states * (size_t)others * 2);
  for (int i = 0; i < others; ++i) {
    states[i] = seed * 7919u + (unsigned)(rank * 1000 + i);
    states[others + i] = seed * 7919u + (unsigned)(i * 1000 + rank);
  }
  unsigned order = seed + (unsigned)rank * 77u;
  for (int i = 0; i < count;) {
    const int way = (int)(next_number(&order) % (unsigned)(2 * others));
    if (begun[way] == per_pair) continue;
    struct message* one = &all[i];
    *one = (struct message){NULL, random_length(&states[way]), way % others, begun[way]++,
                            way >= others};
    one->data = calloc((size_t)one->bytes + 1, 1);
    const int tag = one->number % 3;
    if (one->comes) {
      MPI_Irecv(one->data, one->bytes, MPI_BYTE, one->other, tag, inter, &requests[i]);
    } else {
      for (int k = 0; k < one->bytes; ++k) one->data[k] = byte_of(rank + one->number, k);
      (next_number(&order) % 4 ? MPI_Isend : MPI_Issend)(one->data, one->bytes, MPI_BYTE,
                                                         one->other, tag, inter, &requests[i]);
    }
    ++i;
    int flag;
    if (next_number(&order) % 8 == 0)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &flag, MPI_STATUS_IGNORE);
  }
  for (int left = count; left > 0; --left) {
    int which, got;
    MPI_Status status;
    MPI_Waitany(count, requests, &which, &status);
    const struct message* one = &all[which];
    if (!one->comes) continue;
    MPI_Get_count(&status, MPI_BYTE, &got);
    CHECK(got == one->bytes && status.MPI_SOURCE == one->other);
    for (int k = 0; k < got; k += 1 + k / 64)
      CHECK(one->data[k] == byte_of(one->other + one->number, k));
  }
  for (int i = 0; i < count; ++i) free(all[i].data);
  free(requests);
  free(all);
  free(begun);
  free(states);
}

/* Collectives of one communicator that has ranks of both jobs. */
static void exchange_in_one_group(MPI_Comm both) {
  int rank, size;
  MPI_Comm_rank(both, &rank);
  MPI_Comm_size(both, &size);
  for (int count = 1; count <= 20000; count *= 141) {
    double* mine = malloc(sizeof *mine * (size_t)count);
    double* sum = malloc(sizeof *sum * (size_t)count);
    double* all = malloc(sizeof *all * (size_t)(count * size));
    for (int i = 0; i < count; ++i) mine[i] = rank + i;
    MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, both);
    for (int i = 0; i < count; ++i) CHECK(sum[i] == (double)size * i + size * (size - 1) / 2);
    MPI_Allgather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, both);
    for (int i = 0; i < size; ++i) CHECK(all[i * count + count - 1] == i + count - 1);
    if (rank == size - 1)
      for (int i = 0; i < count; ++i) mine[i] = -i;
    MPI_Bcast(mine, count, MPI_DOUBLE, size - 1, both);
    CHECK(mine[count - 1] == -(count - 1));
    MPI_Barrier(both);
    free(mine);
    free(sum);
    free(all);
  }
  int* sent = malloc(sizeof *sent * (size_t)size);
  int* got = malloc(sizeof *got * (size_t)size);
  for (int i = 0; i < size; ++i) sent[i] = rank * 1000 + i;
  MPI_Request request;
  MPI_Ialltoall(sent, 1, MPI_INT, got, 1, MPI_INT, both, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) CHECK(got[i] == i * 1000 + rank);
  free(sent);
  free(got);
}

static int count_of_own_job(MPI_Comm comm) {
  MPI_Group all, world, common;
  int count;
  MPI_Comm_group(comm, &all);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_intersection(all, world, &common);
  MPI_Group_size(common, &count);
  MPI_Group_free(&all);
  MPI_Group_free(&world);
  MPI_Group_free(&common);
  return count;
}

/* Windows and derived communicators of it. */
static void use_objects(MPI_Comm both) {
  int rank, size, whole = 0;
  MPI_Comm_rank(both, &rank);
  MPI_Comm_size(both, &size);
  MPI_Win window;
  int* base;
  MPI_Win_allocate(sizeof(int) * 2, sizeof(int), MPI_INFO_NULL, both, &base, &window);
  base[0] = base[1] = -1;
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(base[0] == (rank + size - 1) % size);
  base[1] = 0;
  MPI_Win_fence(0, window);
  const int one = 1;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < size; ++i)
    MPI_Accumulate(&one, 1, MPI_INT, i, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(both);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK(base[1] == size);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);

  /* Ranks that share memory are those of one job, on one node. */
  MPI_Comm shared;
  MPI_Comm_split_type(both, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  const int in_job = count_of_own_job(both);
  int sharing;
  MPI_Comm_size(shared, &sharing);
  CHECK(sharing == count_of_own_job(shared));
  CHECK(sharing == in_job || getenv("BATON_RANKS_PER_NODE") || getenv("SEVERAL_NODES"));
  int* memory;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, shared, &memory, &window);
  *memory = rank;
  MPI_Win_free(&window);
  MPI_Comm_free(&shared);

  MPI_Comm odd;
  MPI_Comm_split(both, rank % 2, -rank, &odd);
  MPI_Allreduce(&one, &whole, 1, MPI_INT, MPI_SUM, odd);
  CHECK(whole == (rank % 2 ? size / 2 : (size + 1) / 2));
  MPI_Comm_free(&odd);
  MPI_Group group;
  MPI_Comm_group(both, &group);
  MPI_Comm created;
  MPI_Comm_create_group(both, group, 3, &created);
  MPI_Allreduce(&one, &whole, 1, MPI_INT, MPI_SUM, created);
  CHECK(whole == size);
  MPI_Group_free(&group);
  MPI_Comm_free(&created);
}

/* Everything, over an intercommunicator and over both groups merged. */
static void use_intercommunicator(MPI_Comm inter, int high) {
  int rank, own, others, inside = 0;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_size(inter, &own);
  MPI_Comm_remote_size(inter, &others);
  MPI_Comm_test_inter(inter, &inside);
  CHECK(inside);
  exchange_messages(inter);
  for (unsigned seed = 0; seed < 3; ++seed) exchange_randomly(inter, seed);
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == others * others);
  MPI_Comm copy, both;
  MPI_Comm_dup(inter, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Intercomm_merge(inter, high, &both);
  exchange_in_one_group(both);
  use_objects(both);
  MPI_Comm_dup(both, &copy);
  exchange_in_one_group(copy);
  MPI_Comm_disconnect(&copy);
  MPI_Comm_free(&both);
}
