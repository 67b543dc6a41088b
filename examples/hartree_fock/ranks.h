/* The ranks of the job. ranks.c is the only place that knows MPI: built with -DWITHOUT_MPI there is
 * one rank, and none of this sends anything.
 *
 * Only the main thread calls these. */
#ifndef HARTREE_FOCK_RANKS_H
#define HARTREE_FOCK_RANKS_H

#include <stddef.h>

typedef struct {
  long first, count;
} Chunk;

void ranks_start(int* count, char*** words);
void ranks_end(void);
int ranks_mine(void);
int ranks_all(void);
double ranks_seconds(void);

/* Zeroed memory, or the end of the job. */
void* ranks_memory(size_t count, size_t bytes);
/* Ends the job from one rank alone, for what is no mistake of the user. */
_Noreturn void ranks_stop(const char* why);

/* Rank 0's data to all. */
void ranks_share(void* data, size_t bytes);
/* The sum over all ranks, on all ranks: barrier, reduce, broadcast. */
void ranks_add_up(double* values, int count);

/* Rank 0 is the master when there are others: it hands out tasks 0 to tasks - 1, in chunks, until
 * every worker knows that none are left. A worker requests chunks until it gets an empty one. */
void ranks_hand_out(long tasks);
Chunk ranks_request(void);

#endif
