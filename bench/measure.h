/* What the metrics share: who we are, one exchange, and how long a step of it takes. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"

extern int rank, ranks;
extern double budget_us; /* measured time of a cell */
extern uint64_t sink;    /* what is read goes here, so that it is read */

/* The ranks that measure: all, unless a metric says otherwise. */
extern MPI_Comm among;

/* One exchange of a metric; all ranks that measure call it equally often. */
typedef struct {
  char *out, *in;
  size_t bytes;
  int cold; /* the sender writes, the receiver reads every line of every message */
  uint32_t turn;
  void* more;    /* of the metric */
  long together; /* steps come in so many, as often as each rank is the root; 0: any number */
  int apart;     /* no rank waits for another in a step: the time is until all have done theirs */
} Exchange;
typedef void Step(Exchange*);

void* buffer_of(size_t bytes);

/* Where the buffers of messages lie: as the system gives them, at an odd address, in pages of 4 KiB
 * or in huge ones (where the system has them). */
typedef enum { as_given, odd, small_pages, huge_pages } Placement;
extern Placement placement;
char* message_buffer(size_t bytes);
void free_message_buffer(char* buffer);

/* The median over batches of the time of one step, in µs. All ranks agree on the repeats. */
double measure(Step* step, Exchange* x);
void print_cell(const char* metric, const char* variant, size_t bytes, double value);

/* Proportional set size of this process in KiB. */
double own_kib(void);

/* windows.c: so many messages under way between two ranks, in one direction or two. */
void windows_of_messages(const char* metric, int directions, int window, int count, char** sizes);
/* overlap.c: exchanges while the program computes. */
void overlap_of_exchanges(int count, char** sizes);
/* finding.c: two ranks talk, all others of the job sleep. */
void finding_each_other(void);
/* types.c: typed data back and forth between two ranks. */
void typed_messages(int count, char** sizes);
/* collectives.c: which one a metric is, or -1; and its cells. */
int collective_of(const char* metric);
void collectives_of_sizes(int what, int count, char** sizes);
/* kernels.c: what applications do between their computing; whether the metric is one of these. */
int kernels_of(const char* metric, int count, char** sizes);
/* onesided.c and its companions: operations on windows; whether the metric is one of these. */
int onesided_of(const char* metric, int count, char** sizes);
/* files.c: reads and writes of a file; whether the metric is that. */
int files_of(const char* metric, int count, char** sizes);
/* threads.c: short messages between threads. MPI_THREAD_MULTIPLE was granted. */
void messages_of_threads(void);
/* partitioned.c: messages in partitions that threads make ready. MPI_THREAD_MULTIPLE was granted. */
void partitions_of_threads(int count, char** sizes);

#endif
