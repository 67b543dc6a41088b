/* Wrong calls of point-to-point communication: sends, receives, probes, requests, buffers. */
#include "wrong.h"

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static MPI_Comm freed_comm;
static MPI_Datatype freed_type, uncommitted;

static void prepare(void) {
  MPI_Comm comm;
  MPI_Comm_dup(WORLD, &comm);
  freed_comm = comm;
  MPI_Comm_free(&comm);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  freed_type = type;
  MPI_Type_free(&type);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
}

static void sends(void) {
  int v = 0;
  MPI_Request r;
  WRONG(MPI_Send(&v, 1, MPI_INT, size, 0, WORLD), MPI_ERR_RANK, "argument 4 (dest)");
  WRONG(MPI_Send(&v, 1, MPI_INT, -5, 0, WORLD), MPI_ERR_RANK, "argument 4 (dest)");
  WRONG(MPI_Send(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD), MPI_ERR_RANK, "MPI_ANY_SOURCE");
  WRONG(MPI_Send(&v, 1, MPI_INT, MPI_ROOT, 0, WORLD), MPI_ERR_RANK, "argument 4 (dest)");
  WRONG(MPI_Send(&v, 1, MPI_INT, 0, -3, WORLD), MPI_ERR_TAG, "argument 5 (tag)");
  WRONG(MPI_Send(&v, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD), MPI_ERR_TAG, "MPI_ANY_TAG");
  WRONG(MPI_Send(&v, -1, MPI_INT, 0, 0, WORLD), MPI_ERR_COUNT, "argument 2 (count)");
  WRONG(MPI_Send_c(&v, -1, MPI_INT, 0, 0, WORLD), MPI_ERR_COUNT, "MPI_Send_c: argument 2 (count)");
  WRONG(MPI_Send(NULL, 1, MPI_INT, 0, 0, WORLD), MPI_ERR_BUFFER, "argument 1 (buf)");
  WRONG(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, WORLD), MPI_ERR_BUFFER, "MPI_IN_PLACE");
  WRONG(MPI_Send(MPI_BUFFER_AUTOMATIC, 1, MPI_INT, 0, 0, WORLD), MPI_ERR_BUFFER, "AUTOMATIC");
  WRONG(MPI_Send(&v, 1, MPI_DATATYPE_NULL, 0, 0, WORLD), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Send(&v, 1, freed_type, 0, 0, WORLD), MPI_ERR_TYPE, "freed");
  WRONG(MPI_Send(&v, 1, uncommitted, 0, 0, WORLD), MPI_ERR_TYPE, "MPI_Type_commit");
  WRONG(MPI_Send(&v, 1, (MPI_Datatype)WORLD, 0, 0, WORLD), MPI_ERR_TYPE, "another kind");
  WRONG(MPI_Send(&v, 1, (MPI_Datatype)MPI_SUM, 0, 0, WORLD), MPI_ERR_TYPE, "argument 3");
  WRONG(MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
  WRONG(MPI_Send(&v, 1, MPI_INT, 0, 0, freed_comm), MPI_ERR_COMM, "freed");
  WRONG(MPI_Send(&v, 1, MPI_INT, 0, 0, (MPI_Comm)MPI_INT), MPI_ERR_COMM, "argument 6 (comm)");
  WRONG(MPI_Ssend(&v, 1, MPI_INT, size + 9, 0, WORLD), MPI_ERR_RANK, "MPI_Ssend");
  WRONG(MPI_Rsend(&v, -2, MPI_INT, 0, 0, WORLD), MPI_ERR_COUNT, "MPI_Rsend");
  WRONG(MPI_Isend(&v, 1, MPI_INT, 0, 0, WORLD, NULL), MPI_ERR_ARG, "argument 7 (request)");
  WRONG(MPI_Isend(&v, 1, uncommitted, 0, 0, WORLD, &r), MPI_ERR_TYPE, "MPI_Isend");
  WRONG(MPI_Issend(&v, 1, MPI_INT, 0, -1, WORLD, &r), MPI_ERR_TAG, "MPI_Issend");
  WRONG(MPI_Irsend(NULL, 3, MPI_INT, 0, 1, WORLD, &r), MPI_ERR_BUFFER, "MPI_Irsend");
  WRONG(MPI_Send_init(&v, 1, MPI_INT, size, 0, WORLD, &r), MPI_ERR_RANK, "MPI_Send_init");
  WRONG(MPI_Ssend_init(&v, 1, MPI_INT, 0, 0, WORLD, NULL), MPI_ERR_ARG, "argument 7 (request)");
  WRONG(MPI_Rsend_init(&v, 1, freed_type, 0, 0, WORLD, &r), MPI_ERR_TYPE, "MPI_Rsend_init");
  WRONG(MPI_Bsend_init(&v, -1, MPI_INT, 0, 0, WORLD, &r), MPI_ERR_COUNT, "MPI_Bsend_init");
}

static void receives(void) {
  int v[2] = {0}, w;
  MPI_Status status;
  MPI_Request r;
  WRONG(MPI_Recv(v, 1, MPI_INT, size, 0, WORLD, &status), MPI_ERR_RANK, "argument 4 (source)");
  WRONG(MPI_Recv(v, 1, MPI_INT, MPI_ROOT, 0, WORLD, &status), MPI_ERR_RANK, "(source)");
  WRONG(MPI_Recv(v, 1, MPI_INT, 0, -9, WORLD, &status), MPI_ERR_TAG, "argument 5 (tag)");
  WRONG(MPI_Recv(v, -1, MPI_INT, 0, 0, WORLD, &status), MPI_ERR_COUNT, "argument 2 (count)");
  WRONG(MPI_Recv(NULL, 1, MPI_INT, 0, 0, WORLD, &status), MPI_ERR_BUFFER, "argument 1 (buf)");
  WRONG(MPI_Recv(v, 1, uncommitted, 0, 0, WORLD, &status), MPI_ERR_TYPE, "MPI_Type_commit");
  WRONG(MPI_Irecv(v, 1, MPI_INT, 0, 0, WORLD, NULL), MPI_ERR_ARG, "argument 7 (request)");
  WRONG(MPI_Irecv(v, 1, MPI_INT, 0, 0, freed_comm, &r), MPI_ERR_COMM, "argument 6 (comm)");
  WRONG(MPI_Recv_init(v, 1, MPI_INT, -7, 0, WORLD, &r), MPI_ERR_RANK, "MPI_Recv_init");
  WRONG(MPI_Sendrecv(v, 1, MPI_INT, rank, 0, &w, 1, MPI_INT, size, 0, WORLD, &status), MPI_ERR_RANK,
        "argument 9 (source)");
  WRONG(MPI_Sendrecv(v, 1, MPI_INT, rank, 0, &w, 1, MPI_INT, 0, -8, WORLD, &status), MPI_ERR_TAG,
        "argument 10 (recvtag)");
  WRONG(MPI_Sendrecv(v, 1, MPI_INT, rank, -1, &w, 1, MPI_INT, 0, 0, WORLD, &status), MPI_ERR_TAG,
        "argument 5 (sendtag)");
  WRONG(MPI_Sendrecv(v, 1, MPI_INT, rank, 0, &w, -1, MPI_INT, 0, 0, WORLD, &status), MPI_ERR_COUNT,
        "argument 7 (recvcount)");
  WRONG(MPI_Sendrecv_replace(v, 1, freed_type, rank, 0, rank, 0, WORLD, &status), MPI_ERR_TYPE,
        "argument 3 (datatype)");
  WRONG(MPI_Isendrecv(v, 1, MPI_INT, rank, 0, &w, 1, MPI_INT, 0, 0, WORLD, NULL), MPI_ERR_ARG,
        "(request)");
  WRONG(MPI_Isendrecv_replace(v, -1, MPI_INT, rank, 0, rank, 0, WORLD, &r), MPI_ERR_COUNT,
        "argument 2 (count)");
  /* A message that is too long is cut; both lengths are named, and nothing else is touched. */
  v[0] = 5, w = 7;
  MPI_Isend(v, 2, MPI_INT, rank, 4, WORLD, &r);
  WRONG(MPI_Recv(&w, 1, MPI_INT, rank, 4, WORLD, &status), MPI_ERR_TRUNCATE, "8 bytes");
  CHECK(w == 5);
  MPI_Wait(&r, IGNORE);
}

static void probes_and_matched_messages(void) {
  int v = 3, w = 0, flag;
  MPI_Status status;
  MPI_Message message, copy, null_message = MPI_MESSAGE_NULL;
  MPI_Message invented = (MPI_Message)0x123456789abcu;
  MPI_Request r;
  WRONG(MPI_Probe(size, 0, WORLD, &status), MPI_ERR_RANK, "argument 1 (source)");
  WRONG(MPI_Probe(0, -4, WORLD, &status), MPI_ERR_TAG, "argument 2 (tag)");
  WRONG(MPI_Iprobe(0, 0, WORLD, NULL, &status), MPI_ERR_ARG, "argument 4 (flag)");
  WRONG(MPI_Iprobe(0, 0, freed_comm, &flag, &status), MPI_ERR_COMM, "MPI_Iprobe");
  WRONG(MPI_Mprobe(-6, 0, WORLD, &message, &status), MPI_ERR_RANK, "MPI_Mprobe");
  WRONG(MPI_Mprobe(0, 0, WORLD, NULL, &status), MPI_ERR_ARG, "(message)");
  WRONG(MPI_Improbe(0, 0, WORLD, &flag, NULL, &status), MPI_ERR_ARG, "(message)");
  WRONG(MPI_Mrecv(&w, 1, MPI_INT, &null_message, &status), MPI_ERR_REQUEST, "(message)");
  WRONG(MPI_Mrecv(&w, 1, MPI_INT, &invented, &status), MPI_ERR_REQUEST, "(message)");
  WRONG(MPI_Mrecv(&w, 1, MPI_INT, NULL, &status), MPI_ERR_ARG, "(message)");
  WRONG(MPI_Imrecv(&w, 1, MPI_INT, &invented, &r), MPI_ERR_REQUEST, "(message)");
  MPI_Isend(&v, 1, MPI_INT, rank, 5, WORLD, &r);
  MPI_Mprobe(rank, 5, WORLD, &message, &status);
  copy = message;
  WRONG(MPI_Mrecv(&w, -1, MPI_INT, &message, &status), MPI_ERR_COUNT, "argument 2 (count)");
  WRONG(MPI_Mrecv(&w, 1, uncommitted, &message, &status), MPI_ERR_TYPE, "MPI_Type_commit");
  CHECK(MPI_Mrecv(&w, 1, MPI_INT, &message, &status) == MPI_SUCCESS && w == 3);
  WRONG(MPI_Mrecv(&w, 1, MPI_INT, &copy, &status), MPI_ERR_REQUEST, "received once");
  MPI_Wait(&r, IGNORE);
  MPI_Isend(&v, 1, MPI_INT, rank, 5, WORLD, &r);
  MPI_Mprobe(rank, 5, WORLD, &message, &status);
  WRONG(MPI_Mrecv(&w, 0, MPI_INT, &message, &status), MPI_ERR_TRUNCATE, "4 bytes");
  MPI_Wait(&r, IGNORE);
}

static int ask(void* extra, MPI_Status* status) {
  (void)extra, (void)status;
  return MPI_SUCCESS;
}
static int end(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int stop(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

static void requests(void) {
  int v = 0, w = 0, flag, index, done, indices[2];
  MPI_Status status, statuses[2];
  MPI_Request none = MPI_REQUEST_NULL, invented = (MPI_Request)0x7777777777u, r, copy, two[2];
  WRONG(MPI_Wait(NULL, IGNORE), MPI_ERR_ARG, "argument 1 (request)");
  WRONG(MPI_Wait(&invented, IGNORE), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Test(&none, NULL, IGNORE), MPI_ERR_ARG, "argument 2 (flag)");
  WRONG(MPI_Test(&invented, &flag, IGNORE), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Waitall(-1, two, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "argument 1 (count)");
  WRONG(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "argument 2");
  WRONG(MPI_Waitany(2, NULL, &index, IGNORE), MPI_ERR_ARG, "argument 2");
  WRONG(MPI_Waitany(1, &none, NULL, IGNORE), MPI_ERR_ARG, "argument 3 (index)");
  WRONG(MPI_Testany(1, &none, &index, NULL, IGNORE), MPI_ERR_ARG, "(flag)");
  WRONG(MPI_Testall(1, &none, NULL, IGNORE), MPI_ERR_ARG, "(flag)");
  WRONG(MPI_Waitsome(1, &none, NULL, indices, IGNORE), MPI_ERR_ARG, "(outcount)");
  WRONG(MPI_Waitsome(1, &none, &done, NULL, IGNORE), MPI_ERR_ARG, "(array_of_indices)");
  WRONG(MPI_Testsome(-4, &none, &done, indices, IGNORE), MPI_ERR_COUNT, "argument 1 (incount)");
  WRONG(MPI_Request_free(&none), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
  WRONG(MPI_Request_free(NULL), MPI_ERR_ARG, "argument 1 (request)");
  WRONG(MPI_Request_free(&invented), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Cancel(&none), MPI_ERR_REQUEST, "MPI_REQUEST_NULL");
  WRONG(MPI_Cancel(&invented), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Cancel(NULL), MPI_ERR_ARG, "argument 1 (request)");
  WRONG(MPI_Request_get_status(invented, &flag, &status), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Request_get_status(none, NULL, &status), MPI_ERR_ARG, "argument 2 (flag)");
  /* A copy of a handle whose request is over. */
  MPI_Irecv(&w, 1, MPI_INT, rank, 6, WORLD, &r);
  copy = r;
  MPI_Send(&v, 1, MPI_INT, rank, 6, WORLD);
  MPI_Wait(&r, IGNORE);
  WRONG(MPI_Wait(&copy, IGNORE), MPI_ERR_REQUEST, "in a copy");
  WRONG(MPI_Request_free(&copy), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Cancel(&copy), MPI_ERR_REQUEST, "argument 1 (request)");
  /* One request twice in an array: the second is found out. */
  MPI_Irecv(&w, 1, MPI_INT, rank, 6, WORLD, &two[0]);
  two[1] = two[0];
  MPI_Send(&v, 1, MPI_INT, rank, 6, WORLD);
  WRONG(MPI_Waitall(2, two, statuses), MPI_ERR_IN_STATUS, "twice");
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_REQUEST);
  /* Freed while active. */
  MPI_Irecv(&w, 1, MPI_INT, rank, 6, WORLD, &r);
  copy = r;
  MPI_Request_free(&r);
  WRONG(MPI_Wait(&copy, IGNORE), MPI_ERR_REQUEST, "argument 1 (request)");
  WRONG(MPI_Request_free(&copy), MPI_ERR_REQUEST, "argument 1 (request)");
  v = 9;
  MPI_Send(&v, 1, MPI_INT, rank, 6, WORLD);
  CHECK(w == 9);
}

static void persistent_and_generalized_requests(void) {
  int v = 0, w = 0;
  MPI_Request none = MPI_REQUEST_NULL, r, copy, two[2];
  WRONG(MPI_Start(&none), MPI_ERR_REQUEST, "persistent");
  WRONG(MPI_Start(NULL), MPI_ERR_ARG, "argument 1 (request)");
  WRONG(MPI_Startall(2, NULL), MPI_ERR_ARG, "argument 2");
  WRONG(MPI_Startall(-1, &none), MPI_ERR_COUNT, "argument 1 (count)");
  MPI_Recv_init(&w, 1, MPI_INT, rank, 7, WORLD, &r);
  WRONG(MPI_Cancel(&r), MPI_ERR_REQUEST, "not active");
  MPI_Start(&r);
  WRONG(MPI_Start(&r), MPI_ERR_REQUEST, "active already");
  two[0] = two[1] = r;
  WRONG(MPI_Startall(2, two), MPI_ERR_REQUEST, "active already");
  MPI_Send(&v, 1, MPI_INT, rank, 7, WORLD);
  MPI_Wait(&r, IGNORE);
  copy = r;
  MPI_Request_free(&r);
  WRONG(MPI_Start(&copy), MPI_ERR_REQUEST, "argument 1 (request)");
  MPI_Irecv(&w, 1, MPI_INT, rank, 7, WORLD, &r);
  WRONG(MPI_Start(&r), MPI_ERR_REQUEST, "persistent");
  WRONG(MPI_Grequest_complete(r), MPI_ERR_REQUEST, "generalized");
  MPI_Cancel(&r);
  MPI_Wait(&r, IGNORE);
  MPI_Isendrecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, &w, 1, MPI_INT, rank, 7, WORLD, &r);
  WRONG(MPI_Cancel(&r), MPI_ERR_REQUEST, "cancelled");
  MPI_Send(&v, 1, MPI_INT, rank, 7, WORLD);
  MPI_Wait(&r, IGNORE);
  WRONG(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST, "generalized");
  WRONG(MPI_Grequest_start(NULL, end, stop, NULL, &r), MPI_ERR_ARG, "argument 1 (query_fn)");
  WRONG(MPI_Grequest_start(ask, NULL, stop, NULL, &r), MPI_ERR_ARG, "argument 2 (free_fn)");
  WRONG(MPI_Grequest_start(ask, end, NULL, NULL, &r), MPI_ERR_ARG, "argument 3 (cancel_fn)");
  WRONG(MPI_Grequest_start(ask, end, stop, NULL, NULL), MPI_ERR_ARG, "argument 5 (request)");
  MPI_Grequest_start(ask, end, stop, NULL, &r);
  WRONG(MPI_Start(&r), MPI_ERR_REQUEST, "persistent");
  MPI_Grequest_complete(r);
  WRONG(MPI_Grequest_complete(r), MPI_ERR_REQUEST, "completed before");
  MPI_Wait(&r, IGNORE);
}

static void buffered_sends(void) {
  char memory[400];
  char message[500] = {0};
  void* back;
  int bytes;
  MPI_Request r;
  WRONG(MPI_Buffer_detach(&back, &bytes), MPI_ERR_BUFFER, "no buffer is attached");
  WRONG(MPI_Buffer_flush(), MPI_ERR_BUFFER, "no buffer is attached");
  WRONG(MPI_Buffer_iflush(&r), MPI_ERR_BUFFER, "MPI_Buffer_iflush");
  WRONG(MPI_Buffer_iflush(NULL), MPI_ERR_ARG, "(request)");
  WRONG(MPI_Comm_flush_buffer(WORLD), MPI_ERR_BUFFER, "no buffer is attached");
  WRONG(MPI_Comm_iflush_buffer(freed_comm, &r), MPI_ERR_COMM, "freed");
  WRONG(MPI_Comm_detach_buffer(WORLD, &back, &bytes), MPI_ERR_BUFFER, "no buffer");
  WRONG(MPI_Bsend(message, 1, MPI_CHAR, rank, 8, WORLD), MPI_ERR_BUFFER, "no buffer is attached");
  WRONG(MPI_Buffer_attach(memory, -1), MPI_ERR_ARG, "argument 2 (size)");
  WRONG(MPI_Buffer_attach(NULL, 100), MPI_ERR_BUFFER, "no address");
  MPI_Buffer_attach(memory, sizeof memory);
  WRONG(MPI_Buffer_attach(memory, sizeof memory), MPI_ERR_BUFFER, "attached already");
  WRONG(MPI_Buffer_detach(&back, NULL), MPI_ERR_ARG, "argument 2 (size)");
  WRONG(MPI_Buffer_detach(NULL, &bytes), MPI_ERR_ARG, "argument 1 (buffer_addr)");
  WRONG(MPI_Bsend(message, 500, MPI_CHAR, rank, 8, WORLD), MPI_ERR_BUFFER, "500 bytes");
  WRONG(MPI_Ibsend(message, 500, MPI_CHAR, rank, 8, WORLD, &r), MPI_ERR_BUFFER, "400 bytes");
  WRONG(MPI_Bsend(message, 1, MPI_CHAR, size, 8, WORLD), MPI_ERR_RANK, "MPI_Bsend");
  WRONG(MPI_Ibsend(message, 1, freed_type, rank, 8, WORLD, &r), MPI_ERR_TYPE, "MPI_Ibsend");
  MPI_Buffer_detach(&back, &bytes);
  CHECK(back == memory && bytes == sizeof memory);
  WRONG(MPI_Comm_attach_buffer(WORLD, NULL, 5), MPI_ERR_BUFFER, "no address");
  MPI_Comm_attach_buffer(WORLD, memory, sizeof memory);
  WRONG(MPI_Comm_attach_buffer(WORLD, memory, 9), MPI_ERR_BUFFER, "attached already");
  WRONG(MPI_Comm_detach_buffer(WORLD, NULL, &bytes), MPI_ERR_ARG, "argument 2 (buffer_addr)");
  MPI_Comm_detach_buffer(WORLD, &back, &bytes);
}

int main(int argc, char** argv) {
  start_wrong(&argc, &argv);
  prepare();
  sends();
  receives();
  probes_and_matched_messages();
  requests();
  persistent_and_generalized_requests();
  buffered_sends();
  MPI_Type_free(&uncommitted);
  return finish_wrong(120);
}
