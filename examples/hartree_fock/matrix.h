/* What the self-consistent field needs of linear algebra: square matrices by rows. */
#ifndef HARTREE_FOCK_MATRIX_H
#define HARTREE_FOCK_MATRIX_H

double* matrix_new(int n); /* zeros */
void matrix_product(int n, const double* a, const double* b, double* ab);
void matrix_square(int rows, int n, const double* r, double* square); /* r^T r, n x n */
double matrix_dot(int n, const double* a, const double* b);           /* the sum of a_ij b_ij */

/* Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as rows. */
void matrix_eigen(int n, const double* a, double* values, double* vectors);

/* Solves a x = b, both overwritten: x is in b. Returns 0, or -1 when a is singular. */
int matrix_solve(int n, double* a, double* b);

#endif
