/* Messages of random_moves, as the plan of the step has them; and the types of both sides, which
 * all steps use. */
#ifndef MOVE_MESSAGES_H
#define MOVE_MESSAGES_H

#include "move_words.h"

/* What one block is for MPI. */
typedef struct {
  MPI_Datatype type;
  int count, is_made;
} Layout;

static Layout out_layout, in_layout;
static MPI_Request received[ranks_max * messages_max], sent[ranks_max * messages_max];
static int received_count, sent_count;

/* ---- types ---- */

static inline MPI_Datatype element_type(void) {
  return now.element == 1 ? MPI_UINT8_T : now.element == 4 ? MPI_UINT32_T : MPI_UINT64_T;
}

static inline MPI_Datatype pieces_type(const Side* side) {
  MPI_Datatype type, parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
  size_t full = now.bytes / side->piece, rest = now.bytes % side->piece;
  int lengths[2] = {1, (int)rest}, apart = (int)(side->piece + side->gap);
  MPI_Aint places[2] = {0, (MPI_Aint)full * apart};
  MPI_Type_vector((int)full, (int)side->piece, apart, MPI_BYTE, &parts[0]);
  if (rest == 0) return parts[0];
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  MPI_Type_free(&parts[0]);
  return type;
}

/* In collectives the extent is from one block to the next. */
static inline Layout make_layout(const Side* side) {
  int in_row = now.family != of_collective || side->pitch == now.bytes || side->blocks == 1;
  Layout layout = {.type = MPI_BYTE, .count = (int)now.bytes};
  if (has_numbers()) {
    layout.type = element_type(), layout.count = (int)(now.bytes / now.element);
    return layout;
  }
  if (side->piece == 0 && in_row) return layout;
  layout = (Layout){.count = 1, .is_made = 1};
  if (side->piece)
    layout.type = pieces_type(side);
  else
    MPI_Type_contiguous((int)now.bytes, MPI_BYTE, &layout.type);
  if (!in_row) {
    MPI_Datatype inner = layout.type;
    MPI_Type_create_resized(inner, 0, (MPI_Aint)side->pitch, &layout.type);
    MPI_Type_free(&inner);
  }
  MPI_Type_commit(&layout.type);
  return layout;
}
static inline void free_layout(Layout* layout) {
  if (layout->is_made) MPI_Type_free(&layout->type);
}

static inline unsigned char* block_sent(int to, int k) {
  return out.data + place_of(&now.out, block_of(&now.out, to, k), 0);
}
static inline unsigned char* block_received(int from, int k) {
  return in.data + place_of(&now.in, block_of(&now.in, from, k), 0);
}

/* ---- receives ---- */

static inline void look_at_status(MPI_Status* status, int from, int k) {
  int bytes = -1;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  HELD(bytes == (int)now.bytes && status->MPI_SOURCE == from && status->MPI_TAG == k);
}

static inline void receive(int from, int k) {
  MPI_Request* request = &received[received_count++];
  unsigned char* data = block_received(from, k);
  int count = in_layout.count + (int)now.in.room;
  MPI_Status status;
  MPI_Message message;
  switch (now.receive) {
    case by_irecv:
      MPI_Irecv(data, count, in_layout.type, from, k, MPI_COMM_WORLD, request);
      break;
    case by_started_receive:
      if (turn == 0) MPI_Recv_init(data, count, in_layout.type, from, k, MPI_COMM_WORLD, request);
      MPI_Start(request);
      break;
    case by_recv:
      MPI_Recv(data, count, in_layout.type, from, k, MPI_COMM_WORLD, &status);
      look_at_status(&status, from, k);
      break;
    default:
      MPI_Mprobe(from, k, MPI_COMM_WORLD, &message, &status);
      look_at_status(&status, from, k);
      MPI_Mrecv(data, count, in_layout.type, &message, &status);
      look_at_status(&status, from, k);
  }
}

static inline void receive_all(void) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < now.messages; ++j)
      if (sends(now.reversed ? size - 1 - i : i, rank))
        receive(now.reversed ? size - 1 - i : i, now.reversed ? now.messages - 1 - j : j);
}

/* ---- sends ---- */

static inline void send(int to, int k) {
  MPI_Request* request = &sent[sent_count++];
  const unsigned char* data = block_sent(to, k);
  int count = out_layout.count;
  MPI_Datatype type = out_layout.type;
  if (now.send == by_send)
    MPI_Send(data, count, type, to, k, MPI_COMM_WORLD);
  else if (now.send == by_ssend)
    MPI_Ssend(data, count, type, to, k, MPI_COMM_WORLD);
  else if (now.send == by_isend)
    MPI_Isend(data, count, type, to, k, MPI_COMM_WORLD, request);
  else if (now.send == by_issend)
    MPI_Issend(data, count, type, to, k, MPI_COMM_WORLD, request);
  else if (turn == 0)
    MPI_Send_init(data, count, type, to, k, MPI_COMM_WORLD, request);
  if (now.send == by_start) MPI_Start(request);
}

static inline void send_all(void) {
  for (int to = 0; to < size; ++to)
    for (int k = 0; k < now.messages; ++k)
      if (sends(rank, to)) send(to, k);
}

/* Each rank sends to the one so far behind it while it receives from the one so far before it. */
static inline void sendrecv_all(void) {
  for (int apart = 0; apart < size; ++apart)
    for (int k = 0; k < now.messages; ++k) {
      int to = (rank + apart) % size, from = (rank + size - apart) % size;
      MPI_Status status;
      if (!sends(rank, to)) to = MPI_PROC_NULL;
      if (!sends(from, rank)) from = MPI_PROC_NULL;
      MPI_Sendrecv(
          to == MPI_PROC_NULL ? out.data : block_sent(to, k), out_layout.count, out_layout.type, to,
          k, from == MPI_PROC_NULL ? in.data : block_received(from, k),
          in_layout.count + (int)now.in.room, in_layout.type, from, k, MPI_COMM_WORLD, &status);
      if (from != MPI_PROC_NULL) look_at_status(&status, from, k);
    }
}

/* ---- a turn ---- */

static inline void begin_messages(void) {
  for (int i = 0; i < size * now.messages; ++i) received[i] = sent[i] = MPI_REQUEST_NULL;
}

static inline void exchange_all(void) {
  received_count = sent_count = 0;
  if (!now.late) receive_all();
  if (now.meets && !now.late) MPI_Barrier(MPI_COMM_WORLD);
  send_all();
  if (now.meets && now.late) MPI_Barrier(MPI_COMM_WORLD);
  if (now.late) receive_all();
  MPI_Waitall(received_count, received, MPI_STATUSES_IGNORE);
  MPI_Waitall(sent_count, sent, MPI_STATUSES_IGNORE);
}

static inline void move_messages(void) {
  if (now.send == by_sendrecv)
    sendrecv_all();
  else
    exchange_all();
  model_moves(compute_move);
}

static inline void end_messages(void) {
  for (int i = 0; i < size * now.messages; ++i) {
    if (received[i] != MPI_REQUEST_NULL) MPI_Request_free(&received[i]);
    if (sent[i] != MPI_REQUEST_NULL) MPI_Request_free(&sent[i]);
  }
}

#endif
