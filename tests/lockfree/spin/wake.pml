/* Sleeping and waking as a design: one receiver, two senders, the wake word with its two bits, the
   doorbell bits, and the futex. As message/core/wait.cpp and engine.cpp do it, without the bound of the
   sleep: a lost wake-up is a deadlock. Memory is sequentially consistent here, which is what the
   fences or the membarrier buy; without them see tests/lockfree/doorbell_test.cpp. */
#define SENDERS 2
#define MESSAGES 2
#define POLLED_MAX 1

byte ring[SENDERS];   /* messages published and not yet taken */
bool bell[SENDERS];
bool asleep, doorbells_wanted;   /* the wake word */
bool sleeping;                   /* in the kernel's queue */
byte received;
bool saw_sleep, saw_wake, saw_stale_sleep, saw_trust, saw_skipped;

inline ring_doorbell(me) {
  bell[me] = true;
  atomic { was_asleep = asleep; asleep = false };
  if :: was_asleep -> atomic { if :: sleeping -> saw_wake = true :: else fi; sleeping = false }
     :: else fi
}

proctype sender(byte me) {
  byte sent = 0;
  bool was_asleep;
  ring_doorbell(me);                       /* contact */
  do
  :: sent < MESSAGES ->
     ring[me]++;
     sent++;
     if :: asleep || doorbells_wanted -> ring_doorbell(me)
        :: else -> saw_skipped = true fi
  :: sent == MESSAGES -> break
  od
}

bool contact[SENDERS], trusts;
byte contacts;

inline poll_peer(s) {
  if :: ring[s] > 0 -> ring[s]--; received++; any = true;
        if :: trusts -> bell[s] = true; asleep = false :: else fi   /* one message a look: ring again */
     :: else fi
}

inline progress() {
  any = false;
  s = 0;
  do
  :: s < SENDERS ->
     if
     :: bell[s] ->
        bell[s] = false;
        if
        :: !contact[s] ->
           contact[s] = true;
           contacts++;
           if :: contacts == POLLED_MAX + 1 -> trusts = true; saw_trust = true; doorbells_wanted = true;
                 u = 0;
                 do :: u < SENDERS -> if :: contact[u] -> poll_peer(u) :: else fi; u++
                    :: else -> break od
              :: else fi
        :: else
        fi;
        poll_peer(s)
     :: else
     fi;
     s++
  :: else -> break
  od;
  s = 0;
  do
  :: s < SENDERS && !trusts -> if :: contact[s] -> poll_peer(s) :: else fi; s++
  :: else -> break
  od
}

proctype receiver() {
  byte s, u;
  bool any, announced = false;
  do
  :: received == SENDERS * MESSAGES -> break
  :: received < SENDERS * MESSAGES ->
     progress();
     if
     :: any -> if :: announced -> announced = false; asleep = false :: else fi
     :: !any && !announced -> announced = true; asleep = true
     :: !any && announced ->
        atomic {                            /* the kernel compares and queues under one lock */
          if :: asleep -> sleeping = true; saw_sleep = true
             :: else -> saw_stale_sleep = true fi
        };
        !sleeping;
        announced = false;
        asleep = false
     fi
  od
}

init { atomic { run sender(0); run sender(1); run receiver() } }

ltl reaches { ! <> (received == SENDERS * MESSAGES && saw_sleep && saw_wake && saw_stale_sleep &&
                    saw_trust && saw_skipped) }
