/* Bad handles given to communication: sends, receives, probes, requests, collectives, packing. */
#include "bad_handles.h"

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

/* A procedure and its large-count twin, with the same arguments. */
#define BOTH(row, argument, name, arguments) \
  row(argument, name arguments) row(argument, name##_c arguments)

static int v[256], w[256];
static int none[256];
static MPI_Count none_c[256];
static MPI_Aint none_a[256];

static void sends(void) {
  MPI_Request r;
  BOTH(BAD_TYPE, 3, MPI_Send, (v, 1, bad, rank, 1, WORLD))
  BOTH(BAD_COMM, 6, MPI_Send, (v, 1, MPI_INT, rank, 1, bad))
  BOTH(BAD_TYPE, 3, MPI_Ssend, (v, 1, bad, rank, 1, WORLD))
  BOTH(BAD_COMM, 6, MPI_Ssend, (v, 1, MPI_INT, rank, 1, bad))
  BOTH(BAD_TYPE, 3, MPI_Rsend, (v, 1, bad, rank, 1, WORLD))
  BOTH(BAD_COMM, 6, MPI_Rsend, (v, 1, MPI_INT, rank, 1, bad))
  BOTH(BAD_TYPE, 3, MPI_Bsend, (v, 1, bad, rank, 1, WORLD))
  BOTH(BAD_COMM, 6, MPI_Bsend, (v, 1, MPI_INT, rank, 1, bad))
  BOTH(BAD_TYPE, 3, MPI_Isend, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Isend, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Issend, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Issend, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Irsend, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Irsend, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Ibsend, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Ibsend, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Send_init, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Send_init, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Ssend_init, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Ssend_init, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Rsend_init, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Rsend_init, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Bsend_init, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Bsend_init, (v, 1, MPI_INT, rank, 1, bad, &r))
}

static void receives(void) {
  MPI_Request r;
  BOTH(BAD_TYPE, 3, MPI_Recv, (v, 1, bad, rank, 1, WORLD, IGNORE))
  BOTH(BAD_COMM, 6, MPI_Recv, (v, 1, MPI_INT, rank, 1, bad, IGNORE))
  BOTH(BAD_TYPE, 3, MPI_Irecv, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Irecv, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Recv_init, (v, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 6, MPI_Recv_init, (v, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Sendrecv, (v, 1, bad, rank, 1, w, 1, MPI_INT, rank, 1, WORLD, IGNORE))
  BOTH(BAD_TYPE, 8, MPI_Sendrecv, (v, 1, MPI_INT, rank, 1, w, 1, bad, rank, 1, WORLD, IGNORE))
  BOTH(BAD_COMM, 11, MPI_Sendrecv, (v, 1, MPI_INT, rank, 1, w, 1, MPI_INT, rank, 1, bad, IGNORE))
  BOTH(BAD_TYPE, 3, MPI_Isendrecv, (v, 1, bad, rank, 1, w, 1, MPI_INT, rank, 1, WORLD, &r))
  BOTH(BAD_TYPE, 8, MPI_Isendrecv, (v, 1, MPI_INT, rank, 1, w, 1, bad, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 11, MPI_Isendrecv, (v, 1, MPI_INT, rank, 1, w, 1, MPI_INT, rank, 1, bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Sendrecv_replace, (v, 1, bad, rank, 1, rank, 1, WORLD, IGNORE))
  BOTH(BAD_COMM, 8, MPI_Sendrecv_replace, (v, 1, MPI_INT, rank, 1, rank, 1, bad, IGNORE))
  BOTH(BAD_TYPE, 3, MPI_Isendrecv_replace, (v, 1, bad, rank, 1, rank, 1, WORLD, &r))
  BOTH(BAD_COMM, 8, MPI_Isendrecv_replace, (v, 1, MPI_INT, rank, 1, rank, 1, bad, &r))
}

static void probes_and_messages(void) {
  int flag;
  MPI_Message message = live_handles[message_kind];
  MPI_Request r;
  BAD_COMM(3, MPI_Probe(rank, 1, bad, IGNORE))
  BAD_COMM(3, MPI_Iprobe(rank, 1, bad, &flag, IGNORE))
  BAD_COMM(3, MPI_Mprobe(rank, 1, bad, &message, IGNORE))
  BAD_COMM(3, MPI_Improbe(rank, 1, bad, &flag, &message, IGNORE))
  BOTH(BAD_MESSAGE, 4, MPI_Mrecv, (v, 1, MPI_INT, &bad, IGNORE))
  BOTH(BAD_MESSAGE, 4, MPI_Imrecv, (v, 1, MPI_INT, &bad, &r))
  BOTH(BAD_TYPE, 3, MPI_Mrecv, (v, 1, bad, &message, IGNORE))
  BOTH(BAD_TYPE, 3, MPI_Imrecv, (v, 1, bad, &message, &r))
  CHECK(message == live_handles[message_kind]);
}

#define BAD_REQUEST(null, argument, call) \
  TRY(MPI_Request, request_kind, null, MPI_ERR_REQUEST, argument, call)

/* Of the completing calls null is legal: there is nothing to wait for. */
static void requests(void) {
  int flag, index;
  BAD_REQUEST(null_good, 1, MPI_Wait(&bad, IGNORE))
  BAD_REQUEST(null_good, 1, MPI_Test(&bad, &flag, IGNORE))
  BAD_REQUEST(null_good, 2, MPI_Waitany(1, &bad, &index, IGNORE))
  BAD_REQUEST(null_good, 2, MPI_Testany(1, &bad, &index, &flag, IGNORE))
  BAD_REQUEST(null_good, 1, MPI_Request_get_status(bad, &flag, IGNORE))
  BAD_REQUEST(null_good, 2, MPI_Request_get_status_any(1, &bad, &index, &flag, IGNORE))
  BAD_REQUEST(null_bad, 1, MPI_Request_free(&bad))
  BAD_REQUEST(null_bad, 1, MPI_Cancel(&bad))
  BAD_REQUEST(null_bad, 1, MPI_Start(&bad))
  BAD_REQUEST(null_bad, 2, MPI_Startall(1, &bad))
  BAD_REQUEST(null_bad, 1, MPI_Grequest_complete(bad))
}

/* Calls that complete many say in each status what is wrong with its request. */
static void arrays_of_requests(void) {
  for (int at = 1; at < bad_handles[request_kind].count; ++at) {
    int flag, some, indices[2], code[5];
    MPI_Status statuses[5][2];
    memset(statuses, 0, sizeof statuses);
    for (int call = 0; call < 5; ++call) {
      MPI_Request two[2] = {MPI_REQUEST_NULL, bad_handles[request_kind].values[at]};
      code[call] = call == 0   ? MPI_Waitall(2, two, statuses[0])
                   : call == 1 ? MPI_Testall(2, two, &flag, statuses[1])
                   : call == 2 ? MPI_Waitsome(2, two, &some, indices, statuses[2])
                   : call == 3 ? MPI_Testsome(2, two, &some, indices, statuses[3])
                               : MPI_Request_get_status_all(2, two, &flag, statuses[4]);
      int its_class = MPI_SUCCESS, length;
      char text[MPI_MAX_ERROR_STRING];
      MPI_Error_class(code[call], &its_class);
      MPI_Error_string(code[call], text, &length);
      /* An invalid request may be refused as such, or in the statuses. */
      int refused = its_class == MPI_ERR_REQUEST || its_class == MPI_ERR_IN_STATUS;
      if (!refused || !strstr(text, "argument 2 (array_of_requests): element 1 ")) {
        ++wrong_failures;
        fprintf(stderr, "call %d with %s: class %d: %s\n", call, bad_handles[request_kind].hows[at],
                its_class, text);
      }
      if (call == 0 && its_class == MPI_ERR_IN_STATUS)
        CHECK(statuses[0][0].MPI_ERROR == MPI_SUCCESS &&
              statuses[0][1].MPI_ERROR == MPI_ERR_REQUEST);
      ++bad_calls;
    }
  }
}

static void collectives(void) {
  BAD_COMM(1, MPI_Barrier(bad))
  BOTH(BAD_TYPE, 3, MPI_Bcast, (v, 1, bad, 0, WORLD))
  BOTH(BAD_COMM, 5, MPI_Bcast, (v, 1, MPI_INT, 0, bad))
  BOTH(BAD_TYPE, 3, MPI_Gather, (v, 1, bad, w, 1, MPI_INT, 0, WORLD))
  BOTH(BAD_COMM, 8, MPI_Gather, (v, 1, MPI_INT, w, 1, MPI_INT, 0, bad))
  BOTH(BAD_TYPE, 6, MPI_Scatter, (v, 1, MPI_INT, w, 1, bad, 0, WORLD))
  BOTH(BAD_COMM, 8, MPI_Scatter, (v, 1, MPI_INT, w, 1, MPI_INT, 0, bad))
  /* Significant at the root alone, so the others would wait for it: each is a root of its own. */
  BOTH(BAD_TYPE, 6, MPI_Gather, (v, 1, MPI_INT, w, 1, bad, 0, MPI_COMM_SELF))
  BOTH(BAD_TYPE, 3, MPI_Scatter, (v, 1, bad, w, 1, MPI_INT, 0, MPI_COMM_SELF))
  BOTH(BAD_TYPE, 3, MPI_Allgather, (v, 1, bad, w, 1, MPI_INT, WORLD))
  BOTH(BAD_TYPE, 6, MPI_Allgather, (v, 1, MPI_INT, w, 1, bad, WORLD))
  BOTH(BAD_COMM, 7, MPI_Allgather, (v, 1, MPI_INT, w, 1, MPI_INT, bad))
  BOTH(BAD_TYPE, 3, MPI_Alltoall, (v, 1, bad, w, 1, MPI_INT, WORLD))
  BOTH(BAD_TYPE, 6, MPI_Alltoall, (v, 1, MPI_INT, w, 1, bad, WORLD))
  BOTH(BAD_COMM, 7, MPI_Alltoall, (v, 1, MPI_INT, w, 1, MPI_INT, bad))
  BOTH(BAD_TYPE, 4, MPI_Allreduce, (v, w, 1, bad, MPI_SUM, WORLD))
  BOTH(BAD_OP, 5, MPI_Allreduce, (v, w, 1, MPI_INT, bad, WORLD))
  BOTH(BAD_COMM, 6, MPI_Allreduce, (v, w, 1, MPI_INT, MPI_SUM, bad))
  BOTH(BAD_TYPE, 4, MPI_Reduce, (v, w, 1, bad, MPI_SUM, 0, WORLD))
  BOTH(BAD_OP, 5, MPI_Reduce, (v, w, 1, MPI_INT, bad, 0, WORLD))
  BOTH(BAD_COMM, 7, MPI_Reduce, (v, w, 1, MPI_INT, MPI_SUM, 0, bad))
  BOTH(BAD_TYPE, 4, MPI_Reduce_local, (v, w, 1, bad, MPI_SUM))
  BOTH(BAD_OP, 5, MPI_Reduce_local, (v, w, 1, MPI_INT, bad))
}

/* Counts of nothing: the handles are looked at all the same. */
static void collectives_with_arrays(void) {
  const MPI_Comm self = MPI_COMM_SELF;
  BAD_TYPE(3, MPI_Gatherv(v, 0, bad, w, none, none, MPI_INT, 0, self))
  BAD_TYPE(7, MPI_Gatherv(v, 0, MPI_INT, w, none, none, bad, 0, self))
  BAD_COMM(9, MPI_Gatherv(v, 0, MPI_INT, w, none, none, MPI_INT, 0, bad))
  BAD_TYPE(3, MPI_Gatherv_c(v, 0, bad, w, none_c, none_a, MPI_INT, 0, self))
  BAD_TYPE(7, MPI_Gatherv_c(v, 0, MPI_INT, w, none_c, none_a, bad, 0, self))
  BAD_COMM(9, MPI_Gatherv_c(v, 0, MPI_INT, w, none_c, none_a, MPI_INT, 0, bad))
  BAD_TYPE(4, MPI_Scatterv(v, none, none, bad, w, 0, MPI_INT, 0, self))
  BAD_TYPE(7, MPI_Scatterv(v, none, none, MPI_INT, w, 0, bad, 0, self))
  BAD_COMM(9, MPI_Scatterv(v, none, none, MPI_INT, w, 0, MPI_INT, 0, bad))
  BAD_TYPE(4, MPI_Scatterv_c(v, none_c, none_a, bad, w, 0, MPI_INT, 0, self))
  BAD_TYPE(7, MPI_Scatterv_c(v, none_c, none_a, MPI_INT, w, 0, bad, 0, self))
  BAD_COMM(9, MPI_Scatterv_c(v, none_c, none_a, MPI_INT, w, 0, MPI_INT, 0, bad))
  BAD_TYPE(3, MPI_Allgatherv(v, 0, bad, w, none, none, MPI_INT, WORLD))
  BAD_TYPE(7, MPI_Allgatherv(v, 0, MPI_INT, w, none, none, bad, WORLD))
  BAD_COMM(8, MPI_Allgatherv(v, 0, MPI_INT, w, none, none, MPI_INT, bad))
  BAD_TYPE(3, MPI_Allgatherv_c(v, 0, bad, w, none_c, none_a, MPI_INT, WORLD))
  BAD_TYPE(7, MPI_Allgatherv_c(v, 0, MPI_INT, w, none_c, none_a, bad, WORLD))
  BAD_COMM(8, MPI_Allgatherv_c(v, 0, MPI_INT, w, none_c, none_a, MPI_INT, bad))
  BAD_TYPE(4, MPI_Alltoallv(v, none, none, bad, w, none, none, MPI_INT, WORLD))
  BAD_TYPE(8, MPI_Alltoallv(v, none, none, MPI_INT, w, none, none, bad, WORLD))
  BAD_COMM(9, MPI_Alltoallv(v, none, none, MPI_INT, w, none, none, MPI_INT, bad))
  BAD_TYPE(4, MPI_Alltoallv_c(v, none_c, none_a, bad, w, none_c, none_a, MPI_INT, WORLD))
  BAD_TYPE(8, MPI_Alltoallv_c(v, none_c, none_a, MPI_INT, w, none_c, none_a, bad, WORLD))
  BAD_COMM(9, MPI_Alltoallv_c(v, none_c, none_a, MPI_INT, w, none_c, none_a, MPI_INT, bad))
}

static void packing(void) {
  int position = 0, bytes;
  MPI_Count position_c = 0, bytes_c;
  MPI_Aint position_a = 0, bytes_a;
  BAD_TYPE(3, MPI_Pack(v, 1, bad, w, 64, &position, WORLD))
  BAD_COMM(7, MPI_Pack(v, 1, MPI_INT, w, 64, &position, bad))
  BAD_TYPE(3, MPI_Pack_c(v, 1, bad, w, 64, &position_c, WORLD))
  BAD_COMM(7, MPI_Pack_c(v, 1, MPI_INT, w, 64, &position_c, bad))
  BAD_TYPE(6, MPI_Unpack(v, 64, &position, w, 1, bad, WORLD))
  BAD_COMM(7, MPI_Unpack(v, 64, &position, w, 1, MPI_INT, bad))
  BAD_TYPE(6, MPI_Unpack_c(v, 64, &position_c, w, 1, bad, WORLD))
  BAD_COMM(7, MPI_Unpack_c(v, 64, &position_c, w, 1, MPI_INT, bad))
  BAD_TYPE(2, MPI_Pack_size(1, bad, WORLD, &bytes))
  BAD_COMM(3, MPI_Pack_size(1, MPI_INT, bad, &bytes))
  BAD_TYPE(2, MPI_Pack_size_c(1, bad, WORLD, &bytes_c))
  BAD_COMM(3, MPI_Pack_size_c(1, MPI_INT, bad, &bytes_c))
  BAD_TYPE(4, MPI_Pack_external("external32", v, 1, bad, w, 64, &position_a))
  BAD_TYPE(4, MPI_Pack_external_c("external32", v, 1, bad, w, 64, &position_c))
  BAD_TYPE(7, MPI_Unpack_external("external32", v, 64, &position_a, w, 1, bad))
  BAD_TYPE(7, MPI_Unpack_external_c("external32", v, 64, &position_c, w, 1, bad))
  BAD_TYPE(3, MPI_Pack_external_size("external32", 1, bad, &bytes_a))
  BAD_TYPE(3, MPI_Pack_external_size_c("external32", 1, bad, &bytes_c))
}

static void buffers(void) {
  int bytes;
  void* memory;
  MPI_Count bytes_c;
  MPI_Request r;
  BOTH(BAD_COMM, 1, MPI_Comm_attach_buffer, (bad, v, 64))
  BAD_COMM(1, MPI_Comm_detach_buffer(bad, &memory, &bytes))
  BAD_COMM(1, MPI_Comm_detach_buffer_c(bad, &memory, &bytes_c))
  BAD_COMM(1, MPI_Comm_flush_buffer(bad))
  BAD_COMM(1, MPI_Comm_iflush_buffer(bad, &r))
  BOTH(BAD_SESSION, 1, MPI_Session_attach_buffer, (bad, v, 64))
  BAD_SESSION(1, MPI_Session_detach_buffer(bad, &memory, &bytes))
  BAD_SESSION(1, MPI_Session_detach_buffer_c(bad, &memory, &bytes_c))
  BAD_SESSION(1, MPI_Session_flush_buffer(bad))
  BAD_SESSION(1, MPI_Session_iflush_buffer(bad, &r))
}

int main(int argc, char** argv) {
  start_bad(&argc, &argv);
  sends();
  receives();
  probes_and_messages();
  requests();
  arrays_of_requests();
  collectives();
  collectives_with_arrays();
  packing();
  buffers();
  return finish_bad(180);
}
