/* Whom a root serves first on several nodes: it sees its own node's ranks in memory and hears the
 * others in their packets. Rank 0 is the root. Its blocks lie on pages that it may not touch, so
 * each page's first touch shows when that rank was served. usage: BATON_RANKS_PER_NODE=3 mpiexec -n
 * 6 serving_nodes_program [ROUNDS] */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ranks = 6, block = 1000, greeting = 1, answer = 2, never_received = 3 };

static int rank;
static char* pages;
static long page_bytes;
static volatile sig_atomic_t served[ranks], served_count;

static void need(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "serving_nodes_program: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void touched(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  const intptr_t page = ((char*)info->si_addr - pages) / page_bytes;
  if (page < 0 || page >= ranks) _exit(139);
  served[served_count++] = (int)page;
  if (mprotect(pages + page * page_bytes, (size_t)page_bytes, PROT_READ | PROT_WRITE) != 0)
    _exit(140);
}

static void make_pages(void) {
  page_bytes = sysconf(_SC_PAGESIZE);
  pages = mmap(NULL, (size_t)(ranks * page_bytes), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  need(pages != MAP_FAILED, "no memory");
  struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO};
  need(sigaction(SIGSEGV, &action, NULL) == 0, "no handler");
}

/* A send of 2^power bytes that nobody receives, out of one page. */
typedef struct Busy {
  MPI_Request request;
  MPI_Datatype type;
} Busy;

static void become_busy(Busy* busy, int power) {
  static char page[4096];
  MPI_Datatype many;
  MPI_Type_create_hvector(1 << 20, 4096, 0, MPI_BYTE,
                          &many); /* 4 GiB, all of them the same bytes */
  MPI_Type_create_hvector(1 << (power - 32), 1, 0, many, &busy->type);
  MPI_Type_commit(&busy->type);
  MPI_Type_free(&many);
  const int neighbor = rank % 3 == 2 ? rank - 1 : rank + 1;
  MPI_Isend(page, 1, busy->type, neighbor, never_received, MPI_COMM_WORLD, &busy->request);
}

static void become_idle(Busy* busy) {
  MPI_Status status;
  int cancelled;
  MPI_Cancel(&busy->request);
  MPI_Wait(&busy->request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  need(cancelled, "a send that nobody receives was not cancelled");
  MPI_Type_free(&busy->type);
}

/* All tell the root something, so that it has heard how busy they are now; and it answers. */
static void greet(void) {
  int word = rank;
  if (rank != 0) {
    MPI_Send(&word, 1, MPI_INT, 0, greeting, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int r = 1; r < ranks; ++r)
    MPI_Recv(&word, 1, MPI_INT, r, greeting, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int r = 1; r < ranks; ++r) MPI_Send(&word, 1, MPI_INT, r, answer, MPI_COMM_WORLD);
}

/* The root notes the order in which it serves. */
static void scatter(MPI_Comm comm, int round) {
  int counts[ranks], places[ranks];
  char mine[block];
  for (int r = 0; r < ranks; ++r) {
    counts[r] = block;
    places[r] = (int)(r * page_bytes);
    if (rank == 0) memset(pages + places[r], round + r, block);
  }
  if (rank == 0) {
    served_count = 0;
    need(mprotect(pages, (size_t)(ranks * page_bytes), PROT_NONE) == 0, "pages stay readable");
  }
  MPI_Scatterv(pages, counts, places, MPI_BYTE, rank == 0 ? MPI_IN_PLACE : mine, block, MPI_BYTE, 0,
               comm);
  if (rank == 0) {
    need(served_count == ranks - 1, "not all were served");
    need(mprotect(pages, (size_t)(ranks * page_bytes), PROT_READ | PROT_WRITE) == 0,
         "pages stay closed");
  } else {
    for (int i = 0; i < block; ++i) need(mine[i] == (char)(round + rank), "a block is wrong");
  }
}

static int was_served_as(const int expected[]) {
  for (int i = 0; i < ranks - 1; ++i)
    if (served[i] != expected[i]) return 0;
  return 1;
}

static void check_order(int round, const int expected[]) {
  if (rank != 0 || was_served_as(expected)) return;
  fprintf(stderr, "round %d: served:", round);
  for (int i = 0; i < ranks - 1; ++i) fprintf(stderr, " %d", (int)served[i]);
  fprintf(stderr, "\n");
  need(0, "the order is another one");
}

/* Who is busy, by the power of two of their bytes (0: idle), and the order in which a root then
 * serves by status. */
typedef struct Case {
  int power[ranks];
  int by_status[ranks - 1];
} Case;
static const Case cases[] = {
    {{0, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}},    /* nobody */
    {{0, 0, 0, 40, 0, 0}, {1, 2, 4, 5, 3}},   /* the first of the other node */
    {{0, 0, 0, 40, 42, 38}, {1, 2, 5, 3, 4}}, /* all of the other node */
    {{0, 40, 0, 0, 42, 0}, {2, 3, 5, 1, 4}},  /* one of each */
    {{0, 0, 42, 38, 0, 0}, {1, 4, 5, 3, 2}},  /* the same, the nearer one busier */
    {{0, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}},    /* nobody any more, and the root has heard so */
};
static const int by_rank[] = {1, 2, 3, 4, 5};

static MPI_Comm ordered(const char* order) {
  MPI_Comm comm;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "baton_order", order);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  return comm;
}

/* A rank that has become busy or idle, and sends the root nothing, still tells it: when it is to be
 * served. It may take some scatters until the root has heard; the watchdog is mpiexec's. */
static void scatter_until(MPI_Comm comm, const int expected[]) {
  for (int goes_on = 1, round = 0; goes_on; ++round) {
    scatter(comm, round);
    if (rank == 0) goes_on = !was_served_as(expected);
    for (int r = 1; rank == 0 && r < ranks; ++r)
      MPI_Send(&goes_on, 1, MPI_INT, r, answer, MPI_COMM_WORLD);
    if (rank != 0) MPI_Recv(&goes_on, 1, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void tell_without_sending(MPI_Comm comm) {
  Busy busy;
  greet();
  if (rank == 3) become_busy(&busy, cases[1].power[3]);
  scatter_until(comm, cases[1].by_status);
  if (rank == 3) become_idle(&busy);
  scatter_until(comm, by_rank);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  need(size == ranks, "it wants 6 ranks");
  make_pages();
  MPI_Comm status = ordered("status"), plain = ordered("rank");
  const int rounds = count > 1 ? atoi(words[1]) : 20;
  for (int round = 0; round < rounds; ++round) {
    const Case* now = &cases[round % (int)(sizeof cases / sizeof *cases)];
    Busy busy;
    if (now->power[rank]) become_busy(&busy, now->power[rank]);
    greet();
    scatter(status, round);
    check_order(round, now->by_status);
    greet();
    scatter(plain, round);
    check_order(round, by_rank);
    if (now->power[rank]) become_idle(&busy);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  tell_without_sending(status);
  MPI_Comm_free(&status);
  MPI_Comm_free(&plain);
  if (rank == 0) printf("all checks held on %d ranks\n", size);
  MPI_Finalize();
  return 0;
}
