/* The iterations of restricted Hartree-Fock. Every rank does the linear algebra, which is small, on
 * the same bits, so that only the Fock matrix is sent. */
#include "scf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extrapolation.h"
#include "fock.h"
#include "matrix.h"
#include "one_electron.h"
#include "ranks.h"

typedef struct {
  int n, occupied;        /* functions; orbitals with two electrons each */
  double *overlap, *core; /* core: kinetic energy and attraction by the nuclei */
  double* orthogonal;     /* overlap^(-1/2) */
  double *density, *fock;
  double* error; /* F D S - S D F: the gradient of the energy */
  double *work, *more_work;
} Matrices;

/* overlap^(-1/2): the sum over its eigenvectors, each scaled by the root of the factor. */
static void orthogonalize(Matrices* m) {
  double* values = ranks_memory((size_t)m->n, sizeof *values);
  matrix_eigen(m->n, m->overlap, values, m->work);
  for (int i = 0; i < m->n; ++i) {
    if (!(values[i] > 1e-7)) ranks_stop("the basis functions depend on each other");
    for (int j = 0; j < m->n; ++j) m->work[(size_t)i * m->n + j] *= pow(values[i], -0.25);
  }
  matrix_square(m->n, m->n, m->work, m->orthogonal);
  free(values);
}

static Matrices matrices_of(const Molecule* molecule, const Basis* basis, const Pairs* pairs) {
  Matrices m = {.n = basis->functions, .occupied = molecule_electrons(molecule) / 2};
  double** all[] = {&m.overlap, &m.core,  &m.orthogonal, &m.density,
                    &m.fock,    &m.error, &m.work,       &m.more_work};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) *all[i] = matrix_new(m.n);
  if (ranks_mine() == 0) {
    integrals_overlap_and_kinetic(basis, m.overlap, m.core);
    integrals_add_attraction(basis, pairs, molecule, m.core);
    orthogonalize(&m);
  }
  const size_t bytes = (size_t)m.n * m.n * sizeof(double);
  ranks_share(m.overlap, bytes);
  ranks_share(m.core, bytes);
  ranks_share(m.orthogonal, bytes);
  /* First the electrons of neutral atoms: in a minimal basis each function is an orbital. */
  for (int i = 0; i < basis->shells; ++i)
    for (int j = 0; j < basis->shell[i].functions; ++j) {
      int k = basis->shell[i].first + j;
      m.density[(size_t)k * m.n + k] = basis->shell[i].electrons[j];
    }
  return m;
}

static void matrices_free(Matrices* m) {
  double* all[] = {m->overlap, m->core, m->orthogonal, m->fock, m->error, m->work, m->more_work};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

/* Adds the core; returns the energy of the electrons. */
static double finish_fock(Matrices* m) {
  const size_t elements = (size_t)m->n * m->n;
  for (size_t i = 0; i < elements; ++i) m->fock[i] += m->core[i];
  return 0.5 * (matrix_dot(m->n, m->density, m->core) + matrix_dot(m->n, m->density, m->fock));
}

/* Its largest element is returned. */
static double find_error(Matrices* m) {
  const int n = m->n;
  double largest = 0;
  matrix_product(n, m->fock, m->density, m->work);
  matrix_product(n, m->work, m->overlap, m->more_work);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double value = m->more_work[(size_t)i * n + j] - m->more_work[(size_t)j * n + i];
      m->error[(size_t)i * n + j] = value;
      largest = fmax(largest, fabs(value));
    }
  return largest;
}

/* The density of the lowest orbitals of the Fock matrix. */
static void find_density(Matrices* m) {
  double* values = ranks_memory((size_t)m->n, sizeof *values);
  matrix_product(m->n, m->orthogonal, m->fock, m->more_work);
  matrix_product(m->n, m->more_work, m->orthogonal, m->work);
  matrix_eigen(m->n, m->work, values, m->more_work);
  matrix_product(m->n, m->more_work, m->orthogonal, m->work);
  matrix_square(m->occupied, m->n, m->work, m->density);
  for (size_t i = 0; i < (size_t)m->n * m->n; ++i) m->density[i] *= 2;
  free(values);
}

static void print_start(const Pairs* pairs, const Tasks* tasks) {
  if (ranks_mine() != 0) return;
  printf("pairs of shells: %ld, of which %ld overlap\n", pairs->of_shells, pairs->count);
  printf("tasks: %ld\n", tasks->count);
  printf("quartets of shells: %.0f computed in each iteration, %.0f screened out\n",
         tasks->quartets, tasks->screened);
  printf("iteration        energy            change     gradient   seconds\n");
  fflush(stdout);
}

static void print_iteration(const Result* result, double change, double gradient, double seconds) {
  if (ranks_mine() != 0) return;
  printf("%9d  %18.9f  ", result->iterations, result->energy);
  if (result->iterations > 1)
    printf("%13.3e", change);
  else
    printf("%13s", "-");
  printf("  %10.2e  %8.3f\n", gradient, seconds);
  fflush(stdout);
}

static void iterate(const Molecule* molecule, const Wishes* wishes, Fock* fock, Matrices* m,
                    Result* result) {
  const double repulsion = molecule_repulsion(molecule);
  Extrapolation history = extrapolation_new(m->n);
  double last = ranks_seconds();
  while (!result->converged && result->iterations < wishes->iterations) {
    const double before = result->energy;
    if (result->iterations++ > 0) {
      extrapolate(&history, m->fock, m->error);
      find_density(m);
    }
    fock_build(fock, m->density, m->fock);
    result->energy = finish_fock(m) + repulsion;
    const double gradient = find_error(m), change = result->energy - before, now = ranks_seconds();
    print_iteration(result, change, gradient, now - last);
    last = now;
    result->converged = result->iterations > 1 && fabs(change) < wishes->tolerance &&
                        gradient < sqrt(wishes->tolerance);
  }
  extrapolation_free(&history);
}

Result scf_run(const Molecule* molecule, const Basis* basis, const Wishes* wishes) {
  const double start = ranks_seconds();
  Result result = {0};
  Pairs pairs = pairs_of(basis);
  Fock fock = fock_of(basis, &pairs);
  Matrices m = matrices_of(molecule, basis, &pairs);
  print_start(&pairs, &fock.tasks);
  iterate(molecule, wishes, &fock, &m, &result);
  result.seconds = ranks_seconds() - start;
  result.computing = fock.computing;
  ranks_add_up(&result.computing, 1);
  result.computing /= result.seconds * (ranks_all() > 1 ? ranks_all() - 1 : 1);
  result.density = m.density;
  matrices_free(&m);
  fock_free(&fock);
  pairs_free(&pairs);
  return result;
}
