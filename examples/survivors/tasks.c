/* A master gives tasks to workers, and gives those of workers that die to others. Only the master must
   live.

     mpicc -O2 tasks.c -o tasks && mpiexec --continue-on-failure -n 8 ./tasks [TASKS]

   Kill workers while it runs: the sum that it prints stays the same. */
#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { task_tag = 1, result_tag, end_tag };

/* A task's result, which takes a while: how long the numbers of Collatz go on from there. */
static long work(long task) {
  long steps = 0;
  for (long start = task * 400 + 1; start <= task * 400 + 400; ++start)
    for (unsigned long n = (unsigned long)start; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) ++steps;
  return steps;
}

static void serve(void) {
  for (;;) {
    long task, result;
    MPI_Status status;
    if (MPI_Recv(&task, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status)) return;
    if (status.MPI_TAG == end_tag) return;
    result = work(task);
    if (MPI_Send(&result, 1, MPI_LONG, 0, result_tag, MPI_COMM_WORLD)) return;
  }
}

struct master {
  long tasks, next, done, sum;
  long *again; /* tasks of workers that have died */
  int again_count;
  long *given; /* by rank: the task; -1: none */
  int ranks, idle, deaths;
};

/* Gives a rank a task, if there is one; it may have died. */
static void give(struct master *master, int rank) {
  if (!master->again_count && master->next == master->tasks) return;
  const long task = master->again_count ? master->again[--master->again_count] : master->next++;
  master->given[rank] = task;
  MPI_Send(&task, 1, MPI_LONG, rank, task_tag, MPI_COMM_WORLD);
}

/* Takes the tasks of those back that have died, and gives them to workers that have none. */
static void take_back(struct master *master) {
  MPI_Group failed, world;
  int count, all;
  MPIX_Comm_ack_failed(MPI_COMM_WORLD, master->ranks, &all);
  MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(failed, &count);
  for (int i = 0; i < count; ++i) {
    int rank;
    MPI_Group_translate_ranks(failed, 1, &i, world, &rank);
    if (master->given[rank] == -2) continue;
    if (master->given[rank] >= 0) master->again[master->again_count++] = master->given[rank];
    master->given[rank] = -2; /* it gets none any more */
    ++master->deaths;
  }
  MPI_Group_free(&failed);
  MPI_Group_free(&world);
  for (int rank = 1; rank < master->ranks; ++rank)
    if (master->given[rank] == -1) give(master, rank);
}

static void lead(struct master *master) {
  for (int rank = 1; rank < master->ranks; ++rank) give(master, rank);
  while (master->done < master->tasks) {
    long result;
    MPI_Status status;
    if (MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status)) {
      take_back(master);
      if (master->deaths == master->ranks - 1) { /* nobody is left to do it */
        while (master->again_count) master->sum += work(master->again[--master->again_count]), ++master->done;
        while (master->next < master->tasks) master->sum += work(master->next++), ++master->done;
      }
      continue;
    }
    master->sum += result;
    ++master->done;
    master->given[status.MPI_SOURCE] = -1;
    give(master, status.MPI_SOURCE);
  }
  for (int rank = 1; rank < master->ranks; ++rank)
    MPI_Send(&master->done, 1, MPI_LONG, rank, end_tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank) {
    serve();
  } else {
    struct master master = {.tasks = argc > 1 ? atol(argv[1]) : 2000};
    MPI_Comm_size(MPI_COMM_WORLD, &master.ranks);
    master.given = malloc((size_t)master.ranks * sizeof(long));
    master.again = malloc((size_t)master.ranks * sizeof(long));
    for (int i = 0; i < master.ranks; ++i) master.given[i] = -1;
    lead(&master);
    printf("sum %ld of %ld tasks, %d workers died\n", master.sum, master.tasks, master.deaths);
    free(master.given);
    free(master.again);
  }
  MPI_Finalize();
  return 0;
}
