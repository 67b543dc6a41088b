// Turns in copying from or to one rank's memory: the other ranks in order from its right neighbor
// on, so many at a time; each begins when the one so many before it is done. Pure.
#pragma once

namespace baton::collective {

struct Turn {
  int before = -1;  // whom a rank waits for; negative: nobody
  int after = -1;   // who waits for it
};

// Of a rank that is not the root. `at_once` 0: all.
inline Turn turn_of(int rank, int root, int ranks, int at_once) {
  Turn turn;
  const int position = (rank - root + ranks) % ranks - 1;
  if (at_once == 0) return turn;
  if (position >= at_once) turn.before = (rank - at_once + ranks) % ranks;
  if (position + at_once < ranks - 1) turn.after = (rank + at_once) % ranks;
  return turn;
}

}  // namespace baton::collective
