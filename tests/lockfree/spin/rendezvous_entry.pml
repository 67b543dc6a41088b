/* A rendezvous entry as a design: its state word, the envelope that names its slot, reuse of the slot for the same
   receiver and for another one, cancel, and the ends of a claimed entry (copied by the receiver, or streamed by the
   sender; or the receiver has asked for a stream and takes that back).
   As message/node/rendezvous.cpp, take_back_stream() in message/node/pull.cpp and deliver() in message/core/deliver.cpp
   do it; memory is sequentially consistent here, the order of accesses is the interleaving checker's part
   (tests/lockfree/model). */
#define SLOTS 2
#define MESSAGES 4
#define RECEIVERS 2

mtype = { FREE, OFFERED, CLAIMED, STREAMING, DONE, WITHDRAWN, TAKEN_BACK, COPIED, GIVEN_BACK };
mtype state[SLOTS] = FREE;
byte use[SLOTS];                  /* the number in the word: of the messages that have had the slot */
byte message_in[SLOTS];           /* whose buffer the slot stands for */
chan envelopes[RECEIVERS] = [4] of { byte, byte };  /* the rings: slot, message */
chan claims[RECEIVERS] = [4] of { byte };           /* the rings back: slot */

bool open[SLOTS];        /* the sender's: not to be used for another message */
bool asked[SLOTS];       /* its receiver's request for a stream found it taken back */
bool readable[MESSAGES]; /* the buffer belongs to the library */
bool withdrawn[MESSAGES];
bool taken[MESSAGES];
bool ended[MESSAGES];
bool begun[MESSAGES];    /* streamed: the staging buffer is named before whatever the sender puts later */
byte ended_count;
bool all_sent;
/* What the properties `reaches...` ask for; without SAW it would only multiply the states. */
#ifdef SAW
bool saw_withdraw, saw_refused_withdraw, saw_copy, saw_stream, saw_reuse, saw_late_look, saw_taken_back,
     saw_given_back, saw_next_use;
#define NOTE(what) saw_##what = true
#else
#define NOTE(what) skip
#endif

inline finish(m) {
  assert(readable[m]);
  readable[m] = false;
  ended[m] = true;
  ended_count++;
}

/* What only one process sees is one step; `slot` and `m` are forgotten with it, which saves states. */
active proctype sender() {
  byte next = 0, slot, m, used = 0, to;
  bool moved;
  do
  :: atomic { next < MESSAGES && (!open[0] || !open[1]) ->         /* put_rts */
       if :: to = 0 :: next > 0 -> to = 1 fi;
       if :: !open[0] -> slot = 0 :: !open[1] -> slot = 1 fi;
       if :: used & (1 << slot) -> NOTE(reuse) :: else fi;
       used = used | (1 << slot);
       open[slot] = true;
       message_in[slot] = next;
       readable[next] = true;
       assert(state[slot] == FREE || state[slot] == DONE || state[slot] == COPIED);
       use[slot]++;
       state[slot] = OFFERED
     };
     atomic {
       envelopes[to]!slot, next;
       next++;
       if :: next == MESSAGES -> all_sent = true :: else fi;
       slot = 0; to = 0
     }
  :: atomic { open[0] || open[1] ->
       if :: open[0] -> slot = 0 :: open[1] -> slot = 1 fi;
       m = message_in[slot];
       if
       :: state[slot] == DONE ->                                   /* poll_entries */
          open[slot] = false;
          if :: !withdrawn[m] -> finish(m) :: else fi
       :: asked[slot] && state[slot] == COPIED ->
          NOTE(taken_back);
          open[slot] = false;
          asked[slot] = false;
          finish(m)
       :: asked[slot] && state[slot] == GIVEN_BACK ->              /* streamed after all */
          NOTE(given_back);
          asked[slot] = false;
          state[slot] = STREAMING
       :: state[slot] == STREAMING && !begun[m] -> begun[m] = true /* its turn: staging buffer, data */
       :: state[slot] == STREAMING && begun[m] ->                  /* and its end */
          state[slot] = DONE;
          open[slot] = false;
          NOTE(stream);
          finish(m)
       :: !withdrawn[m] && !ended[m] ->                            /* cancel */
          if
          :: state[slot] == OFFERED ->
             state[slot] = WITHDRAWN;
             assert(!taken[m]);
             withdrawn[m] = true;
             NOTE(withdraw);
             finish(m)
          :: else -> NOTE(refused_withdraw)
          fi
       :: else
       fi;
       slot = 0; m = 0
     }
  :: atomic { if :: claims[0]?slot :: claims[1]?slot fi;           /* arrive_cts, then the stream */
       moved = state[slot] == CLAIMED;
       if :: moved -> state[slot] = STREAMING :: else fi;
       assert(!asked[slot] && open[slot] && !ended[message_in[slot]]);
       if :: !moved -> asked[slot] = true :: else fi;
       moved = false; slot = 0
     }
  :: ended_count == MESSAGES && !open[0] && !open[1] -> break
  od;
  assert(next == MESSAGES)
}

active [RECEIVERS] proctype receiver() {
  byte me = _pid - 1, slot, m, waiting_slot, waiting_use, waiting_m;
  bool moved, waits = false;
  do
  :: atomic { envelopes[me]?slot, m ->
       if :: waits && begun[waiting_m] -> waits = false :: else fi /* arrive_staging_buffer */
     };
     atomic {
       if
       :: state[slot] == OFFERED ->
          state[slot] = CLAIMED;
          assert(!taken[m] && !withdrawn[m] && message_in[slot] == m);
          taken[m] = true
       :: else ->
          assert(state[slot] == WITHDRAWN && withdrawn[m]);
          state[slot] = DONE;
          NOTE(late_look);
          goto seen
       fi
     };
     if
     :: atomic { assert(readable[m]);                              /* the copy */
          assert(state[slot] == CLAIMED);
          state[slot] = DONE;
          NOTE(copy)
        }
     :: atomic {
          if
          :: !waits -> waits = true; waiting_slot = slot; waiting_use = use[slot]; waiting_m = m
          :: else
          fi;
          claims[me]!slot
        }
     fi;
seen: atomic { slot = 0; m = 0 }
  :: atomic { waits ->                                             /* take_back_stream, at any time */
       waits = false;
       if :: use[waiting_slot] != waiting_use -> NOTE(next_use) :: else fi;
       moved = use[waiting_slot] == waiting_use && state[waiting_slot] == CLAIMED;
       if :: moved -> state[waiting_slot] = TAKEN_BACK :: else fi
     };
     if
     :: atomic { moved ->
          assert(message_in[waiting_slot] == waiting_m && readable[waiting_m]);
          assert(state[waiting_slot] == TAKEN_BACK);
          if :: state[waiting_slot] = COPIED :: state[waiting_slot] = GIVEN_BACK fi;
          moved = false
        }
     :: else
     fi;
     atomic { waiting_slot = 0; waiting_use = 0; waiting_m = 0 }
  :: all_sent && empty(envelopes[me]) -> break
  od
}

/* Everything above does happen. */
#ifdef SAW
ltl reaches { ! <> (ended_count == MESSAGES && saw_withdraw && saw_refused_withdraw && saw_copy &&
                    saw_stream && saw_reuse && saw_late_look) }
ltl reaches_taking_back { ! <> (ended_count == MESSAGES && saw_taken_back && saw_given_back && saw_reuse) }
ltl reaches_the_next_use { ! <> (ended_count == MESSAGES && saw_next_use && saw_taken_back) }
#endif
