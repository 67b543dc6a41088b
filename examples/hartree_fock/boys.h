/* The Boys functions F_m(x) = integral of t^(2m) exp(-x t^2) over t from 0 to 1, to 1e-14. */
#ifndef HARTREE_FOCK_BOYS_H
#define HARTREE_FOCK_BOYS_H

enum { most_boys = 4 }; /* the highest order m needed: four p functions */

void boys_start(void);                       /* fills the table; before the first use */
void boys(int highest, double x, double* f); /* orders 0 to highest */

#endif
