/* Molecules: two with a published energy, XYZ files, and clusters of waters to measure with. */
#include "molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

static const double bohr_in_angstrom = 0.529177210903; /* CODATA 2018 */

/* Geometry (bohr) and energies of the Crawford group's Programming Projects, Project #03: see
 * published.txt. */
static const Atom water[] = {{8, {0.000000000000, -0.143225816552, 0.000000000000}},
                             {1, {1.638036840407, 1.136548822547, 0.000000000000}},
                             {1, {-1.638036840407, 1.136548822547, 0.000000000000}}};
static const Atom methane[] = {{6, {0.000000000000, 0.000000000000, 0.000000000000}},
                               {1, {1.183771681898, -1.183771681898, -1.183771681898}},
                               {1, {1.183771681898, 1.183771681898, 1.183771681898}},
                               {1, {-1.183771681898, 1.183771681898, -1.183771681898}},
                               {1, {-1.183771681898, -1.183771681898, 1.183771681898}}};

static int allocate(int atoms, Molecule* molecule, char* problem) {
  molecule->atoms = atoms;
  molecule->atom = calloc((size_t)atoms, sizeof *molecule->atom);
  if (molecule->atom) return 0;
  snprintf(problem, problem_bytes, "not enough memory for %d atoms", atoms);
  return -1;
}

static int copy_of(const Atom* atom, int atoms, Molecule* molecule, char* problem) {
  if (allocate(atoms, molecule, problem) != 0) return -1;
  memcpy(molecule->atom, atom, (size_t)atoms * sizeof *atom);
  return 0;
}

static double distance(const Atom* a, const Atom* b) {
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double d = a->position[axis] - b->position[axis];
    square += d * d;
  }
  return sqrt(square);
}

/* What makes a molecule one that this program can compute. */
static int check(const Molecule* molecule, char* problem) {
  const double nearest = 0.1; /* bohr */
  for (int i = 0; i < molecule->atoms; ++i)
    for (int j = 0; j < i; ++j)
      if (distance(&molecule->atom[i], &molecule->atom[j]) < nearest) {
        snprintf(problem, problem_bytes, "atoms %d and %d are in the same place", j + 1, i + 1);
        return -1;
      }
  if (molecule_electrons(molecule) % 2) {
    snprintf(problem, problem_bytes,
             "%d electrons: restricted Hartree-Fock needs an even number of them",
             molecule_electrons(molecule));
    return -1;
  }
  return 0;
}

/* One line "element x y z" with angstrom. */
static int read_atom(FILE* file, int number, const char* path, Atom* atom, char* problem) {
  char line[256], symbol[8];
  double* x = atom->position;
  if (!fgets(line, sizeof line, file)) {
    snprintf(problem, problem_bytes, "%s ends before its atom %d", path, number);
    return -1;
  }
  if (sscanf(line, "%7s %lf %lf %lf", symbol, &x[0], &x[1], &x[2]) != 4 || !isfinite(x[0]) ||
      !isfinite(x[1]) || !isfinite(x[2])) {
    snprintf(problem, problem_bytes, "%s: atom %d is not an element and three coordinates", path,
             number);
    return -1;
  }
  for (int axis = 0; axis < 3; ++axis) x[axis] /= bohr_in_angstrom;
  atom->charge = charge_of(symbol);
  if (atom->charge) return 0;
  snprintf(problem, problem_bytes, "%s: no STO-3G basis here for element '%s' (H to Ne have one)",
           path, symbol);
  return -1;
}

static int read_atoms(FILE* file, const char* path, Molecule* molecule, char* problem) {
  char line[256];
  long atoms = 0;
  if (!fgets(line, sizeof line, file) || sscanf(line, "%ld", &atoms) != 1 || atoms < 1 ||
      atoms > most_atoms) {
    snprintf(problem, problem_bytes, "%s does not begin with a number of atoms from 1 to %d", path,
             most_atoms);
    return -1;
  }
  int letter = 0; /* the second line is a remark of any length */
  while (letter != '\n' && letter != EOF) letter = fgetc(file);
  if (allocate((int)atoms, molecule, problem) != 0) return -1;
  for (int i = 0; i < molecule->atoms; ++i)
    if (read_atom(file, i + 1, path, &molecule->atom[i], problem) != 0) return -1;
  return 0;
}

static int read_xyz(const char* path, Molecule* molecule, char* problem) {
  FILE* file = fopen(path, "r");
  if (!file) {
    snprintf(problem, problem_bytes, "%s cannot be opened", path);
    return -1;
  }
  int result = read_atoms(file, path, molecule, problem);
  fclose(file);
  return result == 0 ? check(molecule, problem) : -1;
}

int molecule_by_name(const char* name, Molecule* molecule, char* problem) {
  const size_t length = strlen(name);
  if (!strcmp(name, "water"))
    return copy_of(water, sizeof water / sizeof *water, molecule, problem);
  if (!strcmp(name, "methane"))
    return copy_of(methane, sizeof methane / sizeof *methane, molecule, problem);
  if (length > 4 && !strcmp(name + length - 4, ".xyz")) return read_xyz(name, molecule, problem);
  snprintf(problem, problem_bytes, "no molecule '%s': water, methane or a file FILE.xyz", name);
  return -1;
}

/* Waters on a cubic lattice with the density of the liquid (3.1 angstrom). Those of a layer lie in
 * its plane, each with a hydrogen bond to its neighbors at x and y; every second layer is turned
 * round so that the cluster has no large dipole. */
int molecule_of_waters(int waters, Molecule* molecule, char* problem) {
  const double pi = 3.14159265358979323846, spacing = 3.1 / bohr_in_angstrom;
  const double bond = 0.9572 / bohr_in_angstrom, angle = 104.52 * pi / 180;
  int side = 1;
  while (side * side * side < waters) ++side;
  if (allocate(3 * waters, molecule, problem) != 0) return -1;
  for (int i = 0; i < waters; ++i) {
    int place[3] = {i % side, i / side % side, i / side / side};
    double turn = place[2] % 2 ? pi : 0;
    Atom* atom = &molecule->atom[3 * i];
    for (int k = 0; k < 3; ++k) {
      atom[k].charge = k == 0 ? 8 : 1;
      for (int axis = 0; axis < 3; ++axis) atom[k].position[axis] = spacing * place[axis];
    }
    for (int k = 1; k < 3; ++k) { /* to both sides of the diagonal */
      double direction = pi / 4 + (k == 1 ? -angle : angle) / 2 + turn;
      atom[k].position[0] += bond * cos(direction);
      atom[k].position[1] += bond * sin(direction);
    }
  }
  return 0;
}

int molecule_electrons(const Molecule* molecule) {
  int electrons = 0;
  for (int i = 0; i < molecule->atoms; ++i) electrons += molecule->atom[i].charge;
  return electrons;
}

double molecule_repulsion(const Molecule* molecule) {
  double energy = 0;
  for (int i = 0; i < molecule->atoms; ++i)
    for (int j = 0; j < i; ++j)
      energy += molecule->atom[i].charge * molecule->atom[j].charge /
                distance(&molecule->atom[i], &molecule->atom[j]);
  return energy;
}
