/* Hangs in a way that its first word names. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, data[4];

static void receive(int source, int tag) {
  MPI_Recv(data, 4, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* receive_in_thread(void* unused) {
  receive(0, 77);
  return unused;
}

static void hang(const char* how) {
  static char long_data[1 << 24];
  MPI_Comm halves;
  MPI_Request requests[2];
  int index;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  MPI_Comm_set_name(halves, "halves");
  if (strcmp(how, "cycle") == 0) {
    receive((rank + 1) % ranks, 7);
  } else if (strcmp(how, "absent") == 0) { /* of a collective */
    if (rank == 1)
      for (volatile int i = 0;; ++i)
        ;
    if (rank == 2)
      for (;;) sleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "half") == 0) {
    if (rank == 2) MPI_Send(long_data, sizeof long_data, MPI_BYTE, 3, 5, MPI_COMM_WORLD);
    if (rank % 2 == 0) MPI_Allreduce(data, data + 2, 2, MPI_INT, MPI_SUM, halves);
    receive(0, 1);
  } else if (strcmp(how, "requests") == 0) {
    MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
    if (rank == 0) MPI_Probe(3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    if (rank == 2) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else if (strcmp(how, "many") == 0) { /* more ranks than can be named; one of them computes */
    if (rank == 0) {
      MPI_Irecv(data, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, halves, &requests[1]);
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
    if (rank == ranks - 2)
      for (;;) sleep(1000);
    receive(0, 1);
  } else if (strcmp(how, "threads") == 0) {
    pthread_t thread;
    if (rank == 1) pthread_create(&thread, NULL, receive_in_thread, NULL);
    if (rank == 1) pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "crash") == 0) {
    if (rank == 1) MPI_Send((void*)16, 512, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    receive(1, 2);
  } else if (strcmp(how, "crash_outside") == 0) {
    if (rank == 1) *(volatile int*)8 = 1;
    receive(1, 2);
  } else if (strcmp(how, "own_handler") == 0) {
    if (rank == 1) raise(SIGSEGV);
    receive(1, 2);
  }
}

static void own_handler(int number) {
  static const char text[] = "the program's own handler\n";
  if (write(2, text, sizeof text - 1) < 0 || number == 0) _exit(3);
  _exit(4);
}

int main(int count, char** words) {
  int provided;
  if (strcmp(words[1], "own_handler") == 0) signal(SIGSEGV, own_handler);
  MPI_Init_thread(&count, &words,
                  strcmp(words[1], "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hang(words[1]);
  MPI_Finalize();
  return 0;
}
