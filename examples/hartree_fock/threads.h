/* The threads of a rank: one unless built with OpenMP. */
#ifndef HARTREE_FOCK_THREADS_H
#define HARTREE_FOCK_THREADS_H

#ifdef _OPENMP
#include <omp.h>
static inline int threads_all(void) {
  return omp_get_max_threads();
}
static inline int threads_mine(void) {
  return omp_get_thread_num();
}
#else
static inline int threads_all(void) {
  return 1;
}
static inline int threads_mine(void) {
  return 0;
}
#endif

#endif
