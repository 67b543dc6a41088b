/* A rendezvous entry as a design: its state word, the envelope that names its slot, reuse of the slot, cancel,
   and the ends of a claimed entry (copied by the receiver, or streamed by the sender; or the receiver has
   asked for a stream and takes that back).
   As message/node/rendezvous.cpp, take_back() in message/node/pull.cpp and deliver() in message/core/arrive.cpp do it; memory is sequentially consistent
   here, the order of accesses is the interleaving checker's part (tests/lockfree/model). */
#define SLOTS 2
#define MESSAGES 4

mtype = { FREE, OFFERED, CLAIMED, STREAMING, DONE, WITHDRAWN, TAKEN_BACK, COPIED, GIVEN_BACK };
mtype state[SLOTS] = FREE;
byte message_in[SLOTS];           /* whose buffer the slot stands for */
chan envelopes = [4] of { byte, byte };  /* the ring: slot, message */
chan claims = [4] of { byte };           /* the ring back: slot */

bool open[SLOTS];        /* the sender's: not to be used for another message */
bool asked[SLOTS];       /* its receiver's request for a stream found it taken back */
bool readable[MESSAGES]; /* the buffer belongs to the library */
bool withdrawn[MESSAGES];
bool taken[MESSAGES];
bool ended[MESSAGES];
bool begun[MESSAGES];    /* streamed: the staging buffer is named before whatever the sender puts later */
byte ended_count;
bool saw_withdraw, saw_refused_withdraw, saw_copy, saw_stream, saw_reuse, saw_late_look, saw_taken_back,
     saw_given_back;

#define MOVE(slot, old, new, done) atomic { if :: state[slot] == old -> state[slot] = new; done = true \
                                               :: else -> done = false fi }

inline finish(m) {
  assert(readable[m]);
  readable[m] = false;
  ended[m] = true;
  ended_count++;
}

active proctype sender() {
  byte next = 0, slot, m, used = 0;
  bool moved;
  do
  :: next < MESSAGES && (!open[0] || !open[1]) && nfull(envelopes) ->   /* put_entry */
     if :: !open[0] -> slot = 0 :: !open[1] -> slot = 1 fi;
     if :: used & (1 << slot) -> saw_reuse = true :: else fi;
     used = used | (1 << slot);
     open[slot] = true;
     message_in[slot] = next;
     readable[next] = true;
     assert(state[slot] == FREE || state[slot] == DONE || state[slot] == COPIED);
     state[slot] = OFFERED;
     envelopes!slot, next;
     next++
  :: open[0] || open[1] ->
     if :: open[0] -> slot = 0 :: open[1] -> slot = 1 fi;
     m = message_in[slot];
     if
     :: state[slot] == DONE ->                                     /* poll_entries */
        open[slot] = false;
        if :: !withdrawn[m] -> finish(m) :: else fi
     :: asked[slot] && state[slot] == COPIED ->
        saw_taken_back = true;
        open[slot] = false;
        asked[slot] = false;
        finish(m)
     :: asked[slot] && state[slot] == GIVEN_BACK ->                /* streamed after all */
        saw_given_back = true;
        asked[slot] = false;
        state[slot] = STREAMING
     :: state[slot] == STREAMING ->                                /* its turn: staging buffer, data, end */
        begun[m] = true;
        state[slot] = DONE;
        open[slot] = false;
        saw_stream = true;
        finish(m)
     :: !withdrawn[m] && !ended[m] ->                              /* cancel */
        atomic {
          MOVE(slot, OFFERED, WITHDRAWN, moved);
          if :: moved -> withdrawn[m] = true :: else fi
        };
        if :: moved -> saw_withdraw = true; finish(m)
           :: else -> saw_refused_withdraw = true fi
     :: else
     fi
  :: claims?slot ->                                                /* arrive_claim, then the stream */
     MOVE(slot, CLAIMED, STREAMING, moved);
     assert(!asked[slot] && open[slot] && !ended[message_in[slot]]);
     if :: !moved -> asked[slot] = true :: else fi
  :: ended_count == MESSAGES && !open[0] && !open[1] -> break
  od;
  assert(next == MESSAGES)
}

active proctype receiver() {
  byte slot, m, seen = 0, waiting_slot, waiting_m;
  bool moved, waits = false;
  do
  :: seen < MESSAGES ->
     envelopes?slot, m;
     seen++;
     if :: waits && begun[waiting_m] -> waits = false :: else fi;  /* arrive_staging_buffer */
     MOVE(slot, OFFERED, CLAIMED, moved);
     if
     :: !moved ->
        MOVE(slot, WITHDRAWN, DONE, moved);
        assert(moved && withdrawn[m]);
        saw_late_look = true
     :: else ->
        assert(!taken[m] && !withdrawn[m] && message_in[slot] == m);
        taken[m] = true;
        if
        :: assert(readable[m]);                                    /* the copy */
           MOVE(slot, CLAIMED, DONE, moved);
           assert(moved);
           saw_copy = true
        :: claims!slot;
           if :: !waits -> waits = true; waiting_slot = slot; waiting_m = m :: else fi
        fi
     fi
  :: waits ->                                                      /* take_back, at any time */
     waits = false;
     MOVE(waiting_slot, CLAIMED, TAKEN_BACK, moved);
     if
     :: moved ->
        assert(message_in[waiting_slot] == waiting_m && readable[waiting_m]);
        if :: true -> MOVE(waiting_slot, TAKEN_BACK, COPIED, moved)
           :: true -> MOVE(waiting_slot, TAKEN_BACK, GIVEN_BACK, moved) fi;
        assert(moved)
     :: else
     fi
  :: seen == MESSAGES -> break
  od
}

/* Each message is withdrawn or taken, never both; and everything above does happen. */
ltl exclusive { [] !(withdrawn[0] && taken[0]) && [] !(withdrawn[3] && taken[3]) }
ltl reaches { ! <> (ended_count == MESSAGES && saw_withdraw && saw_refused_withdraw && saw_copy &&
                    saw_stream && saw_reuse && saw_late_look) }
ltl reaches_taking_back { ! <> (ended_count == MESSAGES && saw_taken_back && saw_given_back && saw_reuse) }
