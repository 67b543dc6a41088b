#include "lab/deposit/raw_models.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lab/deposit/raw.h"

enum { header_bytes = 16, line = 64, copied_bytes_max = 8 << 10, direct_bytes_min = 16 << 10 };

struct header {
  uint32_t number, bytes, tag, context;
};
static uint32_t sent, taken; /* their numbers say which message is expected */

static size_t stride(size_t bytes) {
  return (bytes + header_bytes + line - 1) / line * line;
}

static size_t at(int place, size_t bytes) {
  return raw_head_bytes + (size_t)place * stride(bytes);
}

size_t model_ring_bytes(int places, size_t bytes) {
  return raw_head_bytes + (size_t)places * stride(bytes);
}

/* Model 5 at this size, as one of the others; 0: the header apart, and no copy. */
static int resolved(int model, size_t bytes) {
  if (model != 5) return model;
  return bytes <= copied_bytes_max ? 2 : bytes < direct_bytes_min ? 3 : 0;
}

void model_expect(int model, int place, size_t bytes) {
  const size_t to = at(place, bytes);
  switch (resolved(model, bytes)) {
    case 0:
      raw_receive_parts(to, header_bytes, 0);
      raw_receive_parts(to, 0, bytes);
      break;
    case 3:
    case gathered:
      raw_receive_parts(to, header_bytes, bytes);
      break;
    default: /* the ring is always there */
      break;
  }
}

void model_send(int model, int place, char* out, size_t bytes) {
  const size_t to = at(place, bytes);
  const struct header header = {++sent, (uint32_t)bytes, 1, 0};
  const int how = resolved(model, bytes);
  if (how == 1) raw_read_head();
  memcpy(raw_packed() + to, &header, sizeof header);
  if (how >= 1 && how <= 3) memcpy(raw_packed() + to + header_bytes, out, bytes);
  switch (how) {
    case 0:
      raw_send_packed(to, header_bytes);
      raw_send_parts(to, 0, bytes);
      break;
    case 1:
      raw_put(1, to, to, header_bytes + bytes);
      raw_put(1, 0, 0, sizeof(uint64_t)); /* the tail */
      break;
    case 2:
      raw_put(1, to, to, header_bytes + bytes);
      break;
    case 3:
      raw_send_packed(to, header_bytes + bytes);
      break;
    case 4:
      raw_put(1, to, to, header_bytes);
      raw_put(0, 0, to + header_bytes, bytes);
      break;
    default:
      raw_send_parts(to, header_bytes, bytes);
  }
}

void model_take(int model, int place, char* in, size_t bytes) {
  const int how = resolved(model, bytes);
  raw_await(how == 0 || how == 1 || how == 4 ? 2 : 1);
  const char* message = raw_ring() + at(place, bytes);
  struct header header;
  memcpy(&header, message, sizeof header);
  if (header.number != ++taken || header.bytes != bytes) {
    fprintf(stderr, "baton-network-live: model %d brought another message\n", model);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (how == 1 || how == 2 || how == 4) memcpy(in, message + header_bytes, bytes);
}
