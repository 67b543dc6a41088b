/* Windows of messages between two ranks, one way (rate, bw) or both ways at once (bibw), warm or
 * cold.
 *
 * Warm: all messages of a window leave from one buffer and arrive in one, never written or read
 * by the program, as the common suites do it. Cold: every message has a slice of its own (a buffer
 * must not be written while it is being sent); the sender writes every line of a slice just before
 * its MPI_Isend, and the receiver reads every line of all slices when MPI_Waitall has returned.
 * Writing and reading are part of the measured time: a way of copying that leaves the data in the
 * wrong cache pays for it there, and the work is the same on every library. */
#include "measure.h"

enum { window_messages = 64 };

/* A window is never more than this at once, so that one of long messages does not last for a
 * second: of 64 messages, 64 up to 1 MiB, 32 of 2 MiB, 16 of 4 MiB; beyond 64 MiB one. */
static const size_t window_bytes = 64 << 20;

typedef struct {
  int messages;
  size_t stride; /* from one message's place to the next one's; 0: all have the same */
} Window;

static int messages_in_window(size_t bytes, int wanted) {
  size_t fit = window_bytes / bytes;
  return fit > (size_t)wanted ? wanted : fit > 0 ? (int)fit : 1;
}

static void start_receives(Exchange* x, int from, MPI_Request* requests) {
  const Window* w = x->more;
  for (int i = 0; i < w->messages; ++i)
    MPI_Irecv(x->in + (size_t)i * w->stride, (int)x->bytes, MPI_BYTE, from, 2, MPI_COMM_WORLD,
              &requests[i]);
}

static void start_sends(Exchange* x, int to, MPI_Request* requests) {
  const Window* w = x->more;
  for (int i = 0; i < w->messages; ++i) {
    char* place = x->out + (size_t)i * w->stride;
    if (x->cold) write_lines(place, x->bytes, ++x->turn);
    MPI_Isend(place, (int)x->bytes, MPI_BYTE, to, 2, MPI_COMM_WORLD, &requests[i]);
  }
}

static void read_window(Exchange* x) {
  const Window* w = x->more;
  for (int i = 0; x->cold && i < w->messages; ++i)
    sink += read_lines(x->in + (size_t)i * w->stride, x->bytes);
}

/* A window one way, then one short answer. */
static void one_way(Exchange* x) {
  const Window* w = x->more;
  MPI_Request requests[window_messages];
  char answer[4] = {0};
  if (rank == 0) {
    start_sends(x, 1, requests);
    MPI_Waitall(w->messages, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(answer, 4, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    start_receives(x, 0, requests);
    MPI_Waitall(w->messages, requests, MPI_STATUSES_IGNORE);
    read_window(x);
    MPI_Send(answer, 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
  }
}

/* A window each way. Nobody is a window ahead: each waits for all of the other's messages. */
static void both_ways(Exchange* x) {
  const Window* w = x->more;
  MPI_Request requests[2 * window_messages];
  if (rank > 1) return;
  start_receives(x, 1 - rank, requests);
  start_sends(x, 1 - rank, requests + w->messages);
  MPI_Waitall(2 * w->messages, requests, MPI_STATUSES_IGNORE);
  read_window(x);
}

void windows_of_messages(const char* metric, int directions, int window, int count, char** sizes) {
  for (int i = 0; i < count; ++i)
    for (int cold = 0; cold < 2; ++cold) {
      size_t bytes = strtoul(sizes[i], NULL, 10);
      Window w = {messages_in_window(bytes, window), 0};
      if (cold) w.stride = (bytes + line_bytes - 1) / line_bytes * line_bytes;
      size_t span = cold ? (size_t)w.messages * w.stride : bytes;
      Exchange x = {message_buffer(span), message_buffer(span), bytes, cold, 0, &w, 0};
      double value = measure(directions == 2 ? both_ways : one_way, &x);
      print_cell(metric, cold ? "/cold" : "/warm", bytes, value / (directions * w.messages));
      free_message_buffer(x.out);
      free_message_buffer(x.in);
    }
}
