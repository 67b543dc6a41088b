/* Every size around every limit, by every kind of send, contiguous and not, also to oneself. */
#include "conformance.h"

enum { margin = 64 };

static void send_as(int kind, const void* data, int count, MPI_Datatype type, int to, int tag,
                    MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  switch (kind) {
    case 0:
      MPI_Isend(data, count, type, to, tag, MPI_COMM_WORLD, request);
      break;
    case 1:
      MPI_Issend(data, count, type, to, tag, MPI_COMM_WORLD, request);
      break;
    default:
      MPI_Irsend(data, count, type, to, tag, MPI_COMM_WORLD, request);
      break;
  }
}

/* Around the ring: nothing before or behind the message may change. */
static void exchange(int bytes, int kind) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  unsigned char* out = malloc((size_t)bytes + 1);
  unsigned char* in = malloc((size_t)bytes + 2 * margin);
  fill_bytes(out, (size_t)bytes, (uint64_t)(rank + bytes));
  memset(in, 0xee, (size_t)bytes + 2 * margin);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in + margin, bytes, MPI_BYTE, from, bytes % 1000, MPI_COMM_WORLD, &requests[1]);
  if (kind == 2) MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs its receive posted */
  send_as(kind, out, bytes, MPI_BYTE, to, bytes % 1000, &requests[0]);
  MPI_Waitall(2, requests, statuses);
  int count = -1;
  MPI_Get_count(&statuses[1], MPI_BYTE, &count);
  CHECK(count == bytes && statuses[1].MPI_SOURCE == from && statuses[1].MPI_TAG == bytes % 1000);
  CHECK(bytes_are(in + margin, (size_t)bytes, (uint64_t)(from + bytes)));
  for (int i = 0; i < margin; ++i) CHECK(in[i] == 0xee && in[margin + bytes + i] == 0xee);
  free(out);
  free(in);
}

/* Every other int of the sender lands in every third of the receiver. */
static void exchange_strided(int count) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Datatype second, third;
  MPI_Type_vector(count, 1, 2, MPI_INT, &second);
  MPI_Type_vector(count, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&second);
  MPI_Type_commit(&third);
  int* out = calloc((size_t)count * 2 + 1, sizeof(int));
  int* in = malloc(((size_t)count * 3 + 1) * sizeof(int));
  for (int i = 0; i < count; ++i) out[2 * i] = rank * 1000 + i;
  for (int i = 0; i < 3 * count + 1; ++i) in[i] = -1;
  MPI_Sendrecv(out, 1, second, to, 3, in, 1, third, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    CHECK(in[3 * i] == from * 1000 + i);
    CHECK(in[3 * i + 1] == -1 && (i + 1 == count || in[3 * i + 2] == -1));
  }
  MPI_Type_free(&second);
  MPI_Type_free(&third);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int edges[] = {0,     1,     7,     8,      47,      48,      49,     55,
                       56,    103,   104,   105,    1000,    1024,    2048,   4095,
                       4096,  4097,  6144,  8192,   16383,   16384,   16385,  32767,
                       32768, 32769, 65536, 100000, 1048575, 1048576, 3000001};
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; ++i)
    for (int kind = 0; kind < 3; ++kind) exchange(edges[i], kind);
  const int counts[] = {1, 5, 11, 12, 13, 250, 1024, 1025, 5000, 100000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) exchange_strided(counts[i]);
  return finish();
}
