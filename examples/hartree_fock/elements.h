/* The elements that have a basis here: H to Ne with STO-3G. Used by molecule.c and basis.c. */
#ifndef HARTREE_FOCK_ELEMENTS_H
#define HARTREE_FOCK_ELEMENTS_H

enum { contraction = 3 }; /* primitive Gaussians of a function */

/* All elements share the coefficients. */
extern const double inner_s[contraction], outer_s[contraction], outer_p[contraction];

typedef struct {
  char symbol[3];
  double inner[contraction], outer[contraction]; /* exponents of 1s, and of 2s and 2p */
} Element;

int charge_of(const char* symbol);     /* of the nucleus; 0 for an element without a basis */
const Element* element_of(int charge); /* charge: from 1 on, as above */

#endif
