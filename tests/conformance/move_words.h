/* The plan of a step of random_moves in words, for who has to find out why a byte is wrong: written
 * before the step, so that it can be said after a crash, too. */
#ifndef MOVE_WORDS_H
#define MOVE_WORDS_H

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "move_memory.h"

static const char* const pattern_names[] = {"from one to the other rank of each pair",
                                            "both ways between pairs",
                                            "around a ring",
                                            "among all",
                                            "from all to one",
                                            "from one to all",
                                            "to oneself"};
static const char* const send_names[] = {"MPI_Send",  "MPI_Ssend",  "MPI_Sendrecv",
                                         "MPI_Isend", "MPI_Issend", "a persistent send"};
static const char* const receive_names[] = {"MPI_Irecv", "MPI_Recv", "MPI_Mprobe and MPI_Mrecv",
                                            "a persistent receive"};
static const char* const collective_names[] = {"bcast",   "reduce",    "allreduce", "gather",
                                               "scatter", "allgather", "alltoall"};
static const char* const access_names[] = {"MPI_Put", "MPI_Get", "MPI_Accumulate"};
static const char* const synchronization_names[] = {
    "MPI_Win_fence", "a shared lock", "an exclusive lock", "MPI_Win_flush", "requests"};
static const char* const operation_names[] = {"MPI_SUM", "MPI_BXOR", "MPI_MAX"};
static const char* const memory_names[] = {
    "malloc",         "MPI_Alloc_mem",   "static memory",    "pages",
    "a guard's edge", "read-only pages", "MPI_Win_allocate", "opaque memory"};

static char words[24000];
static size_t words_bytes;

static inline void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t space = sizeof words - words_bytes;
  int bytes = vsnprintf(words + words_bytes, space, format, arguments);
  if (bytes > 0) words_bytes += (size_t)bytes < space ? (size_t)bytes : space - 1;
  va_end(arguments);
}

static inline void say_side(const char* name, const Side* side) {
  say("  %s: %d blocks, each %zu bytes behind the one before", name, side->blocks, side->pitch);
  if (side->piece) say(", in pieces of %zu with gaps of %zu", side->piece, side->gap);
  if (side->room) say(", receives %zu bytes longer than messages", side->room);
  for (int i = 0; i < size; ++i) {
    say(i % 4 ? "; " : "\n    ");
    say("rank %d: %s", i, memory_names[side->memory[i]]);
    if (side->memory[i] != before_guard) say(" + %zu", side->offset[i]);
  }
  say("\n");
}

static inline void say_calls(void) {
  if (now.family == of_messages) {
    say("messages %s, by %s", pattern_names[now.pattern], send_names[now.send]);
    if (now.send != by_sendrecv)
      say(" and %s%s, receives %s%s", receive_names[now.receive], now.reversed ? " (reversed)" : "",
          now.late ? "after sends" : "first", now.meets ? ", with a barrier between" : "");
  } else if (now.family == of_collective) {
    say("MPI_%s%s%s", now.nonblocking ? "I" : "", collective_names[now.collective],
        now.in_place ? " in place" : "");
  } else {
    say("%s %s, synchronized by %s", access_names[now.access], pattern_names[now.pattern],
        synchronization_names[now.synchronization]);
  }
  if (has_numbers()) say(", %s of %zu-byte integers", operation_names[now.operation], now.element);
}

static inline void write_words(void) {
  words_bytes = 0;
  say("seed %llu, step %ld (to repeat: random_moves_test %llu %ld%s%s), on %d ranks: ", seed,
      now.step, seed, now.step, only_family >= 0 ? " " : "",
      only_family >= 0 ? family_names[only_family] : "", size);
  say_calls();
  say(";\n  %d x %zu bytes at a time, %d turns, data %s, looked at %s, the first root is %d\n",
      now.messages, now.bytes, now.turns, now.cold ? "written each turn" : "written once",
      now.looks ? "each turn" : "at the end", now.root);
  say_side("sent", &now.out);
  say_side("received", &now.in);
}

static void fail(const char* what, const char* file, int at_line) {
  fprintf(stderr, "%s:%d: rank %d of %d, turn %d: %s\n%s", file, at_line, rank, size, turn, what,
          words);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Errors that the library reports. */
static void fail_by_error(MPI_Comm* comm, int* error, ...) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int bytes;
  (void)comm;
  MPI_Error_string(*error, text, &bytes);
  fail(text, __FILE__, __LINE__);
}

/* A fault: says the plan; the end of a job that hangs: says the step. Then whoever handled such a
 * signal before does so again. */
static struct sigaction before[NSIG];
static void tell_of_signal(int signal) {
  const char* head = signal == SIGTERM ? "ended in: " : "a fault; the plan is:\n";
  size_t bytes = signal == SIGTERM ? strcspn(words, "\n") + 1 : words_bytes;
  if (write(2, head, strlen(head)) < 0 || write(2, words, bytes) < 0) words_bytes = 0;
  sigaction(signal, &before[signal], NULL);
  if (signal == SIGTERM) raise(signal);
}

static inline void catch_failures(void) {
  struct sigaction action = {.sa_handler = tell_of_signal};
  MPI_Errhandler handler;
  sigaction(SIGSEGV, &action, &before[SIGSEGV]);
  sigaction(SIGBUS, &action, &before[SIGBUS]);
  sigaction(SIGTERM, &action, &before[SIGTERM]);
  MPI_Comm_create_errhandler(fail_by_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
}

#endif
