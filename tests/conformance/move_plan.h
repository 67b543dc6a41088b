/* What a step of random_moves does: who sends to whom, how many bytes, by which calls, from and to
 * which memory. All ranks draw the same plan from the seed and the number of the step. Each kind of
 * step moves blocks of `bytes` bytes, `messages` of them for each pair of ranks. */
#ifndef MOVE_PLAN_H
#define MOVE_PLAN_H

#include "conformance.h"

enum { ranks_max = 64, page = 4096, line = 64, margin = 64, turns_max = 24, messages_max = 12 };
enum { bytes_max = 5 << 20, step_bytes_max = 12 << 20, static_bytes = 6 << 20 };

typedef enum { of_messages, of_collective, of_windows } Family;
typedef enum { one_way, both_ways, ring, among_all, to_one, from_one, to_self } Pattern;
typedef enum { by_send, by_ssend, by_sendrecv, by_isend, by_issend, by_start } SendCall;
typedef enum { by_irecv, by_recv, by_mprobe, by_started_receive } ReceiveCall;
typedef enum { bcast, reduce, allreduce, gather, scatter, allgather, alltoall } Collective;
typedef enum { put, get, accumulate } Access;
typedef enum { fence, shared_lock, exclusive_lock, flush, requests } Synchronization;
typedef enum { by_sum, by_xor, by_max } Operation;
typedef enum { heap, alloc_mem, fixed, pages, before_guard, read_only, window, opaque } Memory;

/* Where the blocks of one side lie: each in pieces with gaps between them (in one piece if `piece`
 * is 0), block after block `pitch` bytes apart. Blocks that are sent may overlap. */
typedef struct {
  size_t piece, gap, pitch, room, span; /* room: how much longer a receive is than its message */
  int blocks;
  Memory memory[ranks_max];
  size_t offset[ranks_max]; /* from the beginning of a page; not before_guard */
} Side;

typedef struct {
  long step;
  Family family;
  Pattern pattern;
  size_t bytes;
  int messages, turns, root;
  int cold;  /* data is written anew each turn */
  int looks; /* received data is looked at each turn, not only at the end */
  SendCall send;
  ReceiveCall receive;
  int late, meets, reversed; /* receives: after the sends, a barrier between both, last one first */
  Collective collective;
  int in_place, nonblocking;
  Access access;
  Synchronization synchronization;
  size_t element; /* of integers; 1 for plain bytes */
  Operation operation;
  Side out, in;
} Plan;

static const char* const family_names[] = {"messages", "collectives", "windows"};
static unsigned long long seed = 1;
static int only_family = -1; /* steps of that kind alone */
static int has_opaque;       /* memory that nobody may touch */
static Plan now;
static int turn;
static uint64_t drawn; /* the state of what is drawn at random */

/* ---- who sends to whom ---- */

static inline int root_now(void) {
  return now.family == of_collective ? (now.root + turn) % size : now.root;
}
static inline int has_numbers(void) {
  return now.family == of_collective ? now.collective == reduce || now.collective == allreduce
                                     : now.family == of_windows && now.access == accumulate;
}
/* Whether the own part takes part, in collectives that have one. */
static inline int with_self(void) {
  if (now.family != of_collective || now.collective == bcast) return 0;
  return !(now.collective == scatter && now.in_place);
}
static inline int sends(int from, int to) {
  if (from == to && now.pattern != to_self && now.pattern != ring) {
    if (!with_self()) return 0;
    return now.pattern == among_all || from == root_now();
  }
  switch (now.pattern) {
    case one_way:
      return to == (from ^ 1) && from % 2 == now.root % 2;
    case both_ways:
      return to == (from ^ 1);
    case ring:
      return to == (from + 1) % size;
    case among_all:
      return 1;
    case to_one:
      return to == root_now();
    case from_one:
      return from == root_now();
    default:
      return from == to;
  }
}

/* Which block of a side is message k with a peer. Collectives give all receivers the same block, or
 * each its own; those with the same elements at a target meet in the same block. */
static inline int has_block_for_each(const Side* side) {
  int sent = side == &now.out, of_all = now.pattern == among_all;
  if (has_numbers()) return sent && now.family == of_windows && (of_all || now.pattern == from_one);
  if (now.family == of_collective && (now.collective == bcast || now.collective == allgather))
    return !sent && of_all;
  return of_all || (sent ? now.pattern == from_one : now.pattern == to_one);
}
static inline int block_of(const Side* side, int peer, int k) {
  return has_block_for_each(side) ? peer * now.messages + k : k;
}
/* Where byte i of a block lies. */
static inline size_t place_of(const Side* side, int block, size_t i) {
  size_t within = side->piece ? i / side->piece * (side->piece + side->gap) + i % side->piece : i;
  return (size_t)block * side->pitch + within;
}

/* ---- drawing ---- */

static inline size_t below(size_t end) {
  return (size_t)(next_random(&drawn) % end);
}
static inline int once_in(size_t times) {
  return below(times) == 0;
}

/* Around a power of two: on it, a byte or a line beside it, or anywhere up to it. */
static inline size_t draw_bytes(void) {
  if (once_in(40)) return 0;
  size_t power = (size_t)1 << below(23), choice = below(8);
  size_t bytes = choice == 0   ? power
                 : choice == 1 ? power + 1
                 : choice == 2 ? power - 1
                 : choice == 3 ? power + line
                 : choice == 4 ? power - (power > line ? line : 0)
                 : choice == 5 ? power + below(2 * line)
                 : choice == 6 ? power + power / 4
                               : below(power) + 1;
  return bytes > bytes_max ? bytes_max : bytes;
}

static inline size_t draw_offset(void) {
  size_t choice = below(5);
  if (choice == 0) return 0;
  return choice == 1 ? below(line) : choice == 2 ? below(line) * line : below(page);
}

/* Whole elements, not above the limit. */
static inline size_t whole(size_t bytes) {
  return bytes / now.element * now.element;
}

static inline void draw_layout(Side* side, int sent) {
  const size_t steps[] = {0, 0, 1, line, page, 3 * page};
  int overlaps = sent && now.family != of_collective && once_in(4);
  side->piece = side->gap = side->room = 0;
  side->blocks = has_block_for_each(side) ? size * now.messages : now.messages;
  if (!has_numbers() && once_in(5)) {
    side->piece = ((size_t)1 << below(13)) + below(3);
    if (now.bytes > 1 << 18 && side->piece < 32) side->piece = 32 + below(32);
    side->gap = 1 + below(2 * side->piece + 8);
    if (side->piece >= now.bytes) side->piece = side->gap = 0;
  }
  if (!sent && now.family == of_messages && side->piece == 0 && once_in(3))
    side->room = 1 + below(200);
  size_t own = now.bytes ? place_of(side, 0, now.bytes - 1) + 1 + side->room : side->room;
  side->pitch = overlaps ? below(own + 1) : own + steps[below(6)];
  side->pitch = (side->pitch + now.element - 1) / now.element * now.element;
  side->span = (size_t)(side->blocks - 1) * side->pitch + own;
}

static inline void draw_memory(Side* side, int sent) {
  int alike = once_in(2), in_window = now.family == of_windows && sent == (now.access == get);
  int allocated = in_window && once_in(2);
  for (int i = 0; i < ranks_max; ++i) {
    Memory memory = (Memory)below(sent ? read_only + 1 : read_only);
    size_t offset = whole(draw_offset());
    if (has_opaque && !in_window && once_in(2)) memory = opaque;
    if (alike && i > 0) memory = side->memory[0];
    if (in_window && memory == read_only) memory = pages;
    if (allocated) memory = window;
    if (memory == fixed && side->span > static_bytes) memory = heap;
    side->memory[i] = memory;
    side->offset[i] = alike && i > 0 && once_in(2) ? side->offset[0] : offset;
  }
}

/* Blocking sends end only when their receive is there, some of them. */
static inline void draw_calls(void) {
  now.pattern = size == 1 ? to_self : (Pattern)below(to_self + 1);
  now.send = (SendCall)below(by_start + 1);
  now.receive = (ReceiveCall)below(by_started_receive + 1);
  now.late = once_in(2), now.meets = once_in(2), now.reversed = once_in(4);
  int blocks = now.send <= by_ssend;
  if (blocks && now.pattern != one_way && now.pattern != to_one && now.pattern != from_one)
    now.late = 0;
  if (blocks && now.late) now.meets = now.reversed = 0;
  if (!now.late && (now.receive == by_recv || now.receive == by_mprobe)) now.receive = by_irecv;
  if (now.send == by_sendrecv) now.late = now.meets = now.reversed = 0;
}

static inline void draw_collective(void) {
  const Pattern patterns[] = {from_one, to_one, among_all, to_one, from_one, among_all, among_all};
  now.collective = (Collective)below(alltoall + 1);
  now.pattern = patterns[now.collective];
  now.in_place = now.collective != bcast && once_in(4);
  now.nonblocking = once_in(4);
}

static inline void draw_access(void) {
  now.pattern = size == 1 ? to_self : (Pattern)below(to_self + 1);
  now.access = (Access)below(accumulate + 1);
  now.synchronization = (Synchronization)below(requests + 1);
}

/* How often, within what a step may move. */
static inline void draw_amount(void) {
  size_t pairs = 1;
  turn = 0;
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) pairs += (size_t)sends(from, to);
  now.bytes = draw_bytes();
  if (now.bytes * pairs > step_bytes_max) now.bytes = step_bytes_max / pairs;
  now.bytes = whole(now.bytes);
  now.messages = 1;
  if (now.family != of_collective && once_in(2)) now.messages = 1 + (int)below(messages_max);
  while (now.messages > 1 && now.bytes * pairs * (size_t)now.messages > step_bytes_max / 2)
    now.messages /= 2;
  size_t fit = 1 + step_bytes_max / (1 + now.bytes * pairs * (size_t)now.messages);
  now.turns = 1 + (int)below(fit < turns_max ? fit : turns_max);
  now.root = (int)below((size_t)size), now.cold = once_in(2), now.looks = !once_in(3);
}

static inline void draw_plan(long step) {
  const size_t elements[] = {1, 4, 8};
  drawn = (uint64_t)seed * 0xd1342543de82ef95u + (uint64_t)step;
  size_t choice = below(10);
  now = (Plan){.step = step};
  now.family = choice < 5 ? of_messages : choice < 8 ? of_collective : of_windows;
  if (only_family >= 0) now.family = (Family)only_family;
  if (now.family == of_messages) draw_calls();
  if (now.family == of_collective) draw_collective();
  if (now.family == of_windows) draw_access();
  now.element = has_numbers() ? elements[below(3)] : 1;
  now.operation = (Operation)below(by_max + 1);
  draw_amount();
  draw_layout(&now.out, 1);
  draw_layout(&now.in, 0);
  draw_memory(&now.out, 1);
  draw_memory(&now.in, 0);
}

#endif
