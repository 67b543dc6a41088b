/* Restricted Hartree-Fock with the STO-3G basis: the energy and the electron density of a molecule.
 *
 * Nearly all of the time goes into the electron repulsion integrals, which are computed anew in
 * each iteration (direct SCF). With several ranks, rank 0 hands out chunks of the list of tasks and
 * the others compute them; each rank may have several threads. One source makes four programs:
 *
 *   serial:  cc -O3 -DWITHOUT_MPI *.c -lm          OpenMP:  cc -O3 -DWITHOUT_MPI -fopenmp *.c -lm
 *   MPI:     mpicc -O3 *.c -lm                     hybrid:  mpicc -O3 -fopenmp *.c -lm
 *
 * The energy does not depend on who computed what, but for rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "ranks.h"
#include "repulsion.h"
#include "scf.h"
#include "threads.h"

enum { default_waters = 25, most_waters = most_atoms / 3, most_iterations = 1000 };

static const char usage[] =
    "usage: hartree_fock [--waters N | --molecule water|methane|FILE.xyz] [--iterations N]\n"
    "                    [--tolerance HARTREE] [--picture FILE.png]\n"
    "  --waters N      a cluster of N water molecules, 1 to 1000 (25)\n"
    "  --molecule M    water or methane, or a file with angstrom; elements H to Ne\n"
    "  --iterations N  at most (50)\n"
    "  --tolerance T   the energy has converged when it changes by less: 1e-12 to 1 hartree "
    "(1e-9)\n"
    "  --picture FILE  writes the density of the electrons in the plane of the first three atoms\n";

typedef struct {
  int help, waters;
  Wishes scf;
  char problem[problem_bytes];
  const char *molecule, *picture; /* of rank 0 alone */
} Job;

static int whole_number(const char* word, int most) {
  char* end;
  long value = strtol(word, &end, 10);
  return *word && !*end && value >= 1 && value <= most ? (int)value : 0;
}

static double tolerance(const char* word) {
  char* end;
  double value = strtod(word, &end);
  return *word && !*end && value >= 1e-12 && value <= 1 ? value : 0;
}

static void read_words(int count, char** words, Job* job) {
  for (int i = 1; i < count && !job->problem[0]; i += 2) {
    const char *word = words[i], *value = i + 1 < count ? words[i + 1] : "";
    int good = 1;
    if (!strcmp(word, "--help")) {
      job->help = 1;
      return;
    } else if (!strcmp(word, "--waters")) {
      good = (job->waters = whole_number(value, most_waters)) > 0;
    } else if (!strcmp(word, "--molecule")) {
      good = *(job->molecule = value) != 0;
    } else if (!strcmp(word, "--iterations")) {
      good = (job->scf.iterations = whole_number(value, most_iterations)) > 0;
    } else if (!strcmp(word, "--tolerance")) {
      good = (job->scf.tolerance = tolerance(value)) > 0;
    } else if (!strcmp(word, "--picture")) {
      good = *(job->picture = value) != 0;
    } else {
      snprintf(job->problem, problem_bytes, "unknown word '%s' (--help lists them)", word);
      return;
    }
    if (!good)
      snprintf(job->problem, problem_bytes, "%s does not take '%s' (see --help)", word, value);
  }
  if (job->molecule && job->waters && !job->problem[0])
    snprintf(job->problem, problem_bytes, "either --molecule or --waters");
}

/* On rank 0. */
static void read_job(int count, char** words, Job* job, Molecule* molecule) {
  read_words(count, words, job);
  if (job->help || job->problem[0]) return;
  int result = job->molecule ? molecule_by_name(job->molecule, molecule, job->problem)
                             : molecule_of_waters(job->waters ? job->waters : default_waters,
                                                  molecule, job->problem);
  if (result == 0 && job->picture && picture_try(job->picture) != 0)
    snprintf(job->problem, problem_bytes, "the picture %s cannot be written", job->picture);
}

/* Rank 0 reads the command line and the molecule; all learn what came of it. */
static void prepare(int count, char** words, Job* job, Molecule* molecule) {
  *job = (Job){.scf = {.iterations = 50, .tolerance = 1e-9}};
  if (ranks_mine() == 0) read_job(count, words, job, molecule);
  ranks_share(&job->help, sizeof job->help);
  ranks_share(job->problem, sizeof job->problem);
  ranks_share(&job->scf, sizeof job->scf);
  if (job->help || job->problem[0]) return;
  ranks_share(&molecule->atoms, sizeof molecule->atoms);
  if (ranks_mine() != 0)
    molecule->atom = ranks_memory((size_t)molecule->atoms, sizeof *molecule->atom);
  ranks_share(molecule->atom, (size_t)molecule->atoms * sizeof *molecule->atom);
}

static void print_job(const Molecule* molecule, const Basis* basis) {
  const int ranks = ranks_all(), threads = threads_all();
  printf("%d atoms, %d electrons, %d basis functions in %d shells\n", molecule->atoms,
         molecule_electrons(molecule), basis->functions, basis->shells);
  printf("%d rank%s%s, %d thread%s each\n", ranks, ranks > 1 ? "s" : "",
         ranks > 1 ? " (a master and workers)" : "", threads, threads > 1 ? "s" : "");
}

static void print_result(const Result* result, const Wishes* wishes) {
  printf("energy: %.9f hartree\n", result->energy);
  if (result->converged)
    printf("converged after %d iterations\n", result->iterations);
  else
    fprintf(stderr, "hartree_fock: not converged to %.1e hartree within --iterations %d\n",
            wishes->tolerance, wishes->iterations);
  printf("computing: %.2f %% of the time of %s\n", 100 * result->computing,
         ranks_all() > 1 ? "the workers" : "the only rank");
  printf("time: %.3f s\n", result->seconds);
  fflush(stdout);
}

/* Returns what the program ends with. */
static int run(const Job* job, const Molecule* molecule) {
  int failed;
  integrals_start();
  Basis basis = basis_of(molecule);
  if (ranks_mine() == 0) print_job(molecule, &basis);
  Result result = scf_run(molecule, &basis, &job->scf);
  failed = !result.converged;
  if (ranks_mine() == 0) {
    if (job->picture && picture_write(job->picture, molecule, &basis, result.density) != 0) {
      fprintf(stderr, "hartree_fock: the picture %s cannot be written\n", job->picture);
      failed = 1;
    }
    print_result(&result, &job->scf);
  }
  ranks_share(&failed, sizeof failed);
  free(result.density);
  free(basis.shell);
  return failed;
}

int main(int count, char** words) {
  Job job;
  Molecule molecule = {0};
  int failed = 0;
  ranks_start(&count, &words);
  prepare(count, words, &job, &molecule);
  if (job.help) {
    if (ranks_mine() == 0) fputs(usage, stdout);
  } else if (job.problem[0]) {
    if (ranks_mine() == 0) fprintf(stderr, "hartree_fock: %s\n", job.problem);
    failed = 2;
  } else {
    failed = run(&job, &molecule);
  }
  free(molecule.atom);
  ranks_end();
  return failed;
}
