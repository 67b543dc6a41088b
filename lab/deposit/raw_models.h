/* The source's five models of sending and receiving over the raw provider, and what MPI-FM does
 * instead (figure 12): headers and data gathered and scattered by the network.
 *   (1) head read before each message, tail after it; one copy on each side
 *   (2) neither: space is known from answers, arrival from the completion; one copy on each side
 *   (3) (2) with the receive posted to the provider, which puts the data into the user's buffer
 *   (4) (2) with the header apart, so that the data leave from the user's buffer
 *   (5) by size, table 2: (2), from 8 KiB on (3), from 16 KiB on header apart and no copy
 *   gathered: header and data in one message, no copy
 * `place` is a message's slot in the ring; in one step each message has its own. */
#pragma once

#include <stddef.h>

enum { gathered = 6, raw_models_max = 6 };

/* For so many messages at a time of so many bytes. */
size_t model_ring_bytes(int places, size_t bytes);
/* Before the message is sent: what has to be posted for it. */
void model_expect(int model, int place, size_t bytes);
void model_send(int model, int place, char* out, size_t bytes);
/* Waits for the message, which is in `in` afterwards. */
void model_take(int model, int place, char* in, size_t bytes);
