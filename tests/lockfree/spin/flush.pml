/* Flushes of several threads as a design: two threads of one rank put to and get from one target by
   messages, as window/remote.cpp, gather.cpp and transfer.cpp do it. Short puts and gets are
   gathered by whichever thread comes, and leave with whichever thread flushes. When a thread's flush
   returns, its own put is in the target's memory and its own get has its answer. */
#define THREADS 2
#define ROUNDS 2   /* the second thread has one less */
#define NOBODY 7
#define is_mine(other) (begun[other] != 0 && begun[other] <= mine)

/* From the origin to the target, in order: the puts and gets in a message, by thread, and who wants
   to know that all before it is done. */
chan way = [4] of { byte, byte, byte };
bool put_there[THREADS], got[THREADS];
bool answered[THREADS];

byte puts, gets;            /* gathered, by thread */
bool puts_lock, gets_lock;
byte sent, done;            /* as `Unanswered` counts them */
byte last_begun;
byte begun[THREADS];        /* numbers of gets that are in the list; 0: none */
bool saw_skip, saw_taken_by_other, saw_other_get;

inline lock(which) { atomic { !which; which = true } }

inline send_gets() {
  lock(gets_lock);
  taken = gets;
  gets = 0;
  if :: taken != 0 -> way!0, taken, NOBODY :: else fi;
  gets_lock = false
}

proctype thread(byte me) {
  byte round = 0, all, taken, mine;
  do
  :: round < ROUNDS - me ->
     put_there[me] = false;
     got[me] = false;

     /* A get, which is gathered. */
     atomic { !gets_lock; last_begun++; begun[me] = last_begun; gets = gets | (1 << me) };

     /* A put, gathered or at once; it is counted when it is there. */
     if
     :: atomic { !puts_lock; puts = puts | (1 << me) }
     :: way!(1 << me), 0, NOBODY
     fi;
     sent++;

     /* The flush: gets leave first. */
     all = sent;
     send_gets();
     if
     :: done >= all -> saw_skip = true
     :: else ->
        answered[me] = false;
        lock(puts_lock);
        taken = puts;
        puts = 0;
        if :: (taken & ~(1 << me)) != 0 -> saw_taken_by_other = true :: else fi;
        way!taken, 0, me;
        puts_lock = false;
        answered[me];
        atomic { if :: done < all -> done = all :: else fi }
     fi;

     /* The gets that have begun until now; others may take them off the list. */
     mine = last_begun;
     send_gets();
     (!is_mine(0) || got[0]) && (!is_mine(1) || got[1]);
     atomic {
       if :: is_mine(0) -> begun[0] = 0; if :: me == 1 -> saw_other_get = true :: else fi :: else fi;
       if :: is_mine(1) -> begun[1] = 0; if :: me == 0 -> saw_other_get = true :: else fi :: else fi
     };

     assert(put_there[me]);
     assert(got[me]);
     round++
  :: else -> break
  od
}

/* The target's progress, and the answers in the origin's: long data of gets comes beside them. */
active proctype target() {
  byte put_by, got_by, whom, owed = 0;
end:
  do
  :: way?put_by, got_by, whom ->
     if :: put_by & 1 -> put_there[0] = true :: else fi;
     if :: put_by & 2 -> put_there[1] = true :: else fi;
     owed = owed | got_by;
     if :: whom != NOBODY -> answered[whom] = true :: else fi
  :: owed & 1 -> atomic { owed = owed & ~1; got[0] = true }
  :: owed & 2 -> atomic { owed = owed & ~2; got[1] = true }
  od
}

init { atomic { run thread(0); run thread(1) } }

ltl reaches { ! <> (saw_skip && saw_taken_by_other && saw_other_get) }
