// Chooses the rank that a root serves next among those that wait: the first idle one, else the one
// with least to do. The functions are pure; the classes are those of the status board, right or
// wrong. They are called by serving.hpp.
// Invariant: each rank is chosen once, whatever the classes are.
#pragma once

#include <algorithm>

#include "lockfree/channel.hpp"

namespace baton::collective {

// At most this many ranks are looked at for one choice, so that thousands of busy ranks cost no
// more; guess.
inline constexpr int looks_max = 64;

// Returns an index of `waiting`, the first among equal ones. `class_of(rank)` says how busy a rank
// is.
template <class ClassOf>
int next_served(const int* waiting, int count, ClassOf&& class_of) {
  int best = 0, least = lockfree::channel_class_max + 1;
  for (int i = 0; i < std::min(count, looks_max) && least > lockfree::channel_idle; ++i) {
    const int size = class_of(waiting[i]);
    if (size < least) {
      best = i;
      least = size;
    }
  }
  return best;
}

// Takes a rank out of the array and returns it; the others stay in their order. The array then
// begins one element further on.
inline int take_waiting(int*& waiting, int& count, int index) {
  const int rank = waiting[index];
  std::move_backward(waiting, waiting + index, waiting + index + 1);
  ++waiting;
  --count;
  return rank;
}

}  // namespace baton::collective
