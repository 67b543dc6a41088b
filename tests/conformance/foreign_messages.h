/* Messages of foreign_memory: all ways to send and to receive one, from each rank to the next. */
#ifndef FOREIGN_MESSAGES_H
#define FOREIGN_MESSAGES_H

#include "foreign_data.h"

enum { message_tag = 5, signal_tag = 6, starts = 3, parts = 4 };

static Buffer out, in;
static uint64_t round_now; /* other data in each */
static int next_rank, previous_rank;
static MPI_Comm world; /* the ranks that exchange */

#define OUT out.given, out.count, out.layout->type
#define IN in.given, in.count, in.layout->type

static inline uint64_t key_of(int sender) {
  return round_now * 1000 + (uint64_t)sender;
}

/* The data of a round is written, and what must come of it known. */
static inline void renew(void) {
  ++round_now;
  fill(&out, key_of(rank));
  wipe(&in);
  want(&in, out.data_bytes, key_of(previous_rank));
}
static inline void check_both(void) {
  CHECK_BUFFER(out);
  CHECK_BUFFER(in);
}

static inline void is_whole(const MPI_Status* status) {
  MPI_Count arrived;
  MPI_Get_elements_c(status, in.layout->type, &arrived);
  HELD(arrived ==
       (MPI_Count)(in.layout->size == 1 ? out.data_bytes : out.data_bytes / sizeof(int)));
}

/* ---- one way each ---- */

static inline void expected(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(IN, previous_rank, message_tag, world, &request);
  MPI_Barrier(world);
  MPI_Send(OUT, next_rank, message_tag, world);
  MPI_Wait(&request, &status);
  is_whole(&status);
}
static inline void unexpected(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(OUT, next_rank, message_tag, world, &request);
  MPI_Barrier(world);
  MPI_Recv(IN, previous_rank, message_tag, world, &status);
  is_whole(&status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static inline void from_anyone(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(OUT, next_rank, message_tag, world, &request);
  MPI_Recv(IN, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
  is_whole(&status);
  HELD(status.MPI_TAG == message_tag);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
}
static inline void anyone_expected(void) {
  MPI_Request requests[2];
  MPI_Irecv(IN, MPI_ANY_SOURCE, message_tag, world, &requests[0]);
  MPI_Barrier(world);
  MPI_Issend(OUT, next_rank, message_tag, world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(world);
}

/* Ranks of even number send first; oneself cannot. */
static inline void by_turns(int synchronous) {
  for (int turn = 0; turn < 2; ++turn)
    if (rank % 2 != turn)
      MPI_Recv(IN, previous_rank, message_tag, world, MPI_STATUS_IGNORE);
    else if (synchronous)
      MPI_Ssend(OUT, next_rank, message_tag, world);
    else
      MPI_Send(OUT, next_rank, message_tag, world);
}
static inline void blocking(void) {
  if (next_rank != rank)
    by_turns(0);
  else
    expected();
}
static inline void synchronous(void) {
  if (next_rank != rank)
    by_turns(1);
  else
    unexpected();
}

static inline void ready(void) {
  MPI_Request request;
  MPI_Irecv(IN, previous_rank, message_tag, world, &request);
  MPI_Barrier(world);
  MPI_Rsend(OUT, next_rank, message_tag, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static inline void buffered(void) {
  int bytes_needed = (int)out.data_bytes + MPI_BSEND_OVERHEAD;
  void* memory = malloc((size_t)bytes_needed);
  MPI_Buffer_attach(memory, bytes_needed);
  MPI_Bsend(OUT, next_rank, message_tag, world);
  /* The buffer has the data: what becomes of the program's does not matter. */
  fill(&out, key_of(rank) + 500);
  MPI_Recv(IN, previous_rank, message_tag, world, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&memory, &bytes_needed);
  free(memory);
}

static inline void started_again(void) {
  MPI_Request requests[2];
  MPI_Recv_init(IN, previous_rank, message_tag, world, &requests[0]);
  MPI_Send_init(OUT, next_rank, message_tag, world, &requests[1]);
  for (int i = 0; i < starts; ++i) {
    if (i > 0) renew();
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check_both();
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static inline void exchanged(void) {
  MPI_Status status;
  MPI_Sendrecv(OUT, next_rank, message_tag, IN, previous_rank, message_tag, world, &status);
  is_whole(&status);
}
static inline void exchange_begun(void) {
  MPI_Request request;
  MPI_Isendrecv(OUT, next_rank, message_tag, IN, previous_rank, message_tag, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* In the buffer of receives, whose type both ends have. */
static inline void replace(int begins) {
  MPI_Request request;
  ++round_now;
  fill(&in, key_of(rank));
  want(&in, in.data_bytes, key_of(previous_rank));
  if (begins) {
    MPI_Isendrecv_replace(IN, next_rank, message_tag, previous_rank, message_tag, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Sendrecv_replace(IN, next_rank, message_tag, previous_rank, message_tag, world,
                         MPI_STATUS_IGNORE);
  }
}
static inline void replaced(void) {
  replace(0);
}
static inline void replacement_begun(void) {
  replace(1);
}

static inline void probed(void) {
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  MPI_Isend(OUT, next_rank, message_tag, world, &request);
  MPI_Mprobe(previous_rank, message_tag, world, &message, &status);
  is_whole(&status);
  if (round_now % 2) {
    MPI_Request receive;
    MPI_Imrecv(IN, &message, &receive);
    MPI_Wait(&receive, &status);
  } else {
    MPI_Mrecv(IN, &message, &status);
  }
  is_whole(&status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A message each for a quarter of the elements, received last one first. */
static inline void in_pieces(void) {
  MPI_Request requests[2 * parts];
  if (out.layout != in.layout || out.count % parts) {
    expected();
    return;
  }
  const int count = out.count / parts;
  const MPI_Datatype type = out.layout->type;
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  for (int i = parts - 1; i >= 0; --i)
    MPI_Irecv(in.given + i * count * extent, count, type, previous_rank, i, world, &requests[i]);
  for (int i = 0; i < parts; ++i)
    MPI_Isend(out.given + i * count * extent, count, type, next_rank, i, world,
              &requests[parts + i]);
  MPI_Waitall(2 * parts, requests, MPI_STATUSES_IGNORE);
}

typedef struct {
  const char* name;
  void (*run)(void);
} Way;
static const Way ways[] = {{"MPI_Send, expected", expected},
                           {"MPI_Isend, unexpected", unexpected},
                           {"MPI_ANY_SOURCE, unexpected", from_anyone},
                           {"MPI_ANY_SOURCE and MPI_Issend", anyone_expected},
                           {"MPI_Send and MPI_Recv", blocking},
                           {"MPI_Ssend", synchronous},
                           {"MPI_Rsend", ready},
                           {"MPI_Bsend", buffered},
                           {"persistent requests", started_again},
                           {"MPI_Sendrecv", exchanged},
                           {"MPI_Isendrecv", exchange_begun},
                           {"MPI_Sendrecv_replace", replaced},
                           {"MPI_Isendrecv_replace", replacement_begun},
                           {"MPI_Mprobe", probed},
                           {"messages in pieces", in_pieces}};

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
