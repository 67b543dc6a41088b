/* Pulay's DIIS (J. Comput. Chem. 3, 556 (1982)): the next Fock matrix is the sum of the last ones
 * whose sum of errors is smallest. */
#ifndef HARTREE_FOCK_EXTRAPOLATION_H
#define HARTREE_FOCK_EXTRAPOLATION_H

enum { most_history = 8 };

typedef struct {
  int n, count; /* of all that were added */
  double *fock[most_history], *error[most_history];
  double product[most_history][most_history]; /* of errors */
} Extrapolation;

Extrapolation extrapolation_new(int n);
void extrapolation_free(Extrapolation* history);
/* Takes both in; `fock` becomes the sum. */
void extrapolate(Extrapolation* history, double* fock, const double* error);

#endif
