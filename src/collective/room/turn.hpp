// Turns in copying from or to one rank's memory: the other ranks copy in order from its right
// neighbor on, `at_once` at a time; each begins when the rank `at_once` before it is done. The
// function is pure.
#pragma once

namespace baton::collective {

struct Turn {
  int before = -1;  // the rank that this one waits for; negative: none
  int after = -1;   // the rank that waits for this one; negative: none
};

// Returns the turn of a rank that is not the root. `at_once` 0: all copy at once.
inline Turn turn_of(int rank, int root, int ranks, int at_once) {
  Turn turn;
  const int position = (rank - root + ranks) % ranks - 1;
  if (at_once == 0) return turn;
  if (position >= at_once) turn.before = (rank - at_once + ranks) % ranks;
  if (position + at_once < ranks - 1) turn.after = (rank + at_once) % ranks;
  return turn;
}

}  // namespace baton::collective
