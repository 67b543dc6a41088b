/* libfabric without anything above it, between two ranks: what MPI's messages are measured against
 * in the second half of the deposit study. Calls return only when they have succeeded; what fails
 * ends the job. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Opens the provider that BATON_NETWORK_PROVIDER names (without: TCP by libfabric itself) on the
 * interface `interface`, and introduces the two ranks by messages of MPI. `most`: bytes of the
 * longest message; `out`, `in`: from where and to where they go. */
void raw_open(const char* interface, int peer, size_t most, char* out, char* in);
/* The provider, its interface and libfabric's version, in words. */
const char* raw_name(void);

/* Messages: each receive takes the next that comes, into `in`. A send may return before it has
 * left; `raw_finish_sends` waits for all. */
void raw_receive(size_t bytes);
void raw_send(size_t bytes);
/* Remote writes of `out` to the peer's `in`, which tell it when all has come. */
void raw_write(size_t bytes);
/* Waits until so many messages, or writes, have come. */
void raw_await(long messages);
void raw_finish_sends(void);
void raw_close(void);

/* For `baton tune --net`. `raw_write`, without a completion here where the message is short enough
 * for the provider to copy. */
void raw_write_short(size_t bytes);
/* A write that tells nobody, whose last 8 bytes are this number: by a write of their own behind the
 * others. Only where the provider keeps their order. */
int raw_keeps_order(size_t bytes);
void raw_write_numbered(size_t bytes, uint64_t number);
/* Waits until the last 8 bytes in `in` are this number. */
void raw_await_number(size_t bytes, uint64_t number);

/* For the five models. Beside `out` and `in` each rank has a ring that the peer writes to, and as
 * much memory to pack messages in. */
char* raw_ring(void);
char* raw_packed(void);
enum { raw_head_bytes = 64 }; /* the ring's first, which the peer may read */
/* Registers both and tells the peer; once, after raw_open. */
void raw_open_ring(size_t bytes);
/* Writes to the peer's ring at `to`, which tells it; from `out`, or from packed memory at `from`.
 */
void raw_put(int packed, size_t from, size_t to, size_t bytes);
/* Reads the head of the peer's ring, and waits for it. */
void raw_read_head(void);
/* A message of what is packed at `from`, and one of two parts: that, and `out` to its length. */
void raw_send_packed(size_t from, size_t bytes);
void raw_send_parts(size_t from, size_t header, size_t bytes);
/* A receive of a header, into the ring at `to`, and of data behind it into `in`; without data of
 * that alone. */
void raw_receive_parts(size_t to, size_t header, size_t bytes);
/* A line "offer PROVIDER INTERFACE NATIVE" for each of libfabric's; NATIVE: 1 for its own datagrams
 * over TCP. Nothing need be open. */
void raw_print_offers(void);
