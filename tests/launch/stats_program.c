/* Calls of MPI whose time, sizes and partners are known, for stats_test.py. The first word says
 * which. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks;
static char buffer[1 << 20], other[1 << 20];

static void late_ms(int milliseconds) {
  usleep(1000u * (unsigned)milliseconds);
}

/* Rank 1 waits 20 ms for each message of 1000 B, from any source. */
static void late_sender(long messages) {
  for (int i = 0; i < messages; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      late_ms(20);
      MPI_Send(buffer, 1000, MPI_CHAR, 1, i, MPI_COMM_WORLD);
    }
    if (rank == 1)
      MPI_Recv(buffer, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  }
}

/* The last rank comes 10 ms late to 20 reductions of 8 B on a communicator of its own. */
static void late_rank(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "the late ones");
  double mine = 1, sum;
  for (int i = 0; i < 20; ++i) {
    if (rank == ranks - 1) late_ms(10);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  }
  MPI_Comm_free(&comm);
}

/* A ring in every form of messages: each rank sends nine of 100 B to its right. */
static void forms(void) {
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Message message;
  int index, flag = 0;
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Irecv(buffer, 100, MPI_CHAR, left, 1, w, &requests[0]);
  MPI_Isend(other, 100, MPI_CHAR, right, 1, w, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(other, 100, MPI_CHAR, right, 2, buffer, 100, MPI_CHAR, left, 2, w, &status);
  MPI_Irecv(buffer, 100, MPI_CHAR, MPI_ANY_SOURCE, 3, w, &requests[0]);
  MPI_Ssend(other, rank % 2 ? 100 : 100, MPI_CHAR, right, 3, w);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Bsend_init(other, 100, MPI_CHAR, right, 4, w, &requests[1]);
  MPI_Recv_init(buffer, 100, MPI_CHAR, left, 4, w, &requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Send_init(other, 100, MPI_CHAR, right, 4, w, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(2, requests, &index, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Send(other, 100, MPI_CHAR, right, 5, w);
  MPI_Mprobe(left, 5, w, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(buffer, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Isendrecv(other, 100, MPI_CHAR, right, 6, buffer, 100, MPI_CHAR, left, 6, w, &requests[0]);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Send(other, 100, MPI_CHAR, right, 7, w);
  for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 7, w, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(buffer, 100, MPI_CHAR, &message, &requests[0]);
  for (flag = 0; !flag;) MPI_Testall(1, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Send_c(other, 100, MPI_CHAR, right, 8, w);
  MPI_Recv_c(buffer, 100, MPI_CHAR, left, 8, w, MPI_STATUS_IGNORE);
  MPI_Send(other, 100, MPI_CHAR, MPI_PROC_NULL, 9, w);
  MPI_Irecv(buffer, 100, MPI_CHAR, left, 10, w, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* Ten messages, of which only those with even numbers are recorded. */
static void paused(void) {
  for (int i = 0; i < 10; ++i) {
    MPI_Pcontrol(i % 2 == 0);
    if (rank == 0) MPI_Send(buffer, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 2) late_ms(10);
  }
  MPI_Pcontrol(1);
}

/* Communicators whose ids are used again by other ranks. */
static void reused_ids(void) {
  for (int i = 0; i < 6; ++i) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == 1 + i % 2 ? 0 : MPI_UNDEFINED, 0, &part);
    if (part == MPI_COMM_NULL) continue;
    for (int k = 0; k <= i; ++k) {
      if (rank == 0) late_ms(2);
      MPI_Barrier(part);
    }
    MPI_Comm_free(&part);
  }
}

/* Sends that fail, and receives that are too short, between five messages that go well. */
static void failing(void) {
  MPI_Request requests[3];
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN);
  for (int i = 0; i < 5; ++i) {
    if (rank == 0) {
      MPI_Send(buffer, -1, MPI_CHAR, 1, 0, w);
      MPI_Send(buffer, 10 + i, MPI_CHAR, 1, 0, w);
    }
    if (rank == 1) MPI_Recv(buffer, i == 1 ? 2 : 100, MPI_CHAR, 0, 0, w, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; ++i)
    if (rank == 0)
      MPI_Send(buffer, 20 + i, MPI_CHAR, 1, 1, w);
    else
      MPI_Irecv(buffer + 1000 * i, i == 1 ? 2 : 100, MPI_CHAR, 0, 1, w, &requests[i]);
  if (rank == 1) MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* Ten messages, of which rank 1 records the second half only. */
static void paused_alone(void) {
  if (rank == 1) MPI_Pcontrol(0);
  for (int i = 0; i < 10; ++i) {
    if (i == 5 && rank == 1) MPI_Pcontrol(1);
    if (rank == 0) MPI_Send(buffer, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    late_ms(1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* A child of a rank is none, and says so. */
static void forks(void) {
  pid_t child = fork();
  if (child == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(buffer, 8, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* Sessions begin and end while recording is paused, and once when it is not. */
static void sessions(void) {
  MPI_Session session;
  for (int paused = 1; paused >= 0; --paused) {
    MPI_Pcontrol(!paused);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&session);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Rank 1 receives 50 ms late what rank 0 sends synchronously, and answers. */
static void late_receiver(void) {
  if (rank == 0) {
    MPI_Ssend(buffer, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    late_ms(50);
    MPI_Recv(buffer, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
}

/* Between a group of one and one of all others: counts are as many as there are members here. */
static void between_groups(void) {
  MPI_Comm mine, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &inter);
  int all = 6 * (ranks - 1), count = rank > 0 ? 6 : all;
  int* counts = malloc(sizeof *counts * (rank > 0 ? (size_t)ranks - 1 : 1));
  for (int i = 0; i < (rank > 0 ? ranks - 1 : 1); ++i) counts[i] = count;
  MPI_Reduce_scatter(buffer, other, counts, MPI_CHAR, MPI_MAX, inter);
  free(counts);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&mine);
}

static void many_barriers(long count) {
  for (long i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static void many_messages(long count) {
  for (long i = 0; i < count; ++i) {
    if (rank == 0) MPI_Send(buffer, 8, MPI_CHAR, 1, (int)(i % 3), MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(buffer, 8, MPI_CHAR, 0, (int)(i % 3), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Rank 1 dies after five messages, in the middle of things. */
static void dies(void) {
  many_messages(5);
  if (rank == 1) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  long count = argc > 2 ? atol(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!strcmp(what, "late_sender")) late_sender(count ? count : 10);
  if (!strcmp(what, "late_rank")) late_rank();
  if (!strcmp(what, "forms")) forms();
  if (!strcmp(what, "paused")) paused();
  if (!strcmp(what, "reused_ids")) reused_ids();
  if (!strcmp(what, "failing")) failing();
  if (!strcmp(what, "paused_alone")) paused_alone();
  if (!strcmp(what, "forks")) forks();
  if (!strcmp(what, "sessions")) sessions();
  if (!strcmp(what, "late_receiver")) late_receiver();
  if (!strcmp(what, "between_groups")) between_groups();
  if (!strcmp(what, "many_barriers")) many_barriers(count);
  if (!strcmp(what, "many_messages")) many_messages(count);
  if (!strcmp(what, "dies")) dies();
  MPI_Finalize();
  return 0;
}
