/* Every collective against values worked out by hand, at every root, in place, with uneven counts,
 * on parts of the world, with operations that do not commute; and one collective right after
 * another. */
#include "conformance.h"

enum { longest = 3000 };

static void multiply_matrices(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  long* a = in;
  long* b = inout;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                 a[2] * b[1] + a[3] * b[3]};
    for (int j = 0; j < 4; ++j) b[j] = c[j] % 1000003;
  }
}

static void matrix_of(int r, int i, long* m) {
  m[0] = r + 1, m[1] = i + 1, m[2] = 1, m[3] = r;
}

static void order_is_kept(MPI_Comm comm, int r, int n) {
  MPI_Datatype matrix;
  MPI_Op op;
  MPI_Type_contiguous(4, MPI_LONG, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply_matrices, 0, &op);
  for (int count = 1; count <= 100; count *= 10) {
    long *mine = malloc((size_t)count * 32), *got = malloc((size_t)count * 32);
    for (int i = 0; i < count; ++i) matrix_of(r, i, mine + 4 * i);
    for (int root = -1; root < n; ++root) {
      if (root < 0)
        MPI_Allreduce(mine, got, count, matrix, op, comm);
      else
        MPI_Reduce(mine, got, count, matrix, op, root, comm);
      if (root >= 0 && root != r) continue;
      for (int i = 0; i < count; ++i) {
        long want[4], next[4];
        int one = 1;
        matrix_of(n - 1, i, want);
        for (int k = n - 2; k >= 0; --k) {
          matrix_of(k, i, next);
          multiply_matrices(next, want, &one, &matrix);
        }
        CHECK(memcmp(want, got + 4 * i, sizeof want) == 0);
      }
    }
    free(mine);
    free(got);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
}

static void reductions_add_up(MPI_Comm comm, int r, int n) {
  const int counts[] = {0, 1, 6, 7, 8, 14, 128, 129, longest};
  double *mine = malloc(longest * 8), *got = malloc(longest * 8);
  for (int c = 0; c < 9; ++c) {
    int count = counts[c];
    for (int i = 0; i < count; ++i) mine[i] = r + 1000.0 * i;
    for (int in_place = 0; in_place < 2; ++in_place) {
      if (in_place) memcpy(got, mine, (size_t)count * 8);
      MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, got, count, MPI_DOUBLE, MPI_SUM, comm);
      for (int i = 0; i < count; ++i) CHECK(got[i] == n * (n - 1) / 2 + 1000.0 * i * n);
      for (int root = 0; root < n; ++root) {
        if (in_place) memcpy(got, mine, (size_t)count * 8);
        MPI_Reduce(in_place && r == root ? MPI_IN_PLACE : mine, r == root ? got : NULL, count,
                   MPI_DOUBLE, MPI_MAX, root, comm);
        for (int i = 0; i < count && r == root; ++i) CHECK(got[i] == n - 1 + 1000.0 * i);
      }
    }
  }
  free(mine);
  free(got);
}

static void blocks_go_where_they_belong(MPI_Comm comm, int r, int n) {
  for (int block = 1; block <= 1000; block *= 10) {
    int *all = malloc((size_t)(n * block) * 4), *mine = malloc((size_t)block * 4);
    int* out = malloc((size_t)(n * block) * 4);
    for (int root = 0; root < n; ++root) {
      for (int i = 0; i < n * block; ++i) all[i] = r == root ? 31 * i + root : -1;
      MPI_Bcast(all, n * block, MPI_INT, root, comm);
      for (int i = 0; i < n * block; ++i) CHECK(all[i] == 31 * i + root);
      MPI_Scatter(r == root ? all : NULL, block, MPI_INT, mine, block, MPI_INT, root, comm);
      for (int i = 0; i < block; ++i) CHECK(mine[i] == 31 * (r * block + i) + root);
      memset(all, 0, (size_t)(n * block) * 4);
      MPI_Gather(mine, block, MPI_INT, all, block, MPI_INT, root, comm);
      for (int i = 0; i < n * block && r == root; ++i) CHECK(all[i] == 31 * i + root);
    }
    for (int in_place = 0; in_place < 2; ++in_place) {
      for (int i = 0; i < block; ++i) mine[i] = all[r * block + i] = r * 1000 + i;
      MPI_Allgather(in_place ? MPI_IN_PLACE : mine, block, MPI_INT, all, block, MPI_INT, comm);
      for (int i = 0; i < n * block; ++i) CHECK(all[i] == i / block * 1000 + i % block);
      for (int i = 0; i < n * block; ++i) out[i] = all[i] = r * 100000 + i;
      MPI_Alltoall(in_place ? MPI_IN_PLACE : out, block, MPI_INT, all, block, MPI_INT, comm);
      for (int i = 0; i < n * block; ++i)
        CHECK(all[i] == i / block * 100000 + r * block + i % block);
    }
    free(all);
    free(mine);
    free(out);
  }
}

/* Rank k contributes k % 4 elements, with a gap of one between blocks. */
static void uneven_blocks_go_where_they_belong(MPI_Comm comm, int r, int n) {
  int *counts = malloc((size_t)n * 4), *places = malloc((size_t)n * 4), total = 0;
  for (int k = 0; k < n; ++k) {
    counts[k] = k % 4;
    places[k] = total;
    total += counts[k] + 1;
  }
  int *all = malloc((size_t)total * 4), mine[4] = {r * 10, r * 10 + 1, r * 10 + 2, r * 10 + 3};
  for (int root = -1; root < n; ++root) {
    for (int i = 0; i < total; ++i) all[i] = -1;
    if (root < 0)
      MPI_Allgatherv(mine, counts[r], MPI_INT, all, counts, places, MPI_INT, comm);
    else
      MPI_Gatherv(mine, counts[r], MPI_INT, all, counts, places, MPI_INT, root, comm);
    if (root >= 0 && root != r) continue;
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < counts[k]; ++i) CHECK(all[places[k] + i] == k * 10 + i);
      CHECK(all[places[k] + counts[k]] == -1);
    }
  }
  for (int root = 0; root < n; ++root) {
    int got[4] = {-1, -1, -1, -1};
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < counts[k]; ++i) all[places[k] + i] = k * 10 + i + root;
    MPI_Scatterv(all, counts, places, MPI_INT, got, counts[r], MPI_INT, root, comm);
    for (int i = 0; i < 4; ++i) CHECK(got[i] == (i < counts[r] ? r * 10 + i + root : -1));
  }
  free(counts);
  free(places);
  free(all);
}

static void check_all(MPI_Comm comm) {
  int r, n;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &n);
  reductions_add_up(comm, r, n);
  order_is_kept(comm, r, n);
  blocks_go_where_they_belong(comm, r, n);
  uneven_blocks_go_where_they_belong(comm, r, n);
  for (int i = 0; i < 300; ++i) {
    int one = i + r, sum = 0;
    MPI_Barrier(comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == n * i + n * (n - 1) / 2);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  check_all(MPI_COMM_WORLD);
  check_all(MPI_COMM_SELF);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  check_all(half);
  MPI_Comm_free(&half);
  return finish();
}
