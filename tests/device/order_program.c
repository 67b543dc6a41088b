/* Sends of device memory whose receives come before them, at the same time or late, as its words
 * say; see device_test.py. */
#include <unistd.h>

#include "any_memory.h"

/* Rank 1 has posted its receives when rank 0 begins to send; one of them is cancelled. */
static void send_to_posted(const char* from, const char* to, size_t bytes, int count) {
  const char* kind = rank == 0 ? from : to;
  char* memory = take(kind, bytes * (size_t)(count + 1));
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)(count + 1));
  MPI_Barrier(MPI_COMM_WORLD);  // who has not met tells nothing
  for (int i = 0; rank == 1 && i <= count; ++i)
    MPI_Irecv(memory + (size_t)i * bytes, (int)bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < count; ++i) {
    fill(memory + (size_t)i * bytes, bytes, (unsigned)i);
    MPI_Send(memory + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Cancel(&requests[count]);
    MPI_Waitall(count + 1, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) HELD(holds(memory + (size_t)i * bytes, bytes, (unsigned)i));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(requests);
  give_back(kind, memory);
}

/* All ranks send to the next one before they receive. */
static void send_first(size_t bytes, int count) {
  void *out = take("device", bytes), *in = take("device", bytes);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int i = 0; i < count; ++i) {
    fill(out, bytes, (unsigned)(i + rank));
    MPI_Send(out, (int)bytes, MPI_BYTE, next, 7, MPI_COMM_WORLD);
    MPI_Recv(in, (int)bytes, MPI_BYTE, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    HELD(holds(in, bytes, (unsigned)(i + before)));
  }
  give_back("device", out), give_back("device", in);
}

/* Rank 1 has seen each second message before it receives it, late; the messages before it wait. */
static void receive_late(size_t bytes, int count) {
  char* memory = take("device", 2 * bytes);
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  int number, flag;
  for (int i = 0; i < count; ++i) {
    const unsigned key = 2 * (unsigned)i;
    if (rank == 0) {
      fill(memory, bytes, key), fill(memory + bytes, bytes, key + 1);
      MPI_Isend(memory, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
      MPI_Send(memory + bytes, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      if (i % 3 == 0) MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      usleep(i % 2 ? 200 : 2000);
      MPI_Recv(memory, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
      HELD(holds(memory, bytes, key));
      if (i % 3 == 1) {
        MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(memory, (int)bytes, MPI_BYTE, &message, &status);
      } else {
        for (flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(memory, (int)bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &status);
      }
      MPI_Get_count(&status, MPI_BYTE, &number);
      HELD(number == (int)bytes && holds(memory, bytes, key + 1));
    }
  }
  give_back("device", memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  open_device();
  for (char** words = argv + 1; *words;) {
    if (strcmp(words[0], "posted") == 0) {
      send_to_posted(words[1], words[2], (size_t)atol(words[3]), atoi(words[4]));
      words += 5;
    } else if (strcmp(words[0], "first_send") == 0) {
      send_first((size_t)atol(words[1]), atoi(words[2]));
      words += 3;
    } else {
      HELD(strcmp(words[0], "late") == 0);
      receive_late((size_t)atol(words[1]), atoi(words[2]));
      words += 3;
    }
  }
  const StandinCounts counts = device.counts();
  printf("rank %d: %ld flushes\n", rank, counts.flushes);
  MPI_Finalize();
  printf("rank %d came to the end\n", rank);
  return 0;
}
