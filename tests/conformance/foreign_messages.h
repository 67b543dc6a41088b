/* Messages of foreign_memory: all ways at all lengths and types; what is cut, and what is called
 * off.
 */
#ifndef FOREIGN_MESSAGES_H
#define FOREIGN_MESSAGES_H

#include "foreign_ways.h"

/* ---- what is no plain transfer ---- */

/* Half of the message has space: an error, and no byte beyond. The next message is whole. */
static inline void too_long(size_t data_bytes, int opaque) {
  MPI_Request requests[2];
  MPI_Status status;
  trying("a message of %zu bytes for half of the space, %s", data_bytes,
         opaque ? "opaque" : "host");
  out = make_buffer(as_bytes, data_bytes, 0);
  in = make_buffer(as_bytes, data_bytes, opaque);
  renew();
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) MPI_Isend(OUT, next_rank, message_tag, world, &requests[i]);
  int code =
      MPI_Recv(in.given, (int)data_bytes / 2, MPI_BYTE, previous_rank, message_tag, world, &status);
  HELD(class_of(code) == MPI_ERR_TRUNCATE);
  for (size_t i = (size_t)in.begin + data_bytes / 2; i < in.all_bytes; ++i)
    HELD(in.memory[i] == untouched);
  HELD(MPI_Recv(IN, previous_rank, message_tag, world, &status) == MPI_SUCCESS);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  check_both();
  free_buffer(&out), free_buffer(&in);
}

/* A posted receive is called off; the message that comes afterwards goes elsewhere. */
static inline void cancelled(size_t data_bytes, int opaque) {
  MPI_Request receive, request;
  MPI_Status status;
  int is_cancelled;
  trying("a cancelled receive of %zu bytes, %s", data_bytes, opaque ? "opaque" : "host");
  Buffer unused = make_buffer(as_bytes, data_bytes, opaque);
  out = make_buffer(as_bytes, data_bytes, opaque);
  in = make_buffer(as_bytes, data_bytes, opaque);
  renew();
  wipe(&unused);
  MPI_Irecv(unused.given, unused.count, MPI_BYTE, previous_rank, message_tag, world, &receive);
  MPI_Barrier(world);
  MPI_Cancel(&receive);
  MPI_Wait(&receive, &status);
  MPI_Test_cancelled(&status, &is_cancelled);
  HELD(is_cancelled);
  MPI_Barrier(world);
  MPI_Isend(OUT, next_rank, message_tag, world, &request);
  MPI_Recv(IN, previous_rank, message_tag, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_both();
  CHECK_BUFFER(unused);
  free_buffer(&out), free_buffer(&in), free_buffer(&unused);
}

/* ---- all of them ---- */

/* `where`: 1 the sender's buffer is opaque, 2 the receiver's, 3 both, 0 neither. */
static inline void run_ways(int from_layout, int to_layout, size_t data_bytes, int where) {
  const size_t count = sizeof ways / sizeof *ways;
  for (size_t i = 0; i < count; ++i) {
    trying("%s, to rank %d: %zu bytes from %s (%s) to %s (%s)", ways[i].name, next_rank, data_bytes,
           layout_names[from_layout], where & 1 ? "opaque" : "host", layout_names[to_layout],
           where & 2 ? "opaque" : "host");
    out = make_buffer(from_layout, data_bytes, where & 1);
    in = make_buffer(to_layout, data_bytes, where >> 1 & 1);
    renew();
    ways[i].run();
    check_both();
    free_buffer(&out), free_buffer(&in);
  }
}

static inline void check_lengths(size_t longest) {
  const size_t lengths[] = {0,    1,     8,     48,     64,     100,     1000,   4096,
                            5000, 16384, 65536, 100000, 300000, 1 << 20, 5 << 20};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    const size_t length = lengths[i];
    if (length > longest) break;
    for (int where = length > 1 << 20 ? 3 : length > 5000 ? 1 : 0; where < 4; ++where)
      run_ways(as_bytes, as_bytes, length, where);
    for (int opaque = 0; opaque < 2; ++opaque) {
      if (length > 0) too_long(length, opaque);
      cancelled(length, opaque);
    }
  }
}

static inline void check_layouts(size_t longest) {
  const int pairs[][2] = {{as_vector, as_ints},
                          {as_ints, as_vector},
                          {as_vector, as_indexed},
                          {as_negative, as_vector},
                          {as_indexed, as_negative}};
  const size_t elements[] = {1, 4, 200, 3000, 12000};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    for (size_t k = 0; k < sizeof elements / sizeof *elements; ++k)
      for (int where = 1; where < 4; ++where)
        if (elements[k] * element_bytes <= longest)
          run_ways(pairs[i][0], pairs[i][1], elements[k] * element_bytes, where);
}

static inline void check_messages(MPI_Comm comm, int to, int from, size_t longest) {
  world = comm, next_rank = to, previous_rank = from;
  check_lengths(longest);
  check_layouts(longest);
}

#endif
