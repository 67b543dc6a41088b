/* What the live scatter study measures, and its results. Words (NAME=VALUE):
 *   operation=scatter,gather      blocks=4096,65536,1048576     orders=rank,status,blocking,direct
 *   (direct: the default, direct copies; again: rank once more, how far equal orders differ)
 *   rounds=9   busy=33 (percent)  earlier=65536-16777216        place=drawn|first   root=0
 *   seed=1     lead_us=20000      progress=0|1                  samples=0|1 (each round's times) */
#ifndef LAB_SCATTER_LIVE_H
#define LAB_SCATTER_LIVE_H

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/clock.h"

enum { ranks_max = 512, orders_max = 6, cells_max = 64, rounds_max = 1999 };
enum { scatter, gather };
enum { idle, root, everything, time_count };

typedef struct {
  double of[time_count]; /* microseconds */
} Times;

typedef struct {
  char name[16];
  int plain; /* the plain form of the call, not the v form */
  MPI_Comm comm;
} Order;

typedef struct {
  int operation;
  size_t block;
  int late; /* rounds that were repeated */
  Times times[orders_max][rounds_max];
} Cell;

typedef struct {
  int partner[ranks_max]; /* -1: idle */
  size_t bytes[ranks_max];
} Busy;

typedef struct {
  int rank, ranks, root;
  int rounds, busy_percent, busy_first, seed, progress, samples;
  size_t earlier_min, earlier_max;
  double lead_us;
  int order_count, cell_count;
  Order orders[orders_max];
  Cell cells[cells_max];
  char *all, *mine, *earlier_in, *earlier_out;
  int counts[ranks_max], displacements[ranks_max];
  int late; /* this rank was not ready when all began */
} Live;
extern Live live;

/* Ends the job with words unless `good`. */
void need(int good, const char* what);
/* False, and rank 0 says why: the words mean nothing (live_words.c). */
int read_words(int count, char** words);
void print_json(void);

#endif
