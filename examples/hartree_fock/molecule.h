/* The molecule: built in, from a file, or a cluster of waters. main.c reads it on rank 0, then all
 * ranks hold the same. */
#ifndef HARTREE_FOCK_MOLECULE_H
#define HARTREE_FOCK_MOLECULE_H

#include <stdio.h>

enum { most_atoms = 3000, problem_bytes = 1280 };

typedef struct {
  int charge;         /* of the nucleus, which is also the number of electrons it brings */
  double position[3]; /* bohr */
} Atom;

typedef struct {
  int atoms;
  Atom* atom;
} Molecule;

/* These return 0, or -1 with one line in `problem` that says what is wrong. */
int molecule_by_name(const char* name, Molecule* molecule, char* problem);
int molecule_of_waters(int waters, Molecule* molecule, char* problem);

int molecule_electrons(const Molecule* molecule);
double molecule_repulsion(const Molecule* molecule); /* of the nuclei, hartree */

#endif
